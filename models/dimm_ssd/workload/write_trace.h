// Write requests from a file. Each line holds one request, with fields separated by blanks or tabs. Empty
// lines and comments that begin with '#' are skipped.
//
//   # time page line
//   0 0x12 5
//   12.5ns 18 6
//   13000 18 7           no unit: picoseconds
//
// `time` is that of the program without delays by checkpoints, and never decreases. Page and line are
// decimal, or hexadecimal with 0x. All intervals have the same length.
#pragma once

#include <functional>
#include <istream>
#include <memory>
#include <optional>
#include <string>

#include "base/trace_lines.h"
#include "dimm_ssd/workload/write_source.h"

namespace asterism {

class WriteTrace final : public WriteSource {
 public:
  using Open = std::function<std::unique_ptr<std::istream>()>;

  // Reads the whole file to determine its size and check it. `name` is used in messages. Throws TraceError.
  WriteTrace(Open open, std::string name, Picoseconds interval);

  std::uint32_t intervals() const { return intervals_; }  // up to the last request, at least one
  std::uint64_t requests() const { return requests_; }

  std::uint32_t pages() const override { return pages_; }
  Picoseconds interval() const override { return interval_; }
  void begin_interval(std::uint32_t index) override;
  std::size_t next(std::span<WriteRequest> requests) override;

 private:
  std::optional<WriteRequest> read();

  Open open_;
  std::string name_;
  Picoseconds interval_;
  std::uint32_t pages_ = 0, intervals_ = 1;
  std::uint64_t requests_ = 0;

  std::optional<TraceLines> lines_;
  std::optional<WriteRequest> ahead_;  // with its time from the beginning of the trace
  Picoseconds begin_;                  // of the interval
};

}  // namespace asterism
