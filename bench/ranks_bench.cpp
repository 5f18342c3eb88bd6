// The ratio of the times of a sweep on one rank and on two.
//
//   ranks_bench [--check] ASTERISM
//
// ASTERISM is the command; mpirun must be in PATH. With --check the exit status is 1 when the figure misses
// its limit. The sweep has forty points of the flit engine that take equally long. Whole commands alternate,
// in wall-clock time, including the time that mpirun needs to start and to end. Other work on the machine
// changes the ratio in either direction: the benchmark needs two idle cores.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "figures.h"

namespace asterism {
namespace {

double seconds_on(int ranks, const std::string& program) {
  const std::string line = fmt::format(
      "mpirun --allow-run-as-root --oversubscribe -n {} {} study fabric topology=mesh nodes=64 rate=0.05 "
      "seed=1:40:1 measure=120us --csv - >/dev/null 2>&1",
      ranks, program);
  const auto start = std::chrono::steady_clock::now();
  if (std::system(line.c_str()) != 0) throw std::runtime_error("failed: " + line);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void measure(const std::string& program) {
  std::vector<double> one, two, ratios;
  for (int pair = 0; pair < 3; ++pair) {
    one.push_back(seconds_on(1, program));
    two.push_back(seconds_on(2, program));
    ratios.push_back(one.back() / two.back());
  }
  figures.add("a sweep of 40 points: time on one rank over that on two",
              fmt::format("{:.2f} ({:.1f} s, {:.1f} s)", median(ratios), median(one), median(two)),
              median(ratios) >= 1.8, "at least 1.8");
}

}  // namespace
}  // namespace asterism

int main(int argc, char** argv) {
  CLI::App app;
  std::string program;
  app.add_option("ASTERISM", program, "The command")->required();
  return asterism::bench_main(argc, argv, app,
                              [&] { asterism::measure(std::filesystem::absolute(program)); });
}
