// A run of whole nodes that a study makes: `asterism run` as a process of its own, since a process elaborates
// SystemC once. The run directory is temporary, and so is what the run prints.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/temporary_folder.h"

namespace asterism {

class NodeRun {
 public:
  // `words` follow `asterism run`; `configs` is the search path of the library. Throws std::system_error.
  NodeRun(const std::vector<std::string>& words, const std::string& configs);
  // Ends the run.
  ~NodeRun();
  NodeRun(const NodeRun&) = delete;
  NodeRun& operator=(const NodeRun&) = delete;

  // The exit status; nullopt if a stop was requested.
  std::optional<int> wait(const std::stop_token& stop);
  // How a run has ended that should have succeeded: "has ended with status 66: no such file".
  std::string failure(int status) const;
  // The run directory.
  std::filesystem::path out() const { return folder_ / "run"; }

 private:
  std::filesystem::path errors() const { return folder_ / "errors"; }

  TemporaryFolder folder_;
  pid_t pid_ = -1;
};

}  // namespace asterism
