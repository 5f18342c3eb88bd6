// A load on an NVMe disk without cores, as the tool fio makes it: reads and writes of one size at a constant
// queue depth, after the disk has been filled and written over, or the requests of a trace at their times.
// The whole path is simulated: queues and doorbells in a memory, PRP, cache, flash and its collections.
//
// The latency of a command is the time from its doorbell, or in a trace from its arrival, until its
// completion is in memory. Flash keeps no contents.
#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "base/random.h"
#include "nvme/nvme_host.h"

namespace asterism {

enum class NvmePattern : std::uint8_t { sequential, random };
constexpr auto enum_names(NvmePattern) {
  return std::to_array<EnumName<NvmePattern>>(
      {{NvmePattern::sequential, "sequential", "one request behind the other, from the first block on"},
       {NvmePattern::random, "random", "each place of the used part is as likely as any other"}});
}

struct NvmeWorkloadConfig {
  NvmePattern pattern = NvmePattern::random;
  std::uint32_t reads = 100;     // percent of the requests
  Bytes size = 4_KiB;            // of a request
  std::uint32_t depth = 32;      // requests under way, in all queues
  std::uint32_t used = 100;      // percent of the capacity that is filled at first, and used
  std::uint32_t overwrites = 0;  // percent of the used part that is written over, at random, before
  Picoseconds duration = 200_ms;
  std::uint64_t seed = 1;
};
// Without a trace, the keys of both; with one, those of the disk's preparation.
void describe_preparation(Fields& f, NvmeWorkloadConfig& config);
void describe_requests(Fields& f, NvmeWorkloadConfig& config);

struct NvmeRequest {
  Picoseconds at = {};
  std::uint64_t first = 0;  // block
  std::uint32_t blocks = 1;
  bool is_read = true;
};

struct NvmeTraceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Reads a trace in MQSim's form: lines of `time device sector sectors type`, where time is in nanoseconds and
// type 1 is a read. Sectors of 512 bytes become the blocks that contain them; a request of more than the
// largest transfer becomes several. Throws NvmeTraceError with the number of the line,
// also if its time or sectors are too large.
std::vector<NvmeRequest> read_nvme_trace(std::istream& file);

struct NvmeWorkloadResult {
  std::vector<Picoseconds> reads, writes;  // latencies, sorted
  Picoseconds time;
  Bytes moved;
  Bytes written;               // by the host
  std::uint64_t programs = 0;  // of flash pages
  std::uint64_t collections = 0;
  std::uint64_t errors = 0;
  bool stopped = false;
};

class NvmeWorkload {
 public:
  NvmeWorkload(const NvmeConfig& disk, const FlashPart& part, const NvmeWorkloadConfig& config);

  // `stop` is asked now and then.
  NvmeWorkloadResult run(const std::function<bool()>& stop);
  // The requests of a trace. One that does not fit before the end of the used part is at its first block
  // modulo the number of places where it fits.
  NvmeWorkloadResult run(const std::vector<NvmeRequest>& trace, const std::function<bool()>& stop);
  double share_done() const { return share_; }
  std::uint64_t used_blocks() const { return used_; }

  static constexpr std::uint32_t entries = 1024;                    // of a queue
  static constexpr std::uint32_t requests_per_queue = entries - 1;  // under way, at most

 private:
  static constexpr std::uint32_t identifiers = 65536;
  struct Sent {
    Picoseconds at = {};
    bool is_read = false;
    bool is_measured = false;
  };
  struct Counts {
    std::uint64_t programs = 0, collections = 0, written = 0;
  };

  void prepare(const std::function<bool()>& stop);
  bool drive(std::uint64_t requests, Picoseconds until, std::uint32_t depth, bool is_measured,
             const std::function<NvmeRequest()>& next, const std::function<bool()>& stop);
  void send(const NvmeRequest& request, Picoseconds arrived, bool is_measured);
  void step();
  void collect();
  void begin_measuring();
  NvmeWorkloadResult end_measuring();
  Counts counts() const;
  NvmeRequest random_request(std::uint32_t blocks, bool is_read);

  const NvmeConfig disk_;
  const NvmeWorkloadConfig config_;
  FlashImage image_;
  NvmeHost host_;
  Random random_;
  std::uint64_t used_ = 0;
  std::vector<std::vector<Sent>> sent_;  // of each queue, by the identifier
  std::uint32_t under_way_ = 0;
  unsigned next_queue_ = 0;
  NvmeWorkloadResult result_;
  Counts before_;
  Picoseconds began_;
  double share_ = 0;
};

}  // namespace asterism
