// An executable with one segment, for tests.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

namespace asterism {

// The segment is loaded to 0x4020'0000, where execution begins, and has twice as much memory as contents.
struct TestElf {
  Elf64_Ehdr header{};
  Elf64_Phdr segment{};
  std::vector<std::byte> contents;

  TestElf(std::vector<std::byte> with = std::vector<std::byte>(16, std::byte(0xAB)))
      : contents(std::move(with)) {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = ET_EXEC;
    header.e_machine = EM_AARCH64;
    header.e_entry = 0x4020'0000;
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof segment;
    header.e_phnum = 1;
    const std::size_t size = contents.size();
    segment = {PT_LOAD, PF_R | PF_X, sizeof header + sizeof segment, 0x4020'0000, 0x4020'0000, size, 2 * size,
               4};
  }

  std::vector<std::byte> bytes() const {
    std::vector<std::byte> file(sizeof header + sizeof segment);
    std::memcpy(file.data(), &header, sizeof header);
    std::memcpy(file.data() + sizeof header, &segment, sizeof segment);
    file.insert(file.end(), contents.begin(), contents.end());
    return file;
  }
};

}  // namespace asterism
