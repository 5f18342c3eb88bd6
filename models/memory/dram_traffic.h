// Drives a DramSystem alone: a number of requests is outstanding at a time, and each answer triggers the next
// request.
//
// A requester sees an answer at its last beat, and issues its next request `turnaround` later at the
// earliest. One clock is what the simulators take whose bandwidths are compared in models/memory/README.md. A
// write is answered when its queue has accepted it.
#pragma once

#include <boost/circular_buffer.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/random.h"
#include "base/units.h"
#include "memory/dram_system.h"

namespace asterism {

struct DramAccess {
  std::uint64_t block = 0;  // of the memory
  bool is_write = false;
  Picoseconds earliest;

  bool operator==(const DramAccess&) const = default;
};

class DramAccessSource {
 public:
  virtual ~DramAccessSource() = default;
  virtual std::optional<DramAccess> next() = 0;
};

enum class DramPattern { sequential, random, stride, copy };

struct DramPatternSettings {
  DramPattern pattern = DramPattern::random;
  std::uint64_t blocks = 1;        // of the memory, which the patterns do not exceed
  std::uint64_t stride = 1;        // blocks
  std::uint64_t page_blocks = 64;  // of the 4 KiB that a copy reads
  double writes = 0;               // fraction
  std::uint64_t requests = 0;
  std::uint64_t seed = 1;
};

class DramPatternSource final : public DramAccessSource {
 public:
  explicit DramPatternSource(const DramPatternSettings& settings);
  std::optional<DramAccess> next() override;

 private:
  std::uint64_t next_block();

  DramPatternSettings settings_;
  std::uint64_t write_limit_;  // of 2^53
  Random places_, kinds_;
  std::uint64_t made_ = 0, block_ = 0;
};

struct DramTrafficResult {
  std::uint64_t reads = 0, writes = 0;
  std::uint64_t extra_reads = 0, extra_writes = 0;
  Picoseconds extra_read_time;  // sum of their latencies
  Picoseconds elapsed;          // to the last answer
};

class DramTraffic final : private DramSystem::Sink {
 public:
  DramTraffic(DramSystem& system, std::uint32_t outstanding, Picoseconds turnaround);

  // The extra latency of every read, such as decoding.
  Picoseconds after_read;
  // Appends further accesses that one access causes to `extra`. Their answers are not waited for, but they
  // enter the queues before the next access.
  std::function<void(const BlockLocation& location, bool is_write, std::vector<DramRequest>& extra)> extra_of;
  // Called for each read, and for each write: the number of the access in its run, from 0, and its latency
  // from the time at which its requester issued it.
  std::function<void(std::uint64_t access, Picoseconds latency)> on_read, on_write;
  // Polled from time to time; true ends the run.
  std::function<bool()> stop;

  DramTrafficResult run(DramAccessSource& source);

 private:
  struct Free {
    Picoseconds from;
    std::uint32_t slot;
  };
  void completed(std::uint64_t id, Picoseconds at) override;
  void submit(const DramAccess& access, std::uint64_t number);
  void submit_extra();
  void pass_event();

  DramSystem& system_;
  Picoseconds turnaround_, now_;
  struct Read {
    Picoseconds began;
    std::uint64_t access = 0;
  };
  std::vector<Read> reads_;            // by slot
  boost::circular_buffer<Free> free_;  // by time
  std::vector<DramRequest> extra_;     // of the preceding access, to be submitted
  std::vector<Picoseconds> extra_began_;
  std::vector<std::uint32_t> extra_free_;  // free indices of extra_began_
  DramTrafficResult result_;
};

}  // namespace asterism
