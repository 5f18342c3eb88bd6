// Write requests from a file. One a line, its fields parted by blanks or tabs; what follows a '#' and empty lines are skipped.
//
//   # time page line
//   0 0x12 5
//   12.5ns 18 6
//   13000 18 7           no unit: picoseconds
//
// `time` is the program's own, without what checkpoints hold up, and never decreases; page and line are decimal, or
// hexadecimal behind 0x. Intervals are of equal time.
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

  // Reads all of it, for its size and its mistakes; `name` is for messages. Throws TraceError.
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
  std::optional<WriteRequest> ahead_;  // its time counts from the trace's beginning
  Picoseconds begin_;                  // of the interval
};

}  // namespace asterism
