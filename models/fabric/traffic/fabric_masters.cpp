#include "fabric/traffic/fabric_masters.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <queue>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/random.h"
#include "fabric/network/predicted_network.h"

namespace asterism {
namespace {

constexpr unsigned header_bits = 128, line_bits = 512;

struct Access {
  NodeId target = 0;
  std::uint32_t request = 1, response = 1;  // flits
};

// The accesses of one master, and the pauses between them.
class Accesses {
 public:
  Accesses(const FabricLoad& load, const Topology& topology, std::uint32_t master,
           const std::vector<NodeId>& nodes)
      : load_(load),
        node_(nodes[master]),
        targets_(nodes.begin() + load.masters, nodes.begin() + load.masters + load.targets),
        header_((header_bits + topology.channel_bits - 1) / topology.channel_bits),
        line_((line_bits + topology.channel_bits - 1) / topology.channel_bits),
        random_(load.seed * 1'000'003 + master) {}

  NodeId node() const { return node_; }
  Access next() {
    const bool is_write = static_cast<double>(random_.next() >> 11) * 0x1p-53 < load_.writes;
    const std::uint32_t request = is_write ? line_ : 0, response = is_write ? 0 : line_;
    return {targets_[random_.below(targets_.size())], header_ + request, header_ + response};
  }
  Picoseconds pause() {
    if (load_.pause == 0_ps) return 0_ps;
    return load_.pause / 2 + Picoseconds(random_.below(load_.pause.count() + 1));
  }

 private:
  FabricLoad load_;
  NodeId node_;
  std::vector<NodeId> targets_;
  std::uint32_t header_, line_;
  Random random_;
};

std::vector<Accesses> masters_of(const FabricLoad& load, const Topology& topology) {
  std::vector<NodeId> nodes(topology.nodes.size());
  if (load.masters + load.targets > nodes.size())
    throw std::invalid_argument("a load has at most as many masters and targets as the fabric has nodes");
  std::iota(nodes.begin(), nodes.end(), NodeId{0});
  Random random(load.seed);
  for (std::size_t i = nodes.size(); i > 1; --i) std::swap(nodes[i - 1], nodes[random.below(i)]);
  std::vector<Accesses> masters;
  for (std::uint32_t m = 0; m < load.masters; ++m) masters.emplace_back(load, topology, m, nodes);
  return masters;
}

// Accesses begin at different times.
Picoseconds start(std::uint32_t master, std::uint32_t number) {
  return Picoseconds(std::uint64_t{master} * 1'370 + std::uint64_t{number} * 2'110);
}

class Measured {
 public:
  explicit Measured(const FabricLoadTime& time) : from_(time.warm_up), until_(time.warm_up + time.measured) {}
  void add(Picoseconds begun, Picoseconds ended) {
    if (begun < from_ || begun >= until_) return;
    ++result_.accesses;
    sum_ += static_cast<double>((ended - begun).count());
  }
  Picoseconds until() const { return until_; }
  FabricLoadResult result() const {
    FabricLoadResult result = result_;
    if (result.accesses > 0) result.latency = sum_ / static_cast<double>(result.accesses);
    return result;
  }

 private:
  Picoseconds from_, until_;
  double sum_ = 0;
  FabricLoadResult result_;
};

class FlitRun final : private FlitNetwork::Sink {
 public:
  FlitRun(const FabricLoad& load, const std::shared_ptr<const Topology>& topology, const FlitParameters& flit,
          const FabricLoadTime& time)
      : load_(load), network_(topology, flit), masters_(masters_of(load, *topology)), measured_(time) {}

  FabricLoadResult run() {
    for (std::uint32_t m = 0; m < load_.masters; ++m)
      for (std::uint32_t i = 0; i < load_.in_flight; ++i) {
        slots_.push_back({.master = m});
        events_.push({start(m, i), slots_.size() - 1});
      }
    while (step()) continue;
    return measured_.result();
  }

 private:
  // One of the accesses that a master has under way.
  struct Slot {
    std::uint32_t master;
    bool responds = false;
    Access access = {};
    Picoseconds begun = {};
  };
  using Event = std::pair<Picoseconds, std::size_t>;  // a packet of this slot is sent

  bool step() {
    const std::optional<Picoseconds> next = network_.next_event();
    if (!events_.empty() && (!next || events_.top().first <= *next)) {
      const auto [at, slot] = events_.top();
      events_.pop();
      send(at, slot);
      return true;
    }
    if (!next) return false;
    network_.advance_to(*next, *this);
    return true;
  }
  void send(Picoseconds at, std::size_t number) {
    Slot& slot = slots_[number];
    const NodeId node = masters_[slot.master].node();
    if (slot.responds) return network_.inject({slot.access.target, node, slot.access.response, number}, at);
    if (at >= measured_.until()) return;
    slot.access = masters_[slot.master].next();
    slot.begun = at;
    network_.inject({node, slot.access.target, slot.access.request, number}, at);
  }
  void delivered(const Delivery& delivery) override {
    Slot& slot = slots_[delivery.packet.tag];
    slot.responds = !slot.responds;
    if (slot.responds) return events_.push({delivery.delivered + load_.target_time, delivery.packet.tag});
    measured_.add(slot.begun, delivery.delivered);
    events_.push({delivery.delivered + masters_[slot.master].pause(), delivery.packet.tag});
  }

  FabricLoad load_;
  FlitNetwork network_;
  std::vector<Accesses> masters_;
  Measured measured_;
  std::vector<Slot> slots_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

}  // namespace

FabricLoadResult run_flit(const FabricLoad& load, const std::shared_ptr<const Topology>& topology,
                          const FlitParameters& flit, const FabricLoadTime& time) {
  return FlitRun(load, topology, flit, time).run();
}

FabricLoadResult run_predicted(const FabricLoad& load, const std::shared_ptr<const Topology>& topology,
                               const FlitParameters& flit, const std::optional<FabricCurves>& curves,
                               Picoseconds quantum, const FabricLoadTime& time) {
  PredictedNetwork network(topology, flit, curves, quantum);
  std::vector<Accesses> masters = masters_of(load, *topology);
  std::vector<std::vector<Picoseconds>> next(load.masters);  // of each access that is under way
  for (std::uint32_t m = 0; m < load.masters; ++m)
    for (std::uint32_t i = 0; i < load.in_flight; ++i) next[m].push_back(start(m, i));
  Measured measured(time);
  for (Picoseconds from; from < measured.until(); from += quantum) {
    network.commit(from);
    const Picoseconds until = std::min(from + quantum, measured.until());
    for (std::uint32_t m = 0; m < load.masters; ++m)
      for (auto at = std::ranges::min_element(next[m]); *at < until; at = std::ranges::min_element(next[m])) {
        const NodeId node = masters[m].node();
        const Access access = masters[m].next();
        const Picoseconds came = network.send({node, access.target, access.request}, *at);
        const Picoseconds ended =
            network.send({access.target, node, access.response}, came + load.target_time);
        measured.add(*at, ended);
        *at = ended + masters[m].pause();
      }
  }
  return measured.result();
}

}  // namespace asterism
