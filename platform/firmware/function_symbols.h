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
// Those of a kernel of Linux are at physical addresses, because KASLR moves its virtual ones in each run. For
// the addresses of a core that executes it, see SymbolsOfCore.
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

#include "base/units.h"
#include "core/debug_port.h"
#include "platform/firmware/source_lines.h"

namespace asterism {

// Where an instruction is. Outside of functions all is empty: DWARF may still describe functions that the
// linker has removed, often as if they were at address 0.
struct CodePlace {
  std::string function;      // "" if no function covers it
  std::uint64_t offset = 0;  // from the beginning of the function
  SourceLine source;         // empty without DWARF
};

class KernelSymbols;

class FunctionSymbols {
 public:
  FunctionSymbols() = default;
  // Parses a file that ElfImage has accepted. A file without a symbol table has no functions. The bytes must
  // stay valid as long as this object, because the lines are read on demand.
  static FunctionSymbols parse(std::span<const std::byte> elf, const std::string& file);
  // A function extends to the next symbol.
  static FunctionSymbols of_kernel(const KernelSymbols& kernel);

  bool empty() const { return names_.empty(); }
  // Whether the addresses are physical.
  bool is_kernel() const { return kernel_.size.count() != 0; }
  // Whether a virtual address with this translation is one at which the kernel executes its Image: it is in
  // the upper half and as far into 2 MiB as in memory, or, in the first instructions, the same as there. A
  // program or a module may have the memory of functions that were needed only during the boot.
  bool is_in_kernel(std::uint64_t address, std::uint64_t physical) const {
    constexpr std::uint64_t upper_half = std::uint64_t{1} << 63, alignment = 2 << 20;
    const bool is_mapped = (address & upper_half) != 0 && (address - physical) % alignment == 0;
    return (is_mapped || address == physical) && kernel_.contains(Address(physical), Bytes(1));
  }

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
  std::string describe(std::uint64_t address) const { return describe(address, address); }
  // The same for the symbols at `at`.
  std::string describe(std::uint64_t address, std::uint64_t at) const;

 private:
  static constexpr std::size_t none = 0;

  std::size_t region_of(std::uint64_t address) const;

  std::vector<std::uint64_t> boundaries_;
  std::vector<std::size_t> functions_;  // for region i + 1: its index in names_ plus 1, or none
  std::vector<std::string> names_;
  std::shared_ptr<const SourceLines> lines_;   // nullptr: no file was parsed
  AddressRange kernel_{Address(0), Bytes(0)};  // empty unless the addresses are physical
};

// The same for the virtual addresses of a core, as it translates them now. Both must exist as long as this
// object.
class SymbolsOfCore {
 public:
  SymbolsOfCore(const FunctionSymbols& symbols, DebugPort& core) : symbols_(symbols), core_(core) {}

  std::string place_of(std::uint64_t address) const { return symbols_.place_of(at(address)); }
  CodePlace locate(std::uint64_t address) const { return symbols_.locate(at(address)); }
  std::string describe(std::uint64_t address) const { return symbols_.describe(address, at(address)); }

 private:
  static constexpr std::uint64_t nowhere = 0;
  std::uint64_t at(std::uint64_t address) const;

  const FunctionSymbols& symbols_;
  DebugPort& core_;
};

}  // namespace asterism
