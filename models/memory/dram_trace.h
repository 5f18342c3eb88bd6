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
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/units.h"
#include "memory/dram_traffic.h"

namespace asterism {

// what() is "FILE:LINE: expected ..., got ...".
class DramTraceError : public std::runtime_error {
  using runtime_error::runtime_error;
};

// Reads as a stream: a trace takes no memory.
class DramTraceSource final : public DramAccessSource {
 public:
  // `name` is for messages; addresses are those below `size`.
  DramTraceSource(std::unique_ptr<std::istream> in, std::string name, Bytes size);

  // nullopt at the end. Throws DramTraceError.
  std::optional<DramAccess> next() override;

 private:
  DramAccess parse(std::string_view line);
  [[noreturn]] void refuse(const std::string& problem) const;

  std::unique_ptr<std::istream> in_;
  std::string name_;
  Bytes size_;
  std::uint64_t line_ = 0;  // from 1
  Picoseconds last_;
};

}  // namespace asterism
