#include "resilience/new_machine.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "resilience/training_run.h"

namespace asterism {
namespace {

std::vector<double> growing_times(double last) {
  std::vector<double> times;
  for (double time = 1e-5; time < last; time += std::min(0.05, 0.03 * time)) times.push_back(time);
  times.push_back(last);
  return times;
}

// Of exponential lifetimes t; of others t + (v - 1) / 2 after a long time, with the variance v.
TEST(WeibullRenewals, AreThoseThatAreKnown) {
  for (const double time : {0.01, 0.5, 3.0})
    EXPECT_NEAR(weibull_renewals(1, growing_times(time)).back(), time, 0.002 * time);
  EXPECT_NEAR(weibull_renewals(0.5, growing_times(30)).back(), 30 + (5. - 1) / 2, 0.2);
  EXPECT_NEAR(weibull_renewals(2, growing_times(20)).back(), 20 + (0.2732 - 1) / 2, 0.05);
}

FailureProfile of_shape(double shape) {
  FailureProfile profile;
  profile.gpu_hours = 50'000;
  profile.shape = shape;
  return profile;
}

TEST(NewMachine, WithoutAgeingIsAnyMachine) {
  const TrainingJob job{.gpus = 4096, .spares = 1000};
  EXPECT_NEAR(predict_new_machine(job, of_shape(1), Seconds(1e6)).goodput,
              predict_training(job, of_shape(1)).goodput, 1e-4);
}

TEST(NewMachine, AgreesWithTheSimulation) {
  const TrainingJob job{.gpus = 4096, .spares = 1000, .file_system = 50_GBps};
  const Seconds work(10 * 86'400.0);
  for (const double shape : {0.5, 0.7, 2.0}) {
    const FailureProfile profile = of_shape(shape);
    const TrainingPrediction predicted = predict_new_machine(job, profile, work);
    double simulated = 0;
    constexpr int runs = 10;
    for (int seed = 0; seed < runs; ++seed)
      simulated +=
          simulate_training(job, profile,
                            {.work = work, .seed = static_cast<std::uint64_t>(seed), .new_machine = true})
              .goodput() /
          runs;
    EXPECT_NEAR(predicted.goodput, simulated, 0.005) << shape;
    const double steady = predict_training(job, profile).goodput;
    EXPECT_GT(shape < 1 ? steady - predicted.goodput : predicted.goodput - steady, 0.02) << shape;
  }
}

// After 5 lifetimes the rate is not yet the mean one: with the shape 0.3 it is 1.42 of it, after 20 1.13.
TEST(NewMachine, FailsMoreOftenForManyLifetimes) {
  const TrainingJob job{
      .gpus = 8, .spares = 1000, .protocol = TrainingProtocol::file_system, .file_system = 10'000_GBps};
  const FailureProfile profile = of_shape(0.3);
  const double lifetime = 50'000. / 8 * 3600;
  const auto failures = [&](double lifetimes) {
    return predict_new_machine(job, profile, Seconds(lifetimes * lifetime)).failures.per_second() *
           lifetimes * lifetime;
  };
  const double rate = (failures(20) - failures(10)) / 10;  // of all that a node has, in a lifetime
  EXPECT_NEAR(rate, 1.18, 0.03);
}

TEST(NewMachine, HasTheMeanCostsOfItsFailures) {
  const TrainingJob job{.gpus = 4096, .spares = 1000, .file_system = 50_GBps};
  const TrainingPrediction predicted = predict_new_machine(job, of_shape(1), Seconds(1e6));
  const TrainingPrediction steady = predict_training(job, of_shape(1));
  EXPECT_NEAR(predicted.classes[0].lost.count(), steady.classes[0].lost.count(), 1e-6);
  EXPECT_NEAR(predicted.classes[0].from_memory, steady.classes[0].from_memory, 1e-9);
}

TEST(NewMachine, SharesAreOneTogether) {
  const TrainingJob job{.gpus = 4096, .spares = 30, .repair = Seconds(3 * 86'400.0)};
  const TrainingPrediction predicted = predict_new_machine(job, of_shape(0.6), Seconds(1e6));
  double sum = predicted.goodput + predicted.stalls + predicted.waiting;
  for (const ClassCost& c : predicted.classes) sum += c.share;
  EXPECT_NEAR(sum, 1, 1e-9);
}

}  // namespace
}  // namespace asterism
