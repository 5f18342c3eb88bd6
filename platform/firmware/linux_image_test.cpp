#include "platform/firmware/linux_image.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "base/thrown.h"
#include "platform/config/diagnostics.h"
#include "platform/firmware/test_elf.h"

namespace asterism {
namespace {

using Data = std::vector<std::byte>;

constexpr AddressRange linux_dram{Address(0x4000'0000), 64_MiB};

template <class T>
void put(Data& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

Data bytes_of(std::string_view text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

// An Image of 4 KiB that takes 64 KiB.
Data plain_image(std::uint64_t text_offset = 0, std::uint64_t size = 64 * 1024, std::uint64_t flags = 0xa) {
  Data bytes(4096, std::byte(0x5a));
  put(bytes, 8, text_offset);
  put(bytes, 16, size);
  put(bytes, 24, flags);
  std::memcpy(bytes.data() + 56, "ARM\x64", 4);
  put(bytes, 60, std::uint32_t{0});
  return bytes;
}

// The same with the header of PE/COFF, which says that the file has `size` bytes.
Data image_for_efi(std::uint32_t size = 4096) {
  Data bytes = plain_image();
  put(bytes, 60, std::uint32_t{64});
  std::memcpy(bytes.data() + 64, "PE\0\0", 4);
  put(bytes, 64 + 6, std::uint16_t{1});    // sections
  put(bytes, 64 + 20, std::uint16_t{16});  // the size of the optional header
  put(bytes, 64 + 24 + 16 + 16, size - 1024);
  put(bytes, 64 + 24 + 16 + 20, std::uint32_t{1024});
  return bytes;
}

Data gzipped(const Data& bytes) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  Data out(deflateBound(&stream, bytes.size()));
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

Data zstd_compressed(const Data& bytes) {
  Data out(ZSTD_compressBound(bytes.size()));
  out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3));
  return out;
}

// An executable for UEFI with a compressed kernel.
Data in_zboot(const Data& payload, std::string_view compression) {
  Data bytes(512);
  std::memcpy(bytes.data(), "MZ\0\0zimg", 8);
  put(bytes, 8, std::uint32_t{512});
  put(bytes, 12, static_cast<std::uint32_t>(payload.size()));
  std::memcpy(bytes.data() + 24, compression.data(), compression.size());
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  return bytes;
}

std::string cpio_entry(std::string name, const std::string& contents) {
  std::string text = fmt::format("070701{:08X}{:08X}", 1, 0100644);
  text += fmt::format("{:08X}{:08X}{:08X}{:08X}{:08X}", 0, 0, 1, 0, contents.size());
  text += fmt::format("{:08X}{:08X}{:08X}{:08X}{:08X}{:08X}", 0, 0, 0, 0, name.size() + 1, 0);
  text += name + '\0';
  text.resize((text.size() + 3) / 4 * 4);
  text += contents;
  text.resize((text.size() + 3) / 4 * 4);
  return text;
}

Data archive() { return bytes_of(cpio_entry("init", "#!/bin/sh\n") + cpio_entry("TRAILER!!!", "")); }

LinuxImage placed_image(Data kernel, Data initrd = {}) {
  const std::string name = initrd.empty() ? "" : "i.cpio";
  return LinuxImage::place({"k", std::move(kernel)}, {name, std::move(initrd)}, linux_dram);
}
std::string refusal_of_kernel(Data kernel, Data initrd = {}) {
  return thrown<ConfigError>([&] { placed_image(std::move(kernel), std::move(initrd)); });
}
std::string refusal_of_initrd(Data initrd) { return refusal_of_kernel(plain_image(), std::move(initrd)); }

Data up_to(Data bytes, std::size_t size) {
  bytes.resize(size);
  return bytes;
}

TEST(LinuxImageTest, IsPlacedAsTheBootProtocolSays) {
  const LinuxImage plain = placed_image(plain_image());
  EXPECT_EQ(plain.entry(), Address(0x4020'0000));
  ASSERT_EQ(plain.segments().size(), 1u);
  EXPECT_EQ(plain.segments()[0].size, 64_KiB);
  EXPECT_EQ(plain.segments()[0].contents.size(), 4096u);
  EXPECT_EQ(plain.initrd().size, 0_B);

  const LinuxImage with = placed_image(plain_image(0x8'0000, 2 * 1024 * 1024), archive());
  EXPECT_EQ(with.entry(), Address(0x4028'0000));
  EXPECT_EQ(with.initrd().first, Address(0x4060'0000));
  EXPECT_EQ(with.initrd().size, Bytes(archive().size()));
}

TEST(LinuxImageTest, IsUnpacked) {
  const Data plain = image_for_efi();
  for (const Data& file : {plain, gzipped(plain), zstd_compressed(plain), in_zboot(gzipped(plain), "gzip"),
                           in_zboot(zstd_compressed(plain), "zstd22")}) {
    const LinuxImage kernel = placed_image(file);
    EXPECT_TRUE(std::ranges::equal(kernel.segments()[0].contents, plain));
  }
}

TEST(LinuxImageTest, SaysWhatIsNoKernelForAArch64) {
  EXPECT_EQ(refusal_of_kernel(Data(100)),
            "k: error: kernel is no Image: it has not the magic number \"ARM\\x64\" at offset 56");
  EXPECT_EQ(refusal_of_kernel(Data(10)),
            "k: error: kernel is no Image: it has not the magic number \"ARM\\x64\" at offset 56");
  EXPECT_EQ(refusal_of_kernel(TestElf().bytes()),
            "k: error: kernel is an ELF file, which firmware_format=elf loads");
  Data other(1024);
  std::memcpy(other.data() + 0x202, "HdrS", 4);
  EXPECT_EQ(refusal_of_kernel(other), "k: error: kernel is for x86");
  other = plain_image();
  std::memcpy(other.data() + 56, "RSC\x05", 4);
  EXPECT_EQ(refusal_of_kernel(other), "k: error: kernel is for RISC-V");
  other = Data(1024);
  put(other, 0x24, std::uint32_t{0x016f2818});
  EXPECT_EQ(refusal_of_kernel(other), "k: error: kernel is for 32-bit Arm");
  EXPECT_EQ(refusal_of_kernel(plain_image(0, 64 * 1024, 1)),
            "k: error: kernel is big-endian, expected little-endian");
  EXPECT_EQ(refusal_of_kernel(plain_image(0, 0)),
            "k: error: kernel has no image_size in its header, as before Linux 3.17; expected a newer one");
}

TEST(LinuxImageTest, SaysWhatIsCutShortOrDoesNotFit) {
  EXPECT_EQ(refusal_of_kernel(up_to(image_for_efi(), 4000)),
            "k: error: kernel is cut short: 4000 bytes, expected 4096");
  const Data packed = gzipped(plain_image());
  EXPECT_EQ(refusal_of_kernel(up_to(packed, packed.size() - 9)), "k: error: kernel is cut short");
  const Data executable = in_zboot(packed, "gzip");
  EXPECT_EQ(refusal_of_kernel(up_to(executable, executable.size() - 1)),
            fmt::format("k: error: kernel is cut short: {} bytes, expected {}", executable.size() - 1,
                        executable.size()));
  EXPECT_EQ(refusal_of_kernel(in_zboot(bytes_of("\xfd"
                                                "7zXZ"),
                                       "xzkern")),
            "k: error: kernel is compressed by xzkern, expected gzip or zstd");
  EXPECT_EQ(refusal_of_kernel(plain_image(0, 1000)),
            "k: error: kernel has 4096 bytes, expected at most 1000 (image_size of its header)");
  EXPECT_EQ(refusal_of_kernel(plain_image(0, 63 * 1024 * 1024)),
            "k: error: kernel needs 0x3f00000 bytes at 0x40200000, outside DRAM (0x40000000-0x43ffffff)");
  EXPECT_EQ(refusal_of_kernel(plain_image(1ull << 40)),
            "k: error: kernel needs 0x10000 bytes at 0x10040200000, outside DRAM (0x40000000-0x43ffffff)");
  EXPECT_EQ(refusal_of_kernel(gzipped(Data(65 * 1024 * 1024))),
            "k: error: kernel has more than the expected 67108864 bytes when it is decompressed");
  EXPECT_EQ(refusal_of_kernel(plain_image(0, 61 * 1024 * 1024), Data(archive())),
            fmt::format("i.cpio: error: initrd has {:#x} bytes; behind the kernel there are 0x0",
                        archive().size()));
}

TEST(LinuxImageTest, TakesEveryFormOfAnInitialFileSystem) {
  const auto joined = [](Data first, const Data& second, std::size_t zeros = 0) {
    first.resize(first.size() + zeros);
    first.insert(first.end(), second.begin(), second.end());
    return first;
  };
  for (const Data& file :
       {archive(), gzipped(archive()), zstd_compressed(archive()), joined(archive(), gzipped(archive())),
        joined(archive(), archive(), 512), joined(gzipped(archive()), zstd_compressed(archive()), 4),
        joined(archive(), Data(512)),
        bytes_of("\xfd"
                 "7zXZ"),
        bytes_of("BZh9")})
    EXPECT_EQ(placed_image(plain_image(), file).initrd().size, Bytes(file.size()));
}

TEST(LinuxImageTest, RefusesADamagedInitialFileSystem) {
  // Wherever the archive ends early.
  for (std::size_t size = 1; size < archive().size(); ++size)
    EXPECT_TRUE(refusal_of_initrd(up_to(archive(), size)).starts_with("i.cpio: error: initrd ")) << size;
  const Data packed = gzipped(archive()), packed_by_zstd = zstd_compressed(archive());
  for (std::size_t size = 4; size < packed.size(); ++size)
    EXPECT_EQ(refusal_of_initrd(up_to(packed, size)), "i.cpio: error: initrd is cut short") << size;
  for (std::size_t size = 4; size < packed_by_zstd.size(); ++size)
    EXPECT_EQ(refusal_of_initrd(up_to(packed_by_zstd, size)), "i.cpio: error: initrd is cut short") << size;
  Data damaged = archive();
  damaged[6 + 8 * 6 + 3] = std::byte('x');
  EXPECT_EQ(refusal_of_initrd(damaged),
            "i.cpio: error: initrd is damaged: \"000x000A\" in the header of a file");
  EXPECT_EQ(refusal_of_initrd(bytes_of("no archive")),
            "i.cpio: error: initrd has neither a cpio archive (newc) nor a compressed one at offset 0x0");
  EXPECT_EQ(refusal_of_initrd(bytes_of(cpio_entry("init", "") + "070703")),
            "i.cpio: error: initrd is damaged: no header of a file at offset 0x74");
}

// No damage has another effect than a message.
TEST(LinuxImageTest, DamagedFilesAreRefusedOrPlaced) {
  Random random(24);
  const std::vector<Data> kernels = {image_for_efi(), gzipped(plain_image()),
                                     in_zboot(zstd_compressed(plain_image()), "zstd")};
  for (int i = 0; i < 3000; ++i) {
    Data kernel = kernels[random.next() % kernels.size()], initrd = archive();
    for (int flips = 0; flips < 3; ++flips) {
      kernel[random.next() % std::min<std::size_t>(kernel.size(), 200)] = std::byte(random.next());
      initrd[random.next() % initrd.size()] = std::byte(random.next());
    }
    try {
      const LinuxImage placed = placed_image(std::move(kernel), std::move(initrd));
      for (const Segment& segment : placed.segments()) {
        EXPECT_TRUE(linux_dram.contains(segment.address, segment.size));
        EXPECT_LE(segment.contents.size(), segment.size.count());
      }
    } catch (const ConfigError&) {
    }
  }
}

}  // namespace
}  // namespace asterism
