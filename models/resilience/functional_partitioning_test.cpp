#include "resilience/functional_partitioning.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/thrown.h"

namespace asterism {
namespace {

Bytes megabytes(std::uint64_t count) { return Bytes(count * 1'000'000); }

struct Application {  // a row of li2010 Table I
  const char* name;
  std::uint64_t megabytes, by_lifetime, by_capacity;
};
const Application table1[] = {{"GTC", 2880, 21, 11},      {"XGC1", 1920, 31, 16}, {"GTS", 3520, 17, 9},
                              {"Chimera", 160, 380, 200}, {"S3D", 224, 271, 142}, {"GEM", 320, 190, 100},
                              {"M3D-k", 224, 271, 142}};

TEST(FunctionalPartitioningTest, NodesThatShareAnSsdAreTable1) {
  for (const Application& a : table1) {
    EXPECT_EQ(nodes_by_lifetime({}, megabytes(a.megabytes)), a.by_lifetime) << a.name;
    EXPECT_EQ(nodes_by_capacity({}, megabytes(a.megabytes)), a.by_capacity) << a.name;
  }
}

TEST(FunctionalPartitioningTest, CapacityIsTheLimitUntilCheckpointsComeTwiceAsOften) {
  EXPECT_GT(nodes_by_lifetime({}, megabytes(2880)), nodes_by_capacity({}, megabytes(2880)));
  EXPECT_LT(nodes_by_lifetime({.checkpoints_a_day = 57.6}, megabytes(2880)), 11u);
}

TEST(FunctionalPartitioningTest, RunWritesAfterItComputes) {
  EXPECT_DOUBLE_EQ(run_time({Seconds(20), megabytes(8500)}, 85_MBps).count(), 120);
  EXPECT_DOUBLE_EQ(run_time({Seconds(20), megabytes(8750)}, 175_MBps).count(), 70);
}

TEST(FunctionalPartitioningTest, OneCoreHashesThenWritesTwoDoBothAtOnce) {
  EXPECT_DOUBLE_EQ(rate_of_one_core(300_MBps, 100_MBps, 0), 75e6);
  EXPECT_DOUBLE_EQ(rate_of_two_cores(300_MBps, 100_MBps, 0), 100e6);
  EXPECT_DOUBLE_EQ(rate_of_two_cores(300_MBps, 100_MBps, 0.5), 200e6);
  EXPECT_DOUBLE_EQ(rate_of_two_cores(300_MBps, 100_MBps, 0.9), 300e6);  // hashing is the limit
  EXPECT_DOUBLE_EQ(rate_of_one_core(300_MBps, 100_MBps, 1), 300e6);
}

// The published rates are 30% less with one core and 60% more with two. A hash rate of 1.8 times the device's
// gives a result between them.
TEST(FunctionalPartitioningTest, NoHashRateGivesBothPublishedRates) {
  for (std::uint64_t hash = 100; hash <= 2000; ++hash) {
    const Bandwidth h(hash * 1'000'000);
    const double loss = 1 - rate_of_one_core(h, 175_MBps, 0.25) / 175e6,
                 gain = rate_of_two_cores(h, 175_MBps, 0.25) / rate_of_one_core(h, 175_MBps, 0.25) - 1;
    EXPECT_FALSE(std::abs(loss - 0.30) < 0.01 && std::abs(gain - 0.60) < 0.01) << hash;
  }
  EXPECT_NEAR(rate_of_one_core(315_MBps, 175_MBps, 0.25) / 175e6 - 1, -0.234, 1e-3);
}

TEST(FunctionalPartitioningTest, RefusesWhatIsNone) {
  const auto shared = [](const SharedSsd& ssd, Bytes checkpoint) {
    return thrown<std::invalid_argument>([&] { nodes_by_lifetime(ssd, checkpoint); });
  };
  EXPECT_EQ(shared({}, Bytes()), "an SSD and a node's checkpoint have a size");
  const std::string rates = "erase cycles, life and checkpoints a day are above 0";
  EXPECT_EQ(shared({.erase_cycles = -1}, megabytes(1)), rates);
  EXPECT_EQ(shared({.checkpoints_a_day = 0}, megabytes(1)), rates);
  EXPECT_EQ(shared({.life_days = std::numeric_limits<double>::quiet_NaN()}, megabytes(1)), rates);
  EXPECT_EQ(shared({.checkpoints_a_day = 1e-30}, Bytes(1)), "more nodes than can be counted share the SSD");
  EXPECT_EQ(thrown<std::invalid_argument>([] { rate_of_one_core(Bandwidth(), 1_MBps, 0); }),
            "hashing and storing have a bandwidth");
  EXPECT_EQ(thrown<std::invalid_argument>([] { rate_of_two_cores(1_MBps, 1_MBps, 1.1); }),
            "a share of duplicates is within 0 and 1");
  EXPECT_EQ(thrown<std::invalid_argument>([] {
              run_time({Seconds(-1), Bytes(1)}, 1_MBps);
            }),
            "a run computes for no time or more");
}

}  // namespace
}  // namespace asterism
