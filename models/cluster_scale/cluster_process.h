// The program that simulates a machine (asterism_cluster), started for one setup. It does one run after the
// other and hands over each result when it is complete. It is a separate program because SimGrid has one
// simulation a process, and its libraries have licences and start-up times of their own.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

#include "cluster_scale/cluster_result.h"

namespace asterism {

// The program does not exist: Asterism was configured with ASTERISM_SIMGRID off.
struct ClusterProgramMissing : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class ClusterProcess {
 public:
  // Throws ClusterMistake, ClusterProgramMissing, or std::runtime_error if the program cannot be started. May
  // be called in any thread. The destructor ends the process.
  explicit ClusterProcess(const ClusterSetup& setup,
                          const std::filesystem::path& program = installed_program());
  ~ClusterProcess();
  ClusterProcess(const ClusterProcess&) = delete;
  ClusterProcess& operator=(const ClusterProcess&) = delete;

  // Waits for the result of the next run. Returns nothing after the last one, or if a stop was requested.
  // Throws std::runtime_error if the program has failed.
  std::optional<ClusterResult> next(const std::stop_token& stop = {});

  // In lib/asterism beside the folder of the running program, if that is installed; else in its folder, or in
  // one above, where the build puts it.
  static std::filesystem::path installed_program();

 private:
  std::optional<std::string> read_block(const std::stop_token& stop);

  std::uint32_t left_;  // runs
  int pid_ = -1, results_ = -1;
  std::string read_;
};

}  // namespace asterism
