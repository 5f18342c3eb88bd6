#include "fabric/traffic/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

#include "base/fields.h"
#include "fabric/traffic/trace.h"

namespace asterism {
namespace {

// The time between two checks of the stop token. The simulated time at which a drain ends is a multiple of
// it, unless routers are gated.
constexpr Picoseconds stride = 50_ns;

std::uint64_t sum(const std::vector<std::uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}
double number(std::uint64_t count) { return static_cast<double>(count); }

// Latencies of the packets created in one half of the window.
struct Half {
  std::uint64_t count = 0;
  double sum = 0, squares = 0;  // ps

  void add(Picoseconds latency) {
    ++count;
    sum += number(latency.count());
    squares += number(latency.count()) * number(latency.count());
  }
  double mean() const { return sum / number(count); }
  double variance_of_mean() const {
    return std::max(0.0, squares / number(count) - mean() * mean()) / number(count);
  }
};

class Run final : FlitNetwork::Sink {
 public:
  Run(std::shared_ptr<const Topology> topology, const FlitParameters& parameters, PacketSource& source,
      const SimulationConfig& config, const SimulationControl& control)
      : topology_(std::move(topology)),
        network_(topology_, parameters),
        gating_(config.gating, topology_, network_),
        source_(source),
        config_(config),
        control_(control),
        window_begin_(config.warm_up),
        window_end_(config.warm_up + config.measure) {
    if (config_.measure == Picoseconds(0)) throw std::invalid_argument("the measuring window has no length");
    for (const std::string& name : config_.gated) gate(name);
    if (!config_.record.empty()) record_.emplace(config_.record, topology_->channel_bits);
  }

  SimulationResult result();

 private:
  void gate(const std::string& name);
  void warm_up();
  void measure();
  void drain();
  void advance_before(Picoseconds time);
  void step_to(Picoseconds time);
  void inject(const PacketSource::TimedPacket& timed);
  void delivered(const Delivery& delivery) override;
  bool keep_going();
  bool all_delivered() const { return delivered_ == injected_; }

  bool falls_short() const;
  bool drifts() const;
  void judge();
  void count_loads();

  std::shared_ptr<const Topology> topology_;
  FlitNetwork network_;
  GlobalRouterGating gating_;
  PacketSource& source_;
  const SimulationConfig& config_;
  const SimulationControl& control_;
  Picoseconds window_begin_, window_end_;
  std::optional<DeliveryRecord> record_;

  std::optional<PacketSource::TimedPacket> pending_;
  std::uint64_t injected_ = 0, delivered_ = 0;
  Picoseconds now_;  // everything before it is done
  bool measuring_ = false, ended_ = false;
  std::array<Half, 2> halves_;
  SimulationResult result_;
};

void Run::gate(const std::string& name) {
  const auto& routers = topology_->routers;
  const auto at = std::find_if(routers.begin(), routers.end(), [&](const auto& r) { return r.name == name; });
  if (at == routers.end()) throw std::invalid_argument("no router is named \"" + name + "\"");
  network_.gate(static_cast<RouterId>(at - routers.begin()), true);
}

SimulationResult Run::result() {
  pending_ = source_.next();
  warm_up();
  measure();
  result_.keeps_up = result_.created > 0 && !falls_short();
  if (result_.keeps_up || config_.drain_saturated) drain();

  result_.flit_hops += sum(network_.load().router_flits);
  result_.simulated = now_;
  Picoseconds fastest = topology_->routers.front().period;
  for (const auto& router : topology_->routers) fastest = std::min(fastest, router.period);
  result_.simulated_cycles = Cycles(now_ / fastest);
  result_.blocked = network_.blocked();
  if (record_) record_->finish();
  judge();
  if (control_.progress) control_.progress(1);
  return std::move(result_);
}

void Run::warm_up() {
  step_to(window_begin_);
  result_.flit_hops = sum(network_.load().router_flits);
  network_.clear_load();
  gating_.cleared(now_);
}

void Run::measure() {
  measuring_ = true;
  while (!result_.stopped && pending_ && now_ < window_end_) step_to(std::min(window_end_, now_ + stride));
  // No more packets come: advance edge by edge, so that the window ends with the last delivery.
  while (!result_.stopped && !pending_ && !all_delivered()) {
    const auto next = network_.next_event();
    if (!next || *next >= window_end_ || !keep_going()) break;
    network_.advance_to(*next, *this);
    now_ = *next;
    gating_.advance_to(now_);
  }
  ended_ = !pending_ && all_delivered() && result_.created > 0;
  if (!ended_) step_to(window_end_);
  measuring_ = false;
  result_.measured = now_ > window_begin_ ? now_ - window_begin_ : Picoseconds(0);
  if (result_.measured > Picoseconds(0)) count_loads();
}

void Run::drain() {
  const Picoseconds limit = now_ + config_.drain;
  while (!result_.stopped && result_.delivered < result_.created && now_ < limit &&
         network_.blocked().empty())
    step_to(std::min(limit, now_ + stride));
}

// Simulates everything before `time`, in strides.
void Run::step_to(Picoseconds time) {
  while (now_ < time && keep_going()) {
    advance_before(std::min({time, now_ + stride, gating_.next_event().value_or(time)}));
    gating_.advance_to(now_);
  }
}

bool Run::keep_going() {
  if (control_.stop.stop_requested()) result_.stopped = true;
  if (control_.progress) control_.progress(std::min(1.0, number(now_.count()) / number(window_end_.count())));
  return !result_.stopped;
}

void Run::advance_before(Picoseconds time) {
  const bool more = pending_.has_value();
  while (pending_ && pending_->created < time) {
    const Picoseconds created = pending_->created;
    if (created > now_) network_.advance_to(created - 1_ps, *this);
    for (; pending_ && pending_->created == created; pending_ = source_.next()) inject(*pending_);
    now_ = created;
  }
  if (measuring_ && more && !pending_) return;  // measure() continues from the last packet
  network_.advance_to(time - 1_ps, *this);
  now_ = time;
}

void Run::inject(const PacketSource::TimedPacket& timed) {
  Packet packet = timed.packet;
  packet.tag = injected_++;
  network_.inject(packet, timed.created);
  if (measuring_) ++result_.created;
  if (record_) record_->created(packet, timed.created);
}

void Run::delivered(const Delivery& delivery) {
  ++delivered_;
  if (record_) record_->delivered(delivery.packet.tag, delivery);
  if (measuring_) ++result_.accepted_packets;
  if (delivery.created < window_begin_ || delivery.created >= window_end_) return;
  ++result_.delivered;
  const Picoseconds latency = delivery.delivered - delivery.created;
  result_.latency.add(latency);
  result_.network_latency.add(delivery.delivered - delivery.injected);
  halves_[delivery.created - window_begin_ >= config_.measure / 2].add(latency);
  if (delivery.routers >= result_.hops.size()) result_.hops.resize(delivery.routers + 1);
  ++result_.hops[delivery.routers];
}

// By Little's law the number of packets in transit is the rate times the latency; it varies by its square
// root at either end of the window.
bool Run::falls_short() const {
  if (result_.accepted_packets >= result_.created) return false;
  const double missing = number(result_.created - result_.accepted_packets);
  // If nothing was delivered, all packets may still be in transit.
  const double share = result_.latency.count() == 0
                           ? 1.0
                           : std::min(1.0, result_.latency.mean() / number(result_.measured.count()));
  const double under_way = share * number(result_.created);
  return missing > config_.convergence.shortfall * number(result_.created) &&
         missing * missing > 9 * 2 * under_way;
}

bool Run::drifts() const {
  if (ended_ || halves_[0].count == 0 || halves_[1].count == 0) return false;
  const double first = halves_[0].mean(), difference = halves_[1].mean() - first;
  const double variance = halves_[0].variance_of_mean() + halves_[1].variance_of_mean();
  return std::max(difference, -difference) > config_.convergence.drift * first &&
         difference * difference > 9 * variance;
}

void Run::judge() {
  std::string& reason = result_.reason;
  if (result_.stopped) {
    reason = "stopped";
  } else if (!result_.blocked.empty()) {
    reason = "nothing moves: " + result_.blocked.front();
  } else if (result_.created == 0) {
    reason = fmt::format("no packet was created from {} to {}", to_text(window_begin_), to_text(window_end_));
    if (injected_ > 0)
      reason += fmt::format(", {} before: see warm_up and measure", injected_);
    else if (pending_)
      reason += fmt::format(", the first comes at {}: see warm_up and measure", to_text(pending_->created));
  } else if (!result_.keeps_up) {
    reason = fmt::format("saturated: {} packets delivered for {} created in the measuring window",
                         result_.accepted_packets, result_.created);
  } else if (result_.delivered < result_.created) {
    reason = fmt::format("{} of {} measured packets were not delivered within {}",
                         result_.created - result_.delivered, result_.created, to_text(config_.drain));
  } else if (drifts()) {
    reason =
        fmt::format("mean latency drifts: {:.2f} ns in the first half of the window, {:.2f} ns in the second",
                    halves_[0].mean() / 1000, halves_[1].mean() / 1000);
  }
  result_.converged = reason.empty();
  double hops = 0;
  for (std::size_t i = 0; i < result_.hops.size(); ++i) hops += number(i) * number(result_.hops[i]);
  if (result_.delivered > 0) result_.mean_hops = hops / number(result_.delivered);
}

void Run::count_loads() {
  const double time = number(result_.measured.count());
  const auto period = [&](RouterId router) { return number(topology_->routers[router].period.count()); };
  const auto per_cycle = [&](std::uint64_t flits, RouterId router) {
    return number(flits) * period(router) / time;
  };
  SimulationResult& r = result_;
  r.load = network_.load();

  double node_cycles = 0;
  for (NodeId node = 0; node < topology_->nodes.size(); ++node) {
    const RouterId router = topology_->nodes[node].router;
    node_cycles += time / period(router);
    r.injection_load.push_back(per_cycle(r.load.injected_flits[node], router));
    r.ejection_load.push_back(per_cycle(r.load.ejected_flits[node], router));
  }
  const double node_ns = time / 1000 * number(topology_->nodes.size());
  r.offered = {number(r.created) / node_ns, number(r.created) / node_cycles};
  r.accepted = {number(r.accepted_packets) / node_ns, number(r.accepted_packets) / node_cycles};

  for (ChannelId channel = 0; channel < topology_->channels.size(); ++channel) {
    const double load = per_cycle(r.load.channel_flits[channel], topology_->channels[channel].from);
    r.channel_load.push_back(load);
    if (r.busiest_channel && load <= r.busiest_channel_load) continue;
    r.busiest_channel = channel;
    r.busiest_channel_load = load;
  }
  for (RouterId router = 0; router < topology_->routers.size(); ++router)
    r.router_load.push_back(per_cycle(r.load.router_flits[router], router) /
                            topology_->routers[router].radix);
  for (RouterId router = 0; router < topology_->routers.size(); ++router)
    if (topology_->routers[router].global)
      r.powered_global_routers += number(r.load.powered_time[router].count()) / time;
}

}  // namespace

static_assert(member_count<ConvergenceConfig>() == 2);
void describe(Fields& f, ConvergenceConfig& c) {
  f("shortfall", c.shortfall,
    "The share by which the packets delivered may fall short of those created. A larger shortfall counts as "
    "saturated.",
    within(0.0, 1.0));
  f("drift", c.drift,
    "The share by which the mean latency may differ between the halves of the window. A smaller share needs "
    "a longer warm_up."

    ,
    within(0.0, 10.0));
}

static_assert(member_count<SimulationConfig>() == 9);
void describe(Fields& f, SimulationConfig& c) {
  f("seed", c.seed, "The seed of the traffic. The same seed gives the same result.");
  f("warm_up", c.warm_up,
    "The time before anything is counted. Near saturation a fabric takes long to reach a steady state.",
    within(0_ps, 1_s));
  f("measure", c.measure,
    "The window whose packets are measured. A longer one makes the result more certain.", within(1_ns, 1_s));
  f("drain", c.drain, "The time that measured packets may take to arrive after the window.",
    within(0_ps, 10_s));
  f("drain_saturated", c.drain_saturated,
    "Whether to wait for them although the window already shows saturation. Without waiting, the longest "
    "latencies are missing.");
  f("convergence", c.convergence, "When a result counts as a steady state.");
  f("gated", c.gated,
    "The names of routers that are power-gated. Each saves its power and costs its share of throughput.");
  f("gating", c.gating, "Global routers that are power-gated at run time, by their load.");
  f.check([&] { return c.gating.window == 0_ps || c.gated.empty(); }, "gating",
          "does not go with routers that are gated from the start");
  f("record", c.record,
    "A file for the delivery of every packet, as a text trace. It must not exist yet, so only one point can "
    "write it.");
}

SimulationResult simulate(std::shared_ptr<const Topology> topology, const FlitParameters& parameters,
                          PacketSource& source, const SimulationConfig& config,
                          const SimulationControl& control) {
  return Run(std::move(topology), parameters, source, config, control).result();
}

SimulationResult simulate(std::shared_ptr<const Topology> topology, const FlitParameters& parameters,
                          const TrafficConfig& traffic, const SimulationConfig& config,
                          const SimulationControl& control) {
  const auto source = make_packet_source(traffic, *topology, config.seed);
  SimulationResult result = simulate(std::move(topology), parameters, *source, config, control);
  if (traffic.pattern != TrafficPattern::trace) result.rate = traffic.rate;
  return result;
}

}  // namespace asterism
