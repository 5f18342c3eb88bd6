#include "resilience/training_run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/confidence.h"

namespace asterism {
namespace {

struct SimulatedGoodput {
  double mean = 0, half_width = 0;
};

SimulatedGoodput simulated_goodput(const TrainingJob& job, const FailureProfile& profile, Seconds work,
                                   std::uint64_t runs = 10) {
  std::vector<double> values;
  values.reserve(runs);
  double sum = 0, squares = 0;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    values.push_back(simulate_training(job, profile, {.work = work, .seed = seed}).goodput());
    sum += values.back();
  }
  const auto n = static_cast<double>(runs);
  for (const double value : values) squares += (value - sum / n) * (value - sum / n);
  return {sum / n, half_width_99(squares, n)};
}

TrainingJob file_system_job() {
  return {.gpus = 1024,
          .spares = 1000,
          .iteration = Seconds(10),
          .state = Bytes(1'280'000'000'000),
          .protocol = TrainingProtocol::file_system,
          .background = false,
          .file_system = 20_GBps,
          .detection = Seconds(100),
          .restart = Seconds(200),
          .replacement = Seconds(36)};
}
FailureProfile failing_every(double seconds, const TrainingJob& job, FailureClass c = {}) {
  c.count = 1;
  return {.gpu_hours = seconds / 3600 * job.gpus, .classes = {c}};
}

void expect_accounts(const TrainingOutcome& o) {
  const Seconds sum = o.work + o.checkpoints + o.slow + o.detection + o.spare_wait + o.restart + o.rework;
  EXPECT_NEAR(o.time / sum, 1, 1e-9);
  Seconds lost;
  for (const ClassOutcome& c : o.classes) lost += c.lost;
  EXPECT_NEAR(lost.count(), (o.time - o.work - o.checkpoints).count(), 1e-6 * o.time.count());
}

TEST(TrainingRunTest, AgreesWithDalysModelOnTheFileSystem) {
  const TrainingJob job = file_system_job();
  const FailureProfile profile = failing_every(20'000, job);
  const SimulatedGoodput simulated = simulated_goodput(job, profile, Seconds(2e7));
  EXPECT_NEAR(simulated.mean, predict_training(job, profile).goodput, simulated.half_width);
  EXPECT_LT(simulated.half_width, 0.005);
}

TEST(TrainingRunTest, AgreesWithTheProductOfLevelsWithCopiesInMemory) {
  TrainingJob job = file_system_job();
  job.gpus = 128;
  job.protocol = TrainingProtocol::replicas;
  job.background = true;
  for (const FailureClass& c : {FailureClass{.nodes = 2}, {.nodes = 4}, {.loses = FailureLoss::process}}) {
    const FailureProfile profile = failing_every(20'000, job, c);
    const SimulatedGoodput simulated = simulated_goodput(job, profile, Seconds(2e7));
    EXPECT_NEAR(simulated.mean, predict_training(job, profile).goodput, simulated.half_width + 5e-4);
  }
}

TEST(TrainingRunTest, AgreesForWrongDataAndSlowGpus) {
  TrainingJob job = file_system_job();
  job.protocol = TrainingProtocol::replicas;
  job.background = true;
  for (const FailureClass& c :
       {FailureClass{.effect = FailureEffect::corrupts, .found_after = long_duration(1000)},
        {.effect = FailureEffect::slows, .found_after = long_duration(1000), .slowdown = 0.5}}) {
    const FailureProfile profile = failing_every(100'000, job, c);
    const SimulatedGoodput simulated = simulated_goodput(job, profile, Seconds(1e8), 5);
    EXPECT_NEAR(simulated.mean, predict_training(job, profile).goodput, simulated.half_width + 5e-4);
  }
}

// A copy is complete 1000 s after it is begun, and one failure in six is earlier than that after a recovery:
// the checkpoint from which the run came back is still there.
TEST(TrainingRunTest, WhatTheRunCameBackFromIsStillInMemory) {
  TrainingJob job = file_system_job();
  job.protocol = TrainingProtocol::replicas;
  job.background = true;
  job.memory_interval = Seconds(1000);
  job.file_interval = Seconds(80'000);
  job.node_link = Bandwidth(10'000'000'000 / 300);  // 300 s, in 30% of the time
  const FailureProfile profile = failing_every(5000, job, {.loses = FailureLoss::process});
  const SimulatedGoodput simulated = simulated_goodput(job, profile, Seconds(2e7));
  EXPECT_EQ(predict_training(job, profile).costs.memory_lag, Seconds(1000));
  EXPECT_NEAR(simulated.mean, predict_training(job, profile).goodput, simulated.half_width + 5e-4);
  EXPECT_LT(simulated.half_width, 0.005);
}

// Two nodes fail together, again and again while the run restarts, and there are spares for both.
TEST(TrainingRunTest, ALostNodeNeedsOneSpare) {
  TrainingJob job = file_system_job();
  job.gpus = 16;
  job.spares = 2;
  job.detection = Seconds();
  job.restart = Seconds(1e6);
  const TrainingOutcome o = simulate_training(job, failing_every(1000, job, {.nodes = 2}),
                                              {.work = Seconds(1e5), .give_up = Seconds(8e4)});
  EXPECT_GT(o.failures, 20u);
  EXPECT_EQ(o.interruptions, 1u);
  EXPECT_EQ(o.spare_wait, Seconds());
}

TEST(TrainingRunTest, ARunThatHardlyFinishesIsGivenUpEarlier) {
  TrainingPrediction prediction;
  prediction.goodput = 0.5;
  EXPECT_EQ(time_until_given_up(Seconds(10), prediction), Seconds(500));
  prediction.goodput = 0.01;
  EXPECT_EQ(time_until_given_up(Seconds(10), prediction), Seconds(50));
}

TEST(TrainingRunTest, ASlowGpuDoesNotInterruptARecovery) {
  TrainingJob job = file_system_job();
  job.restart = Seconds(20'000);
  FailureProfile profile = failing_every(50'000, job);
  profile.classes.push_back({.name = "slow",
                             .count = 50,
                             .effect = FailureEffect::slows,
                             .found_after = long_duration(1'000'000'000),
                             .slowdown = 0.1});
  const TrainingOutcome o = simulate_training(job, profile, {.work = Seconds(2e5), .give_up = Seconds(2e6)});
  EXPECT_TRUE(o.finished);
  EXPECT_GT(o.interruptions, 0u);
  expect_accounts(o);
}

// Nothing is on the file system yet when a process fails during the restart after a slow GPU.
TEST(TrainingRunTest, AFailureDuringAPlannedRestartLosesTheState) {
  TrainingJob job = file_system_job();
  job.restart = Seconds(1000);
  job.file_interval = Seconds(80'000);
  FailureProfile profile = failing_every(3000, job, {.loses = FailureLoss::process});
  profile.classes.push_back({.name = "slow",
                             .count = 30,
                             .effect = FailureEffect::slows,
                             .found_after = long_duration(1),
                             .slowdown = 0.1});
  const TrainingOutcome o =
      simulate_training(job, profile, {.work = Seconds(70'000), .give_up = Seconds(1e6)});
  EXPECT_GT(o.recoveries[2] * 2, o.classes[0].failures);
}

TEST(TrainingRunTest, EverySecondOfARunIsOfOneKind) {
  TrainingJob job = file_system_job();
  job.protocol = TrainingProtocol::replicas;
  job.spares = 3;
  job.repair = Seconds(10'000);
  FailureProfile profile = failing_every(20'000, job);
  profile.shape = 0.7;
  profile.classes.push_back(
      {.name = "wrong", .effect = FailureEffect::corrupts, .found_after = long_duration(4000)});
  profile.classes.push_back(
      {.name = "slow", .effect = FailureEffect::slows, .found_after = long_duration(4000), .slowdown = 0.3});
  profile.classes.push_back(
      {.name = "bug", .component = FailedComponent::software, .loses = FailureLoss::process});
  for (const TrainingProtocol protocol : {TrainingProtocol::file_system, TrainingProtocol::replicas,
                                          TrainingProtocol::sharded, TrainingProtocol::just_in_time}) {
    job.protocol = protocol;
    const TrainingOutcome o = simulate_training(job, profile, {.work = Seconds(3e6), .seed = 7});
    EXPECT_TRUE(o.finished);
    EXPECT_GT(o.spare_wait, Seconds());
    EXPECT_GT(o.slow, Seconds());
    expect_accounts(o);
  }
}

TEST(TrainingRunTest, NewMachinesFailMoreOften) {
  const TrainingJob job = file_system_job();
  FailureProfile profile = failing_every(20'000, job);
  profile.shape = 0.5;
  const auto failures = [&](bool fresh) {
    return simulate_training(job, profile, {.work = Seconds(1e6), .new_machine = fresh}).failures;
  };
  EXPECT_GT(failures(true), failures(false) * 3 / 2);
}

// The restart from the file system takes longer than the time between two failures, of which most need only
// the memory.
TEST(TrainingRunTest, AgreesWhereFailuresOfProcessesInterruptTheFileSystem) {
  TrainingJob job = file_system_job();
  job.protocol = TrainingProtocol::replicas;
  job.background = true;
  job.file_system = 200_MBps;  // 6400 s
  FailureProfile profile = failing_every(4000, job, {.loses = FailureLoss::process});
  profile.classes.push_back(
      {.count = 0.01, .effect = FailureEffect::corrupts, .found_after = long_duration(3600)});
  const SimulatedGoodput simulated = simulated_goodput(job, profile, Seconds(2e7));
  EXPECT_NEAR(simulated.mean, predict_training(job, profile).goodput, simulated.half_width + 0.01);
  EXPECT_LT(simulated.half_width, 0.02);
}

// With 5 nodes under repair on average, for which there are 4 spares.
TEST(TrainingRunTest, AgreesOnTheWaitForSpares) {
  TrainingJob job = file_system_job();
  job.spares = 4;
  job.repair = Seconds(100'000);
  const FailureProfile profile = failing_every(20'000, job);
  const SimulatedGoodput simulated = simulated_goodput(job, profile, Seconds(2e7));
  EXPECT_NEAR(simulated.mean, predict_training(job, profile).goodput, simulated.half_width + 0.02);
}

TEST(TrainingRunTest, CopiesThatAreLateDoNotMakeARunWorse) {
  TrainingJob job = file_system_job();
  job.background = true;
  const FailureProfile profile = failing_every(20'000, job);
  const SimulatedGoodput without = simulated_goodput(job, profile, Seconds(2e7));
  job.protocol = TrainingProtocol::replicas;
  job.copies_on = 10_MBps;  // 2500 s, in idle spans of three times as long
  const SimulatedGoodput with = simulated_goodput(job, profile, Seconds(2e7));
  EXPECT_NEAR(with.mean, without.mean, without.half_width);
  EXPECT_NEAR(with.mean, predict_training(job, profile).goodput, with.half_width + 0.002);
}

// Each of 100,000 nodes fails on average once in 1000 s, and none can be replaced.
TEST(TrainingRunTest, AMachineThatIsLostAsAWholeGivesUp) {
  TrainingJob job = file_system_job();
  job.gpus = 800'000;
  job.spares = 0;
  const TrainingOutcome o =
      simulate_training(job, failing_every(0.01, job), {.work = Seconds(1e6), .give_up = Seconds(3000)});
  EXPECT_FALSE(o.finished);
  expect_accounts(o);
}

TEST(TrainingRunTest, ARunWithoutProgressGivesUp) {
  const TrainingJob job = file_system_job();
  const TrainingOutcome o =
      simulate_training(job, failing_every(60, job), {.work = Seconds(1e6), .give_up = Seconds(1e6)});
  EXPECT_FALSE(o.finished);
  expect_accounts(o);
}

// It would take 10^10 failures to reach the time.
TEST(TrainingRunTest, ARunWithoutProgressGivesUpAfterAMillionFailures) {
  const TrainingJob job = file_system_job();
  const TrainingOutcome o =
      simulate_training(job, failing_every(1e-4, job), {.work = Seconds(1e6), .give_up = Seconds(1e6)});
  EXPECT_FALSE(o.finished);
  EXPECT_NEAR(static_cast<double>(o.failures), 1e6, 2);
  expect_accounts(o);
}

}  // namespace
}  // namespace asterism
