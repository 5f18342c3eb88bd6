// The configuration of a cluster: nodes that compute one program and hold each other's checkpoints.
//
// Nodes are numbered in this order: ranks with firmware, ranks on traffic nodes (which only generate the
// traffic of such a rank), spares with firmware, traffic spares, and the global store if there is one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/enum_names.h"
#include "base/units.h"
#include "cluster/network.h"

namespace asterism {

class Fields;

enum class CheckpointProtocol : std::uint8_t { blocking, semi_blocking };
constexpr auto enum_names(CheckpointProtocol) {
  return std::to_array<EnumName<CheckpointProtocol>>(
      {{CheckpointProtocol::blocking, "blocking", "the program stalls until every buddy holds its copy"},
       {CheckpointProtocol::semi_blocking, "semi_blocking",
        "the program resumes when the local copy is made; the buddy's copy follows in the background"}});
}

// Where a node keeps its own copy and that of the rank it protects (its left neighbour, whose buddy it is);
// ni2012, section 4.4.
enum class CopyPlacement : std::uint8_t { memory, half_ssd, full_ssd };
constexpr auto enum_names(CopyPlacement) {
  return std::to_array<EnumName<CopyPlacement>>(
      {{CopyPlacement::memory, "memory", "both copies are in memory"},
       {CopyPlacement::half_ssd, "half_ssd",
        "the node's own copy is in memory, its protected rank's on the SSD"},
       {CopyPlacement::full_ssd, "full_ssd", "both copies are on the SSD"}});
}

// What the ranks compute.
enum class ClusterProgramKind : std::uint8_t { ring, firmware, independent };
constexpr auto enum_names(ClusterProgramKind) {
  return std::to_array<EnumName<ClusterProgramKind>>(
      {{ClusterProgramKind::ring, "ring", "the ring of words, whose result the platform checks"},
       {ClusterProgramKind::firmware, "firmware",
        "the firmware's own program: all ranks are whole nodes, and a result once reported is final"},
       {ClusterProgramKind::independent, "independent",
        "none in common, such as Linux on each node: the run ends when all nodes have ended"}});
}

struct ClusterCheckpointConfig {
  CheckpointProtocol protocol = CheckpointProtocol::semi_blocking;
  std::uint64_t interval = 10;  // steps
  CopyPlacement placement = CopyPlacement::memory;
  std::uint32_t global_every = 0;
  Picoseconds overlap;  // 0: the network's tickets are not changed
  bool restart_from_beginning = true;
};
void describe(Fields& f, ClusterCheckpointConfig& config);

// The link alone limits the speed of the global store.
struct ClusterStorageConfig {
  Bandwidth bandwidth = Bandwidth(1'000'000'000);
};
void describe(Fields& f, ClusterStorageConfig& config);

// The program is that of ring_program.h, unless `kind` is another: then the other members have no effect.
// Times and bandwidths are those of traffic nodes; nodes with firmware have their own.
struct ClusterProgramConfig {
  ClusterProgramKind kind = ClusterProgramKind::ring;
  std::uint64_t words = 4096;  // in a rank's state, 8 bytes each
  std::uint64_t steps = 100;
  Picoseconds step_time = Picoseconds(100'000'000);
  std::uint32_t messages = 0;  // per step and rank, in addition to the two halos
  Bytes message_size = Bytes(1024);
  std::uint32_t parts = 0;  // of a step, in which messages are sent and awaited; 0: nobody waits for them
  double jitter = 0;        // of the time that a part computes, to either side
  Bytes memory = Bytes(std::uint64_t{64} << 20);  // in a traffic node
  Bytes ssd = Bytes(std::uint64_t{256} << 20);
  Bandwidth memory_bandwidth = Bandwidth(10'000'000'000);  // of a copy from memory to memory
  Bandwidth ssd_write = Bandwidth(500'000'000);
  Bandwidth ssd_read = Bandwidth(1'000'000'000);

  Bytes state() const { return Bytes(words * 8); }
};
void describe(Fields& f, ClusterProgramConfig& config);

struct ClusterConfig {
  static constexpr std::uint32_t max_nodes = 64;

  std::uint32_t nodes = 0;  // ranks; 0: no cluster
  std::uint32_t spares = 1;
  std::uint32_t firmware_nodes = 0;
  std::uint32_t firmware_spares = 0;
  std::string nic = "nic";  // the device of a whole node that is on the network
  NetworkConfig network = {};
  Picoseconds detection = Picoseconds(1'000'000'000);
  ClusterStorageConfig storage = {};
  ClusterCheckpointConfig checkpoint = {};
  ClusterProgramConfig program = {};

  NodeNumber first_firmware_spare() const { return nodes; }
  NodeNumber first_spare() const { return nodes + firmware_spares; }
  bool is_ring() const { return program.kind == ClusterProgramKind::ring; }
  bool is_independent() const { return program.kind == ClusterProgramKind::independent; }
  bool has_storage() const { return checkpoint.global_every != 0; }
  NodeNumber storage_node() const { return first_spare() + spares; }  // when there is one
  NodeNumber node_count() const { return storage_node() + (has_storage() ? 1 : 0); }
  bool is_firmware(NodeNumber node) const {
    return node < firmware_nodes || (node >= first_firmware_spare() && node < first_spare());
  }
  // Whether the ranks also send this version to the global store.
  bool is_global(std::uint64_t version) const {
    return has_storage() && version != 0 && version / checkpoint.interval % checkpoint.global_every == 0;
  }
};
void describe(Fields& f, ClusterConfig& config);

// The first rule that a configuration breaks; nullopt if it breaks none or has no cluster. This is for a
// configuration that was not read from a document, or was changed since; describe() checks the same rules.
struct ClusterProblem {
  std::string_view key;
  std::string_view rule;  // follows "a value that"
};
std::optional<ClusterProblem> find_problem(const ClusterConfig& config);

}  // namespace asterism
