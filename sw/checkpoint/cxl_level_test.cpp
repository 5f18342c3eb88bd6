// The memory of a CXL expander as a level of the checkpoint library.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "checkpoint/test_machine.h"

extern "C" {
#include "checkpoint/checkpoint.h"
}

namespace {

class CxlLevelTest : public testing::Test {
 protected:
  void SetUp() override {
    machine.reset();
    machine.has_cxl = true;
    start(0);
  }
  void start(unsigned ssd_every) {
    ASSERT_EQ(checkpoint_initialize(), checkpoint_ok);
    ASSERT_EQ(checkpoint_use_cxl(sizeof memory, ssd_every), checkpoint_ok);
    checkpoint_protect(0, memory, sizeof memory);
  }
  void fill(std::uint8_t value) { std::memset(memory, value, sizeof memory); }
  bool holds(std::uint8_t value) const {
    return std::vector<std::uint8_t>(memory, memory + sizeof memory) ==
           std::vector<std::uint8_t>(sizeof memory, value);
  }
  // The first byte in the expander of a run of this value.
  static std::uint8_t* found(std::uint8_t value) {
    const std::string text(512, static_cast<char>(value));
    auto* const end = machine.cxl + TestMachine::cxl_bytes;
    auto* const at = std::search(machine.cxl, end, text.begin(), text.end(),
                                 [](std::uint8_t a, char b) { return a == static_cast<std::uint8_t>(b); });
    return at == end ? nullptr : at;
  }
  static inline std::uint8_t memory[10'000];
};

TEST_F(CxlLevelTest, KeepsTheTwoNewestCheckpointsThroughALossOfPower) {
  for (std::uint8_t version = 1; version <= 3; ++version) {
    fill(version);
    ASSERT_EQ(checkpoint_write("a", version), checkpoint_ok);
    EXPECT_EQ(checkpoint_level_status(checkpoint_cxl), checkpoint_ok);
    EXPECT_EQ(checkpoint_level_status(checkpoint_dimm_ssd), checkpoint_not_asked);
  }
  machine.power_loss();
  start(0);
  fill(0);
  std::uint64_t version = 0;
  ASSERT_EQ(checkpoint_find_newest("a", checkpoint_any_version, &version), checkpoint_ok);
  EXPECT_EQ(version, 3u);
  EXPECT_EQ(checkpoint_restore("a", 2), checkpoint_ok);
  EXPECT_TRUE(holds(2));
  EXPECT_EQ(checkpoint_restore("a", 1), checkpoint_not_found);
}

TEST_F(CxlLevelTest, IsBesideLevel1) {
  ASSERT_EQ(checkpoint_use_memory(sizeof memory, 0), checkpoint_ok);
  fill(7);
  ASSERT_EQ(checkpoint_write("a", 1), checkpoint_ok);
  EXPECT_EQ(checkpoint_level_status(checkpoint_memory), checkpoint_ok);
  EXPECT_EQ(checkpoint_level_status(checkpoint_cxl), checkpoint_ok);
  fill(0);
  ASSERT_EQ(checkpoint_restore("a", 1), checkpoint_ok);
  EXPECT_EQ(checkpoint_level_status(checkpoint_memory), checkpoint_ok);
  EXPECT_EQ(checkpoint_level_status(checkpoint_cxl), checkpoint_not_asked);
  machine.power_loss();
  start(0);
  fill(0);
  ASSERT_EQ(checkpoint_restore("a", 1), checkpoint_ok);
  EXPECT_TRUE(holds(7));
}

TEST_F(CxlLevelTest, EveryNthGoesToTheDimmSsdToo) {
  start(2);
  for (std::uint64_t version = 1; version <= 4; ++version)
    ASSERT_EQ(checkpoint_write("a", version), checkpoint_ok);
  EXPECT_EQ(machine.flash.size(), 2u);
  EXPECT_EQ(checkpoint_discard("a", 4), checkpoint_ok);
  std::uint64_t version = 0;
  EXPECT_EQ(checkpoint_find_newest("a", checkpoint_any_version, &version), checkpoint_ok);
  EXPECT_EQ(version, 3u);
}

// A poisoned line loses the checkpoint that it is in, and no other.
TEST_F(CxlLevelTest, APoisonedCheckpointIsDiscardedAndTheOlderOneRestored) {
  fill(1);
  checkpoint_write("a", 1);
  fill(2);
  checkpoint_write("a", 2);
  machine.poison(found(2));
  fill(0);
  EXPECT_EQ(checkpoint_restore("a", 2), checkpoint_uncorrectable);
  std::uint64_t version = 0;
  ASSERT_EQ(checkpoint_find_newest("a", checkpoint_any_version, &version), checkpoint_ok);
  EXPECT_EQ(version, 1u);
  EXPECT_EQ(checkpoint_restore("a", 1), checkpoint_ok);
  EXPECT_TRUE(holds(1));
}

TEST_F(CxlLevelTest, PoisonIsClearedBeforeALineIsWritten) {
  fill(1);
  checkpoint_write("a", 1);
  machine.poison(found(1));
  fill(2);
  EXPECT_EQ(checkpoint_write("a", 2), checkpoint_ok);
  EXPECT_EQ(machine.cleared, 1u);
  fill(0);
  EXPECT_EQ(checkpoint_restore("a", 2), checkpoint_ok);
  EXPECT_TRUE(holds(2));
}

TEST_F(CxlLevelTest, IsRefusedWithoutAnExpanderAndWhereItDoesNotFit) {
  EXPECT_EQ(checkpoint_use_cxl(TestMachine::cxl_bytes, 0), checkpoint_no_cxl);
  EXPECT_EQ(checkpoint_use_pcram(0, false), checkpoint_bad_argument);
  EXPECT_EQ(checkpoint_use_ratio(10), checkpoint_bad_argument);
  machine.has_cxl = false;
  EXPECT_EQ(checkpoint_use_cxl(100, 0), checkpoint_no_cxl);
  EXPECT_STREQ(checkpoint_text(checkpoint_no_cxl), "no CXL memory");
}

}  // namespace
