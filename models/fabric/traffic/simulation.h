// One point of a study: a fabric under a traffic, from cold.
//
// The traffic runs from time 0 on. Packets created during `measure`, which begins after `warm_up`, are measured; the
// traffic goes on while they drain, so that the last ones meet the same load as the first, until all have arrived or
// `drain` is over. Loads are those of the measuring window alone. Nothing is aborted: a run that shows no steady
// state says so, with the reason.
//
// A source that ends (a trace) is measured up to the delivery of its last packet, or to the end of the window when
// that comes first.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/units.h"
#include "fabric/network/flit_network.h"
#include "fabric/traffic/latency_histogram.h"
#include "fabric/traffic/traffic.h"

namespace asterism {

class Fields;

// A run has converged when, in the measuring window,
//   - the packets delivered fall short of those created by no more than `shortfall`,
//   - the mean latency of the packets created in its second half differs from the first half's by no more than
//     `drift`, and
//   - all measured packets were delivered by the end of `drain`.
// A difference that chance explains (three standard deviations) is none.
struct ConvergenceConfig {
  double shortfall = 0.02;
  double drift = 0.05;
};
void describe(Fields& f, ConvergenceConfig& config);

struct SimulationConfig {
  std::uint64_t seed = 1;
  Picoseconds warm_up = 2_us;
  Picoseconds measure = 5_us;
  Picoseconds drain = 20_us;    // at most
  bool drain_saturated = true;  // false: not when the window already shows a shortfall
  ConvergenceConfig convergence = {};
  std::vector<std::string> gated = {};  // names of routers that are gated from the start
  std::filesystem::path record = {};    // takes a DeliveryRecord of all packets (trace.h); must not exist yet
};
void describe(Fields& f, SimulationConfig& config);

struct SimulationResult {
  bool converged = false;
  std::string reason;     // why not; "" when converged
  bool stopped = false;   // by SimulationControl::stop
  bool keeps_up = false;  // the first rule of ConvergenceConfig alone holds: below saturation

  // Packets a node, per ns and per cycle of the node's router's clock.
  struct Rate {
    double per_ns = 0, per_cycle = 0;
  };
  double rate = 0;            // asked for, in the unit of the TrafficConfig; 0 for a source of another kind
  Rate offered;               // created in the window
  Rate accepted;              // delivered in the window
  std::uint64_t created = 0;  // packets, in the window: those measured
  std::uint64_t accepted_packets = 0;  // in the window, measured or not
  std::uint64_t delivered = 0;         // of the measured ones

  // Of the measured packets that were delivered.
  LatencyHistogram latency;          // from creation to the tail's arrival
  LatencyHistogram network_latency;  // from the head's departure at the source
  std::vector<std::uint64_t> hops;   // [routers passed]: packets
  double mean_hops = 0;

  // Of the window. What power is made of, too.
  Picoseconds measured;
  FlitNetwork::Load load;
  std::vector<double> channel_load;  // by ChannelId: flits a cycle of the sender; 1 is all that it can carry
  std::vector<double> injection_load;        // by NodeId: flits a cycle of its router
  std::vector<double> ejection_load;         // by NodeId: the same
  std::vector<double> router_load;           // by RouterId: flits a cycle and port of its radix
  std::optional<ChannelId> busiest_channel;  // the first with the highest load
  double busiest_channel_load = 0;

  Picoseconds simulated;             // from 0
  Cycles simulated_cycles;           // of the fastest clock
  std::uint64_t flit_hops = 0;       // flits through switches, in all the run: the work, whatever the host
  std::vector<std::string> blocked;  // FlitNetwork::blocked() at the end
};

struct SimulationControl {
  std::stop_token stop = {};                  // ends the run, which then has not converged
  std::function<void(double)> progress = {};  // of 0 to 1, now and then
};

// Throws std::invalid_argument for what does not fit the topology, TraceError for a bad trace and for a
// record that cannot be written.
SimulationResult simulate(std::shared_ptr<const Topology> topology, const FlitParameters& parameters,
                          const TrafficConfig& traffic, const SimulationConfig& config,
                          const SimulationControl& control = {});
// The same with packets from anywhere. Their tags are not kept.
SimulationResult simulate(std::shared_ptr<const Topology> topology, const FlitParameters& parameters,
                          PacketSource& source, const SimulationConfig& config,
                          const SimulationControl& control = {});

}  // namespace asterism
