#include "dimm_ssd/checkpoint_log.h"

#include <algorithm>

#include "dimm_ssd/checkpoint_log_rig.h"

namespace asterism {
namespace {

using Error = CheckpointLog::Error;
constexpr std::uint64_t all = LogRig::all_lines;

struct CheckpointLogTest : testing::Test {
  LogRig rig;
  CheckpointLogTest() { rig.drain(); }
};

TEST_F(CheckpointLogTest, FreshFlashHoldsNothing) {
  EXPECT_EQ(rig.recoveries, 1u);
  EXPECT_TRUE(rig.log->ready());
  EXPECT_TRUE(rig.log->stored().empty());
  EXPECT_EQ(rig.log->newest("cg", 100), nullptr);
  EXPECT_FALSE(rig.restore("cg", 1));
  EXPECT_EQ(rig.log->lines_per_data_page(), 128u);
}

TEST_F(CheckpointLogTest, FullCheckpointIsRestoredLineByLine) {
  const auto handle = rig.take_full("cg", 1, 7);
  EXPECT_TRUE(rig.commits.contains(handle));
  EXPECT_EQ(rig.restore("cg", 1), LogRig::Image(4 * 64, 7));
}

TEST_F(CheckpointLogTest, SurvivesPowerLossWithAllThatIsKnownOfIt) {
  rig.take_full("cg", 1, 7);
  rig.power_cycle();
  ASSERT_EQ(rig.log->stored().size(), 1u);
  const auto& stored = rig.log->stored()[0];
  EXPECT_EQ(stored.name, "cg");
  EXPECT_EQ(stored.version, 1u);
  EXPECT_EQ(stored.sequence, 1u);
  EXPECT_EQ(stored.memory_pages, 4u);
  EXPECT_TRUE(stored.full && stored.visible && stored.readable);
  EXPECT_EQ(rig.restore("cg", 1), LogRig::Image(4 * 64, 7));
}

TEST_F(CheckpointLogTest, IncrementalCoversTheLinesThatItHas) {
  rig.take_full("cg", 1, 7);
  rig.take("cg", 2, false, {{2, 0b101}}, 8);
  for (int cycle = 0; cycle < 2; ++cycle, rig.power_cycle()) {
    EXPECT_EQ(rig.line("cg", 2, 2, 0), 8u);
    EXPECT_EQ(rig.line("cg", 2, 2, 1), 7u);
    EXPECT_EQ(rig.line("cg", 2, 2, 2), 8u);
    EXPECT_EQ(rig.line("cg", 1, 2, 0), 7u);
  }
}

TEST_F(CheckpointLogTest, LaterEntryOfAPageCoversAnEarlierOneOfItsCheckpoint) {
  const auto handle = rig.log->open("cg", 4, true);
  rig.write({{handle, 1, all, 5}});
  rig.write({{handle, 1, 0b10, 6}});
  rig.log->close(rig.now, handle, 1);
  rig.drain();
  EXPECT_EQ(rig.line("cg", 1, 1, 0), 5u);
  EXPECT_EQ(rig.line("cg", 1, 1, 1), 6u);
}

TEST_F(CheckpointLogTest, CheckpointsThatAreOpenAtOnceShareDataPages) {
  rig.take_full("cg", 1, 1);
  const auto second = rig.log->open("cg", 4, false), third = rig.log->open("cg", 4, false);
  rig.write({{third, 0, 0b1, 3}, {second, 0, 0b11, 2}, {third, 1, 0b1, 3}});
  rig.log->close(rig.now, second, 2);
  rig.log->close(rig.now, third, 3);
  rig.drain();
  EXPECT_EQ(rig.figure("data_pages"), 5u);
  EXPECT_EQ(rig.line("cg", 3, 0, 0), 3u);
  EXPECT_EQ(rig.line("cg", 3, 0, 1), 2u);
  EXPECT_EQ(rig.line("cg", 2, 0, 0), 2u);
  EXPECT_EQ(rig.line("cg", 2, 1, 0), 1u);
}

TEST_F(CheckpointLogTest, OneNameCommitsInTheOrderOfOpening) {
  const auto first = rig.log->open("cg", 4, true), second = rig.log->open("cg", 4, false);
  rig.write({{second, 0, 1, 2}});
  rig.log->close(rig.now, second, 2);
  rig.drain();
  EXPECT_TRUE(rig.commits.empty());
  rig.write({{first, 0, all, 1}});
  rig.log->close(rig.now, first, 1);
  rig.drain();
  EXPECT_LE(rig.commits.at(first), rig.commits.at(second));
  EXPECT_EQ(rig.versions(), (std::vector<std::uint64_t>{1, 2}));
}

TEST_F(CheckpointLogTest, NamesDoNotWaitForEachOther) {
  rig.log->open("a", 4, true);
  const auto b = rig.take_full("b", 1, 9);
  EXPECT_TRUE(rig.commits.contains(b));
}

TEST_F(CheckpointLogTest, CommitIsReportedWhenBothRootsAreDurable) {
  const auto handle = rig.take("cg", 1, true, {{0, all}}, 7);
  rig.fail_power();
  rig.restart();
  rig.drain();
  ASSERT_TRUE(rig.commits.contains(handle));
  rig.lose(0);
  rig.power_cycle();
  EXPECT_EQ(rig.line("cg", 1, 0, 0), 7u);
}

TEST_F(CheckpointLogTest, EitherRootAloneIsEnoughAndIsWrittenTwiceAgain) {
  rig.take_full("cg", 1, 7);
  rig.take_full("cg", 2, 8);
  for (const std::uint32_t root : {0u, 1u, 0u}) {
    rig.lose(root);
    rig.power_cycle();
    EXPECT_EQ(rig.versions(), (std::vector<std::uint64_t>{1, 2}));
    EXPECT_EQ(rig.restore("cg", 2), LogRig::Image(4 * 64, 8));
  }
}

TEST_F(CheckpointLogTest, KeepsVersionsByTheirCommitsAndDropsUnneededOnes) {
  rig.take_full("cg", 5, 1);
  rig.take_full("cg", 1, 2);
  const std::uint64_t free = rig.figure("free_pages");
  rig.take_full("cg", 2, 3);
  EXPECT_EQ(rig.versions(true), (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(rig.figure("free_pages"), free);
}

TEST_F(CheckpointLogTest, TooOldOnesAreHiddenWhileYoungerOnesNeedThem) {
  rig.take_full("cg", 1, 1);
  rig.take("cg", 2, false, {{0, 1}}, 2);
  rig.take("cg", 3, false, {{0, 2}}, 3);
  EXPECT_EQ(rig.versions(), (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(rig.versions(true), (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_FALSE(rig.restore("cg", 1));
  EXPECT_EQ(rig.line("cg", 2, 3, 3), 1u);
}

TEST_F(CheckpointLogTest, SameNumberReplacesAVersion) {
  rig.take_full("cg", 1, 1);
  rig.take("cg", 2, false, {{0, 1}}, 2);
  rig.take("cg", 2, false, {{0, 2}}, 3);
  EXPECT_EQ(rig.versions(), (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(rig.line("cg", 2, 0, 0), 2u);
  EXPECT_EQ(rig.line("cg", 2, 0, 1), 3u);
}

TEST_F(CheckpointLogTest, NewestIsTheHighestVersionNotAboveTheLimit) {
  rig.take_full("cg", 3, 1);
  rig.take_full("cg", 8, 1);
  EXPECT_EQ(rig.log->newest("cg", 100)->version, 8u);
  EXPECT_EQ(rig.log->newest("cg", 7)->version, 3u);
  EXPECT_EQ(rig.log->newest("cg", 2), nullptr);
  EXPECT_EQ(rig.log->newest("mg", 100), nullptr);
}

TEST_F(CheckpointLogTest, DiscardedVersionIsGoneForGoodAndItsSpaceIsFree) {
  const std::uint64_t free = rig.figure("free_pages");
  rig.take_full("cg", 1, 1);
  EXPECT_TRUE(rig.log->discard(rig.now, "cg", 1));
  EXPECT_FALSE(rig.log->discard(rig.now, "cg", 2));
  rig.drain();
  EXPECT_EQ(rig.discards, 1u);
  EXPECT_EQ(rig.figure("free_pages"), free);
  rig.power_cycle();
  EXPECT_TRUE(rig.log->stored().empty());
}

TEST_F(CheckpointLogTest, DiscardedNewestStaysForWhatContinuesIt) {
  rig.take_full("cg", 1, 1);
  rig.take("cg", 2, false, {{0, 1}}, 2);
  rig.log->discard(rig.now, "cg", 2);
  rig.drain();
  EXPECT_EQ(rig.log->newest("cg", 9)->version, 1u);
  rig.take("cg", 3, false, {{0, 2}}, 3);
  EXPECT_EQ(rig.line("cg", 3, 0, 0), 2u);
  EXPECT_EQ(rig.line("cg", 3, 0, 1), 3u);
}

TEST_F(CheckpointLogTest, PowerUpForgetsADiscardedNewest) {
  rig.take_full("cg", 1, 1);
  rig.take("cg", 2, false, {{0, 1}}, 2);
  rig.log->discard(rig.now, "cg", 2);
  rig.drain();
  rig.power_cycle();
  EXPECT_EQ(rig.versions(true), (std::vector<std::uint64_t>{1}));
}

TEST_F(CheckpointLogTest, IncrementalWithNothingToContinueFails) {
  const auto handle = rig.take("cg", 1, false, {{0, 1}}, 1);
  EXPECT_EQ(rig.failures.at(handle), Error::uncorrectable);
  EXPECT_TRUE(rig.log->stored().empty());
}

TEST_F(CheckpointLogTest, AbandonedOnesLeaveNoTraceAndTakeYoungerOnesOfTheirName) {
  const std::uint64_t free = rig.figure("free_pages");
  const auto first = rig.log->open("cg", 4, true), second = rig.log->open("cg", 4, false);
  rig.write({{first, 0, all, 1}, {second, 0, 1, 2}});
  rig.log->abandon(rig.now, first);
  rig.log->close(rig.now, second, 2);
  rig.drain();
  EXPECT_TRUE(rig.commits.empty() && rig.failures.empty());
  EXPECT_EQ(rig.figure("free_pages"), free);
  rig.power_cycle();
  EXPECT_TRUE(rig.log->stored().empty());
}

TEST_F(CheckpointLogTest, BufferIsFreeOncePerWrite) {
  const auto handle = rig.log->open("cg", 4, true);
  for (CheckpointLog::Tag tag = 10; tag < 14; ++tag) rig.write({{handle, 0, all, 1}}, tag);
  rig.log->abandon(rig.now, handle);
  rig.write({{handle, 0, all, 1}}, 14);
  rig.drain();
  std::ranges::sort(rig.left);
  EXPECT_EQ(rig.left, (std::vector<CheckpointLog::Tag>{10, 11, 12, 13, 14}));
}

TEST_F(CheckpointLogTest, EmptyCheckpointIsAVersionToo) {
  rig.take_full("cg", 1, 1);
  rig.take("cg", 2, false, {}, 0);
  rig.power_cycle();
  EXPECT_EQ(rig.restore("cg", 2), LogRig::Image(4 * 64, 1));
}

TEST_F(CheckpointLogTest, RestoreCanBeStoppedAndBegunAgain) {
  rig.take_full("cg", 1, 1);
  rig.restored_image.assign(4 * 64, 0);
  ASSERT_TRUE(rig.log->restore(rig.now, "cg", 1, rig));
  rig.step();
  rig.log->stop_restore();
  rig.drain();
  EXPECT_FALSE(rig.restore_error);
  EXPECT_EQ(rig.restore("cg", 1), LogRig::Image(4 * 64, 1));
}

TEST_F(CheckpointLogTest, WhatARestoreReadsIsNotGivenToOthers) {
  rig.take_full("cg", 1, 1);
  rig.restored_image.assign(4 * 64, 0);
  rig.restore_error.reset();
  ASSERT_TRUE(rig.log->restore(rig.now, "cg", 1, rig));
  rig.log->discard(rig.now, "cg", 1);
  const auto handle = rig.log->open("mg", 4, true);
  for (std::uint32_t i = 0; i < 40; ++i) rig.write({{handle, i % 4, all, 100 + i}});
  rig.drain();
  EXPECT_EQ(rig.restore_error, Error::none);
  EXPECT_EQ(rig.restored_image, LogRig::Image(4 * 64, 1));
}

TEST_F(CheckpointLogTest, WarmResetKeepsWhatIsCommitted) {
  rig.take_full("cg", 1, 1);
  const auto open = rig.log->open("cg", 4, false);
  rig.write({{open, 0, 1, 2}});
  rig.log->reset(Reset::warm);
  EXPECT_FALSE(rig.log->ready());
  rig.log->power_up(rig.now);
  rig.drain();
  EXPECT_EQ(rig.restore("cg", 1), LogRig::Image(4 * 64, 1));
}

TEST(CheckpointLogConfigTest, RefusesWhatDoesNotFit) {
  CheckpointLogConfig config = LogRig::fine_lines();
  config.line = Bytes(16);
  EXPECT_THROW(LogRig(LogRig::small(2), config), std::invalid_argument);
  config.line = Bytes(5);
  EXPECT_THROW(LogRig(LogRig::small(2), config), std::invalid_argument);
  config = LogRig::fine_lines();
  config.versions = 9;
  EXPECT_THROW(LogRig(LogRig::small(2), config), std::invalid_argument);
}

TEST(CheckpointLogConfigTest, FlashOfAnotherLineSizeIsRefused) {
  LogRig rig;
  rig.drain();
  rig.take_full("cg", 1, 1);
  CheckpointLogConfig config = LogRig::fine_lines();
  config.line = Bytes(2);
  CheckpointLog other(config, rig.part, rig.image, rig);
  other.power_up(rig.now);
  EXPECT_THROW(other.advance_to(rig.now + 1_s), std::runtime_error);
}

}  // namespace
}  // namespace asterism
