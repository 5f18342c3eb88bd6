// The machine's network in SimGrid, and the transfers of checkpoints over it.
//
// What is aggregated. One SimGrid host stands for all nodes of a switch, one flow for what they all send: with buddies
// in one other switch and each node sending the same, the flows of a switch's nodes share every link on their way, and under
// max-min fairness, SimGrid's model, they then end together, as one flow of the sum does. So a machine of 100,000 nodes in switches
// of 64 has 1,563 flows in an exchange, and what is lost is only what happens below a switch. Links between two
// switches are bundles taken as one; minimal routes, no adaptive ones.
//
//   switch s:  copies, drain, restore  --- limit of the node x nodes ---+
//              one                     --- limit of one node, each ----+--- nodes' links --- router --- topology
//              server (of some)        --- file system / servers ------------------------------+
//
// The limits are what a node by itself reaches (ClusterSetup): a transfer that finds the network idle takes that long
// and the latency of its way, another one longer. Nodes that spares have replaced stay where they were for the flows of
// their switch. SimGrid: model CM02 (max-min fairness, no TCP: bandwidth and latency as given), without cross traffic.
//
// One a process: SimGrid's engine is a singleton.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "cluster_scale/cluster_setup.h"

namespace asterism {

enum class TransferKind {
  copies,   // every node its state to its buddy
  drain,    // every node its state to the file system
  restore,  // every node its state from there
};

// Flows under way together. Destroyed, those that have not ended are ended.
class Transfer {
 public:
  virtual ~Transfer() = default;
  virtual bool done() const = 0;
  virtual double bytes_moved() const = 0;
};

class ClusterNetwork {
 public:
  // Builds the platform; its engine runs afterwards.
  explicit ClusterNetwork(const ClusterSetup& setup);
  ~ClusterNetwork();
  ClusterNetwork(const ClusterNetwork&) = delete;
  ClusterNetwork& operator=(const ClusterNetwork&) = delete;

  // Runs `conductor` as SimGrid's actor until it returns. Once.
  void run(const std::function<void()>& conductor);

  // What follows is for the conductor.
  static Seconds now();
  // Until then, or until a transfer has ended (not one that was destroyed).
  void wait_until(Seconds time);
  std::unique_ptr<Transfer> start(TransferKind kind);
  // So many copies of one node's state from its buddy, to it or to the spare that takes its place: at the rate at which
  // buddies get copies, or at that of a restart.
  std::unique_ptr<Transfer> send_copies(std::uint32_t node, unsigned copies);
  std::unique_ptr<Transfer> restart(std::uint32_t node, bool on_spare);

 private:
  struct Platform;
  std::unique_ptr<Platform> platform_;
};

}  // namespace asterism
