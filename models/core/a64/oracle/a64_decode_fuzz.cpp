// The decoder on any words: every one becomes an operation, of registers that are there.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "core/a64/block.h"
#include "core/a64/decoder.h"

// The first byte: level, SIMD and floating point, LSE, CRC32. Then words.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace asterism::a64;
  if (size < 5) return 0;
  const Context context{.el0 = (data[0] & 1) != 0, .fp_enabled = (data[0] & 2) != 0};
  const Options options{.lse = (data[0] & 4) != 0, .crc32 = (data[0] & 8) != 0};
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
    const Block* block = blocks.make(at, at, context, code.data() + at);
    if (block->count == 0 || block->count > longest_block || blocks.find(at, at, context) != block)
      std::abort();
    at += std::size_t{4} * block->count;
  }
  return 0;
}
