#include "memory/dram.h"

#include <gmock/gmock.h>

#include <cstring>

namespace asterism {
namespace {

std::uint64_t word(const Dram& dram, std::uint64_t offset) {
  std::uint64_t value;
  std::memcpy(&value, dram.data() + offset, sizeof value);
  return value;
}

TEST(Dram, PowersUpWithAPatternThatIsNotZero) {
  const Dram a(4_MiB, 1), b(4_MiB, 1), c(4_MiB, 2);
  EXPECT_NE(word(a, 0), 0u);
  EXPECT_NE(word(a, 0), word(a, 8));
  EXPECT_EQ(word(a, (4_MiB).count() - 8), word(b, (4_MiB).count() - 8));
  EXPECT_NE(word(a, 0), word(c, 0));
}

TEST(Dram, LosesItsContentsWithThePower) {
  Dram dram(4_MiB, 1);
  const std::uint64_t before = word(dram, 4096);
  std::memset(dram.data(), 0, (4_MiB).count());
  dram.reset(Reset::warm);
  EXPECT_EQ(word(dram, 4096), 0u);
  dram.reset(Reset::power_loss);
  EXPECT_EQ(word(dram, 4096), before);
}

TEST(Dram, KnowsThePagesThatWereWritten) {
  Dram dram(8_MiB, 1);
  const std::uint64_t read = word(dram, 3 << 20);
  dram.data()[2 << 20] = std::byte(1);
  dram.data()[(8 << 20) - 1] = std::byte(read);
  EXPECT_THAT(dram.written_pages(), testing::ElementsAre(2_MiB, 8_MiB - 4_KiB));
  dram.reset(Reset::power_loss);
  EXPECT_THAT(dram.written_pages(), testing::IsEmpty());
}

TEST(Dram, LargeMemoriesCostNothingUntilUsed) {
  Dram dram(64_GiB, 1);
  dram.reset(Reset::power_loss);
  dram.data()[(64_GiB).count() - 1] = std::byte(1);
}

}  // namespace
}  // namespace asterism
