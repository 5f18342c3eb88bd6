// The cost of time that sees memory: the shipped node, with caches (L1 and L2), a core's own time, and
// contended memory (timed), over the same node without them (plain). Whole runs of loops, and of the main job
// without a power failure. With 16 cores and more, the node is kilocore_a64.
//
//   timing_bench [--check] ASTERISM
//
// ASTERISM is the command. With --check the exit status is 1 when a figure misses its limit. A loop's speed
// is that of its last instructions, without what starting costs: the difference of two runs.
#include <algorithm>

#include "whole_runs.h"

namespace asterism {
namespace {

const std::string timed, plain =
                             " 'node.cores.caches={\"model\":\"none\"}' node.cores.timing=null"
                             " node.memory.fidelity=loose";

std::string loop(const std::string& what, unsigned millions, unsigned cores, const std::string& keys) {
  const bool are_many = cores > 4;
  const std::string node = are_many ? " 'node={\"use\":\"kilocore_a64\"}'" : "";
  return fmt::format(
      "expect={{}} --firmware loops{} 'args=loop={} millions={} cores={}'{} node.cores.count={}{}",
      are_many ? "_many_cores" : "", what, millions, cores, node, std::max(cores, 4u), keys);
}

// Million instructions a second, of all cores.
double mips(const WholeRuns& runs, const std::string& what, unsigned millions, unsigned cores,
            const std::string& keys) {
  const double few = runs.user_seconds(loop(what, millions / 4, cores, keys)),
               all = runs.user_seconds(loop(what, millions, cores, keys));
  return (millions - millions / 4) * cores / std::max(all - few, 1e-3);
}

// The median of timed over plain, and that of timed.
struct Speed {
  double ratio, mips;
};
Speed speed(const WholeRuns& runs, const std::string& what, unsigned millions, unsigned cores = 1) {
  std::vector<double> ratios, all;
  for (int pair = 0; pair < 5; ++pair) {
    const double without = mips(runs, what, millions * 2, cores, plain);
    all.push_back(mips(runs, what, millions, cores, timed));
    ratios.push_back(all.back() / without);
  }
  return {median(ratios), median(all)};
}

void add(const std::string& name, const Speed& speed, double least) {
  const std::string measured = fmt::format("{:.2f}, {:.0f} MIPS", speed.ratio, speed.mips);
  if (least == 0) return figures.add(name, measured);
  figures.add(name, measured, speed.ratio >= least, fmt::format(">= {} of the MIPS without", least));
}

void measure(const WholeRuns& runs, const std::filesystem::path&) {
  for (const std::string what : {"integer", "copy", "daxpy"})
    add(what + ", arrays in the L1", speed(runs, what, 200), 0.5);
  const Speed far = speed(runs, "copy size=8MiB", 40);
  figures.add("copy of 8 MiB", fmt::format("{:.0f} MIPS, {:.2f} of those without", far.mips, far.ratio),
              far.mips >= 100, ">= 100 MIPS");
  add("daxpy of 8 MiB", speed(runs, "daxpy size=8MiB", 40), 0);

  const std::string job = "--firmware cg args=\"nx=16 interval=5\"";
  const double slower = runs.ratio(job + plain, job + timed, 5);
  figures.add("main job", fmt::format("{:.2f}", 1 / slower), slower <= 2.5, ">= 0.4 of the speed without");

  for (const unsigned cores : {4, 16, 64})
    add(fmt::format("daxpy on {} cores", cores), speed(runs, "daxpy", std::max(200 / cores, 8u), cores), 0);
  for (const std::string& keys : {plain, timed}) {
    const double of_few = runs.peak_bytes(loop("daxpy", 1, 16, keys)),
                 of_many = runs.peak_bytes(loop("daxpy", 1, 64, keys));
    figures.add(fmt::format("memory of the host for a core{}", keys == plain ? ", without" : ""),
                fmt::format("{:.0f} KiB", (of_many - of_few) / 48 / 1024));
  }
}

}  // namespace
}  // namespace asterism

int main(int argc, char** argv) { return asterism::run_bench(argc, argv, asterism::measure); }
