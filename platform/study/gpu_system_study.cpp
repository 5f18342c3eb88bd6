// The share of its time in which a GPU-dense machine of a given size and density works, by three models
// (models/resilience).
#include <algorithm>

#include "gpu/host_link.h"
#include "platform/config/config.h"
#include "platform/study/study_kind.h"
#include "resilience/first_order.h"
#include "resilience/gpu_system.h"
#include "resilience/monte_carlo.h"
#include "resilience/moody_markov.h"

namespace asterism {
namespace {

constexpr std::uint64_t fewest_cycles = 200;  // of a Monte Carlo simulation
constexpr double least_efficiency = 1e-3;     // below this a Monte Carlo simulation does not end
constexpr std::uint32_t max_gpus_per_cpu = HostLinkConfig{}.lanes;

struct GpuSystemStudy {
  std::string system = "coral_summit";
  double exaflops = 3.6;
  std::uint32_t gpus_per_cpu = 16;
  double gpu_failure_factor = 1;
  SnapshotCost snapshot = {};
  Picoseconds min_interval = 1_s;
  HigherLevels higher_levels = HigherLevels::blocking;
  RecoveryRule recovery = RecoveryRule::escalate;
  std::uint64_t failures = 200'000;
  std::uint64_t seed = 1;
};
static_assert(member_count<GpuSystemStudy>() == 10);
void describe(Fields& f, GpuSystemStudy& c) {
  f("system", c.system, "The parts of the machine: a file in configs/systems.", names_file("systems"));
  f("exaflops", c.exaflops, "The speed of the machine. A larger one fails more often.", within(1e-6, 1e4));
  f("gpus_per_cpu", c.gpus_per_cpu,
    "The number of GPUs of a CPU. They share links, disk and host memory, so that more of them checkpoint "
    "more slowly. Behind the switch of a CPU of lee2019, section 5.1, there are 32 lanes, at least one for "
    "each GPU.",
    within(1, max_gpus_per_cpu));
  f("gpu_failure_factor", c.gpu_failure_factor,
    "The factor by which GPUs fail more often than the file says.", within(1e-6, 1e6));
  describe(f, c.snapshot);
  f("min_interval", c.min_interval,
    "The shortest interval that the Markov model may choose. Without it, a checkpoint that costs nothing "
    "would be taken all the time.",
    within(1_ms, 100'000_s));
  f("higher_levels", c.higher_levels,
    "How checkpoints on disk and file system are written, in all three models.", one_of<HigherLevels>());
  f("recovery", c.recovery,
    "What a failure does in the Monte Carlo simulation while a checkpoint of its level is read.",
    one_of<RecoveryRule>());
  f("failures", c.failures,
    "The approximate number of failures of the Monte Carlo simulation. More of them make its confidence "
    "interval narrower; 0 leaves the simulation out.",
    at_most(1'000'000'000));
  f("seed", c.seed, "The seed of the Monte Carlo simulation.");
}

class GpuSystemPoint final : public StudyPointOf<GpuSystemStudy> {
 public:
  void prepare(const ConfigLibrary& library) override {
    parts_ = load_config<GpuSystemConfig>(library, "systems", config_.system);
  }

  std::vector<Cell> run(const std::stop_token& stop) override {
    const GpuSystem s =
        gpu_system(parts_, config_.exaflops, config_.gpus_per_cpu, config_.gpu_failure_factor);
    const std::vector<CheckpointLevel> levels = levels_of(s, config_.snapshot);
    const double least = static_cast<double>(config_.min_interval.count()) / 1e12;
    const MarkovOptimum best = markov_optimum(levels, Seconds(least), config_.higher_levels);
    std::vector<Cell> cells = {100 * first_order_efficiency(levels, config_.higher_levels),
                               100 * best.efficiency};
    const auto more = [&](std::initializer_list<Cell> some) { cells.insert(cells.end(), some); };
    if (const MonteCarloResult simulated = simulate(levels, best, stop); simulated.cycles > 0)
      more({100 * simulated.efficiency, 100 * simulated.half_width_99, simulated.failures});
    else
      more({Cell(), Cell(), Cell()});
    more({levels[0].checkpoint.count(), levels[1].checkpoint.count(), levels[2].checkpoint.count(),
          best.schedule.interval.count(), best.schedule.counts[0], best.schedule.counts[1]});
    more({s.gpus, s.cpus, s.nodes, s.cabinets, s.gpu_gbps, s.cpu_gbps, s.link_gbps, s.disk_gbps,
          s.file_system_gbps});
    for (const Rate rate : {s.gpu_failures, s.cpu_failures, s.node_failures, s.system_failures, s.failures()})
      more({rate.per_second()});
    more({s.petaflops, levels[0].restart.count()});
    return cells;
  }

 private:
  // Simulates the schedule that is best by the Markov model; no cycles if that makes hardly any progress.
  MonteCarloResult simulate(std::span<const CheckpointLevel> levels, const MarkovOptimum& best,
                            const std::stop_token& stop) const {
    if (config_.failures == 0 || best.efficiency < least_efficiency) return {};
    const double of_a_cycle = failures_of(levels) * (best.schedule.work() / best.efficiency);
    const double cycles = static_cast<double>(config_.failures) / std::max(of_a_cycle, 1.0);
    return simulate_checkpoints(levels, best.schedule,
                                {.seed = config_.seed,
                                 .cycles = std::max(static_cast<std::uint64_t>(cycles), fewest_cycles),
                                 .rule = config_.recovery,
                                 .higher = config_.higher_levels,
                                 .stop = stop});
  }

  GpuSystemConfig parts_;
};

const RegisteredStudy gpu_system_study{
    {.name = "gpu_system",
     .meaning =
         "The share of its time that a GPU-dense machine works between checkpoints and failures, by three "
         "models",
     .coordinates = {"exaflops", "gpus_per_cpu"},
     .columns = {{"first_order_percent", "1st order", "%",
                  "Work over time: each level alone, at its best interval"},
                 {"markov_percent", "Markov", "%",
                  "Work over time by Moody et al. 2010, at the best schedule of that model"},
                 {"monte_carlo_percent", "played", "%",
                  "Work over time by a Monte Carlo simulation, at the same schedule"},
                 {"monte_carlo_error", "+-", "%", "Half the width of its 99% confidence interval"},
                 {"monte_carlo_failures", "", "", "Failures simulated"},
                 {"memory_s", "memory", "s", "The time of a checkpoint in host memory"},
                 {"disk_s", "disk", "s", "The time of a checkpoint on the nodes' disks"},
                 {"file_system_s", "PFS", "s", "The time of a checkpoint on the parallel file system", 1},
                 {"interval_s", "interval", "s", "The work between two checkpoints, by the Markov model"},
                 {"memory_checkpoints", "", "", "Checkpoints in memory between two on disk"},
                 {"disk_checkpoints", "", "", "Checkpoints on disk between two on the file system"},
                 {"gpus", "GPUs", "", "GPUs of the machine"},
                 {"cpus", "", "", "CPUs of the machine"},
                 {"nodes", "nodes", "", "Nodes of the machine"},
                 {"cabinets", "", "", "Cabinets of the machine"},
                 {"gpu_gbps", "", "GB/s", "The bandwidth of the memory of all GPUs"},
                 {"cpu_gbps", "", "GB/s", "The bandwidth of the memory of all CPUs"},
                 {"pcie_gbps", "", "GB/s", "The bandwidth from all GPUs to host memory"},
                 {"disk_gbps", "", "GB/s", "The bandwidth of the disks of all nodes"},
                 {"file_system_gbps", "", "GB/s", "The bandwidth of the parallel file system"},
                 {"gpu_failures_per_s", "", "1/s", "Failures of all GPUs"},
                 {"cpu_failures_per_s", "", "1/s", "Failures of all CPUs"},
                 {"node_failures_per_s", "", "1/s", "Failures of all nodes"},
                 {"system_failures_per_s", "", "1/s", "Failures of the machine as a whole"},
                 {"failures_per_s", "", "1/s", "Failures of all kinds"},
                 {"petaflops", "", "PFLOPS", "The speed of all GPUs and CPUs"},
                 {"memory_restart_s", "", "s", "The time to read a checkpoint in host memory back"}},
     .x = "exaflops",
     .y = "first_order_percent",
     .x_key = "exaflops",
     .bars = {"first_order_percent", "markov_percent", "monte_carlo_percent"},
     .intervals = {{.column = "monte_carlo_percent", .half_of_99 = "monte_carlo_error"}},
     .make = make_study_point<GpuSystemPoint>}};

}  // namespace
}  // namespace asterism
