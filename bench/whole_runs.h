// Whole runs of the command, for benchmarks: they alternate and are measured in user time of the host, or are
// counted in instructions of the host.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/temporary_folder.h"
#include "figures.h"

namespace asterism {

class WholeRuns {
 public:
  WholeRuns(std::string program, std::filesystem::path folder)
      : program_(std::move(program)), folder_(std::move(folder)) {}

  // Throws if the run does not end with status 0.
  void run(const std::string& arguments, const std::string& before = "") const;
  double user_seconds(const std::string& arguments) const;
  // The most memory that a run has had at a time.
  double peak_bytes(const std::string& arguments) const;
  // The time of the second run divided by that of the first.
  double ratio(const std::string& one, const std::string& other, int pairs) const;
  // The host's instructions of a run; nullopt without valgrind.
  std::optional<double> instructions(const std::string& arguments) const;

 private:
  std::string log() const;

  std::string program_;
  std::filesystem::path folder_;
};

// The main function of such a program, whose only argument besides --check is the command: measures in a
// temporary folder.
int run_bench(int argc, char** argv,
              const std::function<void(const WholeRuns&, const std::filesystem::path&)>& measure);

}  // namespace asterism
