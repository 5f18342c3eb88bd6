// A part of the words, and all rows' neighbours; a64_sweep goes through all of them.
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

// Odd strides, so that each bit takes both values.
TEST(A64Sweep, AgreesOnBranchesAndSystem) {
  EXPECT_EQ(text(Sweep().compare(sweep_words(0x1400'0000, 0x17ff'ffff, 301))), "");
  EXPECT_EQ(text(Sweep().compare(sweep_words(0x3400'0000, 0x37ff'ffff, 301))), "");
  EXPECT_EQ(text(Sweep().compare(sweep_words(0x5400'0000, 0x57ff'ffff, 31))), "");
  EXPECT_EQ(text(Sweep().compare(sweep_words(0xd400'0000, 0xd7ff'ffff, 31))), "");
}
TEST(A64Sweep, AgreesOnDataProcessing) {
  for (std::uint32_t upper = 0; upper < 8; ++upper) {
    EXPECT_EQ(text(Sweep().compare(sweep_words(upper << 29 | 0x1000'0000, upper << 29 | 0x13ff'ffff, 31))),
              "");
    EXPECT_EQ(text(Sweep().compare(sweep_words(upper << 29 | 0x1a00'0000, upper << 29 | 0x1bff'ffff, 31))),
              "");
  }
}

}  // namespace
}  // namespace asterism::a64::oracle
