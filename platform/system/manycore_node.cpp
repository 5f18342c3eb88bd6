#include "platform/system/manycore_node.h"

#include <algorithm>

#include "fabric/fabric_module.h"
#include "fabric/topology/topologies.h"
#include "tlm/time.h"

namespace asterism {
namespace {

// Only a predicted network has curves, which are absent if it is loose.
template <class Network>
std::unique_ptr<Network> make_network(bool wanted, const Scenario& scenario, const auto&... curves) {
  if (!wanted) return nullptr;
  const FabricConfig& config = scenario.node.config.fabric;
  const auto& topology = scenario.node.fabric.topology;
  auto network = std::make_unique<Network>(topology, flit_parameters(config), curves...);
  for (const RouterId router : gated_routers(config, *topology)) network->engine().gate(router, true);
  return network;
}
bool moves_flits(const Scenario& scenario) { return scenario.node.config.fabric.fidelity == Fidelity::flit; }

}  // namespace

ManycoreNode::ManycoreNode(const sc_core::sc_module_name& name, const Scenario& scenario,
                           const RtlOptions& rtl)
    : sc_module(name),
      scenario_(scenario),
      flit_(make_network<FlitPacketNetwork>(moves_flits(scenario), scenario)),
      predicted_(make_network<PredictedPacketNetwork>(!moves_flits(scenario), scenario,
                                                      scenario.node.fabric.curves)),
      chip_(scenario.node.config.chip, *scenario.workload,
            flit_ ? static_cast<PacketNetwork&>(*flit_) : static_cast<PacketNetwork&>(*predicted_),
            scenario.config.seed),
      alarm_("alarm", [this](Picoseconds now) {
        chip_.advance_to(now, *this);
        if (!end_) alarm_.arm(chip_.next_event());
      }) {
  if (scenario.node.config.fabric.arbiter.impl != Impl::model) attach_arbiters(rtl);
  alarm_.arm(chip_.next_event());
}

void ManycoreNode::attach_arbiters(const RtlOptions& rtl) {
  arbiters_.emplace(std::string(name()) + ".fabric.arbiter", scenario_.node.config.fabric.arbiter,
                    switch_ports(*scenario_.node.fabric.topology), scenario_.node.rtl.arbiters, rtl,
                    [this](std::size_t index, ArbitrationHook* hook) {
                      flit_->engine().attach_hook(static_cast<RouterId>(index), hook);
                    });
  arbiters_->on_mismatch = [this](const Lockstep::Mismatch& mismatch) {
    first_mismatches_.push_back(mismatch);
    if (!mismatch.stops) return;
    end_ = End{End::How::mismatch, 0, mismatch.at};
    sc_core::sc_stop();
  };
}

void ManycoreNode::core_finished(Picoseconds at, std::uint32_t) {
  if (end_) return;
  if (finished_++ == 0) first_finished_ = at;
  finish_times_ += at;
  if (finished_ < chip_.cores()) return;
  end_ = End{End::How::workload_done, 0, at};
  sc_core::sc_stop();
}

std::uint64_t ManycoreNode::instructions() const {
  return std::uint64_t{finished_} * scenario_.node.config.chip.instructions;
}

std::vector<std::string> ManycoreNode::rtl_instances() const {
  return arbiters_ ? arbiters_->instances() : std::vector<std::string>();
}

std::vector<std::string> ManycoreNode::rtl_summary() const {
  return arbiters_ ? arbiters_->summary() : std::vector<std::string>();
}

std::vector<BlockCoverage> ManycoreNode::coverage() const {
  return arbiters_ ? arbiters_->coverage() : std::vector<BlockCoverage>();
}

void ManycoreNode::report(Statistics& statistics) const {
  const Manycore::Counts counts = chip_.counts();
  Statistics& cores = statistics.group("cores");
  cores.add("count", chip_.cores());
  cores.add("finished", finished_);
  if (finished_ > 0) {
    cores.add("first_finished", first_finished_);
    cores.add("mean_finished", finish_times_ / finished_);
  }
  cores.add("stalled", counts.stalled);
  cores.add("l1_misses", counts.l1_misses);
  cores.add("l2_misses", counts.l2_misses);
  if (counts.returned > 0) cores.add("l1_miss_latency_mean", counts.waited / counts.returned);

  Statistics& fabric = statistics.group("fabric");
  fabric.add("packets", counts.packets);
  fabric.add("flits", counts.flits);
  report_busiest_channel(
      *scenario_.node.fabric.topology,
      flit_ ? flit_->engine().load().channel_flits : predicted_->engine().load().channel_flits, fabric);
  if (arbiters_) arbiters_->report(fabric);
}

}  // namespace asterism
