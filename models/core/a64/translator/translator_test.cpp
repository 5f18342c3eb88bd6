#include <gtest/gtest.h>

#include "core/a64/a64_test.h"

namespace asterism::a64 {
namespace {

struct TranslatorOfCoreTest : A64Test {
  TranslatorOfCoreTest() {
    Options options;
    options.translation.after = 4;
    core = make_native_iss(host, 0, options);
    host.core = core.get();
    core->map_direct(host.memory_range(), host.memory.bytes);
  }
};

// Of blocks whose code would not fit in a region together.
TEST_F(TranslatorOfCoreTest, LongBlocksAreTranslated) {
  constexpr unsigned blocks = 16, pairs = 50;
  std::vector<std::uint32_t> words;
  for (unsigned i = 0; i < blocks; ++i) {
    words.insert(words.end(), pairs, 0xa9000c02);  // stp x2, x3, [x0]
    words.push_back(0x1400'0001);                  // b to the next
  }
  const auto count = static_cast<std::uint32_t>(words.size());
  words.insert(words.end(), {0xd1000421, 0xb500'0001 | ((0u - count - 1) & 0x7'ffff) << 5});  // sub, cbnz x1
  constexpr std::uint64_t rounds = 100;
  const State after = run(words, with(data_base, rounds, 3, 4), rounds * (count + 2));
  EXPECT_EQ(after.x[1], 0u);
  EXPECT_EQ(core->translation().blocks, blocks + 1);
}

}  // namespace
}  // namespace asterism::a64
