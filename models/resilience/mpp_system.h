// A massively parallel machine between a petaflops of 2008 and an exaflops of 2017, and the cost of local and
// global checkpoints on it in four ways. dong2011 sections 6.1 and 6.2, Tables XI and XII.
//
// Section 6.2 gives 2008 and 2017 as the years of the two machines, and scales all values between them
// "according to the time frame". It says neither when machines of other speeds come nor on which line each
// value grows. Both are fitted to Table XIV's columns of 10 and 100 petaflops: these machines come in 2010
// and 2014, and between the four years the speed grows by the same factor each year; sockets and network
// grow by the same amount each year, everything else by the same factor. With whole years this is within
// 12% of all seven overheads. If 10 petaflops came in 2011, no choice of lines would be nearer than 39%. A
// checkpoint is a share of the memory of each socket.
//
//   way          local checkpoint                     global checkpoint
//   pure_hdd     none                                 disks behind the I/O nodes
//   dimm_hdd     the node's PCRAM DIMMs               disks behind the I/O nodes
//   dimm_dimm    the node's PCRAM DIMMs               those of a neighbour, over the network
//   pcram_3d     PCRAM on the node's DRAM             that of a neighbour, over the network
//
// Checkpoints to disks are those of the compute nodes, 15 of 16 nodes, at the bandwidth of the file system;
// all other checkpoints are taken by every socket at its own bandwidth. Coordination takes 1 ms each time. A
// recovery reads the checkpoint and boots the node. The paper does not say how long that takes; 12 s at a
// petaflops (DIMM+DIMM and 3D+3D) and 0.9 s at an exaflops (3D+3D) are fitted to its Table XIV.
#pragma once

#include <array>

#include "base/enum_names.h"
#include "base/units.h"
#include "resilience/failure_causes.h"
#include "resilience/local_global.h"

namespace asterism {

class Fields;

enum class CheckpointMedia { pure_hdd, dimm_hdd, dimm_dimm, pcram_3d };
constexpr auto enum_names(CheckpointMedia) {
  return std::to_array<EnumName<CheckpointMedia>>(
      {{CheckpointMedia::pure_hdd, "pure_hdd", "disks only, all global"},
       {CheckpointMedia::dimm_hdd, "dimm_hdd", "PCRAM DIMMs in the node, disks beyond it"},
       {CheckpointMedia::dimm_dimm, "dimm_dimm", "PCRAM DIMMs in the node and in its neighbour"},
       {CheckpointMedia::pcram_3d, "pcram_3d", "PCRAM stacked on DRAM in the node and in its neighbour"}});
}

enum class Growth { geometric, linear };
constexpr auto enum_names(Growth) {
  return std::to_array<EnumName<Growth>>({{Growth::geometric, "geometric", "by the same factor each year"},
                                          {Growth::linear, "linear", "by the same amount each year"}});
}

// One column of Table XII; the default is the petaflops machine.
struct MppSpecification {
  double sockets = 20'000;
  double memory_gb = 4;           // of a socket
  double pcram_gbps = 10;         // GB/s of a socket's PCRAM DIMMs
  double network_gbps = 3.5;      // GB/s of a socket
  double file_system_gbps = 220;  // GB/s of the machine
  double soft_errors = 1;         // over those of a petaflops machine, a socket
  double reboot_s = 12;           // free: fitted to Table XIV
};
void describe(Fields& f, MppSpecification& specification);

constexpr MppSpecification exaflops_specification{.sockets = 100'000,
                                                  .memory_gb = 210,
                                                  .pcram_gbps = 32,
                                                  .network_gbps = 400,
                                                  .file_system_gbps = 1600,
                                                  .soft_errors = 32,
                                                  .reboot_s = 0.9};

struct MppSystemConfig {
  MppSpecification petaflops = {}, exaflops = exaflops_specification;
  FailureCauses causes = {};
  double socket_mttf_years = 5;  // of 365 days, at a petaflops
  double soft_errors_2004 = 4;   // of a petaflops machine of 2008, over those that the causes were counted at
  double year_of_10_petaflops = 2010, year_of_100_petaflops = 2014;
  Growth sockets = Growth::linear, network = Growth::linear, file_system = Growth::geometric;
  double compute_share = 0.9375;  // of all nodes: 15 to an I/O node
  double stack_copy_s = 0.0008;   // of PCRAM on DRAM, whatever its size
  double coordination_s = 0.001;  // of each checkpoint
};
void describe(Fields& f, MppSystemConfig& config);

struct MppSystem {
  MppSpecification specification;
  Seconds mttf;
  double locally_recoverable = 0;  // q_L
  double degradation = 0;          // MTTF of the petaflops machine over this one's
};

// When machines are that fast. Before 2008 and after 2017 the speed grows as next to it.
double year_of(const MppSystemConfig& config, double petaflops);

// Throws std::invalid_argument if a value that grows or falls by the same amount each year is then no more
// than 0, as the network's bandwidth is at half a petaflops.
MppSystem mpp_system(const MppSystemConfig& config, double petaflops);

// The costs of a full checkpoint if programs use a share `memory_usage` of each socket's memory, and the
// checkpoint holds a share `volume` of that.
LocalGlobalCheckpoint checkpoint_of(const MppSystemConfig& config, const MppSystem& system,
                                    CheckpointMedia media, double memory_usage, double volume = 1);

}  // namespace asterism
