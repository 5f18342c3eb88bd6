#include "platform/study/ranks.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "base/temporary_folder.h"
#include "base/thrown.h"
#include "platform/config/diagnostics.h"

namespace asterism {
namespace {

// An environment in which no launcher has set variables, except those given here.
class LaunchedBy {
 public:
  LaunchedBy(const LaunchedBy&) = delete;
  LaunchedBy& operator=(const LaunchedBy&) = delete;
  explicit LaunchedBy(const std::map<std::string, std::string>& variables) {
    for (const char* name : {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE",
                             "PMIX_RANK", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"})
      unsetenv(name);
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  }
  ~LaunchedBy() { RankLaunch::forget(); }
};

std::pair<int, int> launch(const std::map<std::string, std::string>& variables) {
  const LaunchedBy launcher(variables);
  const auto found = RankLaunch::from_environment();
  return found ? std::pair(found->rank, found->size) : std::pair(-1, -1);
}

TEST(RanksTest, EveryLauncherIsKnownByItsVariables) {
  EXPECT_EQ(launch({}), std::pair(-1, -1));
  EXPECT_EQ(launch({{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "3"}}), std::pair(2, 3));
  EXPECT_EQ(launch({{"PMI_RANK", "1"}, {"PMI_SIZE", "4"}}), std::pair(1, 4));
  EXPECT_EQ(launch({{"PMIX_RANK", "5"}}), std::pair(5, 0));
  EXPECT_EQ(launch({{"PMIX_RANK", "5"}, {"SLURM_STEP_NUM_TASKS", "8"}}), std::pair(5, 8));
  EXPECT_EQ(launch({{"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}}), std::pair(1, 2));
  EXPECT_EQ(launch({{"SLURM_PROCID", "0"}}), std::pair(-1, -1));  // the script of a batch job
  EXPECT_EQ(launch({{"OMPI_COMM_WORLD_RANK", "first"}}), std::pair(-1, -1));
}

TEST(RanksTest, WhatAWorkerStartsIsNoRank) {
  const LaunchedBy launcher({{"OMPI_COMM_WORLD_RANK", "2"}, {"PMIX_RANK", "2"}, {"SLURM_PROCID", "2"}});
  RankLaunch::forget();
  EXPECT_FALSE(RankLaunch::from_environment());
}

TEST(RanksTest, WithoutALibraryOneProcessRunsAndSeveralAreRefused) {
  const TemporaryFolder folder;
  const std::string file = folder / "none.so";
  {
    const LaunchedBy nobody({});
    EXPECT_EQ(open_ranks(file), nullptr);
  }
  {
    const LaunchedBy one({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "1"}});
    EXPECT_EQ(open_ranks(file), nullptr);
  }
  const LaunchedBy two({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "2"}});
  EXPECT_EQ(
      thrown<InputMissing>([&] { open_ranks(file); }),
      file +
          ": error: started as 2 processes by mpirun or srun, but there is no such file: this program was "
          "built without MPI (Debian: libopenmpi-dev, -DASTERISM_MPI=ON)");
}

TEST(RanksTest, ALibraryThatIsNoneIsRefused) {
  const TemporaryFolder folder;
  const std::string file = folder / "text.so";
  std::ofstream(file) << "text";
  const LaunchedBy some(std::map<std::string, std::string>{{"PMIX_RANK", "0"}});
  const std::string message = thrown<InputMissing>([&] { open_ranks(file); });
  EXPECT_TRUE(message.starts_with(
      file + ": error: started as one of several processes by mpirun or srun, but it cannot be loaded: "))
      << message;
}

}  // namespace
}  // namespace asterism
