// The checkpoint library with the Checkpoint Location Controller: its inputs, the locations of checkpoints,
// its reports, and restores.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "checkpoint/test_machine.h"

extern "C" {
#include "checkpoint/checkpoint.h"
}

namespace {

using Located = TestMachine::Located;

struct Policy {  // for one rank, by default without any bound
  double lifetime_years = 0, overhead_percent = 0;
  unsigned ranks = 1, forced_every = 0;
};

// 13 pages of data in two ranks: 7 in one, 6 in the other; a checkpoint has 14 pages.
class CheckpointControllerTest : public testing::Test {
 protected:
  static constexpr std::uint64_t bytes = 13 * 4096, on_ssd = 14 * 4096;

  void SetUp() override { machine.reset(); }
  CheckpointStatus start(const Policy& wanted, std::uint64_t ramdisk = bytes) {
    const CheckpointPolicy policy = {wanted.lifetime_years, wanted.overhead_percent, wanted.ranks,
                                     wanted.forced_every};
    checkpoint_initialize();
    checkpoint_use_memory(ramdisk, 0);
    checkpoint_protect(0, data, 7 * 4096);
    checkpoint_protect(1, data + 7 * 4096, 6 * 4096);
    return checkpoint_use_controller(&policy);
  }
  // Takes a checkpoint after a second of computing.
  CheckpointStatus write(std::uint64_t version) {
    std::memset(data, static_cast<int>(version), sizeof data);
    machine.microseconds += 1'000'000;
    return checkpoint_write("a", version);
  }
  bool holds(std::uint64_t version) const {
    for (const std::uint8_t byte : data)
      if (byte != version) return false;
    return true;
  }
  static CheckpointStatus memory() { return checkpoint_level_status(checkpoint_memory); }
  static CheckpointStatus ssd() { return checkpoint_level_status(checkpoint_dimm_ssd); }
  static std::uint64_t newest() {
    std::uint64_t version = 0;
    EXPECT_EQ(checkpoint_find_newest("a", checkpoint_any_version, &version), checkpoint_ok);
    return version;
  }
  // The rating that allows this number of bytes per second over this lifetime.
  static std::uint64_t rating(std::uint64_t bytes_a_second) {
    return bytes_a_second * std::uint64_t{5} * 365 * 86400;
  }
  static constexpr Policy lifetime = {.lifetime_years = 5};
  alignas(4096) static inline std::uint8_t data[bytes];
};

TEST_F(CheckpointControllerTest, EachCheckpointGoesToOneLevelByTheEnduranceOfTheDevice) {
  machine.rated = rating(on_ssd / 3);  // allows one of three checkpoints
  ASSERT_EQ(start(lifetime), checkpoint_ok);
  for (std::uint64_t version = 1; version <= 9; ++version) {
    ASSERT_EQ(write(version), checkpoint_ok);
    const bool to_ssd = version == 1 || version % 3 == 1;
    EXPECT_EQ(ssd(), to_ssd ? checkpoint_ok : checkpoint_not_asked) << version;
    EXPECT_EQ(memory(), to_ssd ? checkpoint_not_asked : checkpoint_ok) << version;
  }
  EXPECT_EQ(machine.located[0], (Located{1, located_on_dimm_ssd, reason_first}));
  EXPECT_EQ(machine.located[1], (Located{2, located_in_memory, reason_lifetime}));
  EXPECT_EQ(machine.located[3], (Located{4, located_on_dimm_ssd, reason_allowed}));
  EXPECT_EQ(machine.located.size(), 9u);
}

TEST_F(CheckpointControllerTest, EarlierWritesCountAsWearButNotAsBandwidth) {
  machine.rated = rating(10 * on_ssd);
  machine.written = machine.rated / 2;
  ASSERT_EQ(start(lifetime), checkpoint_ok);
  for (std::uint64_t version = 1; version <= 3; ++version) {
    ASSERT_EQ(write(version), checkpoint_ok);
    EXPECT_EQ(ssd(), checkpoint_ok) << version;
  }
  machine.written = machine.rated;
  ASSERT_EQ(write(4), checkpoint_ok);
  EXPECT_EQ(machine.located.back(), (Located{4, located_in_memory, reason_lifetime}));
}

TEST_F(CheckpointControllerTest, TheTimeThatCheckpointsTookIsBounded) {
  machine.microseconds_a_page = 20'000;  // 0.28 s a checkpoint
  ASSERT_EQ(start({.overhead_percent = 10}), checkpoint_ok);
  for (std::uint64_t version = 1; version <= 4; ++version) ASSERT_EQ(write(version), checkpoint_ok);
  // 0.28 of 2.28 s is above the bound, 0.28 of 3.28 s is not, and 0.56 of 4.56 s is again.
  EXPECT_EQ(machine.located, (std::vector<Located>{{1, located_on_dimm_ssd, reason_first},
                                                   {2, located_in_memory, reason_loss},
                                                   {3, located_on_dimm_ssd, reason_allowed},
                                                   {4, located_in_memory, reason_loss}}));
}

TEST_F(CheckpointControllerTest, WaitingForAPendingVersionIsNotCounted) {
  checkpoint_use_method(dimm_ssd_late);
  machine.microseconds_a_page = 20'000;
  ASSERT_EQ(start({.overhead_percent = 10}), checkpoint_ok);
  std::memset(data, 1, sizeof data);
  machine.microseconds += 1'000'000;
  ASSERT_EQ(checkpoint_begin("a", 1), checkpoint_ok);
  EXPECT_EQ(ssd(), checkpoint_pending);
  machine.microseconds += 1'000'000;
  ASSERT_EQ(checkpoint_begin("a", 2), checkpoint_ok);
  EXPECT_EQ(machine.located.back(), (Located{2, located_on_dimm_ssd, reason_allowed}));
  EXPECT_EQ(checkpoint_wait(checkpoint_any_version), checkpoint_ok);
  checkpoint_use_method(dimm_ssd_configured);
}

TEST_F(CheckpointControllerTest, ACheckpointTooLargeForARanksPartIsSkippedOrForced) {
  machine.rated = machine.written = 1;
  const std::uint64_t ranks_part = 7 * 4096 - 1;
  ASSERT_EQ(start({.lifetime_years = 5, .ranks = 2, .forced_every = 3}, 2 * ranks_part), checkpoint_ok);
  ASSERT_EQ(write(1), checkpoint_skipped) << "the SSD is worn out from the start";
  EXPECT_EQ(memory(), checkpoint_not_asked);
  EXPECT_EQ(ssd(), checkpoint_not_asked);
  EXPECT_EQ(checkpoint_test(1), checkpoint_skipped);
  EXPECT_STREQ(checkpoint_text(checkpoint_skipped), "skipped");
  ASSERT_EQ(write(2), checkpoint_skipped);
  ASSERT_EQ(write(3), checkpoint_ok);
  EXPECT_EQ(ssd(), checkpoint_ok);
  EXPECT_EQ(machine.located, (std::vector<Located>{{1, located_nowhere, reason_size},
                                                   {2, located_nowhere, reason_size},
                                                   {3, located_on_dimm_ssd, reason_forced}}));
  EXPECT_EQ(newest(), 3u);
}

// Regions 0 and 2 belong to one rank, 1 and 3 to the other.
TEST_F(CheckpointControllerTest, ARanksRegionsCountTogether) {
  machine.rated = machine.written = 1;
  ASSERT_EQ(start({.lifetime_years = 5, .ranks = 2}, std::uint64_t{2} * 7 * 4096), checkpoint_ok);
  ASSERT_EQ(write(1), checkpoint_ok);
  EXPECT_EQ(memory(), checkpoint_ok);
  static std::uint8_t more[4096 + 1];
  checkpoint_protect(3, more, 4096);  // 7 pages in each
  ASSERT_EQ(write(2), checkpoint_ok);
  checkpoint_protect(3, more, 4096 + 1);
  ASSERT_EQ(write(3), checkpoint_skipped);
}

TEST_F(CheckpointControllerTest, IfALevelFailsTheOtherIsUsed) {
  machine.rated = rating(10 * on_ssd);
  ASSERT_EQ(start(lifetime), checkpoint_ok);
  machine.next_error = dimm_ssd_no_space;
  ASSERT_EQ(write(1), checkpoint_ok);
  EXPECT_EQ(ssd(), checkpoint_no_space);
  EXPECT_EQ(memory(), checkpoint_ok);
  EXPECT_EQ(checkpoint_test(1), checkpoint_ok);
  EXPECT_EQ(checkpoint_restore("a", 1), checkpoint_ok);
  machine.rated = machine.written = 1;
  const auto* const level = reinterpret_cast<std::uint8_t*>(machine.range.first);
  for (std::size_t at = 0; at < machine.range.bytes; at += 64) machine.poison(level + at);
  for (std::uint64_t version = 2; version <= 3; ++version) {
    ASSERT_EQ(write(version), checkpoint_ok);
    EXPECT_EQ(memory(), checkpoint_uncorrectable);
    EXPECT_EQ(ssd(), checkpoint_ok);
  }
  EXPECT_EQ(machine.located.back(), (Located{3, located_in_memory, reason_lifetime}));
  machine.next_error = dimm_ssd_worn_out;
  EXPECT_EQ(write(4), checkpoint_uncorrectable) << "neither";
  EXPECT_EQ(ssd(), checkpoint_worn_out);
}

TEST_F(CheckpointControllerTest, AVersionThatFailsDuringTheWaitIsWrittenToMemory) {
  checkpoint_use_method(dimm_ssd_late);
  ASSERT_EQ(start(lifetime), checkpoint_ok);
  machine.failure_at_wait = dimm_ssd_no_space;
  ASSERT_EQ(write(1), checkpoint_ok);
  EXPECT_EQ(ssd(), checkpoint_no_space);
  EXPECT_EQ(memory(), checkpoint_ok);
  checkpoint_use_method(dimm_ssd_configured);
  std::memset(data, 9, sizeof data);
  ASSERT_EQ(checkpoint_restore("a", 1), checkpoint_ok);
  EXPECT_TRUE(holds(1));
}

// Section 4.3.4: the ramdisk is tried first; a checkpoint that cannot be corrected is discarded as a whole,
// and the older one on the SSD is restored.
TEST_F(CheckpointControllerTest, RecoveryTriesTheRamdiskAndThenTheSsd) {
  machine.rated = rating(on_ssd / 4);
  ASSERT_EQ(start(lifetime), checkpoint_ok);
  for (std::uint64_t version = 1; version <= 3; ++version) ASSERT_EQ(write(version), checkpoint_ok);
  start(lifetime);
  EXPECT_EQ(newest(), 3u);
  ASSERT_EQ(checkpoint_restore("a", 3), checkpoint_ok);
  EXPECT_TRUE(holds(3));
  EXPECT_EQ(memory(), checkpoint_ok);
  EXPECT_EQ(ssd(), checkpoint_not_asked);
  const auto* const level = reinterpret_cast<std::uint8_t*>(machine.range.first);
  for (std::size_t at = 1024; at < machine.range.bytes; at += 8192) machine.poison(level + at);
  for (const std::uint64_t lost : {3u, 2u}) {
    EXPECT_EQ(newest(), lost);
    EXPECT_EQ(checkpoint_restore("a", lost), checkpoint_uncorrectable);
  }
  EXPECT_EQ(newest(), 1u);
  ASSERT_EQ(checkpoint_restore("a", 1), checkpoint_ok);
  EXPECT_TRUE(holds(1));
  EXPECT_EQ(ssd(), checkpoint_ok);
}

TEST_F(CheckpointControllerTest, ANewRunStartsNewCounts) {
  machine.rated = rating(on_ssd / 4);
  ASSERT_EQ(start(lifetime), checkpoint_ok);
  ASSERT_EQ(write(1), checkpoint_ok);
  ASSERT_EQ(write(2), checkpoint_ok);
  ASSERT_EQ(start(lifetime), checkpoint_ok);
  ASSERT_EQ(write(3), checkpoint_ok);
  EXPECT_EQ(machine.located.back(), (Located{3, located_on_dimm_ssd, reason_first}));
}

TEST_F(CheckpointControllerTest, WithoutBothLevelsOrWithNegativeNumbersItIsRefused) {
  EXPECT_EQ(start({.lifetime_years = -1}), checkpoint_bad_argument);
  EXPECT_EQ(start({.overhead_percent = __builtin_nan("")}), checkpoint_bad_argument);
  checkpoint_initialize();
  const CheckpointPolicy policy = {5, 0, 1, 0};
  EXPECT_EQ(checkpoint_use_controller(&policy), checkpoint_no_strong_memory);
  machine.has_dimm_ssd = false;
  EXPECT_EQ(start(lifetime), checkpoint_no_device);
  EXPECT_EQ(write(1), checkpoint_ok);
  EXPECT_EQ(memory(), checkpoint_ok) << "level 1 must work as without a controller";
  EXPECT_TRUE(machine.located.empty());
}

// Tests the 9:1 of section 4.6, with three instead of ten.
TEST_F(CheckpointControllerTest, ARatioWritesEachCheckpointToOneLevel) {
  start(lifetime);
  ASSERT_EQ(checkpoint_use_ratio(3), checkpoint_ok);
  for (std::uint64_t version = 1; version <= 7; ++version) {
    ASSERT_EQ(write(version), checkpoint_ok);
    const bool to_ssd = version % 3 == 0;
    EXPECT_EQ(ssd(), to_ssd ? checkpoint_ok : checkpoint_not_asked) << version;
    EXPECT_EQ(memory(), to_ssd ? checkpoint_not_asked : checkpoint_ok) << version;
  }
  EXPECT_TRUE(machine.located.empty()) << "no controller may decide";
  EXPECT_EQ(newest(), 7u);
  ASSERT_EQ(checkpoint_restore("a", 6), checkpoint_ok);
  EXPECT_TRUE(holds(6));
  EXPECT_EQ(ssd(), checkpoint_ok);
}

TEST_F(CheckpointControllerTest, WithARatioTheOtherLevelReplacesAFailedOne) {
  start(lifetime);
  ASSERT_EQ(checkpoint_use_ratio(2), checkpoint_ok);
  ASSERT_EQ(write(1), checkpoint_ok);
  machine.next_error = dimm_ssd_no_space;
  ASSERT_EQ(write(2), checkpoint_ok);
  EXPECT_EQ(ssd(), checkpoint_no_space);
  EXPECT_EQ(memory(), checkpoint_ok);
  EXPECT_EQ(newest(), 2u);
}

TEST_F(CheckpointControllerTest, ARatioIsRefusedWithoutBothLevelsOrAsZero) {
  start(lifetime);
  EXPECT_EQ(checkpoint_use_ratio(0), checkpoint_bad_argument);
  ASSERT_EQ(write(1), checkpoint_ok);
  EXPECT_EQ(machine.located.size(), 1u) << "the controller must still decide";
  checkpoint_initialize();
  EXPECT_EQ(checkpoint_use_ratio(2), checkpoint_no_strong_memory);
  machine.has_dimm_ssd = false;
  checkpoint_initialize();
  EXPECT_EQ(checkpoint_use_ratio(2), checkpoint_no_device);
}

TEST_F(CheckpointControllerTest, WithoutAPowerControllerNothingIsReported) {
  machine.has_power_controller = false;
  ASSERT_EQ(start(lifetime), checkpoint_ok);
  EXPECT_EQ(write(1), checkpoint_ok);
  EXPECT_TRUE(machine.located.empty());
}

}  // namespace
