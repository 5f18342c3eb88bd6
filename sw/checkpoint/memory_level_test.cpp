// Checkpoints on two levels: memory under strong ECC and the DIMM-SSD.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "checkpoint/test_machine.h"
#include "checkpoint/two_regions.h"

extern "C" {
#include "checkpoint/checkpoint.h"
#include "checkpoint/memory_level.h"
}

namespace {

class MemoryLevelTest : public testing::Test, protected TwoRegions<1000> {
 protected:
  void SetUp() override {
    machine.reset();
    ASSERT_EQ(start(), checkpoint_ok);
  }
  // The calls of an app when the node has started.
  CheckpointStatus start(unsigned ssd_every = 4) {
    checkpoint_initialize();
    const CheckpointStatus status = checkpoint_use_memory(sizeof text + sizeof vector, ssd_every);
    protect();
    return status;
  }
};

TEST_F(MemoryLevelTest, IsAtTheEndOfMemoryUnderStrongEcc) {
  EXPECT_EQ(machine.range.mode, ecc_strong);
  EXPECT_EQ(machine.range.first % 4096, 0u);
  EXPECT_EQ(machine.range.first + machine.range.bytes,
            reinterpret_cast<std::uintptr_t>(machine.dram) + TestMachine::dram_bytes);
  EXPECT_EQ(machine.kept_from, machine.range.first);
}

TEST_F(MemoryLevelTest, EveryFourthCheckpointGoesToTheSsd) {
  for (std::uint64_t version = 1; version <= 9; ++version) {
    ASSERT_EQ(write(version), checkpoint_ok);
    EXPECT_EQ(checkpoint_level_status(checkpoint_memory), checkpoint_ok);
    EXPECT_EQ(checkpoint_level_status(checkpoint_dimm_ssd),
              version % 4 == 0 ? checkpoint_ok : checkpoint_not_asked);
  }
  EXPECT_EQ(machine.flash.size(), 2u);
  EXPECT_EQ(machine.flash.count({"a", 4}) + machine.flash.count({"a", 8}), 2u);
}

TEST_F(MemoryLevelTest, SsdEveryZeroIsNever) {
  start(0);
  for (std::uint64_t version = 1; version <= 9; ++version) ASSERT_EQ(write(version), checkpoint_ok);
  EXPECT_TRUE(machine.flash.empty());
}

TEST_F(MemoryLevelTest, TheTwoNewestVersionsAreThereAfterAWarmReset) {
  for (std::uint64_t version = 1; version <= 3; ++version) ASSERT_EQ(write(version), checkpoint_ok);
  ASSERT_EQ(start(), checkpoint_ok);
  EXPECT_EQ(machine.ranges_set, 1u) << "the range must not be set again";
  EXPECT_EQ(newest(), 3u);
  for (const std::uint64_t version : {3u, 2u}) {
    fill(99);
    ASSERT_EQ(checkpoint_restore("a", version), checkpoint_ok);
    EXPECT_TRUE(holds(version));
    EXPECT_EQ(checkpoint_level_status(checkpoint_memory), checkpoint_ok);
    EXPECT_EQ(checkpoint_level_status(checkpoint_dimm_ssd), checkpoint_not_asked);
  }
  EXPECT_EQ(checkpoint_restore("a", 1), checkpoint_not_found);
}

TEST_F(MemoryLevelTest, ANewerCheckpointOnTheSsdIsFoundToo) {
  for (std::uint64_t version = 1; version <= 4; ++version) ASSERT_EQ(write(version), checkpoint_ok);
  EXPECT_EQ(checkpoint_discard("a", 4), checkpoint_ok);
  EXPECT_EQ(newest(), 3u);
  ASSERT_EQ(write(8), checkpoint_ok);
  machine.flash[{"a", 9}] = {};
  EXPECT_EQ(newest(), 9u);
}

TEST_F(MemoryLevelTest, APoisonedCheckpointIsDiscardedAndAnOlderOneRestoredFromTheSsd) {
  for (std::uint64_t version = 1; version <= 6; ++version) ASSERT_EQ(write(version), checkpoint_ok);
  machine.poison(machine.find("version 6!"));
  machine.poison(machine.find("version 5!"));
  start();
  fill(99);
  EXPECT_EQ(checkpoint_restore("a", 6), checkpoint_uncorrectable);
  EXPECT_EQ(checkpoint_level_status(checkpoint_memory), checkpoint_uncorrectable);
  EXPECT_EQ(checkpoint_level_status(checkpoint_dimm_ssd), checkpoint_not_found);
  EXPECT_EQ(newest(), 5u) << "version 5 is discarded only when it is requested";
  EXPECT_EQ(checkpoint_restore("a", 5), checkpoint_uncorrectable);
  EXPECT_EQ(newest(), 4u);
  ASSERT_EQ(checkpoint_restore("a", 4), checkpoint_ok);
  EXPECT_TRUE(holds(4));
  EXPECT_EQ(checkpoint_level_status(checkpoint_memory), checkpoint_not_found);
  EXPECT_EQ(checkpoint_level_status(checkpoint_dimm_ssd), checkpoint_ok);
}

TEST_F(MemoryLevelTest, APoisonedCheckpointIsRestoredFromTheSsdIfItHasIt) {
  for (std::uint64_t version = 1; version <= 4; ++version) ASSERT_EQ(write(version), checkpoint_ok);
  machine.poison(machine.find("version 4!"));
  start();
  ASSERT_EQ(checkpoint_restore("a", 4), checkpoint_ok);
  EXPECT_TRUE(holds(4));
  EXPECT_EQ(checkpoint_level_status(checkpoint_memory), checkpoint_uncorrectable);
  EXPECT_EQ(checkpoint_level_status(checkpoint_dimm_ssd), checkpoint_ok);
}

TEST_F(MemoryLevelTest, APoisonedRecordIsReportedAtOnce) {
  for (std::uint64_t version = 1; version <= 4; ++version) ASSERT_EQ(write(version), checkpoint_ok);
  const auto* const level = reinterpret_cast<std::uint8_t*>(machine.range.first);
  machine.poison(level);
  machine.poison(level + machine.range.bytes / 2);
  EXPECT_EQ(start(), checkpoint_uncorrectable);
  EXPECT_EQ(newest(), 4u) << "on the SSD";
  EXPECT_EQ(checkpoint_restore("a", 4), checkpoint_ok);
  EXPECT_EQ(checkpoint_level_status(checkpoint_memory), checkpoint_not_found);
}

TEST_F(MemoryLevelTest, ACheckpointThatLevelOneCannotTakeGoesToTheSsd) {
  const auto* const level = reinterpret_cast<std::uint8_t*>(machine.range.first);
  for (std::size_t at = 0; at < machine.range.bytes; at += 64) machine.poison(level + at);
  ASSERT_EQ(write(1), checkpoint_ok);
  EXPECT_EQ(checkpoint_level_status(checkpoint_memory), checkpoint_uncorrectable);
  EXPECT_EQ(checkpoint_level_status(checkpoint_dimm_ssd), checkpoint_ok);
  EXPECT_EQ(newest(), 1u);
  machine.poisoned.clear();
  ASSERT_EQ(write(2), checkpoint_ok);
  EXPECT_EQ(checkpoint_level_status(checkpoint_memory), checkpoint_uncorrectable) << "level 1 stays closed";
  machine.poison(level);
  machine.poison(level + machine.range.bytes / 2);
  start(0);
  EXPECT_EQ(write(3), checkpoint_uncorrectable);
  EXPECT_EQ(checkpoint_level_status(checkpoint_dimm_ssd), checkpoint_not_asked);
}

// Poison in each block of a slot that is written: the checkpoint must not count as complete.
TEST_F(MemoryLevelTest, ALostStoreInvalidatesTheCheckpoint) {
  for (std::size_t at = 0; at < 9000; at += 64) {
    machine.reset();
    ASSERT_EQ(start(0), checkpoint_ok);
    machine.poison(reinterpret_cast<std::uint8_t*>(machine.range.first) + at);
    ASSERT_EQ(write(1), checkpoint_uncorrectable) << at;
  }
}

TEST_F(MemoryLevelTest, PoisonReadByTheSsdIsReported) {
  machine.poison(&vector[500]);
  machine.next_error = dimm_ssd_bus_error;
  EXPECT_EQ(write(1), checkpoint_uncorrectable);
  EXPECT_EQ(checkpoint_level_status(checkpoint_dimm_ssd), checkpoint_uncorrectable);
}

TEST_F(MemoryLevelTest, WithoutADimmSsdMemoryAloneKeepsThem) {
  machine.has_dimm_ssd = false;
  ASSERT_EQ(start(), checkpoint_ok);
  for (std::uint64_t version = 1; version <= 4; ++version) ASSERT_EQ(write(version), checkpoint_ok);
  EXPECT_EQ(checkpoint_level_status(checkpoint_dimm_ssd), checkpoint_no_device);
  EXPECT_EQ(newest(), 4u);
  EXPECT_EQ(checkpoint_restore("a", 4), checkpoint_ok);
}

TEST_F(MemoryLevelTest, MissingStrongMemoryIsReported) {
  machine.problem = range_one_rank;
  machine.range = {};
  EXPECT_EQ(start(), checkpoint_no_strong_memory);
  machine.reset();
  machine.has_memory_controller = false;
  EXPECT_EQ(start(), checkpoint_no_strong_memory);
  ASSERT_EQ(write(1), checkpoint_ok);
  EXPECT_EQ(checkpoint_level_status(checkpoint_memory), checkpoint_not_asked);
  EXPECT_EQ(machine.flash.size(), 1u);
}

TEST_F(MemoryLevelTest, OtherRegionsAreRefusedAndKept) {
  ASSERT_EQ(write(1), checkpoint_ok);
  checkpoint_protect(1, vector, sizeof vector - 8);
  EXPECT_EQ(checkpoint_restore("a", 1), checkpoint_other_regions);
  checkpoint_protect(1, vector, sizeof vector);
  EXPECT_EQ(checkpoint_restore("a", 1), checkpoint_ok);
}

TEST_F(MemoryLevelTest, ChangedContentsAreTorn) {
  ASSERT_EQ(write(1), checkpoint_ok);
  *machine.find("version 1!") ^= 1;
  EXPECT_EQ(checkpoint_restore("a", 1), checkpoint_torn);
  EXPECT_EQ(checkpoint_restore("a", 1), checkpoint_not_found);
}

TEST_F(MemoryLevelTest, ATooLargeCheckpointGoesOnlyToTheSsd) {
  static std::uint8_t large[40000];
  checkpoint_protect(2, large, sizeof large);
  ASSERT_EQ(write(1), checkpoint_ok);
  EXPECT_EQ(checkpoint_level_status(checkpoint_memory), checkpoint_too_large);
  EXPECT_EQ(checkpoint_level_status(checkpoint_dimm_ssd), checkpoint_ok);
}

// A reset before each copy of which a checkpoint consists: the version committed before is found, the new one
// is complete or absent.
TEST_F(MemoryLevelTest, AResetAtAnyCopyLeavesACompleteCheckpoint) {
  bool ended = false;
  for (int copies = 0; !ended; ++copies) {
    ASSERT_LT(copies, 20);
    machine.reset();
    ASSERT_EQ(start(0), checkpoint_ok);
    ASSERT_EQ(write(1), checkpoint_ok);
    ASSERT_EQ(write(2), checkpoint_ok);
    machine.copies_until_reset = copies;
    try {
      ended = write(3) == checkpoint_ok;
    } catch (const WarmReset&) {
    }
    machine.warm_reset();
    ASSERT_EQ(start(0), checkpoint_ok);
    EXPECT_EQ(newest(), ended ? 3u : 2u) << copies;
    ASSERT_EQ(checkpoint_restore("a", newest()), checkpoint_ok) << copies;
    EXPECT_TRUE(holds(newest())) << copies;
  }
}

TEST_F(MemoryLevelTest, NamesAreIndependent) {
  fill(1);
  ASSERT_EQ(checkpoint_write("a", 1), checkpoint_ok);
  ASSERT_EQ(checkpoint_write("b", 5), checkpoint_ok);
  EXPECT_EQ(newest(), 1u);
  EXPECT_EQ(checkpoint_restore("a", 5), checkpoint_not_found);
}

TEST_F(MemoryLevelTest, AVersionWrittenAgainReplacesItself) {
  for (const std::uint64_t version : {4u, 6u, 4u}) ASSERT_EQ(write(version), checkpoint_ok);
  EXPECT_EQ(newest(), 6u);
  EXPECT_EQ(checkpoint_restore("a", 4), checkpoint_ok);
  ASSERT_EQ(write(8), checkpoint_ok);
  EXPECT_EQ(newest(), 8u);
  EXPECT_EQ(checkpoint_restore("a", 6), checkpoint_not_found) << "the older of the two";
}

TEST_F(MemoryLevelTest, AVersionWrittenAgainIsCompleteAtAnyTime) {
  ASSERT_EQ(write(4), checkpoint_ok);
  machine.copies_until_reset = 3;
  EXPECT_THROW(write(4), WarmReset);
  machine.warm_reset();
  start();
  EXPECT_EQ(checkpoint_restore("a", 4), checkpoint_ok);
  ASSERT_EQ(write(4), checkpoint_ok);
  EXPECT_EQ(checkpoint_discard("a", 4), checkpoint_ok);
  EXPECT_EQ(checkpoint_restore("a", 4), checkpoint_not_found) << "it existed before";
}

}  // namespace
