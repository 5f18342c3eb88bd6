#include "platform/firmware/initrd_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "platform/config/diagnostics.h"
#include "platform/firmware/decompression.h"

namespace asterism {
namespace {

// The first bytes of formats that kernels can unpack and that are not looked into: xz, bzip2, lzma, lzo, lz4.
constexpr auto other_formats =
    std::to_array<std::string_view>({"\xfd\x37zXZ", "BZh", {"\x5d\0\0", 3}, "\x89LZO", "\x02\x21\x4c\x18"});

// An entry of a cpio archive: a header of 110 characters, the name with a zero, and the contents; both are
// padded to a multiple of 4 (Documentation/driver-api/early-userspace/buffer-format.rst).
class CpioEntry {
 public:
  static constexpr std::size_t header = 110;

  explicit CpioEntry(std::string_view text) : text_(text) {
    if (text.size() < header) throw std::runtime_error("is cut short");
    end_ = padded(padded(header + field(11)) + field(6));
    if (end_ > text.size()) throw std::runtime_error("is cut short");
  }

  static bool begins(std::string_view text) {
    return text.starts_with("070701") || text.starts_with("070702");
  }

  std::size_t size() const { return end_; }
  bool is_last() const { return text_.substr(header).starts_with("TRAILER!!!"); }

 private:
  static std::size_t padded(std::size_t size) { return (size + 3) / 4 * 4; }

  // A number of 8 hexadecimal digits.
  std::size_t field(unsigned index) const {
    const std::string_view digits = text_.substr(6 + 8 * index, 8);
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), value, 16);
    if (error != std::errc() || end != digits.end())
      throw std::runtime_error(fmt::format("is damaged: \"{}\" in the header of a file", digits));
    return value;
  }

  std::string_view text_;
  std::size_t end_ = 0;
};

std::size_t archive_length(std::string_view text) {
  for (std::size_t at = 0;;) {
    if (at == text.size()) throw std::runtime_error("is cut short: its archive has no end (TRAILER!!!)");
    if (!CpioEntry::begins(text.substr(at)))
      throw std::runtime_error(fmt::format("is damaged: no header of a file at offset {:#x}", at));
    const CpioEntry entry(text.substr(at));
    at += entry.size();
    if (entry.is_last()) return at;
  }
}

void check(std::span<const std::byte> bytes) {
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (std::size_t at = 0; at < all.size();) {
    const std::string_view rest = all.substr(at);
    if (rest[0] == '\0') {
      ++at;
    } else if (CpioEntry::begins(rest)) {
      at += archive_length(rest);
    } else if (is_compressed(bytes.subspan(at))) {
      at += compressed_length(bytes.subspan(at));
    } else if (std::ranges::any_of(other_formats, [&](auto magic) { return rest.starts_with(magic); })) {
      return;
    } else {
      throw std::runtime_error(
          fmt::format("has neither a cpio archive (newc) nor a compressed one at offset {:#x}", at));
    }
  }
}

}  // namespace

void check_initrd(std::span<const std::byte> bytes, const std::string& name) {
  try {
    if (bytes.empty()) throw std::runtime_error("is empty");
    check(bytes);
  } catch (const std::runtime_error& error) {
    throw ConfigError(Diagnostic::of_file(name, fmt::format("initrd {}", error.what())));
  }
}

}  // namespace asterism
