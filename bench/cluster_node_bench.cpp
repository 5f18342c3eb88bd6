// How much whole nodes of a cluster slow each other down: two nodes with firmware in one simulation against
// one beside a traffic node.
//
//   cluster_node_bench [--check] ASTERISM
//
// ASTERISM is the command. With --check the exit status is 1 when a figure misses its limit. Both run the
// firmware of the scenario buddy_cluster as a ring of two ranks. The runs alternate; times are user time of
// the host. The nodes of a simulation share one thread, so each of two can have at most half of the speed of
// one node.
#include <fstream>
#include <nlohmann/json.hpp>

#include "whole_runs.h"

namespace asterism {
namespace {

void measure(const WholeRuns& runs, const std::filesystem::path& folder) {
  const auto mips_a_node = [&](int nodes) {
    const double seconds =
        runs.user_seconds(fmt::format("--firmware buddy_ring node={{\\\"use\\\":\\\"cluster_node\\\"}} "
                                      "expect={{}} cluster.nodes=2 cluster.firmware_nodes={} "
                                      "cluster.spares=0 cluster.checkpoint.interval=10 "
                                      "cluster.program.words=8192 cluster.program.steps=300 "
                                      "cluster.program.step_time=320us",
                                      nodes));
    std::ifstream file(folder / "run/stats.json");
    return nlohmann::json::parse(file)["instructions"].get<double>() / seconds / nodes / 1e6;
  };
  std::vector<double> alone, together, shares;
  for (int pair = 0; pair < 7; ++pair) {
    alone.push_back(mips_a_node(1));
    together.push_back(mips_a_node(2));
    shares.push_back(together.back() / alone.back());
  }
  const double share = median(shares);
  figures.add("two nodes with firmware: MIPS a node over one node's",
              fmt::format("{:.0f}% ({:.0f} and {:.0f})", share * 100, median(together), median(alone)),
              share >= 0.45, "at least 45%");
}

}  // namespace
}  // namespace asterism

int main(int argc, char** argv) { return asterism::run_bench(argc, argv, asterism::measure); }
