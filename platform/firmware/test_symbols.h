// An ELF file that consists of a symbol table only, for tests. Section 1 is code, section 2 is not.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace asterism {

struct TestSymbol {
  std::string name;
  std::uint64_t address = 0, size = 0;
  unsigned char type = STT_FUNC, binding = STB_GLOBAL;
  std::uint16_t section = 1;
};

struct TestSymbolFile {
  Elf64_Ehdr header{};
  Elf64_Shdr sections[5] = {};  // none, code, data, symbols, names
  std::vector<Elf64_Sym> symbols{Elf64_Sym{}};
  std::string names = std::string(1, '\0');

  explicit TestSymbolFile(const std::vector<TestSymbol>& all) {
    header.e_shoff = sizeof header;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = 5;
    sections[1].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
    sections[2].sh_flags = SHF_ALLOC;
    for (const TestSymbol& each : all) {
      Elf64_Sym symbol{};
      symbol.st_name = static_cast<Elf64_Word>(names.size());
      symbol.st_info = static_cast<unsigned char>(ELF64_ST_INFO(each.binding, each.type));
      symbol.st_shndx = each.section;
      symbol.st_value = each.address;
      symbol.st_size = each.size;
      symbols.push_back(symbol);
      names += each.name + '\0';
    }
    const std::uint64_t table = sizeof header + sizeof sections;
    sections[3].sh_type = SHT_SYMTAB;
    sections[3].sh_offset = table;
    sections[3].sh_size = symbols.size() * sizeof(Elf64_Sym);
    sections[3].sh_link = 4;
    sections[4].sh_type = SHT_STRTAB;
    sections[4].sh_offset = table + sections[3].sh_size;
    sections[4].sh_size = names.size();
  }
  std::vector<std::byte> bytes() const {
    std::vector<std::byte> file;
    const auto append = [&file](const void* data, std::size_t size) {
      const auto* first = static_cast<const std::byte*>(data);
      file.insert(file.end(), first, first + size);
    };
    append(&header, sizeof header);
    append(sections, sizeof sections);
    append(symbols.data(), symbols.size() * sizeof(Elf64_Sym));
    append(names.data(), names.size());
    return file;
  }
};

}  // namespace asterism
