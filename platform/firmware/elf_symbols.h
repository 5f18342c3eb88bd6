// The symbol table of a firmware's ELF file.
//
// Errors: ConfigError names the file and says what is damaged (a table outside the file, a name outside its
// table).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace asterism {

struct ElfSymbol {
  const char* name;  // in the file
  std::uint64_t value, size;
  unsigned char type, binding;  // STT_..., STB_...
  bool is_in_code;              // in an executable section
};

// All symbols that are defined, in the order of the file, which ElfImage has accepted. A file without a table
// has none.
std::vector<ElfSymbol> elf_symbols(std::span<const std::byte> elf, const std::string& file);

}  // namespace asterism
