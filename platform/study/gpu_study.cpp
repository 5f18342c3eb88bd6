// The cost of a snapshot of a GPU for the program that runs on it, by the method of the snapshot
// (models/gpu/workload).
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpu/workload/kernel_profile.h"
#include "gpu/workload/kernel_ranks.h"
#include "gpu/workload/kernel_trace.h"
#include "gpu/workload/snapshot_run.h"
#include "platform/config/config.h"
#include "platform/study/statistics_json.h"
#include "platform/study/study_kind.h"
#include "platform/study/study_units.h"
#include "resilience/first_order.h"
#include "resilience/gpu_system.h"

namespace asterism {

namespace {

constexpr Bytes largest_by_itself = 256_MiB;

struct GpuStudy {
  std::filesystem::path trace;
  std::string workload = "nekbone";
  double rate_factor = 1;
  std::optional<double> scale;
  std::uint32_t ranks = 1;
  std::string config = "NB+I-FG+H+D";
  std::uint32_t gpus_per_cpu = 16;
  Bytes fine_zone = 4_KiB;
  std::optional<std::uint32_t> interval_kernels;
  std::uint32_t synchronised_gpus = 1;
  Picoseconds hint_interval = 100_us;
  bool gather_waiting = true;
  // Of the latency lee2019 has no value; assumed: a few hundred cycles of a GPU's memory under load.
  GpuConfig gpu = {.latency = 400_ns};
  HostLinkConfig link;
  std::string system = "coral_summit";
  double exaflops = 3.6;
  double gpu_failure_factor = 1;
};
static_assert(member_count<GpuStudy>() == 17);
void describe(Fields& f, GpuStudy& c) {
  f("trace", c.trace,
    "A file of lines `kernel pipeline gap address size r|w`, which takes the place of a workload.");
  f.when("trace", c.trace, std::filesystem::path(), [&] {
    f("workload", c.workload, "How kernels use the memory: a file in configs/kernel_profiles.",
      names_file("kernel_profiles"));
    f("rate_factor", c.rate_factor,
      "The factor of the workload's reads and writes per second. Slower kernels write to fewer zones while "
      "a snapshot is taken.",
      within(1e-4, 100.0));
    f("scale", c.scale,
      "The scale of its footprint, of the L2 and of the transfer buffer. Without it, the one that leaves at "
      "most 256 MiB. A smaller one takes less host time, and the constant part of every transfer weighs "
      "more.",
      within(1e-6, 1.0));
    f("ranks", c.ranks,
      "The number of MPI ranks of the workload on the GPU. Each has its footprint, and a context with a zone "
      "table; their kernels take turns.",
      within(1, 64));
  });
  f("config", c.config,
    "How the snapshot is taken: F, I or I-FG with NB, NB+H or NB+H+D, joined by '+' "
    "(models/gpu/snapshot_config.h).");
  f("gpus_per_cpu", c.gpus_per_cpu,
    "The number of GPUs that share the lanes of the processor and take their snapshots at the same time.",
    within(1, 1024));
  f("fine_zone", c.fine_zone, "The size of the zones of I-FG. Those of other configurations are gpu.zone.",
    within(4_KiB, 2_MiB));
  f("interval_kernels", c.interval_kernels,
    "The number of kernels between the snapshot before and this one. Without it, as many as make all zones "
    "dirty that ever will be.",
    at_most(100'000));
  f("synchronised_gpus", c.synchronised_gpus,
    "The number of GPUs whose kernels have to end before the snapshot begins: those of a node, or of the "
    "machine. 1 leaves the time out, as the paper does.",
    within(1, 1'000'000));
  f("hint_interval", c.hint_interval,
    "For H without D: the time between two messages about what has been preserved.", within(1_ns, 1_s));
  f("gather_waiting", c.gather_waiting,
    "For H without D: whether the driver copies zones with waiting writes together. Without it, each is a "
    "transfer of its own.");
  f("gpu", c.gpu, "The device.");
  f("link", c.link, "The link between the GPUs and host memory.");
  f("system", c.system, "The machine of system_percent: a file in configs/systems.", names_file("systems"));
  f("exaflops", c.exaflops, "The speed of that machine.", within(1e-6, 1e4));
  f("gpu_failure_factor", c.gpu_failure_factor,
    "The factor by which its GPUs fail more often than the file says.", within(1e-6, 1e6));
  f.check([&] { return c.gpus_per_cpu <= c.link.lanes; }, "gpus_per_cpu",
          "is at most link.lanes, one for each GPU of the switch");
}

class GpuPoint final : public StudyPointOf<GpuStudy> {
 public:
  void prepare(const ConfigLibrary& library) override {
    std::string problem;
    if (!snapshot_config(config_.config, &problem))
      throw StudyMistake("config", "expected a way of lee2019 such as NB+I-FG+H+D, got \"" + config_.config +
                                       "\": " + problem);
    system_ = gpu_system(load_config<GpuSystemConfig>(library, "systems", config_.system), config_.exaflops,
                         config_.gpus_per_cpu, config_.gpu_failure_factor);
    run_ = {.gpu = config_.gpu,
            .link = config_.link,
            .how = *snapshot_config(config_.config),
            .gpus_per_cpu = config_.gpus_per_cpu,
            .hint_interval = config_.hint_interval,
            .gather_waiting = config_.gather_waiting,
            .synchronised_gpus = config_.synchronised_gpus,
            .interval_kernels = config_.interval_kernels};
    if (run_.how.fine) use_fine_zones();
    if (config_.trace.empty()) {
      profile_ = load_config<KernelProfile>(library, "kernel_profiles", config_.workload);
      footprint_ = profile_.footprint * config_.ranks;
      const double most = static_cast<double>(largest_by_itself.count());
      scale_ = config_.scale.value_or(std::min(1.0, most / static_cast<double>(footprint_.count())));
      run_.gpu = scaled(run_.gpu, scale_);
      profile_ = profile_.scaled(scale_).faster(config_.rate_factor);
    } else if (!std::ifstream(config_.trace)) {
      throw StudyFileMissing("trace", config_.trace.string() + ": cannot be opened");
    }
    check_gpu();
    try {
      const std::unique_ptr<KernelProgram> program = make_program();
      if (!config_.trace.empty()) footprint_ = program->footprint();
      if (program->footprint() > run_.gpu.memory)
        throw StudyMistake("gpu.memory", "the program uses " + to_text(program->footprint()) +
                                             ", expected a GPU that has them, got " +
                                             to_text(run_.gpu.memory));
    } catch (const TraceError& error) {
      throw StudyMistake("trace", error.what());
    }
  }

  std::vector<Cell> run(const std::stop_token& stop) override {
    const std::unique_ptr<KernelProgram> program = make_program();
    SnapshotRun run(run_, *program);
    const SnapshotRunResult result = run.run([&] { return stop.stop_requested(); });
    run.report(statistics_);
    return result.stopped ? empty_row("gpu") : row(result);
  }

  std::string detail() const override {
    nlohmann::ordered_json object;
    object["counters"] = json_of(statistics_);
    return object.dump();
  }

 private:
  void use_fine_zones() {
    run_.gpu.zone = config_.fine_zone;
    if (!std::has_single_bit(config_.fine_zone.count()) || config_.fine_zone < config_.gpu.interleave ||
        config_.fine_zone > config_.gpu.zone)
      throw StudyMistake("fine_zone", "expected a power of two from gpu.interleave to gpu.zone, got " +
                                          to_text(config_.fine_zone));
  }
  // The values of the file were checked when it was read; this checks them as changed by the sizes of zones
  // and the scale.
  void check_gpu() const {
    const auto problem = problem_of(run_.gpu);
    if (!problem) return;
    const bool is_scaled = problem->key == "l2" || problem->key == "buffer";
    std::string made = run_.how.fine ? ", with zones of " + to_text(run_.gpu.zone) + " (fine_zone)" : "";
    if (is_scaled && scale_ != 1) made += fmt::format(", at a scale of {:.3g}", scale_);
    throw StudyMistake(
        "gpu." + std::string(problem->key),
        "expected a value that " + std::string(problem->rule) + ", got " + problem->got + made);
  }
  std::unique_ptr<KernelProgram> make_program() const {
    if (config_.trace.empty()) return make_ranks();
    return std::make_unique<KernelTrace>(std::make_unique<std::ifstream>(config_.trace, std::ios::binary),
                                         config_.trace.string(), run_.gpu);
  }
  std::unique_ptr<KernelProgram> make_ranks() const {
    if (config_.ranks == 1) return std::make_unique<ProfileKernels>(profile_, run_.gpu);
    std::vector<std::unique_ptr<KernelProgram>> ranks(config_.ranks);
    for (auto& rank : ranks) rank = std::make_unique<ProfileKernels>(profile_, run_.gpu);
    return std::make_unique<KernelRanks>(std::move(ranks), run_.gpu.zone * run_.gpu.channels);
  }
  std::vector<Cell> row(const SnapshotRunResult& result) const;
  // The efficiency (work over time) of the machine if its programs use this share of the GPUs' memory.
  double system_percent(double relative, double volume, double footprint) const {
    return 100 * first_order_efficiency(levels_of(
                     system_, {.footprint = footprint, .memory_speedup = 1 / relative, .volume = volume}));
  }

  GpuSystem system_;
  SnapshotRunConfig run_;
  KernelProfile profile_;
  Bytes footprint_{};  // before scaling
  double scale_ = 1;
  Statistics statistics_;
};

double kibibytes(Bytes size) { return number(size.count()) / 1024; }

Cell hit_percent(const ZoneMonitor::Lookups& lookups) {
  const std::uint64_t all = lookups.hits + lookups.misses;
  return all == 0 ? Cell() : Cell(100 * number(lookups.hits) / number(all));
}

// The cells have the order of the columns.
std::vector<Cell> GpuPoint::row(const SnapshotRunResult& result) const {
  const GpuConfig& gpu = run_.gpu;
  const bool done = !result.failure;
  const auto when = [](bool known, Cell value) { return known ? std::move(value) : Cell(); };
  const double relative = milliseconds(result.lost.all()) / milliseconds(result.full);
  const double share = done ? number(result.zones) / number(result.zones_in_use) : 0;
  const Bytes table =
      ZoneMonitor(gpu.monitor, gpu.zones_per_channel()).table_size() * gpu.channels * config_.ranks;
  return {
      when(done, relative),
      when(done, milliseconds(result.lost.all())),
      milliseconds(result.full),
      when(done, milliseconds(result.lost.waited)),
      when(done, milliseconds(result.taken)),
      when(done, 100 * share),
      when(done, result.transfers),
      when(done, result.duplicates),
      hit_percent(result.previous),
      std::string(done ? "ok" : "failed"),
      when(done, milliseconds(result.lost.stopped)),
      when(done, milliseconds(result.lost.synchronised)),
      when(done, milliseconds(result.lost.bandwidth)),
      when(done, number(result.to_host.count()) / 1e6),
      when(done, std::uint64_t{result.zones}),
      when(done, result.waits),
      when(done, result.stalls),
      hit_percent(result.next),
      when(done, milliseconds(result.iteration)),
      when(done, result.kernels),
      kibibytes(footprint_) / 1024,
      scale_,
      kibibytes(table),
      kibibytes(gpu.monitor.cache * gpu.channels),
      when(done, system_percent(relative, share, 1)),
      when(done, system_percent(relative, share, number(footprint_.count()) / number(gpu.memory.count())))};
}

const RegisteredStudy gpu_study{
    {.name = "gpu",
     .meaning = "What a snapshot of a GPU costs the program on it, by the way in which the snapshot is taken",
     .coordinates = {"workload", "config", "gpus_per_cpu"},
     .columns = {{"relative", "relative", "",
                  "The time that the program loses, over that of a full snapshot that blocks it", 4},
                 {"lost_ms", "lost", "ms", "The time that the program loses: stopped, waiting, and bandwidth",
                  3},
                 {"full_ms", "full", "ms", "The time of a full snapshot that blocks the program", 3},
                 {"waited_ms", "waited", "ms",
                  "The part of lost_ms in kernels whose writes wait for their zones", 3},
                 {"taken_ms", "taken", "ms", "The time until the snapshot is in host memory", 3},
                 {"volume_percent", "volume", "%", "The share of the zones in use that are copied", 1},
                 {"transfers", "transfers", "", "Transfers to host memory"},
                 {"duplicates", "copies", "", "Zones copied in the device because a write waited"},
                 {"previous_hit_percent", "hits", "%",
                  "Zone-table cache: lookups of zones that are not preserved yet", 2},
                 {"state", "state", "", "ok; failed: a write waited longer than gpu.watchdog"},
                 {"stopped_ms", "", "ms", "The part of lost_ms in which no kernel may run"},
                 {"synchronised_ms", "", "ms",
                  "The part of lost_ms in which the GPU is idle until the others' kernels have ended"},
                 {"bandwidth_ms", "", "ms",
                  "The part of lost_ms in which copies take the channels from kernels"},
                 {"to_host_mb", "", "MB", "The size of the zones that are copied"},
                 {"zones", "", "", "Zones that are copied"},
                 {"waits", "", "", "Zones for which writes have waited"},
                 {"stalls", "", "", "Checks of writes that had to wait"},
                 {"next_hit_percent", "", "%", "Zone-table cache: zones noted for the next increment"},
                 {"iteration_ms", "", "ms", "The time of an iteration of the program without a snapshot"},
                 {"kernels", "", "", "Kernels simulated while the snapshot was taken"},
                 {"footprint_mib", "", "MiB", "The footprint of the workload, all ranks, not scaled"},
                 {"scale", "", "", "The share of the footprint that is simulated"},
                 {"table_kib", "", "KiB", "The zone tables in device memory, all channels and ranks"},
                 {"cache_kib", "", "KiB", "Zone-table caches, all channels, without tags"},
                 {"system_percent", "", "%",
                  "Work over time of the machine if programs use all memory, to first order"},
                 {"system_own_percent", "", "%",
                  "Work over time of the machine if programs use the footprint of the workload"}},
     .x = "gpus_per_cpu",
     .y = "relative",
     .x_key = "gpus_per_cpu",
     .state = "state",
     .x_label = "GPUs for a CPU",
     .bars = {"relative"},
     .make = make_study_point<GpuPoint>}};

}  // namespace
}  // namespace asterism
