#include "resilience/checkpointed_program.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "base/random.h"
#include "base/thrown.h"

namespace asterism {
namespace {

using enum LocationPolicy;

constexpr Seconds year(365 * 86'400.0);

CheckpointedProgram microbenchmark(std::uint64_t megabytes) {
  CheckpointedProgram program;
  program.checkpoint = Bytes(megabytes * 1'000'000);
  return program;
}

CheckpointedProgramRun run(std::uint64_t megabytes, LocationPolicy policy,
                           const CheckpointLocationConfig& c = {}, const CheckpointTargets& targets = {}) {
  return run_checkpointed(microbenchmark(megabytes), targets, policy, c);
}

// After every 5 s of computation, 8 GB are written at 250 MB/s.
TEST(CheckpointedProgramTest, AlwaysSsdWaitsForEveryByte) {
  const CheckpointedProgramRun r = run(1000, ssd);
  EXPECT_DOUBLE_EQ(r.time.count(), 100 * (5 + 32));
  EXPECT_DOUBLE_EQ(r.slowdown, 7.4);
  EXPECT_EQ(r.on_ssd, 100u);
  EXPECT_EQ(r.written, Bytes(800'000'000'000));
  EXPECT_DOUBLE_EQ(r.joules, 50 * 3200);
  EXPECT_NEAR(r.lifetime / year, 14.6e15 / (8e9 / 37) / year.count(), 1e-9);
}

TEST(CheckpointedProgramTest, RamdiskIsFastAndWearsNothing) {
  const CheckpointedProgramRun r = run(1000, ramdisk);
  EXPECT_NEAR(r.slowdown, 1 + 8000.0 / 6286 / 5, 1e-12);
  EXPECT_TRUE(std::isinf(r.lifetime.count()));
  CheckpointTargets twice;
  twice.ramdisk_writes = 2;
  EXPECT_NEAR(run(1000, ramdisk, {}, twice).slowdown - 1, 2 * (r.slowdown - 1), 1e-12);
}

// One rank gets what one thread copies; from two on they share the bandwidth of the node.
TEST(CheckpointedProgramTest, OneWriterGetsLessOfTheMemory) {
  CheckpointTargets targets;
  targets.ramdisk = 6_GBps;
  targets.ramdisk_writer = 4_GBps;
  CheckpointedProgram program = microbenchmark(1000);
  program.iterations = 1;
  const auto seconds = [&](std::uint32_t ranks) {
    program.ranks = ranks;
    return run_checkpointed(program, targets, ramdisk, {}).checkpointing.count();
  };
  EXPECT_DOUBLE_EQ(seconds(1), 0.25);
  EXPECT_DOUBLE_EQ(seconds(2), 2.0 / 6);
  EXPECT_DOUBLE_EQ(seconds(8), 8.0 / 6);
}

TEST(CheckpointedProgramTest, WithoutCheckpointsItIsTheBaseline) {
  const CheckpointedProgramRun r = run(1000, none);
  EXPECT_EQ(r.slowdown, 1);
  EXPECT_EQ(r.left_out, 100u);
  EXPECT_EQ(r.joules, 0);
}

TEST(CheckpointedProgramTest, RatioSendsTheLastOfSoMany) {
  std::string places;
  run_checkpointed(microbenchmark(100), {}, ratio, {}, 4, {},
                   [&](std::uint64_t i, Seconds, const CheckpointDecision& d) {
                     if (i <= 12) places += d.location == CheckpointLocation::ssd ? 'S' : 'r';
                   });
  EXPECT_EQ(places, "rrrSrrrSrrrS");
}

// The expected values are those of abeyratne2017 section 4.6.1, which are averages over ten sizes.
TEST(CheckpointedProgramTest, LifetimeEstimationHoldsTheRatedBandwidth) {
  double slowdown = 0, always = 0;
  for (std::uint64_t megabytes = 100; megabytes <= 1000; megabytes += 100) {
    const CheckpointedProgramRun le = run(megabytes, clc);
    slowdown += le.slowdown / 10;
    always += run(megabytes, ssd).slowdown / 10;
    EXPECT_NEAR(le.lifetime / year, 5, 0.25) << megabytes;
  }
  EXPECT_NEAR(always, 4.52, 1e-9);
  EXPECT_NEAR(slowdown, 1.793, 5e-4);
  EXPECT_EQ(run(1000, clc).on_ssd, 12u);
}

TEST(CheckpointedProgramTest, PerformanceEstimationKeepsTheShareOfTheTime) {
  const CheckpointedProgramRun r = run(100, clc, {.performance_estimation = true});
  EXPECT_LT(r.checkpointing / r.time, 0.1 + 3.2 / r.time.count());
  EXPECT_EQ(r.on_ssd, 14u);
  EXPECT_LT(r.slowdown, run(100, clc).slowdown);
}

TEST(CheckpointedProgramTest, SmallRamdiskLeavesCheckpointsOut) {
  CheckpointTargets targets;
  targets.ramdisk_capacity = Bytes(4'000'000'000);  // 500 MB for each rank
  EXPECT_EQ(run(500, clc, {}, targets).left_out, 0u);
  const CheckpointedProgramRun r = run(600, clc, {}, targets);
  EXPECT_EQ(r.on_ssd + r.left_out, 100u);
  EXPECT_EQ(r.left_out, 84u);
  EXPECT_EQ(r.in_ramdisk, 0u);
}

TEST(CheckpointedProgramTest, ForcedCheckpointsAreCounted) {
  CheckpointLocationConfig c{.performance_estimation = true};
  c.forced_every = 5;
  const CheckpointedProgramRun r = run(1000, clc, c);
  EXPECT_EQ(r.forced, 20u);
  EXPECT_EQ(r.on_ssd, 21u);  // the forced ones and the first; no other is allowed
}

TEST(CheckpointedProgramTest, UsedSsdWearsOutUnderWay) {
  const CheckpointedProgramRun r =
      run_checkpointed(microbenchmark(100), {}, clc, {}, 10, Bytes(14'599'998'400'000'000));
  EXPECT_EQ(r.on_ssd, 2u);  // 1.6 GB of the rating are left
}

TEST(CheckpointedProgramTest, RefusesWhatFitsNowhere) {
  const auto problem = [](LocationPolicy policy, const CheckpointTargets& targets) {
    return thrown<std::invalid_argument>([&] { run(1000, policy, {}, targets); });
  };
  CheckpointTargets small;
  small.ssd_capacity = Bytes(7'999'999'999);
  const std::string text = "a checkpoint of 8 ranks, 1GB each, is larger than the SSD of 7999999999B";
  EXPECT_EQ(problem(ssd, small), text);
  EXPECT_EQ(problem(clc, small), text);
  EXPECT_EQ(problem(ratio, small), text);
  EXPECT_EQ(problem(ramdisk, small), "none");
  small = {};
  small.ramdisk_capacity = Bytes(4'000'000'000);
  EXPECT_EQ(problem(ramdisk, small), "a checkpoint of 8 ranks, 1GB each, is larger than the ramdisk of 4GB");
  EXPECT_EQ(problem(ratio, small), "a checkpoint of 8 ranks, 1GB each, is larger than the ramdisk of 4GB");
  EXPECT_EQ(problem(clc, small), "none");
}

TEST(CheckpointedProgramTest, RefusesWhatIsNoProgram) {
  const auto problem = [](const CheckpointedProgram& program) {
    return thrown<std::invalid_argument>([&] { run_checkpointed(program, {}, ssd, {}); });
  };
  const std::string parts = "a program has iterations, ranks and a checkpoint of some size";
  EXPECT_EQ(problem({.iterations = 0}), parts);
  EXPECT_EQ(problem({.checkpoint = Bytes()}), parts);
  EXPECT_EQ(problem({.ranks = 0}), parts);
  EXPECT_EQ(problem({.compute = Seconds(-1)}), "an iteration computes for more than no time");
  EXPECT_EQ(thrown<std::invalid_argument>([] { run_checkpointed({}, {}, ratio, {}, 0); }),
            "the ratio is at least 1");
  CheckpointTargets still;
  still.ssd = Bandwidth();
  EXPECT_EQ(thrown<std::invalid_argument>([&] { run_checkpointed({}, still, ssd, {}); }),
            "a target of checkpoints has a bandwidth");
}

// Checkpoints take 1 s to DRAM and 10 s to the SSD.
CheckpointedProgramRun one_of_so_many(std::uint64_t ratio_of, std::uint64_t iterations) {
  const CheckpointedProgram program{
      .iterations = iterations, .compute = Seconds(10), .checkpoint = Bytes(1'000'000'000), .ranks = 1};
  return run_checkpointed(program, {.ssd = 100_MBps, .ramdisk = 1000_MBps}, ratio, {}, ratio_of);
}

TEST(CheckpointedProgramTest, ARamdiskMayBeReadAtAnotherBandwidth) {
  const CheckpointedProgram program{
      .iterations = 1, .compute = Seconds(10), .checkpoint = Bytes(1'000'000'000), .ranks = 1};
  CheckpointTargets targets{.ssd = 100_MBps, .ramdisk = 1000_MBps, .ramdisk_read = 500_MBps};
  const auto lost = [&](std::uint64_t iterations) {
    CheckpointedProgram longer = program;
    longer.iterations = iterations;
    return run_checkpointed(longer, targets, ramdisk, {}).lost_to_newest.count();
  };
  EXPECT_NEAR(lost(1), 5.5, 1e-12);  // nothing to read yet
  EXPECT_NEAR(lost(2), (5.5 + 5.5 + 2) / 2, 1e-12);
  targets.ramdisk_read = Bandwidth();
  EXPECT_THROW(lost(1), std::invalid_argument);
}

// Gaps of 11, 20, 11 and 20 s, after nothing, DRAM, SSD and DRAM; of 31 s each between those on the SSD.
TEST(CheckpointedProgramTest, AFailureLosesHalfAGapAndTheTimeToRead) {
  const CheckpointedProgramRun r = one_of_so_many(2, 4);
  EXPECT_NEAR(r.lost_to_newest.count(), (11 * 5.5 + 20 * (10 + 1) + 11 * (5.5 + 10) + 20 * (10 + 1)) / 62.0,
              1e-12);
  EXPECT_NEAR(r.lost_to_ssd.count(), (31 * 15.5 + 31 * (15.5 + 10)) / 62.0, 1e-12);
  EXPECT_NEAR(r.work_share(Rate(1e-3), Rate(1e-4)), (1 - 1e-3 * 671 / 62 - 1e-4 * 20.5) / 1.55, 1e-12);
  EXPECT_EQ(r.work_share(Rate(), Rate(1)), 0);
}

TEST(CheckpointedProgramTest, WithoutAnSsdAFailureLosesHalfOfTheRun) {
  const CheckpointedProgramRun r = run(1000, ramdisk);
  EXPECT_NEAR(r.lost_to_ssd.count(), r.time.count() / 2, 1e-9);
}

double uniform(Random& random) { return static_cast<double>(random.next() >> 11) * 0x1p-53; }  // [0, 1)

// Failures one by one, with the way back to the newest checkpoint that is left.
TEST(CheckpointedProgramTest, TheShareOfWorkIsThatOfARunWithFailures) {
  constexpr std::uint64_t iterations = 1'000'000;
  constexpr double readable = 1 / 2000.0, lost = 1 / 20'000.0;
  Random random(1);
  double time = 0;
  for (std::uint64_t done = 0, on_ssd = 0; done < iterations;) {
    const bool to_ssd = (done + 1) % 10 == 0;
    const double takes = 10 + (to_ssd ? 10 : 1), fails = -std::log1p(-uniform(random)) / (readable + lost);
    if (fails >= takes) {
      time += takes;
      ++done;
      if (to_ssd) on_ssd = done;
      continue;
    }
    const bool is_lost = uniform(random) * (readable + lost) < lost;
    if (is_lost) done = on_ssd;
    time += fails + (done == on_ssd ? 10 : 1);
  }
  const double share = one_of_so_many(10, iterations).work_share(Rate(readable), Rate(lost));
  EXPECT_NEAR(share, 10.0 * iterations / time, 5e-4);
  EXPECT_GT(1 / one_of_so_many(10, iterations).slowdown - share, 2.5e-3);
}

}  // namespace
}  // namespace asterism
