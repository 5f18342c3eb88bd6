// Traces of memory accesses. Each line holds one access, with fields separated by blanks or tabs. Empty lines
// and comments that begin with '#' are skipped.
//
//   # R|W address [time]
//   R 0x1f40
//   W 1f80 12.5ns
//   R 0x1fc0 13000           no unit: picoseconds
//
// An address is hexadecimal, with or without 0x, and is an offset into the memory; the block that contains it
// is accessed. `time` is the earliest time of the access and never decreases; an access without a
// time is issued at once.
#pragma once

#include <istream>
#include <memory>
#include <optional>
#include <string>

#include "base/trace_lines.h"
#include "base/units.h"
#include "memory/dram_traffic.h"

namespace asterism {

using DramTraceError = TraceError;

// Reads the trace as a stream, so that it takes no memory.
class DramTraceSource final : public DramAccessSource {
 public:
  // `name` is used in messages; valid addresses are below `size`.
  DramTraceSource(std::unique_ptr<std::istream> in, std::string name, Bytes size, Bytes block = 64_B);

  // nullopt at the end. Throws DramTraceError.
  std::optional<DramAccess> next() override;

 private:
  TraceLines lines_;
  Bytes size_, block_;
  Picoseconds last_;
};

}  // namespace asterism
