// A GPU-dense machine, from its parts: counts, bandwidths and failure rates at any size and density, and the
// cost of a checkpoint of the memory of all its GPUs on three levels.
//
// Levels: host memory over PCIe survives the failure of a GPU or a CPU, the disk of the node that of a node,
// and the parallel file system all failures. A checkpoint goes to each level at the bandwidth of all nodes
// together and is read at the same bandwidth.
//
// Sources: lee2019 Tables 1 and 2, sections 5.2 and 5.3. The default is configs/systems/coral_summit.json,
// which says what of it is fitted.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "resilience/checkpoint_levels.h"

namespace asterism {

class Fields;

struct GpuSystemConfig {
  double gpu_teraflops = 7.8125;
  double cpu_teraflops = 0.384;
  std::uint32_t cpus_per_node = 2;
  std::uint32_t nodes_per_cabinet = 18;
  Bytes gpu_memory = Bytes(32'000'000'000);
  Bandwidth gpu_bandwidth = 4096_GBps;  // of its memory
  Bandwidth cpu_bandwidth = 170_GBps;
  Bandwidth cpu_link = 64_GBps;  // of all lanes of a CPU
  Bandwidth gpu_link = 8_GBps;   // the maximum that one GPU gets of them
  Bandwidth node_disk = 2150_MBps;

  Bandwidth file_system = 2500_GBps;  // of a machine of file_system_petaflops
  double file_system_petaflops = 192.2;
  double file_system_growth = 1.3;  // the factor for each doubling of the machine

  // Failures per second. A CPU has cpu_failures + cpu_failures_density * (GPUs for each CPU)^(1/4).
  double gpu_failures = 1.139e-9;
  double cpu_failures = 2.1595e-10;
  double cpu_failures_density = 5.05e-11;
  double node_failures = 1.4434e-10;
  double system_failures = 1.77e-7;  // of the whole machine, at any size

  bool operator==(const GpuSystemConfig&) const = default;
};
void describe(Fields& f, GpuSystemConfig& config);

struct GpuSystem {
  std::uint64_t gpus = 0, cpus = 0, nodes = 0, cabinets = 0;
  double memory_gb = 0;  // of all GPUs
  // GB/s of all together.
  double gpu_gbps = 0, cpu_gbps = 0, link_gbps = 0, disk_gbps = 0, file_system_gbps = 0;
  // GB/s of the lanes of one CPU, and the maximum of one GPU.
  double cpu_link_gbps = 0, gpu_link_gbps = 0;
  double petaflops = 0;  // of GPUs and CPUs
  Rate gpu_failures, cpu_failures, node_failures, system_failures;

  Rate failures() const { return gpu_failures + cpu_failures + node_failures + system_failures; }
};

// The machine whose GPUs have `exaflops`, in whole nodes. CPUs count for the file system only, as in Table 1.
// GPUs fail `gpu_failure_factor` times as often.
GpuSystem gpu_system(const GpuSystemConfig& config, double exaflops, std::uint32_t gpus_per_cpu,
                     double gpu_failure_factor = 1);

// How a way of taking snapshots changes the cost of a full, blocking checkpoint.
struct SnapshotCost {
  double footprint = 1;       // share of the GPUs' memory that programs use
  double memory_speedup = 1;  // the program's wait for the copy in host memory is divided by this
  double volume = 1;          // share of the footprint that is then written to disk and file system
  bool ideal_memory = false;  // host memory is written in no time
  bool ideal_disk = false;
  bool ideal_reads = true;  // ideal levels are read in no time, too
  // After the failure of a GPU the others read back only `volume` of their footprint: the zones that they
  // have written to since the checkpoint, which their zone tables know.
  bool selective_restore = false;
};
void describe(Fields& f, SnapshotCost& cost);

// A restart reads the whole footprint, however the checkpoint was written, unless it is selective. Then the
// GPU that failed is behind the switch of its CPU with others that read less, and is bounded by its own link
// or by the lanes of the CPU. A CPU fails with all of its GPUs; the restart of the first level is the mean of
// both failures.
std::vector<CheckpointLevel> levels_of(const GpuSystem& system, const SnapshotCost& cost);

}  // namespace asterism
