#include "platform/firmware/elf_symbols.h"

#include <elf.h>
#include <fmt/format.h>

#include <cstring>

#include "base/units.h"
#include "platform/config/diagnostics.h"

namespace asterism {
namespace {

// Reads parts of a file, and checks that each is inside the file.
class Reader {
 public:
  Reader(std::span<const std::byte> elf, const std::string& file) : elf_(elf), file_(file) {}

  [[noreturn]] void refuse(const std::string& problem) const {
    throw ConfigError(Diagnostic::of_file(file_, "firmware " + problem));
  }
  std::span<const std::byte> bytes(std::uint64_t at, std::uint64_t size, const char* what) const {
    if (!AddressRange{Address(0), Bytes(elf_.size())}.contains(Address(at), Bytes(size)))
      refuse(fmt::format("has its {} ({:#x} bytes at {:#x}) outside the file of {} bytes", what, size, at,
                         elf_.size()));
    return elf_.subspan(at, size);
  }
  template <class T>
  T value(std::uint64_t at, const char* what) const {
    T value;
    std::memcpy(&value, bytes(at, sizeof value, what).data(), sizeof value);
    return value;
  }

 private:
  std::span<const std::byte> elf_;
  const std::string& file_;
};

}  // namespace

std::vector<ElfSymbol> elf_symbols(std::span<const std::byte> elf, const std::string& file) {
  const Reader reader(elf, file);
  const auto header = reader.value<Elf64_Ehdr>(0, "ELF header");
  if (header.e_shnum == 0) return {};
  if (header.e_shentsize != sizeof(Elf64_Shdr))
    reader.refuse(
        fmt::format("has section headers of {} bytes, expected {}", header.e_shentsize, sizeof(Elf64_Shdr)));
  const auto section = [&](std::uint64_t index) {
    return reader.value<Elf64_Shdr>(header.e_shoff + index * sizeof(Elf64_Shdr), "section header");
  };
  std::vector<ElfSymbol> all;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr table = section(i);
    if (table.sh_type != SHT_SYMTAB) continue;
    const auto symbols = reader.bytes(table.sh_offset, table.sh_size, "symbol table");
    if (table.sh_link >= header.e_shnum)
      reader.refuse(fmt::format("has a symbol table whose names are in section {} of {}", table.sh_link,
                                header.e_shnum));
    const Elf64_Shdr strings = section(table.sh_link);
    const auto names = reader.bytes(strings.sh_offset, strings.sh_size, "table of names");
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= symbols.size(); at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, symbols.data() + at, sizeof symbol);
      if (symbol.st_shndx == SHN_UNDEF) continue;
      if (symbol.st_name >= names.size() ||
          !std::memchr(names.data() + symbol.st_name, 0, names.size() - symbol.st_name))
        reader.refuse(fmt::format("has symbol {} with its name at {:#x}, outside the table of {:#x} bytes",
                                  at / sizeof symbol, symbol.st_name, names.size()));
      all.push_back({.name = reinterpret_cast<const char*>(names.data()) + symbol.st_name,
                     .value = symbol.st_value,
                     .size = symbol.st_size,
                     .type = static_cast<unsigned char>(ELF64_ST_TYPE(symbol.st_info)),
                     .binding = static_cast<unsigned char>(ELF64_ST_BIND(symbol.st_info)),
                     .is_in_code = symbol.st_shndx < header.e_shnum &&
                                   (section(symbol.st_shndx).sh_flags & SHF_EXECINSTR) != 0});
    }
  }
  return all;
}

}  // namespace asterism
