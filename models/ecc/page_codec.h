// The dual-mode code over arrays of raw blocks: parity and syndromes of whole pages, at the speed of the
// host's memory.
//
// Data are consecutive blocks of 64 bytes as a DIMM gives them (memory_block.h); parity has 8 bytes and the
// third symbols 4 bytes per block. Syndromes have 8 bytes per block:
//
//   normal   byte 4 * w + j: row j of codeword w of RS(36,32)
//   strong   byte 2 * w + j: row j of codeword w of RS(18,16)
//
// A block with 8 zero bytes is clean; all others are decoded by DualModeCodec. The maps are derived from
// DualModeCodec bit by bit when they are first needed, so that the two cannot differ. Every path gives the
// same bytes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/enum_names.h"
#include "ecc/dual_mode_codec.h"
#include "ecc/page_map.h"

namespace asterism {

enum class CodecPath { portable, avx2, avx512, gfni };
constexpr auto enum_names(CodecPath) {
  return std::to_array<EnumName<CodecPath>>(
      {{CodecPath::portable, "portable", "a table per raw byte"},
       {CodecPath::avx2, "avx2", "shuffles of 16-entry tables"},
       {CodecPath::avx512, "avx512", "shuffles of 16-entry tables, twice as wide"},
       {CodecPath::gfni, "gfni", "bit matrices, with AVX-512"}});
}

// The paths that this host supports, the slowest first.
std::vector<CodecPath> codec_paths();

class PageCodec {
 public:
  // `mode` is normal or strong; `path` one of codec_paths(). The first codec of a mode takes a millisecond.
  explicit PageCodec(EccMode mode, CodecPath path = codec_paths().back());

  // Computes the parity of data.size() / 64 blocks. Throws std::invalid_argument for sizes that do not fit.
  void encode(std::span<const std::uint8_t> data, std::span<std::uint8_t> parity) const;
  // Strong mode: computes the third symbols of data and parity. For blocks with errors they differ from the
  // stored ones by the third syndromes.
  void encode_third(std::span<const std::uint8_t> data, std::span<const std::uint8_t> parity,
                    std::span<std::uint8_t> third) const;
  void syndromes(std::span<const std::uint8_t> data, std::span<const std::uint8_t> parity,
                 std::span<std::uint8_t> syndromes) const;

 private:
  struct Maps;
  static const Maps& maps(EccMode mode);
  void run(const PageMap& map, std::span<const std::uint8_t> data, const std::uint8_t* parity,
           std::uint8_t* out) const;

  const Maps& maps_;
  PageKernel kernel_;
};

}  // namespace asterism
