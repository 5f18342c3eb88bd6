#include "resilience/dram_checkpoints.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "base/random.h"

namespace asterism {
namespace {

// 1e-5 failures a second by wide faults, 1e-5 by rows under data, 8e-5 others: one in 10,000 s.
DramOfMachine machine(CheckpointCode code, Seconds scrub = {}) {
  return {.devices = 100,
          .devices_of_rank = 10,
          .faults = {.wide = Rate(1e-7), .row = Rate(2e-7), .stuck_row = Rate(1e-7), .stuck_small = Rate()},
          .checkpoint_share = 0.5,
          .code = code,
          .scrub = scrub,
          .small_stays = {},
          .other = Rate(8e-5),
          .ends_memory = 0.25};
}
double uniform(Random& random) { return static_cast<double>(random.next() >> 11) * 0x1p-53; }  // [0, 1)
double exponential(Random& random, double rate) { return -std::log1p(-uniform(random)) / rate; }
double lost(const DramOfMachine& machine) { return dram_checkpoint_failures(machine).lost.per_second(); }

TEST(DramCheckpointsTest, StrongModeIsLostOnlyWithTheContentsOfMemory) {
  const DramCheckpointFailures failures = dram_checkpoint_failures(machine(CheckpointCode::strong));
  EXPECT_NEAR(failures.all().per_second(), 1e-4, 1e-16);
  EXPECT_NEAR(failures.lost.per_second(), 2e-5, 1e-16);
  EXPECT_NEAR(failures.readable.per_second(), 8e-5, 1e-16);
}

TEST(DramCheckpointsTest, ScrubbingGivesStrongModeNothing) {
  EXPECT_EQ(lost(machine(CheckpointCode::strong, Seconds(1))), lost(machine(CheckpointCode::strong)));
}

// Nine other devices of a rank, half of each under the checkpoint: 0.045 faults at 0.01 each.
TEST(DramCheckpointsTest, AWideFaultBesideASmallOneIsTooMuchForStrongMode) {
  DramOfMachine m = machine(CheckpointCode::strong);
  m.faults.stuck_small = Rate(1e-8);
  m.small_stays = Seconds(1e6);
  EXPECT_NEAR(lost(m), 2e-5 + 1e-5 * (1 - std::exp(-0.045)), 1e-16);
}

// 5e-6 rows a second fail under the checkpoint.
TEST(DramCheckpointsTest, NormalModeIsLostWithAWideFaultAndByRowsThatNobodyReads) {
  EXPECT_NEAR(lost(machine(CheckpointCode::normal)), 3e-5 + 7e-5 * (1 - std::exp(-0.05)), 1e-16);
  // Visited as often as there is a failure, a block has been unread for 10,000 s / e.
  EXPECT_NEAR(lost(machine(CheckpointCode::normal, Seconds(1e4))),
              3e-5 + 7e-5 * (1 - std::exp(-0.05 * std::exp(-1))), 1e-16);
  // Half of a short interval.
  EXPECT_NEAR(lost(machine(CheckpointCode::normal, Seconds(1))), 3e-5 + 7e-5 * 2.5e-6, 1e-13);
  EXPECT_NEAR(lost(machine(CheckpointCode::normal, Seconds(1.01))) - 3e-5, 7e-5 * 2.525e-6, 1e-13);
}

// 8e-5 other failures a second, 1e-5 by wide faults and 2e-5 by rows, all under data. 40 devices hold the
// checkpoint.
TEST(DramCheckpointsTest, AMediumOfItsOwnKeepsWhatFailsWithTheMemory) {
  DramOfMachine m = machine(CheckpointCode::strong);
  m.devices_of_medium = 40;
  const DramCheckpointFailures failures = dram_checkpoint_failures(m);
  EXPECT_NEAR(failures.all().per_second(), 8e-5 + 1e-5 + 2e-5, 1e-16);
  EXPECT_NEAR(failures.lost.per_second(), 2e-5, 1e-16);  // 0.25 of the others
  m.medium_keeps = true;
  EXPECT_EQ(lost(m), 0);
  m.code = CheckpointCode::normal;
  const double unnoticed = 40 * (1e-7 + 1e-7);
  EXPECT_NEAR(lost(m), 1.1e-4 * (1 - std::exp(-unnoticed / 1.1e-4)), 1e-16);
  m.scrub = Seconds(1);
  EXPECT_NEAR(lost(m), 1.1e-4 * unnoticed / 2, 1e-13);
  m.devices_of_medium = 0;  // flash
  EXPECT_EQ(lost(m), 0);
  m.devices_of_medium = -1;
  EXPECT_THROW(dram_checkpoint_failures(m), std::invalid_argument);
}

// Failures, rows and the scrubber, which comes to each row at another time.
TEST(DramCheckpointsTest, HasThePartOfRowsThatAreUnnoticedWhenPlayed) {
  Random random(1);
  const Seconds scrub(2e4);
  const int failures = 400'000;
  int with_a_row = 0;
  for (int i = 0; i < failures; ++i) {
    const double since_the_last = exponential(random, 1e-4);
    bool has_a_row = false;
    for (double age = exponential(random, 5e-6); age < since_the_last; age += exponential(random, 5e-6))
      has_a_row = has_a_row || age < uniform(random) * scrub.count();
    with_a_row += has_a_row;
  }
  const double share = (lost(machine(CheckpointCode::normal, scrub)) - 3e-5) / 7e-5;
  EXPECT_NEAR(share, static_cast<double>(with_a_row) / failures, 0.03 * share);
}

TEST(DramCheckpointsTest, RefusesWhatIsNoRateOrShare) {
  DramOfMachine m = machine(CheckpointCode::strong);
  m.ends_memory = 1.5;
  EXPECT_THROW(dram_checkpoint_failures(m), std::invalid_argument);
  m = machine(CheckpointCode::strong, Seconds(-1));
  EXPECT_THROW(dram_checkpoint_failures(m), std::invalid_argument);
  m = machine(CheckpointCode::strong);
  m.devices_of_rank = 0;
  EXPECT_THROW(dram_checkpoint_failures(m), std::invalid_argument);
}

}  // namespace
}  // namespace asterism
