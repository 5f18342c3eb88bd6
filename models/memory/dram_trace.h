// Traces of memory accesses. One access a line, its fields parted by blanks or tabs; what follows a '#' and empty lines
// are skipped.
//
//   # R|W address [time]
//   R 0x1f40
//   W 1f80 12.5ns
//   R 0x1fc0 13000           no unit: picoseconds
//
// An address is hexadecimal, with or without 0x, and counts from the beginning of the memory; the block of 64 bytes that
// it lies in is accessed. `time` is the earliest at which the access is wanted and never decreases; without one it is
// wanted at once.
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

// Reads as a stream: a trace takes no memory.
class DramTraceSource final : public DramAccessSource {
 public:
  // `name` is for messages; addresses are those below `size`.
  DramTraceSource(std::unique_ptr<std::istream> in, std::string name, Bytes size);

  // nullopt at the end. Throws DramTraceError.
  std::optional<DramAccess> next() override;

 private:
  TraceLines lines_;
  Bytes size_;
  Picoseconds last_;
};

}  // namespace asterism
