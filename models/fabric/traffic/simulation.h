// One point of a study: a fabric under a traffic, starting empty.
//
// The traffic starts at time 0. Packets created during `measure`, which begins after `warm_up`, are measured.
// The traffic continues while they drain, so that the last ones meet the same load as the first, until all
// have arrived or `drain` is over. Loads are those of the measuring window only. No run is aborted: a run
// without a steady state reports that, with the reason.
//
// A source that ends (a trace) is measured up to the delivery of its last packet, or to the end of the window
// if that comes first.
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
#include "fabric/traffic/global_router_gating.h"
#include "fabric/traffic/latency_histogram.h"
#include "fabric/traffic/traffic.h"

namespace asterism {

class Fields;

// A run has converged if, in the measuring window,
//
//   - the packets delivered fall short of those created by no more than `shortfall`,
//   - the mean latency of the packets created in its second half differs from the first half's by no more
//     than `drift`, and
//   - all measured packets were delivered by the end of `drain`.
//
// A difference within the range of chance (three standard deviations) does not count.
struct ConvergenceConfig {
  double shortfall = 0.02;
  double drift = 0.05;
};
void describe(Fields& f, ConvergenceConfig& config);

struct SimulationConfig {
  std::uint64_t seed = 1;
  Picoseconds warm_up = 2_us;
  Picoseconds measure = 5_us;
  Picoseconds drain = 20_us;    // the maximum
  bool drain_saturated = true;  // if false, a run whose window already shows a shortfall is not drained
  ConvergenceConfig convergence = {};
  std::vector<std::string> gated = {};   // names of routers that are power-gated from the start
  GlobalRouterGatingConfig gating = {};  // at run time; not with `gated`
  // The file that receives a DeliveryRecord of all packets (trace.h); must not exist yet.
  std::filesystem::path record = {};
};
void describe(Fields& f, SimulationConfig& config);

struct SimulationResult {
  bool converged = false;
  std::string reason;     // why it has not converged; "" if it has
  bool stopped = false;   // by SimulationControl::stop
  bool keeps_up = false;  // whether the first rule of ConvergenceConfig holds, taken alone: below saturation

  // Packets per node, per ns and per cycle of the clock of the node's router.
  struct Rate {
    double per_ns = 0, per_cycle = 0;
  };
  double rate = 0;  // the requested rate, in the unit of the TrafficConfig; 0 for a source of another kind
  Rate offered;     // created in the window
  Rate accepted;    // delivered in the window
  std::uint64_t created = 0;           // packets created in the window, which are those measured
  std::uint64_t accepted_packets = 0;  // in the window, measured or not
  std::uint64_t delivered = 0;         // the number of measured packets that were delivered

  // Latencies of the measured packets that were delivered.
  LatencyHistogram latency;          // from creation to the tail's arrival
  LatencyHistogram network_latency;  // from the head's departure at the source
  std::vector<std::uint64_t> hops;   // [routers passed]: packets
  double mean_hops = 0;

  // Measured in the window. The power is computed from these too.
  Picoseconds measured;
  FlitNetwork::Load load;
  std::vector<double> channel_load;          // by ChannelId: flits per cycle of the sender; 1 is the maximum
  std::vector<double> injection_load;        // by NodeId: flits per cycle of its router
  std::vector<double> ejection_load;         // by NodeId: the same unit
  std::vector<double> router_load;           // by RouterId: flits per cycle and port of its radix
  std::optional<ChannelId> busiest_channel;  // the first one with the highest load
  double busiest_channel_load = 0;
  double powered_global_routers = 0;  // the mean number

  Picoseconds simulated;    // from time 0
  Cycles simulated_cycles;  // of the fastest clock
  // Flits through switches in the whole run: a measure of the work that does not depend on the host.
  std::uint64_t flit_hops = 0;
  std::vector<std::string> blocked;  // FlitNetwork::blocked() at the end
};

struct SimulationControl {
  std::stop_token stop = {};                  // ends the run early, which then counts as not converged
  std::function<void(double)> progress = {};  // called from time to time with a value from 0 to 1
};

// Throws std::invalid_argument for parameters that do not fit the topology, TraceError for a bad trace and
// for a record that cannot be written.
SimulationResult simulate(std::shared_ptr<const Topology> topology, const FlitParameters& parameters,
                          const TrafficConfig& traffic, const SimulationConfig& config,
                          const SimulationControl& control = {});
// The same with packets from any source. Their tags are not kept.
SimulationResult simulate(std::shared_ptr<const Topology> topology, const FlitParameters& parameters,
                          PacketSource& source, const SimulationConfig& config,
                          const SimulationControl& control = {});

}  // namespace asterism
