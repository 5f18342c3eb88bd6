#include "platform/firmware/linux_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>

#include "platform/config/diagnostics.h"
#include "platform/firmware/decompression.h"
#include "platform/firmware/elf_image.h"
#include "platform/firmware/initrd_check.h"

namespace asterism {
namespace {

using Contents = std::span<const std::byte>;

constexpr Bytes step = 2_MiB;  // kernels are placed at a multiple of this

[[noreturn]] void refuse_kernel(const std::string& name, std::string problem) {
  throw ConfigError(Diagnostic::of_file(name, "kernel " + std::move(problem)));
}

// The header of an Image, little-endian (arch/arm64/include/asm/image.h).
struct Header {
  std::uint32_t code[2];
  std::uint64_t text_offset, image_size, flags, reserved[3];
  char magic[4];
  std::uint32_t pe_header;  // offset of the header of PE/COFF; 0 without support of UEFI
};
static_assert(sizeof(Header) == 64);

// The header of an executable for UEFI that contains a compressed kernel.
struct CompressedHeader {
  char magic[4], type[4];  // "MZ", "zimg"
  std::uint32_t payload, payload_size, reserved[2];
  char compression[32];
};

template <class T>
std::optional<T> read(Contents bytes, std::uint64_t at = 0) {
  if (!AddressRange{Address(0), Bytes(bytes.size())}.contains(Address(at), Bytes(sizeof(T))))
    return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

bool has(Contents bytes, std::uint64_t at, std::string_view text) {
  return bytes.size() >= at + text.size() && std::memcmp(bytes.data() + at, text.data(), text.size()) == 0;
}

// What a file is that is no Image, to say so.
const char* what_it_is(Contents bytes) {
  if (ElfImage::is_elf(bytes)) return "is an ELF file, which firmware_format=elf loads";
  if (has(bytes, 0x202, "HdrS")) return "is for x86";
  if (has(bytes, 56, "RSC\x05")) return "is for RISC-V";
  if (has(bytes, 0x24, "\x18\x28\x6f\x01")) return "is for 32-bit Arm";
  return "is no Image: it has not the magic number \"ARM\\x64\" at offset 56";
}

std::vector<std::byte> decompressed(Contents bytes, const std::string& name, AddressRange dram) {
  try {
    return decompress(bytes, dram.size);
  } catch (const std::runtime_error& error) {
    refuse_kernel(name, error.what());
  }
}

// The Image that a file contains.
std::vector<std::byte> unpack(std::vector<std::byte> bytes, const std::string& name, AddressRange dram) {
  if (is_compressed(bytes)) return decompressed(bytes, name, dram);
  const auto header = read<CompressedHeader>(bytes);
  if (!header || !has(bytes, 0, "MZ") || !has(bytes, 4, "zimg")) return bytes;
  const AddressRange file{Address(0), Bytes(bytes.size())};
  if (!file.contains(Address(header->payload), Bytes(header->payload_size)))
    refuse_kernel(name, fmt::format("is cut short: {} bytes, expected {}", bytes.size(),
                                    std::uint64_t{header->payload} + header->payload_size));
  const Contents payload = Contents(bytes).subspan(header->payload, header->payload_size);
  if (!is_compressed(payload))
    refuse_kernel(name,
                  fmt::format("is compressed by {}, expected gzip or zstd",
                              std::string_view(header->compression,
                                               strnlen(header->compression, sizeof header->compression))));
  return decompressed(payload, name, dram);
}

// The end of the last section in the file, by the header of PE/COFF; nullopt without such a header. An Image
// has no other size of the file.
std::optional<std::uint64_t> end_of_sections(Contents image, const Header& header) {
  struct Coff {
    char magic[4];
    std::uint16_t machine, sections;
    std::uint32_t times_and_symbols[3];
    std::uint16_t optional_size, characteristics;
  };
  struct Section {
    char name[8];
    std::uint32_t size, address, file_size, file_offset;
    std::uint32_t others[4];
  };
  const auto coff = read<Coff>(image, header.pe_header);
  if (header.pe_header == 0 || !coff || !has(image, header.pe_header, {"PE\0\0", 4})) return std::nullopt;
  std::uint64_t end = 0, at = header.pe_header + sizeof(Coff) + coff->optional_size;
  for (unsigned i = 0; i < coff->sections; ++i, at += sizeof(Section))
    if (const auto section = read<Section>(image, at))
      end = std::max(end, std::uint64_t{section->file_offset} + section->file_size);
  return end;
}

Header check_header(Contents image, const std::string& name) {
  const auto header = read<Header>(image);
  if (!header || !has(image, 56, "ARM\x64")) refuse_kernel(name, what_it_is(image));
  if ((header->flags & 1) != 0) refuse_kernel(name, "is big-endian, expected little-endian");
  if (header->image_size == 0)
    refuse_kernel(name, "has no image_size in its header, as before Linux 3.17; expected a newer one");
  const auto end = end_of_sections(image, *header);
  if (end && image.size() < *end)
    refuse_kernel(name, fmt::format("is cut short: {} bytes, expected {}", image.size(), *end));
  if (image.size() > header->image_size)
    refuse_kernel(name, fmt::format("has {} bytes, expected at most {} (image_size of its header)",
                                    image.size(), header->image_size));
  return *header;
}

Address rounded_up(Address address, Bytes unit) {
  return Address((address.value() + unit.count() - 1) / unit.count() * unit.count());
}

}  // namespace

LinuxImage LinuxImage::load(const std::string& kernel, const std::string& initrd, AddressRange dram) {
  return place({kernel, ElfImage::read_file(kernel)},
               {initrd, initrd.empty() ? std::vector<std::byte>() : ElfImage::read_file(initrd)}, dram);
}

LinuxImage LinuxImage::place(File kernel, File initrd, AddressRange dram) {
  LinuxImage image;
  image.kernel_ = unpack(std::move(kernel.bytes), kernel.name, dram);
  const Header header = check_header(image.kernel_, kernel.name);
  const Bytes size(header.image_size);
  const Address first = rounded_up(dram.first, step) + step + Bytes(header.text_offset);
  if (header.text_offset >= step.count() || !dram.contains(first, size))
    refuse_kernel(kernel.name,
                  fmt::format("needs {:#x} bytes at {:#x}, outside DRAM ({:#x}-{:#x})", size.count(),
                              first.value(), dram.first.value(), dram.last().value()));
  image.segments_.push_back({first, image.kernel_, size, true, true});
  if (initrd.name.empty()) return image;

  check_initrd(initrd.bytes, initrd.name);
  image.initrd_ = std::move(initrd.bytes);
  const Bytes length(image.initrd_.size());
  const Address behind = rounded_up(first + size, step);
  if (!dram.contains(behind, length))
    throw ConfigError(Diagnostic::of_file(
        initrd.name, fmt::format("initrd has {:#x} bytes; behind the kernel there are {:#x}", length.count(),
                                 dram.first.value() + dram.size.count() -
                                     std::min(behind.value(), dram.first.value() + dram.size.count()))));
  image.segments_.push_back({behind, image.initrd_, length, true, false});
  return image;
}

AddressRange LinuxImage::initrd() const {
  return segments_.size() > 1 ? segments_[1].range() : AddressRange{Address(0), 0_B};
}

}  // namespace asterism
