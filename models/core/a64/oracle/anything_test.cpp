// Guests without a meaningful program: random words, words of random rows (system registers among them),
// jumps into data.
#include "core/a64/oracle/anything.h"

#include <gtest/gtest.h>

#include "core/a64/decoder.h"

namespace asterism::a64::oracle {
namespace {

// Most words match some row. Most guests have handlers and few branches, so that they execute more of their
// words.
std::vector<std::uint8_t> random_bytes(std::uint64_t seed) {
  const std::vector<const Row*> rows = all_rows();
  Random random(seed);
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < head_of_anything; ++i)
    bytes.push_back(static_cast<std::uint8_t>(random.next()));
  if (random.below(8) != 0) bytes[0] |= 8;
  for (int i = 0; i < 300; ++i) {
    auto word = static_cast<std::uint32_t>(random.next());
    const Row& row = *rows[random.below(rows.size())];
    if (random.below(16) != 0) word = row.encoding.value | (word & ~row.encoding.mask);
    if ((word & 0x1c00'0000) == 0x1400'0000 && random.below(16) != 0) word = 0xd503'201f;
    for (unsigned byte = 0; byte < 4; ++byte) bytes.push_back(static_cast<std::uint8_t>(word >> (8 * byte)));
  }
  return bytes;
}

TEST(A64Anything, DoesTheSameAtAnyQuantum) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed)
    ASSERT_EQ(run_anything(random_bytes(seed), 3000), "") << "seed " << seed;
}

// The input is only the head, which chooses handlers or none and the MMU on or off; the guest executes
// nothing but UDF.
TEST(A64Anything, EndsWithoutAProgram) {
  for (unsigned head = 0; head < 16; ++head)
    EXPECT_EQ(run_anything(std::vector<std::uint8_t>{static_cast<std::uint8_t>(head), 1}, 1000), "");
}

}  // namespace
}  // namespace asterism::a64::oracle
