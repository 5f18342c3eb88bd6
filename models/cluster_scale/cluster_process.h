// The program that simulates a machine (asterism_cluster), started for one setup: it does one run after the other
// and hands over each result when it is there. SimGrid has one simulation a process, and its libraries come with
// licences and start-up times of their own; so it is a program.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

#include "cluster_scale/cluster_result.h"

namespace asterism {

// The program is not there: Asterism was configured with ASTERISM_SIMGRID off.
struct ClusterProgramMissing : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class ClusterProcess {
 public:
  // Throws ClusterMistake, ClusterProgramMissing, or std::runtime_error when it cannot be started. May be called in any
  // thread; the process ends with it.
  explicit ClusterProcess(const ClusterSetup& setup,
                          const std::filesystem::path& program = installed_program());
  ~ClusterProcess();
  ClusterProcess(const ClusterProcess&) = delete;
  ClusterProcess& operator=(const ClusterProcess&) = delete;

  // Of the next run, waited for; nothing after the last one, or when a stop is asked for. Throws std::runtime_error
  // when the program has failed.
  std::optional<ClusterResult> next(const std::stop_token& stop = {});

  // Beside the running program, or where the build has put it.
  static std::filesystem::path installed_program();

 private:
  std::optional<std::string> read_block(const std::stop_token& stop);

  std::uint32_t left_;  // runs
  int pid_ = -1, results_ = -1;
  std::string read_;
};

}  // namespace asterism
