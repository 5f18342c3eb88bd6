// What a second host thread that simulates cores saves, and what more simulated cores cost.
//
//   threads_bench ASTERISM
//
// ASTERISM is the command. Measured are the wall-clock times of simulations of cg on a node without caches:
// with one thread and with two, alternately, for each quantum; and on four cores and on one, alternately.
// Other work on the machine counts: the benchmark needs two idle cores.
#include <fstream>
#include <nlohmann/json.hpp>

#include "whole_runs.h"

namespace asterism {
namespace {

constexpr int pairs = 7;

struct Report {
  double seconds, instructions_per_second, speculated;
};

void measure(const WholeRuns& runs, const std::filesystem::path& folder) {
  const auto report = [&](int cores, const std::string& quantum, int threads) -> Report {
    runs.run(
        fmt::format("--firmware cg expect={{}} 'args=nx=32 checkpoint=off' node.cores.caches.model=none "
                    "node.cores.timing=null node.memory.fidelity=loose node.cores.count={} "
                    "node.quantum={} --threads {}",
                    cores, quantum, threads));
    std::ifstream file(folder / "run" / "host.json");
    const auto host = nlohmann::json::parse(file);
    return {host["wall_microseconds"].get<double>() / 1e6, host["instructions_per_second"].get<double>(),
            host.value("speculated_instructions", 0.0)};
  };
  for (const std::string quantum : {"1us", "10us", "100us"}) {
    std::vector<double> ratios;
    double speculated = 0;
    for (int pair = 0; pair < pairs; ++pair) {
      const Report one = report(4, quantum, 1), two = report(4, quantum, 2);
      ratios.push_back(one.seconds / two.seconds);
      speculated = two.speculated / 1e6;
    }
    figures.add(fmt::format("quantum {}: time with one thread over that with two", quantum),
                fmt::format("{:.2f}, {:.0f} M speculated instructions", median(ratios), speculated),
                speculated > 0, "speculated instructions");
  }
  std::vector<double> ratios;
  for (int pair = 0; pair < pairs; ++pair) {
    const Report four = report(4, "10us", 1), one = report(1, "10us", 1);
    ratios.push_back(four.instructions_per_second / one.instructions_per_second);
  }
  figures.add("four cores: instructions per second over those of one core",
              fmt::format("{:.2f}", median(ratios)));
}

}  // namespace
}  // namespace asterism

int main(int argc, char** argv) { return asterism::run_bench(argc, argv, asterism::measure); }
