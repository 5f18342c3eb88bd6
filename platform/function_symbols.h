// The functions of a firmware image, read from the symbol table of its ELF file. Profiles and traces use
// their names.
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
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace asterism {

class FunctionSymbols {
 public:
  FunctionSymbols() = default;
  // Parses a file that ElfImage has accepted. A file without a symbol table has no functions.
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

 private:
  static constexpr std::size_t none = 0;

  std::vector<std::uint64_t> boundaries_;
  std::vector<std::size_t> functions_;  // for region i + 1: its index in names_ plus 1, or none
  std::vector<std::string> names_;
};

}  // namespace asterism
