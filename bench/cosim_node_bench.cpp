// The cost of RTL in a node: whole runs of the command alternate, and user time of the host is compared.
//
//   cosim_node_bench [--check] ASTERISM
//
// ASTERISM is the command. With --check the exit status is 1 when a figure misses its limit. For the idle
// block, instructions are counted if valgrind is installed, because 1% is less than the noise of any clock.
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "whole_runs.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

// The wall-clock time in seconds from a change of a source to the end of a run in lockstep with it.
double seconds_from_change(const WholeRuns& runs, const fs::path& folder, const fs::path& block, int change) {
  const fs::path copy = folder / "mine";
  fs::remove_all(copy);
  fs::copy(block.parent_path(), copy, fs::copy_options::recursive);
  std::ofstream(copy / "lrg_arbiter.sv", std::ios::app) << "// change " << getpid() << "." << change << "\n";
  const auto start = std::chrono::steady_clock::now();
  runs.run(
      fmt::format("node.fabric.topology=swizzle_switch node.fabric.fidelity=flit "
                  "node.fabric.arbiter.impl=lockstep node.fabric.arbiter.variant={}",
                  (copy / "block.json").string()));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void measure(const WholeRuns& runs, const fs::path& folder) {
  const std::string loose = "--firmware cg args=\"nx=16 interval=5\"";
  const std::string flit = loose + " node.fabric.topology=swizzle_switch node.fabric.fidelity=flit";
  const std::string lockstep = " node.fabric.arbiter.impl=lockstep";

  runs.run(loose + " node.rtc.impl=rtl");  // builds the library
  const auto without = runs.instructions(loose), with = runs.instructions(loose + " node.rtc.impl=rtl");
  if (without && with) {
    const double more = (*with / *without - 1) * 100;
    figures.add("main job with the RTC in RTL, idle: instructions", fmt::format("{:+.2f}%", more), more <= 1,
                "at most +1%");
  }

  runs.run("node.fabric.topology=swizzle_switch node.fabric.fidelity=flit" + lockstep);  // builds the library
  const double slower = runs.ratio(flit, flit + lockstep, 1);
  figures.add("main job, crossbar flit by flit: lockstep over the model", fmt::format("{:.2f}", slower),
              slower <= 3, "at most 3");
  const double loosely = runs.ratio(loose, loose + lockstep, 5);
  figures.add("main job, crossbar loosely timed: lockstep over the model", fmt::format("{:.2f}", loosely),
              loosely <= 3, "at most 3");

  std::vector<double> changes;
  for (int change = 0; change < 3; ++change)
    changes.push_back(
        seconds_from_change(runs, folder, fs::path(ASTERISM_SOURCE) / "rtl/lrg_arbiter/block.json", change));
  figures.add("changed arbiter to the end of a lockstep run", fmt::format("{:.1f} s", median(changes)),
              median(changes) < 20, "under 20 s on 2 cores");
}

}  // namespace
}  // namespace asterism

int main(int argc, char** argv) { return asterism::run_bench(argc, argv, asterism::measure); }
