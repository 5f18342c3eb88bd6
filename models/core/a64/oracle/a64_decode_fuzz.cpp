// Fuzzes the decoder with arbitrary words, each of which must become an operation whose registers exist.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "core/a64/block.h"
#include "core/a64/decoder.h"

// The bits of the first byte choose the level, SIMD and floating point, LSE, CRC32, cryptography, and what is
// newer than the Cortex-A57. Words follow.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace asterism;
  using namespace asterism::a64;
  if (size < 5) return 0;
  const Context context{.el0 = (data[0] & 1) != 0, .fp_enabled = (data[0] & 2) != 0};
  Options options{.features = CoreFeatures::all()};
  using enum CoreFeature;
  const auto leave_out = [&](unsigned bit, std::initializer_list<CoreFeature> features) {
    if (data[0] >> bit & 1) return;
    for (const CoreFeature feature : features) options.features = options.features.without(feature);
  };
  leave_out(2, {lse});
  leave_out(3, {crc32});
  leave_out(4, {aes, pmull, sha1, sha2});
  leave_out(5, {rdm, rcpc, dotprod, fp16});
  std::vector<std::uint8_t> code(4096);
  const std::size_t bytes = (size - 1 < code.size() ? size - 1 : code.size()) / 4 * 4;
  std::memcpy(code.data(), data + 1, bytes);
  for (std::size_t at = 0; at < bytes; at += 4) {
    std::uint32_t word;
    std::memcpy(&word, code.data() + at, sizeof word);
    std::vector<std::uint64_t> constants;
    Decoding decoding(word, context, options, constants);
    decode(decoding);
    if (!decoding.op.run || constants.size() != (decoding.is_wide() ? 1u : 0u)) std::abort();
    if (const Row* row = find_row(word, options); row && !row->encoding.matches(word)) std::abort();
  }
  BlockCache blocks(options);
  for (std::size_t at = 0; at < bytes;) {
    const Block* block = blocks.make({at, at, context, code.data() + at});
    if (block->count == 0 || block->count > max_block || blocks.find(at, at, context) != block) std::abort();
    at += std::size_t{4} * block->count;
  }
  return 0;
}
