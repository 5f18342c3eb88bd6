#include "resilience/gpu_system.h"

#include <algorithm>
#include <cmath>

#include "base/fields.h"
#include "base/file_kind.h"

namespace asterism {

static_assert(member_count<GpuSystemConfig>() == 18);
void describe(Fields& f, GpuSystemConfig& c) {
  f.sourced();
  f("gpu_teraflops", c.gpu_teraflops, "The speed of a GPU. A machine of faster GPUs has fewer of them.",
    within(0.001, 1e6));
  f("cpu_teraflops", c.cpu_teraflops,
    "The speed of a CPU. It counts only for the growth of the file system with the machine.",
    within(0.0, 1e6));
  f("cpus_per_node", c.cpus_per_node,
    "The number of CPUs of a node. They share a disk and fail together with their node.", within(1, 64));
  f("nodes_per_cabinet", c.nodes_per_cabinet,
    "The number of nodes of a cabinet. Only the number of cabinets depends on it.", within(1, 1024));
  f("gpu_memory", c.gpu_memory, "The memory of a GPU, which a checkpoint holds.", within(1_MiB, 1_TiB));
  f("gpu_bandwidth", c.gpu_bandwidth,
    "The bandwidth of a GPU's memory. It is reported, and no model uses it.", within(1_GBps, 1'000'000_GBps));
  f("cpu_bandwidth", c.cpu_bandwidth,
    "The bandwidth of a CPU's memory. It is reported, and no model uses it.", within(1_GBps, 1'000'000_GBps));
  f("cpu_link", c.cpu_link,
    "The bandwidth of the PCIe lanes of a CPU, which its GPUs share. It bounds the checkpoint into host "
    "memory of a dense node.",
    within(1_MBps, 1'000'000_GBps));
  f("gpu_link", c.gpu_link,
    "The highest bandwidth that one GPU gets of these lanes. It bounds the checkpoint of a sparse node.",
    within(1_MBps, 1'000'000_GBps));
  f("node_disk", c.node_disk,
    "The bandwidth of the disk of a node, whatever its GPUs. It bounds the checkpoint on disk.",
    within(1_MBps, 1'000'000_GBps));
  f("file_system", c.file_system, "The bandwidth of the file system of a machine of file_system_petaflops.",
    within(1_MBps, 1'000'000'000_GBps));
  f("file_system_petaflops", c.file_system_petaflops,
    "The speed of the machine whose file system has that bandwidth. Larger machines have more.",
    within(0.001, 1e9));
  f("file_system_growth", c.file_system_growth,
    "The factor of that bandwidth when the size of the machine doubles.", within(1.0, 2.0));
  f("gpu_failures", c.gpu_failures, "The failures of a GPU a second.", within(1e-18, 1.0));
  f("cpu_failures", c.cpu_failures, "The failures of a CPU a second, without what its GPUs add.",
    within(0.0, 1.0));
  f("cpu_failures_density", c.cpu_failures_density,
    "The failures of a CPU a second that its GPUs add, times the fourth root of their number.",
    within(0.0, 1.0));
  f("node_failures", c.node_failures, "The failures of a node a second. They need the disk of another node.",
    within(1e-18, 1.0));
  f("system_failures", c.system_failures,
    "The failures of the machine as a whole a second. They need the file system.", within(1e-18, 1.0));
}
const RegisteredFileKind<GpuSystemConfig> system_files{
    "system", "systems", "Asterism system", {"gpu_teraflops"}};

static_assert(member_count<SnapshotCost>() == 7);
void describe(Fields& f, SnapshotCost& c) {
  f("footprint", c.footprint, "The share of the GPUs' memory in use, which a full checkpoint holds.",
    within(1e-6, 1.0));
  f("memory_speedup", c.memory_speedup,
    "The factor by which the program waits shorter for a snapshot in host memory than for a full, blocking "
    "one.",
    within(1.0, 1e6));
  f("volume", c.volume, "The share of the footprint that is moved on to disk and file system.",
    within(1e-6, 1.0));
  f("ideal_memory", c.ideal_memory, "Whether host memory is written in no time.");
  f("ideal_disk", c.ideal_disk, "Whether the disks of the nodes are written in no time.");
  f("ideal_reads", c.ideal_reads,
    "Whether levels that are written in no time are read in no time, too. Otherwise a restart from them "
    "takes as long as without ideal_memory and ideal_disk.");
  f("selective_restore", c.selective_restore,
    "Whether GPUs that did not fail read back only `volume` of their footprint after the failure of another "
    "one: the zones written since the checkpoint. Checkpoints on disk and file system are read as a whole.");
}
namespace {

double gbps(Bandwidth bandwidth) { return static_cast<double>(bandwidth.count()) / 1e9; }

std::uint64_t whole(double count) { return static_cast<std::uint64_t>(std::ceil(count * (1 - 1e-12))); }

}  // namespace

GpuSystem gpu_system(const GpuSystemConfig& c, double exaflops, std::uint32_t gpus_per_cpu,
                     double gpu_failure_factor) {
  GpuSystem s;
  s.nodes =
      std::max<std::uint64_t>(1, whole(exaflops * 1e6 / c.gpu_teraflops / gpus_per_cpu / c.cpus_per_node));
  s.cpus = s.nodes * c.cpus_per_node;
  s.gpus = s.cpus * gpus_per_cpu;
  s.cabinets = (s.nodes + c.nodes_per_cabinet - 1) / c.nodes_per_cabinet;
  const auto gpus = static_cast<double>(s.gpus), cpus = static_cast<double>(s.cpus),
             nodes = static_cast<double>(s.nodes);

  s.memory_gb = gpus * static_cast<double>(c.gpu_memory.count()) / 1e9;
  s.gpu_gbps = gpus * gbps(c.gpu_bandwidth);
  s.cpu_gbps = cpus * gbps(c.cpu_bandwidth);
  s.link_gbps = std::min(cpus * gbps(c.cpu_link), gpus * gbps(c.gpu_link));
  s.disk_gbps = nodes * gbps(c.node_disk);
  s.cpu_link_gbps = gbps(c.cpu_link);
  s.gpu_link_gbps = std::min(gbps(c.gpu_link), s.cpu_link_gbps);
  s.petaflops = (gpus * c.gpu_teraflops + cpus * c.cpu_teraflops) / 1e3;
  s.file_system_gbps =
      gbps(c.file_system) * std::pow(c.file_system_growth, std::log2(s.petaflops / c.file_system_petaflops));

  s.gpu_failures = Rate(gpus * c.gpu_failures * gpu_failure_factor);
  s.cpu_failures = Rate(cpus * (c.cpu_failures + c.cpu_failures_density * std::pow(gpus_per_cpu, 0.25)));
  s.node_failures = Rate(nodes * c.node_failures);
  s.system_failures = Rate(c.system_failures);
  return s;
}

namespace {

// Of the first level, if all zones of the GPU that failed are read and only some of the others'.
Seconds selective_restart(const GpuSystem& s, const SnapshotCost& cost, Seconds full) {
  const double gpus = static_cast<double>(s.gpus) / static_cast<double>(s.cpus);
  const double gigabytes = s.memory_gb / static_cast<double>(s.gpus) * cost.footprint;
  const double of_switch = gigabytes * (1 + (gpus - 1) * cost.volume) / s.cpu_link_gbps;
  const Seconds of_gpu(std::max(gigabytes / s.gpu_link_gbps, of_switch));
  const double share = s.gpu_failures / (s.gpu_failures + s.cpu_failures);
  return of_gpu * share + full * (1 - share);
}

}  // namespace

std::vector<CheckpointLevel> levels_of(const GpuSystem& s, const SnapshotCost& cost) {
  const double gigabytes = s.memory_gb * cost.footprint;
  const auto level = [&](Rate failures, double gbps, double share, bool ideal) {
    const Seconds full(gigabytes / gbps), none;
    return CheckpointLevel{failures, ideal ? none : full * share, ideal && cost.ideal_reads ? none : full};
  };
  std::vector<CheckpointLevel> levels = {
      level(s.gpu_failures + s.cpu_failures, s.link_gbps, 1 / cost.memory_speedup, cost.ideal_memory),
      level(s.node_failures, s.disk_gbps, cost.volume, cost.ideal_disk),
      level(s.system_failures, s.file_system_gbps, cost.volume, false)};
  if (cost.selective_restore && !(cost.ideal_memory && cost.ideal_reads))
    levels[0].restart = selective_restart(s, cost, levels[0].restart);
  return levels;
}

}  // namespace asterism
