// Merging, compaction, a full device, and lost data.
#include <algorithm>
#include <bit>

#include "dimm_ssd/checkpoint_log_rig.h"

namespace asterism {
namespace {

using Error = CheckpointLog::Error;
using Versions = std::vector<std::uint64_t>;
constexpr std::uint64_t all = LogRig::all_lines;

CheckpointLogConfig merging(std::uint32_t below, std::uint32_t versions = 2) {
  CheckpointLogConfig config = LogRig::fine_lines();
  config.merge_below = below;
  config.versions = versions;
  return config;
}
// Merges as soon as there is something to merge.
struct EagerRig : LogRig {
  EagerRig() : LogRig(small(2), merging(1000)) { drain(); }
};

TEST(CheckpointLogSpace, MergesWhatIsOlderThanTheOldestThatIsKept) {
  EagerRig rig;
  rig.take_full("cg", 1, 1);
  rig.take("cg", 2, false, {{0, 0b01}}, 2);
  EXPECT_EQ(rig.figure("merges"), 0u);
  rig.take("cg", 3, false, {{0, 0b10}}, 3);
  EXPECT_EQ(rig.figure("merges"), 1u);
  EXPECT_EQ(rig.versions(true), (Versions{2, 3}));
  EXPECT_TRUE(rig.log->stored()[0].full);
  EXPECT_EQ(rig.log->stored()[0].sequence, 2u);
  for (int cycle = 0; cycle < 2; ++cycle, rig.power_cycle()) {
    EXPECT_EQ(rig.line("cg", 2, 0, 0), 2u);
    EXPECT_EQ(rig.line("cg", 2, 0, 1), 1u);
    EXPECT_EQ(rig.line("cg", 3, 0, 1), 3u);
    EXPECT_EQ(rig.line("cg", 3, 3, 63), 1u);
  }
}

TEST(CheckpointLogSpace, MergeCopiesNoLineAndFreesWhatWasOverwritten) {
  EagerRig rig;
  rig.take_full("cg", 1, 1);
  const std::uint64_t free = rig.figure("free_pages");
  rig.take("cg", 2, false, {{0, all}}, 2);
  EXPECT_EQ(rig.figure("free_pages"), free - 2);
  rig.take("cg", 3, false, {}, 3);
  EXPECT_EQ(rig.figure("lines_moved"), 0u);
  EXPECT_EQ(rig.figure("free_pages"), free);
}

TEST(CheckpointLogSpace, NothingIsMergedWhileEnoughIsFree) {
  LogRig rig(LogRig::small(2), merging(100));
  rig.drain();
  rig.take_full("cg", 1, 1);
  for (std::uint64_t v = 2; v < 6; ++v) rig.take("cg", v, false, {{0, 1}}, 2);
  EXPECT_EQ(rig.figure("merges"), 0u);
  EXPECT_EQ(rig.versions(true), (Versions{1, 2, 3, 4, 5}));
}

TEST(CheckpointLogSpace, FullRootMergesFirst) {
  LogRig rig(LogRig::small(4), merging(0));
  rig.drain();
  rig.take_full("cg", 1, 1);
  for (std::uint64_t v = 2; v <= 30; ++v)
    EXPECT_TRUE(rig.commits.contains(rig.take("cg", v, false, {{0, 1}}, static_cast<std::uint32_t>(v)))) << v;
  EXPECT_GE(rig.figure("merges"), 2u);
  EXPECT_EQ(rig.versions(), (Versions{29, 30}));
  EXPECT_EQ(rig.line("cg", 29, 0, 0), 29u);
  EXPECT_EQ(rig.line("cg", 30, 0, 1), 1u);
}

TEST(CheckpointLogSpace, RootThatCannotShrinkFailsTheNewCheckpointAlone) {
  LogRig rig(LogRig::small(4), merging(0, 4));
  rig.drain();
  std::uint64_t names = 0;
  for (; names < 10; ++names)
    if (rig.failures.contains(rig.take("job" + std::to_string(names), 1, true, {{0, 1}}, 1))) break;
  EXPECT_EQ(names, 6u);  // 40 bytes of header, 72 of name and record
  EXPECT_EQ(rig.failures.begin()->second, Error::no_space);
  EXPECT_EQ(rig.log->stored().size(), 6u);
  EXPECT_EQ(rig.line("job5", 1, 0, 0), 1u);
}

TEST(CheckpointLogSpace, CompactionGathersTheLinesThatCount) {
  EagerRig rig;
  // Each data page holds two pages of memory, of which one is overwritten later.
  const auto first = rig.log->open("cg", 8, true);
  rig.memory_pages = 8;
  for (std::uint32_t page = 0; page < 8; page += 2)
    rig.write({{first, page, all, 1}, {first, page + 1, all, 1}});
  rig.log->close(rig.now, first, 1);
  rig.drain();
  const auto second = rig.log->open("cg", 8, false);
  rig.write({{second, 0, all, 2}, {second, 2, all, 2}});
  rig.write({{second, 4, all, 2}, {second, 6, all, 2}});
  rig.log->close(rig.now, second, 2);
  rig.drain();
  rig.take("cg", 3, false, {}, 0);
  // After the merge there are four half-full pages of the first checkpoint and two full ones. To gain two
  // pages, a compaction would have to write two, which is not worth it.
  EXPECT_EQ(rig.figure("pages_compacted"), 0u);

  LogRig tight(LogRig::small(1, 10, 4), merging(0));
  tight.memory_pages = 8;
  tight.drain();
  const auto t1 = tight.log->open("cg", 8, true);
  for (std::uint32_t page = 0; page < 8; page += 2) tight.write({{t1, page, all, 1}, {t1, page + 1, all, 1}});
  tight.log->close(tight.now, t1, 1);
  tight.drain();
  const auto t2 = tight.log->open("cg", 8, false);
  tight.write({{t2, 0, all, 2}, {t2, 2, all, 2}});
  tight.write({{t2, 4, all, 2}, {t2, 6, all, 2}});
  tight.log->close(tight.now, t2, 2);
  tight.drain();
  for (std::uint64_t v = 3; v < 12; ++v) {
    const auto t = tight.log->open("cg", 8, false);
    tight.write({{t, 0, all, static_cast<std::uint32_t>(v)}, {t, 2, 1, static_cast<std::uint32_t>(v)}});
    tight.write({{t, 4, 1, static_cast<std::uint32_t>(v)}});
    tight.log->close(tight.now, t, v);
    tight.drain();
    EXPECT_TRUE(tight.commits.contains(t)) << v;
  }
  EXPECT_GE(tight.figure("compactions"), 1u);
  EXPECT_GE(tight.figure("lines_moved"), 64u);
  tight.power_cycle();
  EXPECT_EQ(tight.line("cg", 11, 0, 63), 11u);
  EXPECT_EQ(tight.line("cg", 11, 2, 1), 2u);
  EXPECT_EQ(tight.line("cg", 11, 7, 0), 1u);
  EXPECT_EQ(tight.line("cg", 10, 4, 0), 10u);
}

TEST(CheckpointLogSpace, FullDeviceRefusesTheNewCheckpointAndKeepsTheOlderOnes) {
  LogRig rig(LogRig::small(1, 10, 4));
  rig.drain();
  rig.take_full("cg", 1, 1);
  rig.take_full("cg", 2, 2);
  const std::uint64_t free = rig.figure("free_pages");
  const auto handle = rig.log->open("mg", 100, true);
  for (std::uint32_t page = 0; page < 60; ++page) rig.write({{handle, page, all, 3}}, page);
  rig.log->close(rig.now, handle, 1);
  rig.drain();
  EXPECT_EQ(rig.failures.at(handle), Error::no_space);
  EXPECT_EQ(rig.left.size(), 60u + 8);
  // Before the log gave the checkpoint up, a compaction made four pages of eight half-filled ones.
  EXPECT_EQ(rig.figure("free_pages"), free + 4);
  rig.power_cycle();
  EXPECT_EQ(rig.restore("cg", 1), LogRig::Image(4 * 64, 1));
  EXPECT_EQ(rig.restore("cg", 2), LogRig::Image(4 * 64, 2));
  EXPECT_TRUE(rig.commits.contains(rig.take_full("cg", 3, 3)));
}

TEST(CheckpointLogSpace, LastOpenedFailsFirst) {
  LogRig rig(LogRig::small(1, 10, 4));
  rig.drain();
  const auto first = rig.log->open("cg", 4, true);
  rig.write({{first, 0, all, 1}});
  const auto second = rig.log->open("mg", 100, true);
  for (std::uint32_t page = 0; page < 60; ++page) rig.write({{second, page, all, 3}});
  rig.drain();
  EXPECT_EQ(rig.failures.size(), 1u);
  EXPECT_TRUE(rig.failures.contains(second));
  rig.log->close(rig.now, first, 1);
  rig.drain();
  EXPECT_TRUE(rig.commits.contains(first));
}

TEST(CheckpointLogSpace, BurstOfOpenCheckpointsLeavesRoomForTheMergeOfAllOfThem) {
  LogRig rig(LogRig::small(2, 6, 4), merging(250, 1));
  rig.drain();
  std::uint64_t version = 1;
  for (int burst = 0; burst < 8; ++burst) {
    for (int i = 0; i < 12; ++i, ++version) {
      const auto handle = rig.log->open("cg", 4, version == 1);
      const auto value = static_cast<std::uint32_t>(version);
      rig.write({{handle, 0, all, value}, {handle, 1, 1, value}});
      rig.log->close(rig.now, handle, version);
    }
    rig.drain();
    const auto next = rig.take("cg", version, false, {{2, 1}}, static_cast<std::uint32_t>(version));
    EXPECT_TRUE(rig.commits.contains(next)) << burst;
    ++version;
  }
  EXPECT_GE(rig.figure("merges"), 8u);
  rig.power_cycle();
  EXPECT_EQ(rig.line("cg", version - 1, 2, 0), version - 1);
}

TEST(CheckpointLogSpace, DiscardMakesRoomForWhatWaits) {
  LogRig rig(LogRig::small(1, 10, 4));
  rig.drain();
  rig.memory_pages = 9;
  rig.take_full("cg", 1, 1);
  rig.log->discard(rig.now, "cg", 1);
  const auto handle = rig.take_full("mg", 1, 2);
  EXPECT_TRUE(rig.commits.contains(handle));
}

TEST(CheckpointLogSpace, LostDataTakesTheVersionsThatNeedItAndNoOthers) {
  LogRig rig;
  rig.drain();
  const auto handle = rig.take("cg", 1, true, {{0, all}, {1, all}}, 1);
  ASSERT_TRUE(rig.commits.contains(handle));
  rig.take("cg", 2, false, {{0, all}}, 2);
  rig.lose(2);  // the first data page: page 0 of version 1
  EXPECT_FALSE(rig.restore("cg", 1));
  EXPECT_EQ(rig.restore_error, Error::uncorrectable);
  EXPECT_FALSE(rig.log->find("cg", 1)->readable);
  EXPECT_EQ(rig.log->newest("cg", 1), nullptr);
  EXPECT_TRUE(rig.log->find("cg", 2)->readable);
  EXPECT_EQ(rig.line("cg", 2, 0, 5), 2u);
  EXPECT_EQ(rig.line("cg", 2, 1, 5), 1u);
}

// The loss is known before the commit of the increment, so that this must fail instead of becoming durable
// but unreadable. An increment that contains the whole lost page becomes durable.
TEST(CheckpointLogSpace, AnIncrementThatNeedsLostDataIsNotCommitted) {
  for (const std::uint32_t page : {0u, 1u}) {
    LogRig rig;
    rig.drain();
    rig.take("cg", 1, true, {{0, all}, {1, all}}, 1);
    const auto handle = rig.log->open("cg", rig.memory_pages, false);
    rig.write({{handle, page, all, 2}});
    rig.drain();
    rig.lose(2);  // page 0 of version 1
    EXPECT_FALSE(rig.restore("cg", 1));
    rig.log->close(rig.now, handle, 2);
    rig.drain();
    if (page == 0) {
      EXPECT_TRUE(rig.commits.contains(handle));
      EXPECT_EQ(rig.line("cg", 2, 1, 0), 1u);
    } else {
      EXPECT_EQ(rig.failures.at(handle), Error::uncorrectable);
    }
  }
}

TEST(CheckpointLogSpace, LostMetadataTakesWhatContinuesItAndOlderOnesStay) {
  LogRig rig;
  rig.drain();
  rig.take("cg", 1, true, {{0, all}}, 1);   // logical pages 2 and 3
  rig.take("cg", 2, false, {{1, all}}, 2);  // 4 and 5
  rig.lose(5);
  rig.power_cycle();
  EXPECT_EQ(rig.versions(), (Versions{1, 2}));
  EXPECT_EQ(rig.log->newest("cg", 9)->version, 1u);
  EXPECT_FALSE(rig.restore("cg", 2));
  EXPECT_EQ(rig.restore_error, Error::uncorrectable);
  EXPECT_EQ(rig.line("cg", 1, 0, 0), 1u);
  rig.power_cycle();
  EXPECT_FALSE(rig.log->find("cg", 2)->readable);
  const auto continued = rig.take("cg", 3, false, {{1, 1}}, 3);
  EXPECT_EQ(rig.failures.at(continued), Error::uncorrectable);
}

TEST(CheckpointLogSpace, WornOutDeviceRefusesAndWhatItHoldsIsRestored) {
  LogRig rig(LogRig::small(1, 10, 4));
  rig.part.endurance = 10;
  rig.restart();
  rig.drain();
  std::uint64_t version = 1;
  while (rig.failures.empty() && version < 2000)
    rig.take_full("cg", version, static_cast<std::uint32_t>(version)), ++version;
  ASSERT_FALSE(rig.failures.empty());
  EXPECT_EQ(rig.failures.begin()->second, Error::worn_out);
  for (int cycle = 0; cycle < 2; ++cycle, rig.power_cycle()) {
    const auto* newest = rig.log->newest("cg", version);
    ASSERT_NE(newest, nullptr);
    EXPECT_EQ(newest->version, version - 2);
    EXPECT_EQ(rig.restore("cg", version - 2), LogRig::Image(4 * 64, static_cast<std::uint32_t>(version - 2)));
  }
  const auto again = rig.take_full("cg", version, 1);
  EXPECT_EQ(rig.failures.at(again), Error::worn_out);
}

TEST(CheckpointLogSpace, WithoutContentsAsManyPagesAreWrittenAtTheSameTimes) {
  LogRig kept(LogRig::small(2), merging(1000)),
      none(LogRig::small(2), merging(1000), FlashImage::Contents::none);
  for (LogRig* rig : {&kept, &none}) {
    rig->drain();
    rig->take_full("cg", 1, 1);
    for (std::uint64_t v = 2; v < 9; ++v) rig->take("cg", v, false, {{0, 0b11}, {1, 1}}, 2);
  }
  EXPECT_EQ(kept.now, none.now);
  for (const char* name :
       {"data_pages", "metadata_pages", "roots", "merges", "compactions", "lines_moved", "free_pages"})
    EXPECT_EQ(kept.figure(name), none.figure(name)) << name;
  EXPECT_FALSE(none.restore("cg", 8));
  EXPECT_EQ(none.restore_error, Error::uncorrectable);
}

TEST(CheckpointLogSpace, NothingLeaksOverManyCheckpoints) {
  EagerRig rig;
  rig.take_full("cg", 1, 1);
  for (std::uint64_t v = 2; v < 200; ++v) rig.take("cg", v, v % 7 == 0, {{0, v | 1}, {1, ~v}}, 2);
  const std::uint64_t free = rig.figure("free_pages");
  rig.power_cycle();
  EXPECT_EQ(rig.figure("free_pages"), free);
}

}  // namespace
}  // namespace asterism
