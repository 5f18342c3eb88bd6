#include "whole_runs.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace asterism {

void WholeRuns::run(const std::string& arguments, const std::string& before) const {
  const std::string line = fmt::format("{}{} run hello --quiet --out {} {} >{} 2>&1", before, program_,
                                       (folder_ / "run").string(), arguments, (folder_ / "log").string());
  if (std::system(line.c_str()) != 0) throw std::runtime_error("failed: " + line + "\n" + log());
}

double WholeRuns::user_seconds(const std::string& arguments) const {
  return user_seconds_of(RUSAGE_CHILDREN, [&] { run(arguments); });
}

double WholeRuns::peak_bytes(const std::string& arguments) const {
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

double WholeRuns::ratio(const std::string& one, const std::string& other, int pairs) const {
  std::vector<double> ratios;
  for (int i = 0; i < pairs; ++i) {
    const double first = user_seconds(one);
    ratios.push_back(user_seconds(other) / first);
  }
  return median(ratios);
}

std::optional<double> WholeRuns::instructions(const std::string& arguments) const {
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

std::string WholeRuns::log() const {
  std::ifstream file(folder_ / "log");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

int run_bench(int argc, char** argv,
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
