// Checks a part of all words, and the neighbours of all rows; a64_sweep checks all words.
#include "core/a64/oracle/decode_sweep.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace asterism::a64::oracle {
namespace {

std::string text(const std::vector<SweepDifference>& differences) {
  std::string result;
  for (std::size_t i = 0; i < differences.size() && i < 20; ++i)
    result +=
        fmt::format("{:08x} {} {}\n", differences[i].word,
                    differences[i].is_defined ? "only in the engine" : "only in Unicorn", differences[i].row);
  return result;
}

// The strides are odd, so that each bit takes both values.
TEST(A64DecodeSweep, AgreesOnBranchesAndSystem) {
  EXPECT_EQ(text(Sweep().compare(sweep_words(0x5400'0000, 0x57ff'ffff, 61))), "");
  EXPECT_EQ(text(Sweep().compare(sweep_words(0xd400'0000, 0xd7ff'ffff, 61))), "");
}

TEST(A64DecodeSweep, AgreesOnAllWords) {
  EXPECT_EQ(text(Sweep().compare(sweep_words(0, 0xffff'ffff, 61))), "");
}

TEST(A64DecodeSweep, AgreesOnAllRowsNeighbours) {
  const std::vector<std::uint32_t> words = row_neighbours(24, 1);
  EXPECT_GT(words.size(), 100'000u);
  EXPECT_EQ(text(Sweep().compare(words)), "");
}

}  // namespace
}  // namespace asterism::a64::oracle
