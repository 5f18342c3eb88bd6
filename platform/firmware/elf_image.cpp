#include "platform/firmware/elf_image.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "platform/config/diagnostics.h"

namespace asterism {
namespace {

[[noreturn]] void refuse(const std::string& name, std::string problem) {
  throw ConfigError(Diagnostic::of_file(name, "firmware " + std::move(problem)));
}

template <class T>
T read(const std::vector<std::byte>& bytes, std::uint64_t at, const std::string& name, const char* what) {
  if (!AddressRange{Address(0), Bytes(bytes.size())}.contains(Address(at), Bytes(sizeof(T))))
    refuse(name, fmt::format("is truncated: {} bytes, its {} would be at {:#x}", bytes.size(), what, at));
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

void check_header(const Elf64_Ehdr& header, const std::string& name) {
  if (header.e_ident[EI_CLASS] != ELFCLASS64) refuse(name, "is a 32-bit ELF file, expected 64-bit AArch64");
  if (header.e_ident[EI_DATA] != ELFDATA2LSB) refuse(name, "is big-endian, expected little-endian");
  if (header.e_machine != EM_AARCH64)
    refuse(name, fmt::format("is for another machine (ELF machine {}), expected AArch64 ({})",
                             header.e_machine, EM_AARCH64));
  if (header.e_type != ET_EXEC)
    refuse(name, fmt::format("is not an executable (ELF type {}), expected {}", header.e_type, ET_EXEC));
  if (header.e_phentsize != sizeof(Elf64_Phdr))
    refuse(name, fmt::format("has program headers of {} bytes, expected {}", header.e_phentsize,
                             sizeof(Elf64_Phdr)));
}

}  // namespace

ElfImage ElfImage::load(const std::string& file, AddressRange dram) {
  return parse(read_file(file), file, dram);
}

std::vector<std::byte> ElfImage::read_file(const std::string& file) {
  std::error_code none;
  // A folder's size would be the largest number.
  const bool is_directory = std::filesystem::is_directory(file, none);
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  const auto size = in ? static_cast<std::streamoff>(in.tellg()) : -1;
  if (size < 0 || is_directory)
    throw InputMissing(Diagnostic::of_file(
        file, fmt::format("firmware cannot be read: {}", std::strerror(is_directory ? EISDIR : errno))));
  if (size > (1ll << 32)) refuse(file, fmt::format("has {} bytes, expected at most 4 GiB", size));
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  in.seekg(0);
  if (!in.read(reinterpret_cast<char*>(bytes.data()), size))
    throw InputMissing(Diagnostic::of_file(file, "firmware cannot be read"));
  return bytes;
}

bool ElfImage::is_elf(std::span<const std::byte> bytes) {
  return bytes.size() >= SELFMAG && std::memcmp(bytes.data(), ELFMAG, SELFMAG) == 0;
}

ElfImage ElfImage::parse(std::vector<std::byte> bytes, const std::string& name, AddressRange dram) {
  if (!is_elf(bytes))
    refuse(name,
           "is not an ELF file; the image of a ROM asks for firmware_format=raw, a kernel of Linux for "
           "firmware_format=linux");
  const auto header = read<Elf64_Ehdr>(bytes, 0, name, "ELF header");
  check_header(header, name);

  ElfImage image;
  image.bytes_ = std::move(bytes);
  image.entry_ = Address(header.e_entry);
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto segment =
        read<Elf64_Phdr>(image.bytes_, header.e_phoff + i * sizeof(Elf64_Phdr), name, "program header");
    if (segment.p_type != PT_LOAD || segment.p_memsz == 0) continue;
    const AddressRange file{Address(0), Bytes(image.bytes_.size())};
    if (!file.contains(Address(segment.p_offset), Bytes(segment.p_filesz)))
      refuse(name, fmt::format("is truncated: {} bytes, segment {} has {:#x} bytes at {:#x}",
                               image.bytes_.size(), i, segment.p_filesz, segment.p_offset));
    if (segment.p_filesz > segment.p_memsz)
      refuse(name, fmt::format("has in segment {} more contents ({:#x}) than memory ({:#x})", i,
                               segment.p_filesz, segment.p_memsz));
    if (!dram.contains(Address(segment.p_paddr), Bytes(segment.p_memsz)))
      refuse(name, fmt::format("loads {:#x} bytes at {:#x}, outside DRAM ({:#x}-{:#x})", segment.p_memsz,
                               segment.p_paddr, dram.first.value(), dram.last().value()));
    image.segments_.push_back(
        {Address(segment.p_paddr), std::span(image.bytes_).subspan(segment.p_offset, segment.p_filesz),
         Bytes(segment.p_memsz), (segment.p_flags & PF_W) != 0, (segment.p_flags & PF_X) != 0});
  }
  if (image.segments_.empty()) refuse(name, "has nothing to load");
  const bool entry_is_loaded = std::ranges::any_of(image.segments_, [&](const Segment& s) {
    return AddressRange{s.address, s.size}.contains(image.entry_, Bytes(4));
  });
  if (!entry_is_loaded || image.entry_.value() % 4 != 0)
    refuse(name, fmt::format("has its entry point at {:#x}, outside what it loads", image.entry_.value()));
  return image;
}

}  // namespace asterism
