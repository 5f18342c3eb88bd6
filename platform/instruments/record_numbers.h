// Numbers and compressed blocks of the files that a run records (run_record.h, page_map_file.h).
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace asterism {

inline void append_varint(std::string& to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) to += static_cast<char>(value | 0x80);
  to += static_cast<char>(value);
}
// nullopt if there is no whole number of 64 bits.
inline std::optional<std::uint64_t> take_varint(std::string_view& from) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64 && !from.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(from.front());
    from.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

inline void append_u32(std::string& to, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) to += static_cast<char>(value >> 8 * i & 0xff);
}

inline std::string compressed_by_zlib(std::string_view bytes) {
  std::string compressed(compressBound(bytes.size()), '\0');
  uLongf size = compressed.size();
  compress2(reinterpret_cast<Bytef*>(compressed.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
            bytes.size(), Z_BEST_SPEED);
  compressed.resize(size);
  return compressed;
}
// nullopt if the bytes are not the compressed form of so many.
inline std::optional<std::string> decompressed_by_zlib(std::string_view bytes, std::size_t size) {
  std::string raw(size, '\0');
  uLongf length = size;
  if (uncompress(reinterpret_cast<Bytef*>(raw.data()), &length, reinterpret_cast<const Bytef*>(bytes.data()),
                 bytes.size()) != Z_OK ||
      length != size)
    return std::nullopt;
  return raw;
}

}  // namespace asterism
