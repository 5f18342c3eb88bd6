#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "platform/study/study_kind.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest mpp_system_under_test(R"({"kind": "mpp_system"})");

TEST(MppSystemStudyTest, HasThePapersPetaflopsMachine) {
  const Row row = mpp_system_under_test.run({"media=pure_hdd"});
  EXPECT_NEAR(row.number("mttf_s"), 7884, 1e-6);
  EXPECT_NEAR(row.number("delta_g_s"), 85.23, 0.01);
  EXPECT_NEAR(row.number("overhead_percent"), 18.07, 0.01);
  EXPECT_EQ(row.number("local_percent"), 0);
}

TEST(MppSystemStudyTest, DisksDoNotReachAnExaflops) {
  const Row row = mpp_system_under_test.run({"media=pure_hdd", "petaflops=1000"});
  EXPECT_TRUE(row.is_empty("overhead_percent"));
  EXPECT_EQ(row.number("availability_percent"), 0);
}

TEST(MppSystemStudyTest, RefusesSpeedsThatLinearGrowthDoesNotReach) {
  for (const char* media : {"media=pure_hdd", "media=dimm_dimm"})
    EXPECT_EQ(mpp_system_under_test.mistake({media, "petaflops=0.5"}),
              "command line: error: petaflops: the line of network_gbps does not reach to a machine of this "
              "speed");
}

TEST(MppSystemStudyTest, SmallerCheckpointsCostLess) {
  EXPECT_LT(mpp_system_under_test.run({"volume=40%"}).number("overhead_percent"),
            mpp_system_under_test.run({}).number("overhead_percent"));
}

// 4 GB at 10 GB/s and 1 ms; of the quarter that is used, 1 - 1 / e has been written after one `dirty_time_s`.
TEST(MppSystemStudyTest, IncrementsFollowTheInterval) {
  const Row row = mpp_system_under_test.run({"dirty_time_s=60", "tau_s=60", "local_share=0.75"});
  EXPECT_NEAR(row.number("local_increment_percent"), 100 * (1 - std::exp(-1)), 1e-9);
  EXPECT_NEAR(row.number("global_increment_percent"), 100 * (1 - std::exp(-4)), 1e-9);
  EXPECT_NEAR(row.number("delta_l_s"), 0.001 + 0.1 * (1 - std::exp(-1)), 1e-12);
  EXPECT_NEAR(row.number("delta_g_s"), 0.001 + 1 / 3.5 * (1 - std::exp(-4)), 1e-12);
  EXPECT_EQ(mpp_system_under_test.run({}).number("local_increment_percent"), 100);
}

TEST(MppSystemStudyTest, InTheBackgroundDisksCostLittle) {
  const Row waits = mpp_system_under_test.run({"media=dimm_hdd"}),
            goes_on = mpp_system_under_test.run({"media=dimm_hdd", "background=true"});
  EXPECT_LT(goes_on.number("overhead_percent"), waits.number("overhead_percent"));
  EXPECT_GE(goes_on.number("best_tau_s") + goes_on.number("delta_l_s"),
            (1 - goes_on.number("local_percent") / 100) * goes_on.number("delta_g_s") - 1e-6);
  EXPECT_EQ(mpp_system_under_test.run({"media=pure_hdd", "background=true"}).number("overhead_percent"),
            mpp_system_under_test.run({"media=pure_hdd"}).number("overhead_percent"));
  EXPECT_EQ(mpp_system_under_test.mistake({"media=dimm_hdd", "background=true", "tau_s=1", "local_share=0"}),
            "command line: error: tau_s: a global checkpoint is stored before the next one begins");
}

// A best interval at the edge of what can be stored in time is one that can.
TEST(MppSystemStudyTest, BestIntervalsInTheBackgroundAreAccepted) {
  for (const char* petaflops : {"1", "3", "10", "30", "100", "300"})
    for (const char* dirty_time : {"0", "1", "6.67", "20"})
      EXPECT_EQ(mpp_system_under_test.mistake({"media=dimm_hdd", "background=true",
                                               std::string("petaflops=") + petaflops,
                                               std::string("dirty_time_s=") + dirty_time}),
                "none")
          << petaflops << " " << dirty_time;
}

TEST(MppSystemStudyTest, TauAndShareMayBeGiven) {
  const Row row = mpp_system_under_test.run({"tau_s=60", "local_share=0.5"});
  EXPECT_EQ(row.number("best_tau_s"), 60);
  EXPECT_EQ(row.number("local_percent"), 50);
  EXPECT_GT(row.number("overhead_percent"), mpp_system_under_test.run({}).number("overhead_percent"));
}

TEST(MppSystemStudyTest, TheMachineMayBeAnother) {
  EXPECT_NEAR(mpp_system_under_test.run({"petaflops_system.sockets=40000"}).number("mttf_s"), 3942, 1e-6);
  EXPECT_NE(mpp_system_under_test.run({"petaflops=10", "year_of_10_petaflops=2011"}).number("mttf_s"),
            mpp_system_under_test.run({"petaflops=10"}).number("mttf_s"));
  EXPECT_EQ(mpp_system_under_test.mistake({"year_of_10_petaflops=2015"}),
            "command line: error: year_of_10_petaflops: expected a value that is no later than "
            "year_of_100_petaflops, got 2015");
  EXPECT_EQ(mpp_system_under_test.mistake({"petaflops=0"}),
            "command line: error: petaflops: expected a number from 0.001 to 1e+06, got 0");
}

TEST(MppSystemStudyTest, RefusesWhatIsNoMachine) {
  const auto refused = [](const std::string& given) { return mpp_system_under_test.mistake({given}); };
  for (const char* key :
       {"petaflops", "tau_s", "local_share", "socket_mttf_years", "soft_errors_2004",
        "petaflops_system.sockets", "exaflops_system.memory_gb", "petaflops_system.pcram_gbps",
        "petaflops_system.network_gbps", "petaflops_system.file_system_gbps", "petaflops_system.soft_errors",
        "stack_copy_s", "coordination_s"})
    EXPECT_NE(refused(std::string(key) + "=-1").find(std::string(key) + ": expected a number"),
              std::string::npos)
        << refused(std::string(key) + "=-1");
  EXPECT_NE(refused("memory_usage=101%").find("memory_usage: expected"), std::string::npos)
      << "the checkpoint is larger than the memory";
  EXPECT_NE(refused("volume=0%").find("volume: expected"), std::string::npos);
}

}  // namespace
}  // namespace asterism
