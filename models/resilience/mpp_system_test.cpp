#include "resilience/mpp_system.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "base/fields.h"
#include "base/thrown.h"

namespace asterism {
namespace {

constexpr double dc_b = 0.25;  // memory usage of DC.B, Table XIII

LocalGlobalOptimum optimum(double petaflops, CheckpointMedia media, double usage = dc_b) {
  const MppSystem system = mpp_system({}, petaflops);
  return local_global_optimum(checkpoint_of({}, system, media, usage));
}

TEST(MppSystemTest, EndsAreTableTwelve) {
  const MppSystem peta = mpp_system({}, 1), exa = mpp_system({}, 1000);
  EXPECT_NEAR(peta.mttf.count(), 7884, 1e-6);
  EXPECT_NEAR(100 * peta.locally_recoverable, 83.87, 0.01);
  EXPECT_NEAR(exa.degradation, 116, 0.05);
  EXPECT_NEAR(exa.mttf.count(), 67.98, 0.01);
  EXPECT_NEAR(100 * exa.locally_recoverable, 99.3, 0.01);
  EXPECT_NEAR(exa.specification.sockets, 100'000, 1e-6);
  EXPECT_NEAR(exa.specification.memory_gb, 210, 1e-9);
}

TEST(MppSystemTest, MachinesComeInYears) {
  EXPECT_DOUBLE_EQ(year_of({}, 1), 2008);
  EXPECT_DOUBLE_EQ(year_of({}, std::sqrt(10.0)), 2009);
  EXPECT_DOUBLE_EQ(year_of({}, 10), 2010);
  EXPECT_DOUBLE_EQ(year_of({}, std::sqrt(1000.0)), 2012);
  EXPECT_DOUBLE_EQ(year_of({}, 100), 2014);
  EXPECT_DOUBLE_EQ(year_of({}, 1000), 2017);
  EXPECT_DOUBLE_EQ(year_of({}, 0.1), 2006);
  EXPECT_DOUBLE_EQ(year_of({}, 10'000), 2020);
  EXPECT_DOUBLE_EQ(year_of({.year_of_10_petaflops = 2011}, 10), 2011);
}

// 2014 is two thirds of the time.
TEST(MppSystemTest, BetweenTheEndsValuesGrowByAmountsOrFactors) {
  const MppSystem some = mpp_system({}, 100);
  EXPECT_NEAR(some.specification.sockets, 20'000 + 80'000 * 2 / 3.0, 1e-6);
  EXPECT_NEAR(some.specification.network_gbps, 3.5 + 396.5 * 2 / 3.0, 1e-9);
  EXPECT_NEAR(some.specification.memory_gb, 4 * std::cbrt(52.5 * 52.5), 1e-9);
  EXPECT_NEAR(some.specification.soft_errors, std::cbrt(32 * 32), 1e-9);
  EXPECT_NEAR(some.specification.file_system_gbps, 220 * std::cbrt(1600 * 1600 / (220.0 * 220)), 1e-9);
  const MppSystem other = mpp_system(
      {.sockets = Growth::geometric, .network = Growth::geometric, .file_system = Growth::linear}, 100);
  EXPECT_NEAR(other.specification.sockets, 20'000 * std::cbrt(25), 1e-6);
  EXPECT_NEAR(other.specification.network_gbps, 3.5 * std::cbrt(400 * 400 / (3.5 * 3.5)), 1e-9);
  EXPECT_NEAR(other.specification.file_system_gbps, 220 + 1380 * 2 / 3.0, 1e-9);
}

// Linear growth would be from less than nothing.
TEST(MppSystemTest, RefusesMachinesThatItsLinesDoNotReach) {
  EXPECT_EQ(thrown<std::invalid_argument>([] { mpp_system({}, 0.5); }),
            "the line of network_gbps does not reach to a machine of this speed");
  EXPECT_EQ(thrown<std::invalid_argument>([] { mpp_system({.network = Growth::geometric}, 0.01); }),
            "the line of sockets does not reach to a machine of this speed");
  MppSystemConfig soon;
  soon.exaflops.reboot_s = 0;
  EXPECT_THROW(mpp_system(soon, 10'000), std::invalid_argument);
  EXPECT_NO_THROW(mpp_system({}, 0.95));
  EXPECT_NO_THROW(mpp_system({.sockets = Growth::geometric, .network = Growth::geometric}, 0.001));
}

TEST(MppSystemTest, MediaBoundCheckpoints) {
  const MppSystem peta = mpp_system({}, 1);
  const auto expect = [&](CheckpointMedia media, double local, double global) {
    const LocalGlobalCheckpoint one = checkpoint_of({}, peta, media, dc_b);
    EXPECT_DOUBLE_EQ(one.local.count(), local);
    EXPECT_DOUBLE_EQ(one.global.count(), global);
  };
  const double disks = 0.9375 * 20'000 / 220 + 0.001, neighbour = 1 / 3.5 + 0.001;
  expect(CheckpointMedia::pure_hdd, disks, disks);
  expect(CheckpointMedia::dimm_hdd, 0.101, disks);
  expect(CheckpointMedia::dimm_dimm, 0.101, neighbour);
  expect(CheckpointMedia::pcram_3d, 0.0018, neighbour);
  const LocalGlobalCheckpoint half = checkpoint_of({}, peta, CheckpointMedia::dimm_dimm, dc_b, 0.5);
  EXPECT_DOUBLE_EQ(half.local.count(), 0.051);
  EXPECT_DOUBLE_EQ(half.local_restart.count(), 12.051);
}

// The expected values are what the equations give for the paper's inputs, computed by hand and by another
// program. configs/published/dong2011.json compares the published overheads.
TEST(MppSystemTest, OptimaAreThoseOfTheEquations) {
  struct Line {
    double petaflops;
    CheckpointMedia media;
    double overhead, tau, local_share;
  };
  for (const Line& line : {Line{1, CheckpointMedia::dimm_hdd, 6.95, 42.0, 0.985},
                           Line{1, CheckpointMedia::dimm_dimm, 0.90, 43.4, 0.677},
                           Line{1, CheckpointMedia::pcram_3d, 0.56, 5.80, 0.965},
                           Line{10, CheckpointMedia::dimm_hdd, 18.02, 28.07, 0.9915},
                           Line{100, CheckpointMedia::pcram_3d, 1.39, 1.02, 0.9723},
                           Line{1000, CheckpointMedia::dimm_dimm, 8.24, 4.08, 0},
                           Line{1000, CheckpointMedia::pcram_3d, 2.62, 0.49, 0.990}}) {
    const LocalGlobalOptimum best = optimum(line.petaflops, line.media);
    EXPECT_NEAR(100 * best.overhead, line.overhead, 0.006);
    EXPECT_NEAR(best.tau.count(), line.tau, 0.006 * line.tau);
    EXPECT_NEAR(best.local_share, line.local_share, 6e-4);
  }
  const LocalGlobalCheckpoint disks = checkpoint_of({}, mpp_system({}, 1), CheckpointMedia::pure_hdd, dc_b);
  const LocalGlobalTime time = local_global_time(disks, Seconds(1e9), best_tau(disks, 0), 0);
  EXPECT_NEAR(best_tau(disks, 0).count(), 1067, 0.5);
  EXPECT_NEAR(100 * time.overhead(), 18.07, 0.005);
}

TEST(MppSystemTest, DescriptionsAreWhole) {
  EXPECT_EQ(description_problem<MppSpecification>(), "");
  EXPECT_EQ(description_problem<MppSystemConfig>(), "");
}

}  // namespace
}  // namespace asterism
