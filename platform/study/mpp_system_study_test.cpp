#include <gtest/gtest.h>

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

TEST(MppSystemStudyTest, SmallerCheckpointsCostLess) {
  EXPECT_LT(mpp_system_under_test.run({"volume=40%"}).number("overhead_percent"),
            mpp_system_under_test.run({}).number("overhead_percent"));
}

TEST(MppSystemStudyTest, TauAndShareMayBeGiven) {
  const Row row = mpp_system_under_test.run({"tau_s=60", "local_share=0.5"});
  EXPECT_EQ(row.number("best_tau_s"), 60);
  EXPECT_EQ(row.number("local_percent"), 50);
  EXPECT_GT(row.number("overhead_percent"), mpp_system_under_test.run({}).number("overhead_percent"));
}

TEST(MppSystemStudyTest, TheMachineMayBeAnother) {
  EXPECT_NEAR(mpp_system_under_test.run({"petaflops_system.sockets=40000"}).number("mttf_s"), 3942, 1e-6);
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
