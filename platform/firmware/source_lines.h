// The lines of source of a firmware image, read by libdw from the DWARF of its ELF file.
//
// There are none if the file has no DWARF, or if it is damaged. Nothing is read before the first question.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace asterism {

struct SourceLine {
  std::string file;   // as the compiler recorded it, often with its folder; "" if the line is unknown
  unsigned line = 0;  // counted from 1
};

// The line of all instructions from an address on.
struct SourceRow {
  std::uint64_t address = 0;
  SourceLine source;  // empty: no line
};

class SourceLines {
 public:
  // The bytes must stay valid as long as this object.
  explicit SourceLines(std::span<const std::byte> elf);
  ~SourceLines();
  SourceLines(const SourceLines&) = delete;
  SourceLines& operator=(const SourceLines&) = delete;

  // The line from which the instruction at a virtual address was compiled.
  SourceLine at(std::uint64_t address) const;
  // All lines, by ascending addresses, each of which occurs once.
  std::vector<SourceRow> rows() const;

 private:
  struct DebugInfo;
  const DebugInfo& debug_info() const;
  const std::span<const std::byte> elf_;
  mutable std::unique_ptr<DebugInfo> debug_info_;
};

}  // namespace asterism
