// A machine dense in GPUs, from its parts: counts, bandwidths and failure rates at any size and density, and
// what a checkpoint of all of its GPUs' memory costs on three levels.
//
// Levels: host memory over PCIe survives the failure of a GPU or a CPU, the node's disk that of a node, the
// parallel file system all. A checkpoint goes to each of them at the bandwidth of all nodes together; it is
// read again at the same.
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
  Bandwidth gpu_link = 8_GBps;   // the most that one GPU gets of them
  Bandwidth node_disk = 2150_MBps;

  Bandwidth file_system = 2500_GBps;  // of a machine of file_system_petaflops
  double file_system_petaflops = 192.2;
  double file_system_growth = 1.3;  // by doubling of the machine

  // Failures a second. A CPU has cpu_failures + cpu_failures_density * (GPUs for each CPU)^(1/4).
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
  Rate gpu_failures, cpu_failures, node_failures, system_failures;

  Rate failures() const { return gpu_failures + cpu_failures + node_failures + system_failures; }
};

// As many GPUs as have so many exaflops, in whole nodes; CPUs count for the file system only, as in Table 1.
// `gpu_failure_factor` makes GPUs fail so much more often.
GpuSystem gpu_system(const GpuSystemConfig& config, double exaflops, std::uint32_t gpus_per_cpu,
                     double gpu_failure_factor = 1);

// What a way of taking snapshots makes of a full, blocking checkpoint.
struct SnapshotCost {
  double footprint = 1;       // share of the GPUs' memory that programs use
  double memory_speedup = 1;  // so much shorter is what the program waits for the copy in host memory
  double volume = 1;          // share of the footprint that goes on to disk and file system
  bool ideal_memory = false;  // host memory is written and read in no time
  bool ideal_disk = false;
};
void describe(Fields& f, SnapshotCost& cost);

// Restarts read the whole footprint, however the checkpoint was written.
std::vector<CheckpointLevel> levels_of(const GpuSystem& system, const SnapshotCost& cost);

}  // namespace asterism
