#include "resilience/training_job.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "resilience/young_daly.h"

namespace asterism {
namespace {

constexpr double hour_s = 3600;

FailureProfile one_class(double mttf_s, std::uint32_t gpus, FailureClass c = {}) {
  c.count = 1;
  return {.gpu_hours = mttf_s / hour_s * gpus, .classes = {c}};
}

const TrainingJob small_job{.gpus = 1024,
                            .iteration = Seconds(10),
                            .state = Bytes(1'280'000'000'000),
                            .data_parallel = 8,
                            .protocol = TrainingProtocol::file_system,
                            .background = false,
                            .gpu_link = 25_GBps,
                            .node_link = 50_GBps,
                            .file_system = 20_GBps,
                            .detection = Seconds(100),
                            .restart = Seconds(200),
                            .replacement = Seconds(36)};

TEST(TrainingJobTest, OnTheFileSystemItIsDalysModelOfOneLevel) {
  const TrainingPrediction p = predict_training(small_job, one_class(20'000, 1024));
  const CheckpointLevel level{Rate(1 / 20'000.), Seconds(64), Seconds(100 + 200 + 36 + 64)};
  EXPECT_DOUBLE_EQ(p.costs.file_stall.count(), 64);
  EXPECT_NEAR(p.costs.file_interval.count(), best_interval(level).count(), 10);
  EXPECT_DOUBLE_EQ(p.goodput, single_level_efficiency(level, p.costs.file_interval));
  EXPECT_DOUBLE_EQ(p.classes[0].lost.count(), 400 + p.costs.file_interval.count() / 2);
}

// Each node has 10 GB; a copy of it takes 0.2 s to another node, and 3 s of an iteration are idle.
TEST(TrainingJobTest, CopiesInIdleSpansCostNothing) {
  TrainingJob job = small_job;
  job.protocol = TrainingProtocol::replicas;
  const TrainingPrediction p = predict_training(job, one_class(20'000, 1024));
  EXPECT_DOUBLE_EQ(p.costs.transfer.count(), 0.2);
  EXPECT_EQ(p.costs.memory_stall, Seconds());
  EXPECT_EQ(p.costs.memory_interval, Seconds(10));
  EXPECT_DOUBLE_EQ(p.classes[0].from_memory, 1);
  EXPECT_DOUBLE_EQ(p.classes[0].lost.count(), 336 + 0.2 + 10 + 5);
  job.protocol = TrainingProtocol::sharded;
  job.group = 6;
  EXPECT_THROW(predict_training(
                   [&] {
                     auto j = job;
                     j.parity = 0;
                     return j;
                   }(),
                   one_class(20'000, 1024)),
               std::invalid_argument);
  job.group = 8;
  EXPECT_DOUBLE_EQ(predict_training(job, one_class(20'000, 1024)).costs.transfer.count(), 0.4 / 3.5);
}

TEST(TrainingJobTest, CopiesThatDoNotFitStallTheRunOrAreSentLessOften) {
  TrainingJob job = small_job;
  job.protocol = TrainingProtocol::replicas;
  job.node_link = 1_GBps;  // 10 s
  job.memory_interval = Seconds(10);
  EXPECT_DOUBLE_EQ(predict_training(job, one_class(20'000, 1024)).costs.memory_stall.count(), 7);
  job.memory_interval.reset();
  const TrainingPrediction p = predict_training(job, one_class(20'000, 1024));
  EXPECT_EQ(p.costs.memory_stall, Seconds());
  EXPECT_EQ(p.costs.memory_interval, Seconds(40));
}

// A copy of 1 s is complete after one iteration, of 10 s after four, and at the latest when the next begins.
TEST(TrainingJobTest, ACopyIsCompleteWhenItsIterationsAre) {
  TrainingJob job = small_job;
  job.protocol = TrainingProtocol::replicas;
  job.memory_interval = Seconds(300);
  const auto lag = [&] { return predict_training(job, one_class(20'000, 1024)).costs.memory_lag.count(); };
  job.node_link = 10_GBps;
  EXPECT_EQ(lag(), 10);
  job.node_link = 1_GBps;
  EXPECT_EQ(lag(), 40);
  job.memory_interval = Seconds(20);
  EXPECT_EQ(lag(), 20);
  job.idle = 0;  // the run has waited for all of it
  EXPECT_EQ(lag(), 0);
}

TEST(TrainingJobTest, JustInTimeRepeatsOneIterationAndNeedsReplicas) {
  TrainingJob job = small_job;
  job.protocol = TrainingProtocol::just_in_time;
  const TrainingPrediction p = predict_training(job, one_class(20'000, 1024));
  EXPECT_DOUBLE_EQ(p.classes[0].lost.count(), 336 + 2 * 64 + 5);
  job.data_parallel = 1;
  EXPECT_THROW(predict_training(job, one_class(20'000, 1024)), std::invalid_argument);
}

TEST(TrainingJobTest, SeveralLostNodesSometimesNeedTheFileSystem) {
  TrainingJob job = small_job;
  job.protocol = TrainingProtocol::replicas;
  job.gpus = 16 * 8;
  const TrainingPrediction p = predict_training(job, one_class(20'000, 128, {.nodes = 2}));
  EXPECT_DOUBLE_EQ(p.classes[0].from_memory, 1 - 8. / 120);
}

TEST(TrainingJobTest, WrongDataGoBackBeyondTheMemory) {
  TrainingJob job = small_job;
  job.protocol = TrainingProtocol::replicas;
  const FailureClass wrong{.effect = FailureEffect::corrupts, .found_after = long_duration(3600)};
  const TrainingPrediction p = predict_training(job, one_class(200'000, 1024, wrong));
  EXPECT_EQ(p.classes[0].from_memory, 0);
  EXPECT_GT(p.classes[0].lost, Seconds(3600));
}

TEST(TrainingJobTest, ASlowGpuCostsItsSlowdownUntilItIsFound) {
  const FailureClass slow{
      .effect = FailureEffect::slows, .found_after = long_duration(3000), .slowdown = 0.5};
  const TrainingPrediction p = predict_training(small_job, one_class(100'000, 1024, slow));
  EXPECT_DOUBLE_EQ(p.classes[0].lost.count(), 1000 + 236 + 128);
}

// A node is lost each 20,000 s: on average 5 are under repair for 100,000 s, and more than 11 in 0.5% of
// the time.
TEST(TrainingJobTest, SparesAreForTheNodesUnderRepair) {
  TrainingJob job = small_job;
  job.repair = Seconds(100'000);
  const TrainingPrediction p = predict_training(job, one_class(20'000, 1024));
  EXPECT_DOUBLE_EQ(p.under_repair, 5);
  EXPECT_EQ(p.spares_needed, 11u);
  const FailureProfile process = one_class(20'000, 1024, {.loses = FailureLoss::process});
  EXPECT_EQ(predict_training(job, process).spares_needed, 0u);
}

// A node is lost each 20,000 s and away for 100,000 s: on average 5 are under repair.
TEST(TrainingJobTest, TheRunWaitsWhileMoreNodesAreUnderRepairThanThereAreSpares) {
  TrainingJob job = small_job;
  job.repair = Seconds(100'000);
  job.spares = 100;
  const TrainingPrediction enough = predict_training(job, one_class(20'000, 1024));
  EXPECT_NEAR(enough.waiting, 0, 1e-12);
  job.spares = 5;
  const TrainingPrediction few = predict_training(job, one_class(20'000, 1024));
  EXPECT_NEAR(few.waiting, 1 - 0.6159607, 1e-6);  // a Poisson variable of mean 5 is at most 5
  EXPECT_NEAR(few.goodput, enough.goodput * 0.6159607, 1e-6);
}

TEST(TrainingJobTest, SharesOfTimeAreOneTogether) {
  for (const TrainingProtocol protocol : {TrainingProtocol::file_system, TrainingProtocol::replicas,
                                          TrainingProtocol::sharded, TrainingProtocol::just_in_time})
    for (const double mttf_s : {1e6, 2e4, 1e3, 10.}) {
      TrainingJob job = small_job;
      job.protocol = protocol;
      job.group = 8;
      job.spares = 4;
      FailureProfile profile = one_class(mttf_s, 1024);
      profile.classes.push_back({.effect = FailureEffect::corrupts, .found_after = long_duration(3600)});
      const TrainingPrediction p = predict_training(job, profile);
      double sum = p.goodput + p.stalls + p.waiting;
      for (const ClassCost& cost : p.classes) sum += cost.share;
      EXPECT_NEAR(sum, 1, 1e-9) << mttf_s;
    }
}

// Copies that are complete long after they were begun are of no use where the file system is faster.
TEST(TrainingJobTest, CopiesDoNotMakeARunWorse) {
  TrainingJob job = small_job;
  job.background = true;
  const double without = predict_training(job, one_class(20'000, 1024)).goodput;
  job.protocol = TrainingProtocol::replicas;
  for (const Bandwidth rate : {100_GBps, 1_GBps, 10_MBps, Bandwidth(100'000)}) {
    job.copies_on = rate;
    EXPECT_GE(predict_training(job, one_class(20'000, 1024)).goodput, without - 1e-9);
  }
}

TEST(TrainingJobTest, CopiesMayBeReadAtAnotherBandwidth) {
  TrainingJob job = small_job;
  job.protocol = TrainingProtocol::replicas;
  job.copies_on = 10_MBps;
  const TrainingCosts same = predict_training(job, one_class(20'000, 1024)).costs;
  job.copies_read = 5_MBps;
  const TrainingCosts slower = predict_training(job, one_class(20'000, 1024)).costs;
  EXPECT_EQ(slower.transfer, same.transfer);
  EXPECT_NEAR(slower.memory_read.count(), 2 * same.memory_read.count(), 1e-9);
}

TEST(TrainingJobTest, AnIntervalThatIsGivenIsKept) {
  TrainingJob job = small_job;
  job.background = true;
  job.protocol = TrainingProtocol::replicas;
  job.copies_on = 10_MBps;
  job.file_interval = Seconds(70);
  TrainingCosts costs = predict_training(job, one_class(20'000, 1024)).costs;
  EXPECT_EQ(costs.file_interval, Seconds(70));
  EXPECT_NEAR(std::fmod(costs.memory_interval.count(), 70), 0, 1e-9);
  job.file_interval.reset();
  job.memory_interval = Seconds(5000);
  costs = predict_training(job, one_class(20'000, 1024)).costs;
  EXPECT_EQ(costs.memory_interval, Seconds(5000));
  EXPECT_NEAR(std::fmod(5000, costs.file_interval.count()), 0, 1e-9);
  EXPECT_LT(costs.file_interval, Seconds(5000));
}

TEST(TrainingJobTest, RefusesWhatCannotBe) {
  TrainingJob job = small_job;
  job.gpus = 1023;
  EXPECT_THROW(predict_training(job, one_class(20'000, 1024)), std::invalid_argument);
  job = small_job;
  job.gpus_per_node = 4;
  EXPECT_THROW(predict_training(job, one_class(20'000, 1024)), std::invalid_argument);
  job = small_job;
  job.file_interval = Seconds(5);  // half an iteration
  EXPECT_THROW(predict_training(job, one_class(20'000, 1024)), std::invalid_argument);
  job = small_job;
  job.idle = 2;
  EXPECT_THROW(predict_training(job, one_class(20'000, 1024)), std::invalid_argument);
}

}  // namespace
}  // namespace asterism
