// Whole runs of the command, for benchmarks: they alternate and are measured in user time of the host, or are
// counted in instructions of the host.
#pragma once

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/temporary_folder.h"
#include "figures.h"

namespace asterism {

class WholeRuns {
 public:
  WholeRuns(std::string program, std::filesystem::path folder)
      : program_(std::move(program)), folder_(std::move(folder)) {}

  // Throws if the run does not end with status 0.
  void run(const std::string& arguments, const std::string& before = "") const {
    const std::string line = fmt::format("{}{} run hello --quiet --out {} {} >{} 2>&1", before, program_,
                                         (folder_ / "run").string(), arguments, (folder_ / "log").string());
    if (std::system(line.c_str()) != 0) throw std::runtime_error("failed: " + line + "\n" + log());
  }
  double user_seconds(const std::string& arguments) const {
    return user_seconds_of(RUSAGE_CHILDREN, [&] { run(arguments); });
  }
  // The most memory that a run has had at a time.
  double peak_bytes(const std::string& arguments) const {
    const pid_t child = fork();
    if (child == 0) {
      try {
        run(arguments);
        _exit(0);
      } catch (...) {
        _exit(1);
      }
    }
    int status = 0;
    rusage usage{};
    if (child < 0 || wait4(child, &status, 0, &usage) < 0 || status != 0)
      throw std::runtime_error("failed: " + arguments + "\n" + log());
    return static_cast<double>(usage.ru_maxrss) * 1024;
  }
  // The time of the second run divided by that of the first.
  double ratio(const std::string& one, const std::string& other, int pairs) const {
    std::vector<double> ratios;
    for (int i = 0; i < pairs; ++i) {
      const double first = user_seconds(one);
      ratios.push_back(user_seconds(other) / first);
    }
    return median(ratios);
  }
  // The host's instructions of a run; nullopt without valgrind.
  std::optional<double> instructions(const std::string& arguments) const {
    if (std::system("command -v valgrind >/dev/null") != 0) return std::nullopt;
    const std::filesystem::path out = folder_ / "callgrind";
    run(arguments, fmt::format("valgrind --tool=callgrind --callgrind-out-file={} ", out.string()));
    std::istringstream words(log());
    for (std::string word; words >> word;)
      if (word == "Collected") {
        double count = 0;
        words >> word >> count;
        return count;
      }
    return std::nullopt;
  }

 private:
  std::string log() const {
    std::ifstream file(folder_ / "log");
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

  std::string program_;
  std::filesystem::path folder_;
};

// The main function of such a program, whose only argument besides --check is the command: measures in a
// temporary folder.
inline int run_bench(int argc, char** argv,
                     const std::function<void(const WholeRuns&, const std::filesystem::path&)>& measure) {
  CLI::App app;
  std::string program;
  app.add_option("ASTERISM", program, "The command")->required();
  return bench_main(argc, argv, app, [&] {
    const TemporaryFolder folder;
    measure(WholeRuns(std::filesystem::absolute(program), folder.path()), folder.path());
  });
}

}  // namespace asterism
