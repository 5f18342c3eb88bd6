// The time that a kilo-core chip takes for a workload on a fabric: a closed loop of cores, L2 banks and
// memory controllers (models/manycore).
#include <memory>
#include <optional>
#include <string>

#include "core/workload.h"
#include "fabric/network/power.h"
#include "manycore/fabric_packet_network.h"
#include "manycore/manycore.h"
#include "platform/config/config.h"
#include "platform/study/built_fabric.h"
#include "platform/study/study_kind.h"

namespace asterism {
namespace {

struct ManycoreStudy {
  FabricConfig fabric = flit_fabric(TopologyKind::superstarx);
  ManycoreConfig chip{.instructions = 10'000};
  std::string workload = "mix1";
  std::uint64_t seed = 1;
  Picoseconds limit = 10_ms;
};
static_assert(member_count<ManycoreStudy>() == 5);
void describe(Fields& f, ManycoreStudy& c) {
  describe_model(f, c.fabric);
  describe(f, c.chip);
  f("workload", c.workload, "How often the cores miss their caches: a file in configs/workloads.",
    names_file("workloads"));
  f("seed", c.seed,
    "The seed of the streams of the cores. Another one shows how much of the result is chance.");
  f("limit", c.limit, "The simulated time after which a run ends unfinished.", at_least(1_us));
}

// The counts of the loosely timed engine in the form of the flit engine. Every flit through a router came
// from a channel or from a node.
FlitNetwork::Load load_of(const PredictedNetwork& network, const Topology& topology,
                          const std::vector<RouterId>& gated, Picoseconds time) {
  const PredictedNetwork::Load counted = network.load();
  FlitNetwork::Load load{.channel_flits = counted.channel_flits,
                         .injected_flits = counted.injected_flits,
                         .ejected_flits = counted.ejected_flits,
                         .router_flits = std::vector<std::uint64_t>(topology.routers.size()),
                         .powered_time = std::vector<Picoseconds>(topology.routers.size(), time)};
  for (ChannelId c = 0; c < topology.channels.size(); ++c)
    load.router_flits[topology.channels[c].to] += load.channel_flits[c];
  for (NodeId n = 0; n < topology.nodes.size(); ++n)
    load.router_flits[topology.nodes[n].router] += load.injected_flits[n];
  for (const RouterId router : gated) load.powered_time[router] = 0_ps;
  return load;
}

class ManycorePoint final : public StudyPointOf<ManycoreStudy> {
 public:
  void prepare(const ConfigLibrary& library) override {
    fabric_ = build_fabric(config_.fabric, library);
    if (config_.fabric.fidelity == Fidelity::contended) {
      curves_ = load_config<FabricCurves>(library, "fabric_curves", curves_name(config_.fabric));
      if (const std::string problem = curves_problem(config_.fabric, *curves_); !problem.empty())
        throw StudyMistake("curves", problem);
    }
    workload_ = load_config<Workload>(library, "workloads", config_.workload);
    gated_ = routers_to_gate(config_.fabric, *fabric_->topology);
    try {
      FlitNetwork network(fabric_->topology, flit_parameters(config_.fabric));
      for (const RouterId router : gated_) network.gate(router, true);
    } catch (const std::invalid_argument& error) {
      throw StudyMistake("gated_global_routers", error.what());
    }
    try {
      PredictedPacketNetwork network(fabric_->topology, flit_parameters(config_.fabric));
      Manycore(config_.chip, workload_, network, config_.seed);
    } catch (const std::invalid_argument& error) {
      throw StudyMistake("workload", error.what());
    }
  }

  std::vector<Cell> run(const std::stop_token& stop) override {
    const FlitParameters parameters = flit_parameters(config_.fabric);
    if (config_.fabric.fidelity == Fidelity::flit) {
      FlitPacketNetwork network(fabric_->topology, parameters);
      const ManycoreResult result = run_on(network, stop);
      return row(result, network.engine().load());
    }
    PredictedPacketNetwork network(fabric_->topology, parameters, curves_);
    const ManycoreResult result = run_on(network, stop);
    return row(result, load_of(network.engine(), *fabric_->topology, gated_, result.time));
  }

 private:
  ManycoreResult run_on(auto& network, const std::stop_token& stop) const {
    for (const RouterId router : gated_) network.engine().gate(router, true);
    return run_manycore(config_.chip, workload_, network, config_.seed,
                        {.limit = config_.limit, .stop = stop});
  }

  std::vector<Cell> row(const ManycoreResult& result, const FlitNetwork::Load& load) const {
    const auto number = [](auto count) { return static_cast<double>(count); };
    if (result.time == 0_ps) return empty_row("manycore");
    const FabricPower power = fabric_power(*fabric_->topology, fabric_->technology, load, result.time);
    const Manycore::Counts& counts = result.counts;
    const double mean = number(result.mean_time.count());
    const auto when = [](bool known, double value) { return known ? Cell(value) : Cell(); };
    return {
        when(result.finished, number(result.time.count()) / 1e6),
        when(result.cores != 0, mean / 1e6),
        when(result.cores != 0,
             number(config_.chip.instructions) / (mean * number(config_.chip.core.clock.count()) / 1e12)),
        when(counts.returned != 0, number(counts.waited.count()) / number(counts.returned) / 1e3),
        when(result.finished, number(counts.stalled.count()) / (mean * number(result.cores))),
        number(counts.flits) / number(fabric_->topology->nodes.size()) / (number(result.time.count()) / 1e3),
        power.watts(),
        std::string(result.finished ? "ok" : "unfinished"),
        power.static_watts,
        power.buffer_watts,
        power.switch_watts,
        power.link_watts,
        power.picojoules_per_bit ? Cell(*power.picojoules_per_bit) : Cell(),
        counts.l1_misses,
        counts.l2_misses,
        counts.packets,
        counts.write_backs,
        counts.forwards,
        counts.invalidations,
        result.reason};
  }

  std::shared_ptr<const BuiltFabric> fabric_;
  std::optional<FabricCurves> curves_;  // of a contended fabric
  Workload workload_;
  std::vector<RouterId> gated_;
};

const RegisteredStudy manycore_study{
    {.name = "manycore",
     .meaning = "A kilo-core chip in a closed loop: execution time of a workload, power of its fabric",
     .coordinates = {"topology", "workload"},
     .columns = {{"time_us", "time", "us", "The time until the last core has finished", 3},
                 {"mean_time_us", "mean", "us", "The mean time until a core has finished", 3},
                 {"ipc", "IPC", "", "The mean number of instructions of a core in a cycle of its clock", 3},
                 {"miss_latency_ns", "miss", "ns", "The mean time from an L1 miss to its data", 1},
                 {"stalled", "stalled", "",
                  "The share of the time of the cores in which no instruction could issue", 3},
                 {"flits_per_ns", "flits", "flit/ns", "Flits into the fabric, per ns and node", 4},
                 {"power_w", "power", "W", "The power of all routers and links", 2},
                 {"state", "state", "", "ok; unfinished: see reason"},
                 {"static_w", "", "W", "Clocking and leakage of the routers that are powered"},
                 {"buffer_w", "", "W", "The part of power_w in buffers"},
                 {"switch_w", "", "W", "The part of power_w in switches"},
                 {"link_w", "", "W", "The part of power_w on links"},
                 {"energy_pj_per_bit", "", "pJ/bit", "The energy of all power for a delivered bit"},
                 {"l1_misses", "", "", "L1 misses of all cores"},
                 {"l2_misses", "", "", "The number of these that went to a memory controller"},
                 {"packets", "", "", "Packets into the fabric"},
                 {"write_backs", "", "", "Modified blocks that L1 caches and L2 banks wrote back"},
                 {"forwards", "", "", "Requests that a bank forwarded to the core with the modified block"},
                 {"invalidations", "", "", "Copies that writes have invalidated"},
                 {"reason", "", "", "Why a run has not finished"}},
     .x = "",
     .y = "",
     .state = "state",
     .bars = {"time_us", "power_w"},
     .make = make_study_point<ManycorePoint>}};

}  // namespace
}  // namespace asterism
