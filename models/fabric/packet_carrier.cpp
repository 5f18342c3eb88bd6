#include "fabric/packet_carrier.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "tlm/log.h"
#include "tlm/time.h"

namespace asterism {
namespace {

// When any other process does something next: now, if anything is pending at this instant.
Picoseconds next_activity() {
  const Picoseconds left =
      to_picoseconds(sc_core::sc_time_to_pending_activity(sc_core::sc_get_curr_simcontext()));
  const Picoseconds never(std::numeric_limits<std::uint64_t>::max());
  return left < never - now() ? now() + left : never;
}

}  // namespace

// ---- loosely timed ----

PredictedCarrier::PredictedCarrier(std::shared_ptr<const Topology> topology, const FlitParameters& parameters,
                                   const std::vector<RouterId>& gated,
                                   const std::optional<FabricCurves>& curves, Picoseconds quantum)
    : network_(std::move(topology), parameters, curves, quantum) {
  for (const RouterId router : gated) network_.gate(router, true);
}

bool PredictedCarrier::carry(Packet packet, sc_core::sc_time& delay) {
  network_.commit(now());
  delay = to_sc_time(network_.send(packet, now() + to_picoseconds(delay)) - now());
  return true;
}

void PredictedCarrier::attach_hook(RouterId, ArbitrationHook*) {
  throw std::invalid_argument("there is no arbitration in a loose or contended fabric");
}

// ---- flit by flit ----

FlitCarrier::FlitCarrier(const std::string& name, std::shared_ptr<const Topology> topology,
                         const FlitParameters& parameters, const std::vector<RouterId>& gated)
    : name_(name),
      network_(std::move(topology), parameters),
      alarm_("alarm", [this](Picoseconds now) { ring(now); }) {
  for (const RouterId router : gated) network_.gate(router, true);
}

bool FlitCarrier::carry(Packet packet, sc_core::sc_time& delay) {
  const std::uint64_t resets = resets_;
  if (delay != sc_core::SC_ZERO_TIME) sc_core::wait(std::exchange(delay, sc_core::SC_ZERO_TIME), aborted_);
  if (resets != resets_) return false;
  if (free_.empty()) {
    free_.push_back(journeys_.size());
    journeys_.emplace_back();
  }
  packet.tag = free_.back();
  free_.pop_back();
  network_.inject(packet, std::max(now(), network_time_));
  alarm_.arm(network_.next_event());
  Journey& journey = journeys_[packet.tag];
  journey.under_way = true;
  do sc_core::wait(journey.arrival);
  while (journey.under_way && resets == resets_);
  free_.push_back(packet.tag);
  return resets == resets_;
}

void FlitCarrier::ring(Picoseconds now) {
  const Picoseconds others = next_activity();
  has_delivered_ = false;
  auto next = network_.next_event();
  while (next && !has_delivered_ && (*next <= now || *next < others)) {
    network_time_ = *next;
    network_.advance_to(network_time_, *this);
    next = network_.next_event();
  }
  alarm_.arm(next);
  if (!next && network_.flits_in_flight() > 0)
    for (const std::string& line : network_.blocked()) log(name_).error("deadlock: {}", line);
}

void FlitCarrier::delivered(const Delivery& delivery) {
  has_delivered_ = true;
  Journey& journey = journeys_[delivery.packet.tag];
  journey.under_way = false;
  journey.arrival.notify(to_sc_time(delivery.delivered - now()));
}

void FlitCarrier::reset(Reset kind) {
  ++resets_;
  network_.reset(kind);
  alarm_.arm(std::nullopt);
  aborted_.notify(sc_core::SC_ZERO_TIME);
  for (Journey& journey : journeys_) journey.arrival.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace asterism
