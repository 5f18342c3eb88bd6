// The functions of a firmware image, read from the symbol table of its ELF file, and the lines of its source.
// Everything that shows an address of code to a user takes its words from here.
//
//   symbols.describe(0x40200a08)   "heat_step+0x14 (0x40200a08) at heat.c:41"
//   symbols.describe(0x10)         "0x10": no function covers it
//
// A function is a symbol of type FUNC, or a label without a type in code that no function covers (assembly
// has such labels). A function without a size extends to the next one. If an address has several names, a
// global one is chosen, then the first in alphabetical order. C++ names are demangled.
//
// Errors: ConfigError names the file and says what is damaged (a table outside the file, a name outside its
// table).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "platform/firmware/source_lines.h"

namespace asterism {

// Where an instruction is. Outside of functions all is empty: DWARF may still describe functions that the
// linker has removed, often as if they were at address 0.
struct CodePlace {
  std::string function;      // "" if no function covers it
  std::uint64_t offset = 0;  // from the beginning of the function
  SourceLine source;         // empty without DWARF
};

class FunctionSymbols {
 public:
  FunctionSymbols() = default;
  // Parses a file that ElfImage has accepted. A file without a symbol table has no functions. The bytes must
  // stay valid as long as this object, because the lines are read on demand.
  static FunctionSymbols parse(std::span<const std::byte> elf, const std::string& file);

  bool empty() const { return names_.empty(); }

  // Addresses are divided into regions: region 0 lies below boundaries()[0], region i begins at
  // boundaries()[i - 1].
  const std::vector<std::uint64_t>& boundaries() const { return boundaries_; }
  // The name is "[no symbol]" for a region that no function covers.
  const std::string& name_of(std::size_t region) const;
  // "solver_iterate+0x1c"; at its first instruction the function's name alone; "" if no function covers the
  // address.
  std::string place_of(std::uint64_t address) const;

  CodePlace locate(std::uint64_t address) const;
  // SourceLines::rows().
  std::vector<SourceRow> source_rows() const;
  // The address in words: function and offset, the address itself, and the file (without its folder) and line
  // of the source, as far as they are known.
  std::string describe(std::uint64_t address) const;

 private:
  static constexpr std::size_t none = 0;

  std::size_t region_of(std::uint64_t address) const;

  std::vector<std::uint64_t> boundaries_;
  std::vector<std::size_t> functions_;  // for region i + 1: its index in names_ plus 1, or none
  std::vector<std::string> names_;
  std::shared_ptr<const SourceLines> lines_;  // nullptr: no file was parsed
};

}  // namespace asterism
