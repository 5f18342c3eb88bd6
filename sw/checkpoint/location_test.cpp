// The decision of the Checkpoint Location Controller alone, with the numbers of abeyratne2017 chapter IV.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "base/random.h"
#include "resilience/checkpoint_location.h"

extern "C" {
#include "checkpoint/location.h"
}

namespace {

constexpr std::uint64_t megabyte = 1'000'000;
constexpr std::uint64_t s3700 = 14'600'000'000 * megabyte;  // section 4.5.4: 14.6 PB
constexpr double five_years = 5 * 365.0 * 86400;

struct Policy {  // for one rank, by default without any bound
  double lifetime_years = 0, overhead_percent = 0;
  unsigned ranks = 1, forced_every = 0;
  operator CheckpointPolicy() const { return {lifetime_years, overhead_percent, ranks, forced_every}; }
};

// One rank, 10 s into its run, with a SSD of 14.6 PB and a ramdisk of 500 MB.
LocationState state_with(std::uint64_t ssd_bytes, double checkpointing = 0) {
  return {.number = 2,
          .bytes = 100 * megabyte,
          .ramdisk_bytes = 500 * megabyte,
          .elapsed = 10,
          .checkpointing = checkpointing,
          .ssd_bytes = ssd_bytes,
          .rated = s3700,
          .used = ssd_bytes};
}

struct Decided {
  Location location;
  LocationReason reason;
  auto operator<=>(const Decided&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Decided& decided) {
  return out << "location " << decided.location << ", reason " << decided.reason;
}
Decided decide(const CheckpointPolicy& policy, const LocationState& state) {
  const LocationDecision decision = location_decide(&policy, &state);
  return {decision.location, decision.reason};
}

const CheckpointPolicy lifetime = Policy{.lifetime_years = 5};
const CheckpointPolicy both = Policy{.lifetime_years = 5, .overhead_percent = 10};

TEST(LocationTest, TheFirstCheckpointGoesToTheSsd) {
  LocationState state = state_with(0);
  state.number = 1;
  EXPECT_EQ(decide(both, state), (Decided{location_ssd, reason_first}));
  state.elapsed = 0;
  EXPECT_EQ(decide(both, state), (Decided{location_ssd, reason_first}));
}

// Equations 4.1 and 4.2 for a new device and for a half-worn one.
TEST(LocationTest, LifetimesAreThoseOfTheEquations) {
  LocationState state = state_with(1000 * megabyte);
  state.used = 0;
  EXPECT_DOUBLE_EQ(location_expected_lifetime(&lifetime, &state), five_years);
  EXPECT_DOUBLE_EQ(location_estimated_lifetime(&state), static_cast<double>(s3700) / (100.0 * megabyte));
  state.used = s3700 / 2;
  EXPECT_DOUBLE_EQ(location_expected_lifetime(&lifetime, &state), five_years / 2);
  EXPECT_DOUBLE_EQ(location_estimated_lifetime(&state), static_cast<double>(s3700) / (200.0 * megabyte));
  state.ssd_bytes = 0;
  EXPECT_TRUE(std::isinf(location_estimated_lifetime(&state)));
}

// 14.6 PB over five years are 92.59 MB/s, so in 10 s 925.9 MB, whatever part of the life is used.
TEST(LocationTest, TheBandwidthToTheSsdIsHeldAtRatingByLifetime) {
  for (const std::uint64_t used : {std::uint64_t{0}, s3700 / 3, s3700 - 2000 * megabyte}) {
    LocationState below = state_with(925 * megabyte), above = state_with(927 * megabyte);
    below.used = above.used = used;
    EXPECT_EQ(decide(lifetime, below), (Decided{location_ssd, reason_allowed})) << used;
    EXPECT_EQ(decide(lifetime, above), (Decided{location_ramdisk, reason_lifetime})) << used;
  }
}

TEST(LocationTest, AWornOutSsdIsNotSelected) {
  LocationState state = state_with(1);
  for (const std::uint64_t used : {s3700, s3700 + 1}) {
    state.used = used;
    EXPECT_EQ(decide(lifetime, state), (Decided{location_ramdisk, reason_lifetime}));
    state.ssd_bytes = 0;
    EXPECT_EQ(decide(lifetime, state), (Decided{location_ramdisk, reason_lifetime}));
  }
}

TEST(LocationTest, WithoutARatingOrALifetimeTheSsdMayWear) {
  LocationState state = state_with(100'000 * megabyte);
  EXPECT_EQ(decide(lifetime, state), (Decided{location_ramdisk, reason_lifetime}));
  EXPECT_EQ(decide(Policy{.overhead_percent = 10}, state), (Decided{location_ssd, reason_allowed}));
  state.rated = 0;
  EXPECT_EQ(decide(lifetime, state), (Decided{location_ssd, reason_allowed}));
}

// Equation 4.3: the loss must exceed 10%; 10% itself is allowed.
TEST(LocationTest, ALossAboveTheBoundSendsTheCheckpointToTheRamdisk) {
  const LocationState quarter = state_with(0, 2.5);
  EXPECT_DOUBLE_EQ(location_slowdown(&quarter), 0.25);
  EXPECT_EQ(decide(both, state_with(0, 1.0)), (Decided{location_ssd, reason_allowed}));
  EXPECT_EQ(decide(both, state_with(0, 1.001)), (Decided{location_ramdisk, reason_loss}));
  EXPECT_EQ(decide(lifetime, state_with(0, 9)), (Decided{location_ssd, reason_allowed}))
      << "there is no bound";
  EXPECT_EQ(decide(both, state_with(1000 * megabyte, 9)), (Decided{location_ramdisk, reason_lifetime}))
      << "the lifetime must have priority over the bound";
}

// Lines 12 to 15: the size is compared with a rank's part of the ramdisk, and only if the ramdisk is
// selected.
TEST(LocationTest, ACheckpointTooLargeForTheRamdiskIsSkipped) {
  CheckpointPolicy policy = both;
  policy.ranks = 4;
  LocationState state = state_with(0, 9);
  state.bytes = 125 * megabyte;
  EXPECT_EQ(decide(policy, state), (Decided{location_ramdisk, reason_loss}));
  ++state.bytes;
  EXPECT_EQ(decide(policy, state), (Decided{location_none, reason_size}));
  state.checkpointing = 0;
  EXPECT_EQ(decide(policy, state), (Decided{location_ssd, reason_allowed}));
  policy.ranks = 0;  // one
  state.checkpointing = 9;
  EXPECT_EQ(decide(policy, state), (Decided{location_ramdisk, reason_loss}));
}

TEST(LocationTest, EveryNthCheckpointIsForcedToTheSsd) {
  CheckpointPolicy policy = both;
  policy.forced_every = 4;
  for (std::uint64_t number = 1; number <= 12; ++number) {
    LocationState state = state_with(0, 9);
    state.number = number;
    EXPECT_EQ(decide(policy, state), number % 4 == 0 ? (Decided{location_ssd, reason_forced})
                                                     : (Decided{location_ramdisk, reason_loss}));
    state.bytes = 501 * megabyte;
    EXPECT_EQ(decide(policy, state), number % 4 == 0 ? (Decided{location_ssd, reason_forced})
                                                     : (Decided{location_none, reason_size}));
  }
  LocationState allowed = state_with(0);
  allowed.number = 4;
  EXPECT_EQ(decide(policy, allowed), (Decided{location_ssd, reason_allowed}));
}

// --- The engine of the studies, which is written independently in C++.

const std::map<LocationReason, asterism::LocationReason> reason_of_the_engine = {
    {reason_first, asterism::LocationReason::first},
    {reason_allowed, asterism::LocationReason::allowed},
    {reason_lifetime, asterism::LocationReason::lifetime},
    {reason_loss, asterism::LocationReason::performance},
    {reason_size, asterism::LocationReason::size},
    {reason_forced, asterism::LocationReason::forced}};

const std::map<Location, asterism::CheckpointLocation> location_of_the_engine = {
    {location_ssd, asterism::CheckpointLocation::ssd},
    {location_ramdisk, asterism::CheckpointLocation::ramdisk},
    {location_none, asterism::CheckpointLocation::nowhere}};

TEST(LocationTest, DecidesLikeTheEngineOfTheStudies) {
  asterism::Random random(9);
  const auto chance = [&](std::uint64_t one_of) { return random.below(one_of) == 0; };
  std::map<Decided, int> seen;
  for (int i = 0; i < 200'000; ++i) {
    const Policy policy = {.lifetime_years = chance(4) ? 0.0 : 1.0 + static_cast<double>(random.below(9)),
                           .overhead_percent = chance(4) ? 0.0 : 1.0 + static_cast<double>(random.below(99)),
                           .ranks = static_cast<unsigned>(1 + random.below(8)),
                           .forced_every = static_cast<unsigned>(random.below(6))};
    const std::uint64_t rated = megabyte * (1 + random.below(s3700 / megabyte)),
                        start = random.below(rated + rated / 8);
    LocationState state = {.number = 1 + random.below(100),
                           .bytes = random.below(1000 * megabyte),
                           .ramdisk_bytes = random.below(8000 * megabyte),
                           .elapsed = static_cast<double>(random.below(1'000'000)) / 1000,
                           .checkpointing = 0,
                           .ssd_bytes = chance(8) ? 0 : random.below(200'000 * megabyte),
                           .rated = rated,
                           .used = 0};
    state.checkpointing = state.elapsed * static_cast<double>(random.below(1001)) / 1000;
    state.used = start + state.ssd_bytes;
    const Decided decided = decide(policy, state);
    const asterism::CheckpointDecision expected =
        asterism::locate_checkpoint({.lifetime_estimation = policy.lifetime_years != 0,
                                     .performance_estimation = policy.overhead_percent != 0,
                                     .bound = policy.overhead_percent / 100,
                                     .rating = asterism::Bytes(rated),
                                     .rated_life = asterism::Seconds(policy.lifetime_years * 365 * 86400),
                                     .ramdisk_of_rank = asterism::Bytes(state.ramdisk_bytes / policy.ranks),
                                     .forced_every = policy.forced_every},
                                    {.number = state.number,
                                     .size = asterism::Bytes(state.bytes),
                                     .elapsed = asterism::Seconds(state.elapsed),
                                     .checkpointing = asterism::Seconds(state.checkpointing),
                                     .written = asterism::Bytes(state.ssd_bytes),
                                     .used = asterism::Bytes(state.used)});
    ASSERT_EQ(location_of_the_engine.at(decided.location), expected.location) << i << ": " << decided;
    ASSERT_EQ(reason_of_the_engine.at(decided.reason), expected.reason) << i << ": " << decided;
    ++seen[decided];
  }
  for (const auto& [decided, times] : seen) EXPECT_GT(times, 100) << decided;
  EXPECT_EQ(seen.size(), 6u) << "every reason must occur";
}

// --- The microbenchmark of section 4.5.1: 100 iterations of 5 s, 8 ranks, 250 MB/s to the SSD.

struct Tally {
  int to_ssd = 0, to_ramdisk = 0, skipped = 0;
  double seconds = 0;
};
// A ramdisk of 6286 MB/s gives the published average of 14% for checkpoints to it alone.
Tally microbenchmark(const CheckpointPolicy& policy, std::uint64_t megabytes_a_rank) {
  constexpr double ramdisk_rate = 6286e6, ssd_rate = 250e6;
  const std::uint64_t bytes = 8 * megabytes_a_rank * megabyte;
  Tally run;
  std::uint64_t to_ssd = 0;
  double checkpointing = 0;
  for (std::uint64_t number = 1; number <= 100; ++number) {
    run.seconds += 5;
    const LocationState state = {.number = number,
                                 .bytes = bytes / 8,
                                 .ramdisk_bytes = 4000 * megabyte,
                                 .elapsed = run.seconds,
                                 .checkpointing = checkpointing,
                                 .ssd_bytes = to_ssd,
                                 .rated = s3700,
                                 .used = to_ssd};
    const Location location = location_decide(&policy, &state).location;
    const double rate = location == location_ssd ? ssd_rate : ramdisk_rate;
    const double cost = location == location_none ? 0 : static_cast<double>(bytes) / rate;
    (location == location_ssd ? run.to_ssd : location == location_none ? run.skipped : run.to_ramdisk) += 1;
    if (location == location_ssd) to_ssd += bytes;
    checkpointing += cost;
    run.seconds += cost;
  }
  return run;
}

TEST(LocationTest, TheMicrobenchmarkWritesTwelvePercentOfItsLargestCheckpointsToTheSsd) {
  const Tally large = microbenchmark(Policy{.lifetime_years = 5}, 1000);
  EXPECT_EQ(large.to_ssd, 12) << "figure 4.8a";
  EXPECT_EQ(large.to_ramdisk, 88);
}

// Figure 4.8b over the checkpoint sizes of section 4.5.2.1: 1.9 times the runtime without checkpoints.
TEST(LocationTest, TheMicrobenchmarkTakesOnAverageAsLongAsPublished) {
  double always = 0, controlled = 0;
  for (std::uint64_t megabytes = 100; megabytes <= 1000; megabytes += 100) {
    always += microbenchmark(Policy{}, megabytes).seconds / 500 / 10;
    controlled += microbenchmark(Policy{.lifetime_years = 5}, megabytes).seconds / 500 / 10;
  }
  EXPECT_NEAR(always, 4.6, 0.02 * 4.6);
  EXPECT_NEAR(controlled, 1.9, 0.07 * 1.9);
}

TEST(LocationTest, ABoundOfTenPercentLeavesAHundredthToTheSsd) {
  const Tally run = microbenchmark(Policy{.lifetime_years = 5, .overhead_percent = 10}, 400);
  EXPECT_LE(run.to_ssd, 2) << "in figure 4.10 almost 99% go to the ramdisk";
  EXPECT_LT(run.seconds, microbenchmark(Policy{.lifetime_years = 5}, 400).seconds);
}

// Figure 4.11: the size check skips more than nine of ten checkpoints; forced intervals write some of them.
TEST(LocationTest, LargeCheckpointsAreMostlySkippedUnlessForced) {
  CheckpointPolicy policy = Policy{.lifetime_years = 5, .overhead_percent = 10, .ranks = 8};
  const Tally free = microbenchmark(policy, 600);
  EXPECT_EQ(free.to_ramdisk, 0);
  EXPECT_LT(free.to_ssd, 10);
  policy.forced_every = 5;
  EXPECT_GE(microbenchmark(policy, 600).to_ssd, 20);
}

// --- Ranks on nodes of their own, with different sizes: the versions that they have in common after a power
// loss everywhere.

std::vector<std::uint64_t> versions_on_ssd(const CheckpointPolicy& policy, std::uint64_t megabytes,
                                           double phase_seconds) {
  std::vector<std::uint64_t> versions;
  std::uint64_t to_ssd = 0;
  double elapsed = phase_seconds, checkpointing = 0;
  for (std::uint64_t number = 1; number <= 100; ++number) {
    elapsed += 5;
    const std::uint64_t bytes = megabytes * megabyte;
    const LocationState state = {number,        bytes,  500 * megabyte, elapsed,
                                 checkpointing, to_ssd, s3700,          to_ssd};
    const Location location = location_decide(&policy, &state).location;
    if (location != location_ssd) continue;
    versions.push_back(number);
    to_ssd += bytes;
    checkpointing += static_cast<double>(bytes) / 250e6;
    elapsed += static_cast<double>(bytes) / 250e6;
  }
  return versions;
}

TEST(LocationTest, ForcedIntervalsLeaveVersionsThatAllRanksHave) {
  const auto in_common = [](const CheckpointPolicy& policy) {
    std::map<std::uint64_t, unsigned> holders;
    constexpr std::uint64_t sizes[] = {300, 410, 520, 630, 740, 850, 960, 1070};
    for (unsigned rank = 0; rank < 8; ++rank)
      for (const std::uint64_t version : versions_on_ssd(policy, sizes[rank], 0.7 * rank)) ++holders[version];
    std::vector<std::uint64_t> all;
    for (const auto& [version, ranks] : holders)
      if (ranks == 8) all.push_back(version);
    return all;
  };
  CheckpointPolicy policy = both;
  EXPECT_EQ(in_common(policy), std::vector<std::uint64_t>{1})
      << "without forced versions all ranks must start from the beginning";
  policy.forced_every = 20;
  EXPECT_EQ(in_common(policy), (std::vector<std::uint64_t>{1, 20, 40, 60, 80, 100}));
}

}  // namespace
