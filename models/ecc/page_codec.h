// The dual-mode code over arrays of raw blocks: parity and syndromes of whole pages, at the speed of the host's memory.
//
// Data are the blocks one behind the other, 64 bytes each as a DIMM gives them (memory_block.h), parity 8 bytes and third
// symbols 4 bytes a block likewise. Syndromes are 8 bytes a block:
//
//   normal   byte 4 * w + j: row j of codeword w of RS(36,32)
//   strong   byte 2 * w + j: row j of codeword w of RS(18,16)
//
// A block whose 8 bytes are 0 is clean; for any other there is DualModeCodec. Maps are taken from it bit by bit when they
// are first needed, so the two cannot differ. Every path gives the same bytes.
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
  return std::to_array<EnumName<CodecPath>>({{CodecPath::portable, "portable", "a table for each raw byte"},
                                             {CodecPath::avx2, "avx2", "shuffles of 16-entry tables"},
                                             {CodecPath::avx512, "avx512", "the same, twice as wide"},
                                             {CodecPath::gfni, "gfni", "bit matrices, with AVX-512"}});
}

// Those that this host can run, the slowest first.
std::vector<CodecPath> codec_paths();

class PageCodec {
 public:
  // `mode` is normal or strong; `path` one of codec_paths(). The first codec of a mode takes a millisecond.
  explicit PageCodec(EccMode mode, CodecPath path = codec_paths().back());

  // Parity of data.size() / 64 blocks. Sizes that do not fit are the caller's mistake and throw std::invalid_argument.
  void encode(std::span<const std::uint8_t> data, std::span<std::uint8_t> parity) const;
  // Strong mode: the third symbols that belong to data and parity. Of blocks with errors they differ from those that are
  // stored by the third syndromes.
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
