#include "base/byte_digests.h"

#include <gtest/gtest.h>

#include <array>

#include "base/random.h"

namespace asterism {
namespace {

TEST(ByteDigests, EqualOnesHaveABitEach) {
  Random random(3);
  for (int step = 0; step < 10'000; ++step) {
    std::array<std::uint8_t, digests_at_once + 3> digests{};
    const std::size_t first = random.next() % 4;  // at any address
    for (std::uint8_t& each : digests) each = static_cast<std::uint8_t>(random.next() % 4 * 85);
    const auto wanted = static_cast<std::uint8_t>(random.next() % 4 * 85);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < digests_at_once; ++i)
      if (digests[first + i] == wanted) bits |= 1u << i;
    ASSERT_EQ(equal_digests(&digests[first], wanted), bits);
  }
}

TEST(ByteDigests, NumbersThatFollowEachOtherDiffer) {
  for (const std::uint64_t step : {1u, 64u, 4096u, 1u << 20}) {
    std::array<unsigned, 256> counts{};
    for (std::uint64_t i = 0; i < 2560; ++i) ++counts[digest_of(i * step)];
    EXPECT_EQ(counts[no_digest], 0u);
    for (const unsigned count : counts) EXPECT_LE(count, 40u);
  }
}

}  // namespace
}  // namespace asterism
