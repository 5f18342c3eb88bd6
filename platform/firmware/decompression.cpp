#include "platform/firmware/decompression.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string_view>

namespace asterism {
namespace {

using Contents = std::span<const std::byte>;
using Take = std::function<void(Contents)>;

bool begins_with(Contents bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

// Both give the contents of the first member or frame to `take`, and return its compressed length.
std::size_t each_part_of_gzip(Contents bytes, const Take& take) {
  z_stream stream{};
  if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) throw std::runtime_error("zlib cannot be used");
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> end(&stream, inflateEnd);
  std::vector<std::byte> part(std::size_t{1} << 18);
  for (std::size_t at = 0;;) {
    const std::size_t given = std::min<std::size_t>(bytes.size() - at, std::numeric_limits<uInt>::max());
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data() + at));  // zlib only reads
    stream.avail_in = static_cast<uInt>(given);
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = static_cast<uInt>(part.size());
    const int status = inflate(&stream, Z_NO_FLUSH);
    at += given - stream.avail_in;
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
      throw std::runtime_error(fmt::format("is damaged: {}", stream.msg ? stream.msg : "not valid gzip"));
    take(Contents(part).first(part.size() - stream.avail_out));
    if (status == Z_STREAM_END) return at;
    if (at == bytes.size() && stream.avail_out != 0) throw std::runtime_error("is cut short");
  }
}

std::size_t each_part_of_zstd(Contents bytes, const Take& take) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, 31);  // as kernels and `zstd --ultra` use
  std::vector<std::byte> part(ZSTD_DStreamOutSize());
  for (ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};;) {
    ZSTD_outBuffer out{part.data(), part.size(), 0};
    const std::size_t status = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(status))
      throw std::runtime_error(fmt::format("is damaged: {}", ZSTD_getErrorName(status)));
    take(Contents(part).first(out.pos));
    if (status == 0) return in.pos;
    if (in.pos == in.size && out.pos < out.size) throw std::runtime_error("is cut short");
  }
}

bool is_gzip(Contents bytes) { return begins_with(bytes, "\x1f\x8b"); }

std::size_t each_part(Contents bytes, const Take& take) {
  return is_gzip(bytes) ? each_part_of_gzip(bytes, take) : each_part_of_zstd(bytes, take);
}

}  // namespace

bool is_compressed(Contents bytes) { return is_gzip(bytes) || begins_with(bytes, "\x28\xb5\x2f\xfd"); }

std::vector<std::byte> decompress(Contents bytes, Bytes limit) {
  std::vector<std::byte> all;
  each_part(bytes, [&](Contents part) {
    if (part.size() > limit.count() - all.size())
      throw std::runtime_error(
          fmt::format("has more than the expected {} bytes when it is decompressed", limit.count()));
    all.insert(all.end(), part.begin(), part.end());
  });
  return all;
}

std::size_t compressed_length(Contents bytes) {
  return each_part(bytes, [](Contents) {});
}

}  // namespace asterism
