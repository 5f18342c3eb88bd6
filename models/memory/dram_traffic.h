// Drives a DramSystem alone: a number of requests under way at a time, each answered one followed by the next.
//
// A requester sees an answer at the last beat and asks anew `turnaround` later, at least: one clock is what the
// simulators take whose bandwidths stand in models/memory/README.md. A write is answered when its queue has taken it.
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
  std::uint64_t blocks = 1;  // of the memory: the patterns stay below
  std::uint64_t stride = 1;  // blocks
  double writes = 0;         // fraction
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

  // What every read takes on its way back, such as decoding.
  Picoseconds after_read;
  // Further accesses that one causes, added to `extra`. Nobody waits for their answers, but they go into the queues
  // before the next access does.
  std::function<void(const BlockLocation& location, bool is_write, std::vector<DramRequest>& extra)> extra_of;
  // Of each read, from the time at which its requester wanted it.
  std::function<void(Picoseconds latency)> on_read;
  // Asked now and then; true ends the run.
  std::function<bool()> stop;

  DramTrafficResult run(DramAccessSource& source);

 private:
  struct Free {
    Picoseconds from;
    std::uint32_t slot;
  };
  void completed(std::uint64_t id, Picoseconds at) override;
  void submit(const DramAccess& access);
  void submit_extra();
  void pass_event();

  DramSystem& system_;
  Picoseconds turnaround_, now_;
  std::vector<Picoseconds> began_;     // by slot
  boost::circular_buffer<Free> free_;  // by time
  std::vector<DramRequest> extra_;     // of the access before, to be submitted
  std::vector<Picoseconds> extra_began_;
  std::vector<std::uint32_t> extra_free_;  // places there
  DramTrafficResult result_;
};

}  // namespace asterism
