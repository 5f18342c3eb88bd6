// The functions of a firmware, from the symbol table of its ELF file: names for profiles and traces.
//
// Functions are symbols of type FUNC, and labels of no type in code that no function covers, as assembly has them. One without a size
// reaches to the next. Of several names of a place a global one is taken, then the first in the alphabet; C++ names are as in
// the source.
//
// Errors: ConfigError names the file and says what is damaged (a table outside the file, a name outside its table).
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
  // Of a file that ElfImage has taken; without a symbol table there are none.
  static FunctionSymbols parse(std::span<const std::byte> elf, const std::string& file);

  bool empty() const { return names_.empty(); }

  // Code as regions: region 0 lies before boundaries()[0], region i begins at boundaries()[i - 1].
  const std::vector<std::uint64_t>& boundaries() const { return boundaries_; }
  // "[no symbol]" of a region that no function covers.
  const std::string& name_of(std::size_t region) const;
  // "solver_iterate+0x1c", the function alone at its beginning; "" where there is none.
  std::string place_of(std::uint64_t address) const;

 private:
  static constexpr std::size_t none = 0;

  std::vector<std::uint64_t> boundaries_;
  std::vector<std::size_t> functions_;  // of region i + 1: index in names_ plus 1, or none
  std::vector<std::string> names_;
};

}  // namespace asterism
