// The cost of memory under ECC for a node: whole runs of the main job without a power failure.
//
//   memory_node_bench [--check] ASTERISM
//
// ASTERISM is the command. With --check the exit status is 1 when a figure misses its limit. Instructions of
// the host are counted if valgrind is installed, because a few percent are less than the noise of any clock;
// otherwise its time is measured.
#include "whole_runs.h"

namespace asterism {
namespace {

void measure(const WholeRuns& runs, const std::filesystem::path&) {
  const std::string job = "--firmware cg args=\"nx=16 interval=5\" node.memory.ecc=";
  for (const std::string mode : {"normal", "strong"}) {
    const auto without = runs.instructions(job + "none"), with = runs.instructions(job + mode);
    const double more = without && with ? *with / *without : runs.ratio(job + "none", job + mode, 5);
    figures.add("main job, ecc=" + mode + " over ecc=none, no fault",
                fmt::format("{:+.2f}%", (more - 1) * 100), more <= 1.05, "at most +5%");
  }
}

}  // namespace
}  // namespace asterism

int main(int argc, char** argv) { return asterism::run_bench(argc, argv, asterism::measure); }
