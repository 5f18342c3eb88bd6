// The machine's network in SimGrid, and the transfers of checkpoints over it.
//
// Aggregation: one SimGrid host stands for all nodes of a switch, and one flow for all that they send. With
// buddies in one other switch and each node sending the same amount, the flows of a switch's nodes share
// every link on their way. Under max-min fairness, SimGrid's model, they then end together, as one flow of
// the sum does. So a machine of 100,000 nodes in switches of 64 has 1,563 flows in an exchange, and only what
// happens below a switch is lost. The links between two switches are bundles taken as one. Routes are
// minimal, not adaptive.
//
//   switch s:  copies, drain, restore  - limit of the node x nodes -+
//              one                     - limit of one node, each ---+- nodes' links -+- router - topology
//              server (of some)        - file system / servers ----------------------+
//
// The limits are the rates that a node reaches by itself (ClusterSetup): a transfer in an idle network takes
// the time that its limit gives plus the latency of its route; any other takes longer. For the flows of a
// switch, nodes that spares have replaced stay where they were. The SimGrid model is CM02 (max-min fairness,
// no TCP: bandwidth and latency as given), without cross traffic.
//
// There is one network in a process, since SimGrid's engine is a singleton.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "cluster_scale/cluster_setup.h"

namespace asterism {

enum class TransferKind {
  copies,   // every node sends its state to its buddy, or to all who hold its copies
  drain,    // every node sends its state to the file system
  restore,  // every node receives its state from there
};

// Flows that are under way together. The destructor ends those that have not ended.
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

  // Runs `conductor` as an actor of SimGrid until it returns. May be called once.
  void run(const std::function<void()>& conductor);

  // The functions that follow are for the conductor.
  static Seconds now();
  // Waits until `time`, or until a transfer has ended that was not destroyed.
  void wait_until(Seconds time);
  std::unique_ptr<Transfer> start(TransferKind kind);
  // Sends copies of one node's state from its buddy to the node, at the rate of copies to buddies.
  std::unique_ptr<Transfer> send_copies(std::uint32_t node, unsigned copies);
  // Sends a node's state from `source` to the node or to the spare that takes its place, at the rate of a
  // restart.
  std::unique_ptr<Transfer> restart(std::uint32_t node, std::uint32_t source, bool on_spare);

 private:
  struct Platform;
  std::unique_ptr<Platform> platform_;
};

}  // namespace asterism
