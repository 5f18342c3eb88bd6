// Whole runs of the command, for benchmarks: turn about in user time of the host, or counted in its instructions.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "figures.h"

namespace asterism {

class WholeRuns {
 public:
  WholeRuns(std::string program, std::filesystem::path folder)
      : program_(std::move(program)), folder_(std::move(folder)) {}

  // Throws when the run does not end with status 0.
  void run(const std::string& arguments, const std::string& before = "") const {
    const std::string line = fmt::format("{}{} run hello --quiet --out {} {} >{} 2>&1", before, program_,
                                         (folder_ / "run").string(), arguments, (folder_ / "log").string());
    if (std::system(line.c_str()) != 0) throw std::runtime_error("failed: " + line + "\n" + log());
  }
  double user_seconds(const std::string& arguments) const {
    const double before = cpu_seconds_of_children();
    run(arguments);
    return cpu_seconds_of_children() - before;
  }
  // How many times as long the second takes.
  double ratio(const std::string& one, const std::string& other, int pairs) const {
    std::vector<double> ratios;
    for (int i = 0; i < pairs; ++i) {
      const double first = user_seconds(one);
      ratios.push_back(user_seconds(other) / first);
    }
    return median(ratios);
  }
  // Instructions of the host; nullopt without valgrind.
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

// The main of such a program, whose one argument besides --check is the command: measures, and cleans up.
inline int run_bench(
    int argc, char** argv, const char* name,
    const std::function<void(const WholeRuns&, const std::filesystem::path&, Figures&)>& measure) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool check = std::erase(arguments, "--check") > 0;
  if (arguments.size() != 1) {
    fmt::print(stderr, "{} [--check] ASTERISM\n", name);
    return 64;
  }
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("{}.{}", name, getpid());
  std::filesystem::create_directories(folder);
  Figures figures;
  int status = 70;
  try {
    measure(WholeRuns(std::filesystem::absolute(arguments[0]), folder), folder, figures);
    status = check && !figures.all_met() ? 1 : 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
  }
  std::filesystem::remove_all(folder);
  return status;
}

}  // namespace asterism
