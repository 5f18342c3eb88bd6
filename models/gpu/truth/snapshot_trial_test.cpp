#include "gpu/truth/snapshot_trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/parameter_name.h"
#include "base/sanitizers.h"
#include "gpu/truth/snapshot_states.h"

namespace asterism {
namespace {

constexpr std::uint64_t trials_of_a_config = is_sanitized ? 8 : 30;

using Counts = SnapshotTrialCounts;

Counts run_trials(const SnapshotTrialConfig& config, std::uint64_t first_seed, std::uint64_t trials) {
  Counts all;
  for (std::uint64_t seed = first_seed; seed < first_seed + trials; ++seed) try {
      all += run_snapshot_trial(config, seed);
    } catch (const SnapshotTrialFailure& failure) {
      ADD_FAILURE() << "asterism study snapshot_truth interleavings=1 seed=" << seed
                    << " config=" << to_text(config.config) << ": " << failure.what();
      break;
    }
  return all;
}

struct SnapshotTrial : testing::TestWithParam<SnapshotChoice> {};

// These disturbances occur with every config.
void expect_all_disturbances(const Counts& all) {
  for (const auto disturbance : {&Counts::aborted, &Counts::host_refused, &Counts::lost_in_snapshot,
                                 &Counts::lost_in_restore, &Counts::silent_drivers, &Counts::no_space})
    EXPECT_GT(all.*disturbance, 5);
  EXPECT_GT(all.losses, 50);
  EXPECT_GT(all.restored, 40);
  EXPECT_GT(all.taken_full, 100);
  EXPECT_GT(all.table_writebacks, 50);
  EXPECT_GT(all.images, all.snapshots);
}

void expect_events_of(const SnapshotConfig& how, const Counts& all) {
  if (how.kind == SnapshotKind::increment) {
    EXPECT_GT(all.taken_increments, all.snapshots / 4);
    EXPECT_GT(all.in_place_of_increments, 100);
    EXPECT_GT(all.restored_increments, 10);
  } else {
    EXPECT_EQ(all.taken_increments, 0);
  }
  if (how.non_blocking) {
    EXPECT_GT(all.with_kernels, all.snapshots / 3);
    EXPECT_GT(all.stalled_writes, 2000);
    EXPECT_GT(all.stopped_pipelines, 500);
    EXPECT_GT(all.timed_out, 5);
    // A device that copies by itself completes what it has begun.
    EXPECT_TRUE(how.device_side || all.timed_out_silent > 0);
  } else {
    EXPECT_EQ(all.with_kernels, 0);
    EXPECT_EQ(all.stalled_writes, 0);
  }
  EXPECT_EQ(all.hints > 1000, how.hints && !how.device_side);
  EXPECT_EQ(all.preferred_zones > 500, how.hints && !how.device_side);
  EXPECT_EQ(all.duplicates > 1000, how.device_side);
}

// All thirteen configs together have more than 10,000 interleavings.
TEST_P(SnapshotTrial, EverySnapshotIsTheMemoryWhenItWasBegun) {
  const Counts all = run_trials({.config = GetParam()}, 1000, trials_of_a_config);
  EXPECT_GT(all.snapshots, trials_of_a_config * 20);
  // Rarer events need as many trials as there are without a sanitizer.
  if (trials_of_a_config < 30) return;
  EXPECT_GT(all.snapshots, 800);
  expect_all_disturbances(all);
  if (const auto how = snapshot_config(to_text(GetParam()))) expect_events_of(*how, all);
}

std::vector<SnapshotChoice> all_configs() {
  std::vector<SnapshotChoice> all;
  for (const auto& entry : enum_names(SnapshotChoice{}))
    if (entry.value != SnapshotChoice::any) all.push_back(entry.value);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Configs, SnapshotTrial, testing::ValuesIn(all_configs()), ParameterName());

TEST(SnapshotTrialItself, IsTheSameForASeed) {
  const Counts first = run_snapshot_trial({}, 5), again = run_snapshot_trial({}, 5);
  EXPECT_EQ(first, again);
  EXPECT_FALSE(first == run_snapshot_trial({}, 6));
}

// Returns how many of 60 trials end with a failure whose message contains these words.
int found(SnapshotMutant mutant, const std::string& words) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) try {
      run_snapshot_trial({.mutant = mutant}, seed);
    } catch (const SnapshotTrialFailure& failure) {
      found += std::string(failure.what()).find(words) != std::string::npos ? 1 : 0;
    }
  return found;
}

constexpr auto in_image = "of the preserved image differs";

TEST(SnapshotTrialItself, FindsAWriteThatProceeds) {
  EXPECT_GT(found(SnapshotMutant::write_proceeds, in_image), 10);
}
TEST(SnapshotTrialItself, FindsAStalledWriteThatIsNotNoted) {
  EXPECT_GT(found(SnapshotMutant::stalled_write_not_noted, in_image), 3);
}
TEST(SnapshotTrialItself, FindsAZoneThatIsPreservedTooEarly) {
  EXPECT_GT(found(SnapshotMutant::preserved_too_early, in_image), 3);
}
TEST(SnapshotTrialItself, FindsAnExtentThatIsUsedAgainTooEarly) {
  EXPECT_GT(found(SnapshotMutant::extent_reused, in_image), 10);
}
TEST(SnapshotTrialItself, FindsAZoneThatIsNotStored) {
  EXPECT_GT(found(SnapshotMutant::zone_not_stored, in_image), 30);
}
TEST(SnapshotTrialItself, FindsAWriteThatIsLost) {
  EXPECT_GT(found(SnapshotMutant::write_lost, "differs from what the kernels make of it"), 10);
}
TEST(SnapshotTrialItself, FindsAWriteThatWaitsForEver) {
  EXPECT_GT(found(SnapshotMutant::no_watchdog, "longer than the watchdog allows"), 5);
}

// The trials aim at copies that gather zones with waiting writes, and at disturbances during these. A state
// that no trial reaches would be untested.
TEST(SnapshotTrialAimed, EverySnapshotIsTheMemoryAndEveryListedStateIsReached) {
  SnapshotStates states;
  Counts all;
  const std::uint64_t trials = trials_of_a_config < 30 ? 20 : 400;
  for (std::uint64_t seed = 1; seed <= trials; ++seed) try {
      all += run_aimed_snapshot_trial(SnapshotMutant::none, seed, states);
    } catch (const SnapshotTrialFailure& failure) {
      FAIL() << "seed " << seed << ": " << failure.what();
    }
  EXPECT_GT(all.snapshots, trials * 20);
  EXPECT_GT(all.images, all.snapshots);
  if (trials_of_a_config < 30) return;
  EXPECT_EQ(states.listed(), 45u);
  EXPECT_THAT(states.not_reached(), testing::IsEmpty());
}

TEST(SnapshotTrialAimed, FindsACopyThatPreservesAZoneTooMany) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) try {
      SnapshotStates states;
      run_aimed_snapshot_trial(SnapshotMutant::one_zone_too_many, seed, states);
    } catch (const SnapshotTrialFailure& failure) {
      found += std::string(failure.what()).find(in_image) != std::string::npos ? 1 : 0;
    }
  EXPECT_GT(found, 10);
}

}  // namespace
}  // namespace asterism
