// The ratio of the times of a run without and with a second host thread that simulates cores.
//
//   threads_bench ASTERISM
//
// ASTERISM is the command. Measured are the wall-clock times of simulations of cg on four cores, for each
// quantum, with one thread and with two alternately. Other work on the machine counts: the benchmark needs
// two idle cores.
#include <fstream>
#include <nlohmann/json.hpp>

#include "whole_runs.h"

namespace asterism {
namespace {

struct Report {
  double seconds, speculated_instructions;
};

void measure(const WholeRuns& runs, const std::filesystem::path& folder) {
  const auto report = [&](const std::string& quantum, int threads) -> Report {
    runs.run(fmt::format("--firmware cg expect={{}} 'args=nx=32 checkpoint=off' node.quantum={} --threads {}",
                         quantum, threads));
    std::ifstream file(folder / "run" / "host.json");
    const auto host = nlohmann::json::parse(file);
    return {host["wall_microseconds"].get<double>() / 1e6, host.value("speculated_instructions", 0.0)};
  };
  for (const std::string quantum : {"1us", "10us", "100us"}) {
    std::vector<double> ratios;
    double speculated = 0;
    for (int pair = 0; pair < 7; ++pair) {
      const Report one = report(quantum, 1), two = report(quantum, 2);
      ratios.push_back(one.seconds / two.seconds);
      speculated = two.speculated_instructions / 1e6;
    }
    figures.add(fmt::format("quantum {}: time with one thread over that with two", quantum),
                fmt::format("{:.2f}, {:.0f} M speculated instructions", median(ratios), speculated));
  }
}

}  // namespace
}  // namespace asterism

int main(int argc, char** argv) { return asterism::run_bench(argc, argv, asterism::measure); }
