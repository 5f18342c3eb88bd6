#include "platform/cluster_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/random.h"
#include "cluster/message.h"
#include "cluster/ring_program.h"
#include "tlm/time.h"

namespace asterism {
namespace {

// What firmware is told of the cluster's program and checkpoints, behind the scenario's own arguments.
std::string arguments(const ScenarioConfig& config) {
  const ClusterConfig& cluster = *config.cluster;
  const ClusterProgramConfig& program = cluster.program;
  const ClusterCheckpointConfig& checkpoint = cluster.checkpoint;
  return fmt::format(
      "{}{}seed={} words={} steps={} interval={} protocol={} placement={} global_every={} overlap_us={} "
      "restart_from_beginning={} messages={} message_bytes={}",
      config.args, config.args.empty() ? "" : " ", config.seed, program.words, program.steps,
      checkpoint.interval, to_text(checkpoint.protocol), to_text(checkpoint.placement),
      checkpoint.global_every, checkpoint.overlap / 1_us, checkpoint.restart_from_beginning ? "on" : "off",
      program.messages, program.message_size.count());
}

// The scenario of one node of it.
Scenario of_node(const Scenario& cluster, NodeNumber node) {
  Scenario scenario = cluster;
  scenario.config.args = arguments(cluster.config);
  scenario.config.seed = Random(cluster.config.seed).at(node);
  std::erase_if(scenario.config.faults,
                [&](const FaultConfig& fault) { return fault.node != node || fault.cluster_loss(); });
  return scenario;
}

}  // namespace

void ClusterMachine::Lines::write(std::string_view text, const std::string& prefix,
                                  const std::function<void(std::string_view)>& out) {
  line_ += text;
  for (std::size_t end; (end = line_.find('\n')) != std::string::npos; line_.erase(0, end + 1))
    out(prefix + line_.substr(0, end + 1));
}

void ClusterMachine::Lines::flush(const std::string& prefix,
                                  const std::function<void(std::string_view)>& out) {
  if (!line_.empty()) write("\n", prefix, out);
}

void ClusterMachine::Moves::record(Picoseconds at, std::string_view source, std::string_view kind,
                                   std::initializer_list<Detail> details) {
  for (const auto& [name, value] : details)
    if (kind == "rank_moved" && name == "to_node") nodes.insert(std::get<std::uint64_t>(value));
  events_.record(at, source, kind, details);
}

ClusterMachine::WholeNode::WholeNode(NodeNumber node_number, const Scenario& cluster,
                                     const std::filesystem::path& files, const RtlOptions& rtl,
                                     EventLog& events)
    : number(node_number),
      name(node_name(number)),
      prefix(name + ": "),
      scenario(of_node(cluster, number)),
      node(name.c_str(), scenario, files / name, rtl, events) {}

ClusterMachine::ClusterMachine(const Scenario& scenario, const std::filesystem::path& files,
                               const RtlOptions& rtl, EventLog& events)
    : scenario_(scenario),
      config_(*scenario.config.cluster),
      events_(events),
      moves_(events),
      traffic_(config_, scenario.config.seed, moves_),
      clock_("network", traffic_.timeline()) {
  for (const NodeNumber node : whole_nodes(config_)) {
    whole_.push_back(std::make_unique<WholeNode>(node, scenario, files, rtl, events));
    connect(*whole_.back());
  }
  traffic_.on_loss([this](NodeNumber node, Loss loss) { lost(node, loss); });
  traffic_.network().on_send = [this](const Frame& frame) { sent(frame); };
  traffic_.management().on_end = [this] { stop_when_all_have_ended(); };
  clock_.at_now([this] {
    inject_faults();
    traffic_.begin();
  });
}

void ClusterMachine::connect(WholeNode& whole) {
  Node& node = whole.node;
  node.on_console = [this, &whole](std::string_view text) {
    whole.console.write(text, whole.prefix, on_console);
  };
  node.on_uart0 = [this, &whole](std::string_view text) { whole.uart0.write(text, whole.prefix, on_uart0); };
  node.on_end = [this, &whole] { node_ended(whole); };
  node.on_lock_up = [this, &whole] { node_locked_up(whole); };
  node.nic()->attach(
      {.clock = clock_,
       .network = traffic_.network(),
       .node = whole.number,
       .management = &traffic_.management(),
       .storage = config_.has_storage() ? std::optional(config_.storage_node()) : std::nullopt});
  // A firmware that starts anew has lost its state and copies.
  node.nic()->on_reset = [this, &whole](Reset) {
    if (!whole.node.is_lost()) traffic_.lose(whole.number, Loss::memory);
  };
}

void ClusterMachine::inject_faults() {
  for (const FaultConfig& fault : scenario_.config.faults)
    if (const auto loss = fault.cluster_loss())
      traffic_.inject(
          {.at = fault.at, .node = *fault.node, .loss = *loss, .restore_after = fault.restore_after});
}

// What a link loses is not in the node.
void ClusterMachine::lost(NodeNumber node, Loss loss) {
  if (loss != Loss::node) return;
  for (const auto& whole : whole_)
    if (whole->number == node) whole->node.lose();
}

// What rank 0 tells the others. A traffic node tells of it in events.jsonl by itself.
void ClusterMachine::sent(const Frame& frame) {
  std::uint32_t word = 0;
  if (frame.payload.size() < Message::header_size) return;
  std::memcpy(&word, frame.payload.data(), sizeof word);
  const auto kind = static_cast<MessageKind>(word);
  if (kind != MessageKind::commit && kind != MessageKind::restore && kind != MessageKind::resume) return;
  const auto message = Message::decode(frame.payload);
  const Membership& membership = traffic_.management().membership();
  if (!message || message->epoch != membership.epoch || membership.rank_of(frame.source) != 0) return;
  Announced& last = kind == MessageKind::commit    ? commits_
                    : kind == MessageKind::restore ? rollbacks_
                                                   : recoveries_;
  if (last.count > 0 && last.epoch == message->epoch && last.version == message->number) return;
  last = {message->epoch, message->number, last.count + 1};
  if (!config_.is_firmware(frame.source)) return;
  const Picoseconds now = traffic_.timeline().now();
  if (kind == MessageKind::commit)
    events_.record(now, "cluster", "checkpoint_commit", {{"version", message->number}});
  else if (kind == MessageKind::restore)
    events_.record(now, "cluster", "rollback",
                   {{"version", message->number}, {"epoch", std::uint64_t{message->epoch}}});
  else
    events_.record(now, "cluster", "recovery",
                   {{"version", message->number}, {"from", std::string("cluster")}});
}

void ClusterMachine::node_ended(const WholeNode& whole) {
  const End& end = *whole.node.end();
  if (end.how == End::How::mismatch) {
    mismatch_ = whole.node.mismatch();
    return stop(end);
  }
  if (traffic_.management().outcome()) return stop_when_all_have_ended();
  if (end.status != 0) return failed(whole, fmt::format("its firmware exited with status {}", end.status));
  early_ = whole.name;
  stop(end);
}

void ClusterMachine::node_locked_up(WholeNode& whole) {
  if (traffic_.management().outcome()) {
    whole.node.lose();
    return stop_when_all_have_ended();
  }
  std::string reason;
  const std::vector<std::string> states = whole.node.core_states();
  for (std::size_t core = 0; core < states.size(); ++core)
    reason += fmt::format("{}core {}: {}", core == 0 ? "" : "; ", core, states[core]);
  failed(whole, reason);
}

void ClusterMachine::failed(const WholeNode& whole, const std::string& reason) {
  failures_.push_back(whole.prefix + reason);
  clock_.at_now([&] {
    events_.record(traffic_.timeline().now(), "cluster", "node_failed",
                   {{"node", std::uint64_t{whole.number}}, {"reason", reason}});
    traffic_.lose(whole.number, Loss::node);
  });
}

void ClusterMachine::stop_when_all_have_ended() {
  if (!std::ranges::all_of(whole_,
                           [](const auto& whole) { return whole->node.end() || whole->node.is_lost(); }))
    return;
  const auto& outcome = traffic_.management().outcome();
  Picoseconds at = outcome->at;
  for (const auto& whole : whole_)
    if (whole->node.end()) at = std::max(at, whole->node.end()->at);
  stop({outcome->finished ? End::How::cluster_finished : End::How::not_recoverable, 0, at});
}

void ClusterMachine::stop(End end) {
  if (end_) return;
  end_ = end;
  sc_core::sc_stop();
}

std::uint64_t ClusterMachine::instructions() const {
  std::uint64_t sum = 0;
  for (const auto& whole : whole_) sum += whole->node.instructions();
  return sum;
}

std::vector<std::string> ClusterMachine::core_states() {
  std::vector<std::string> all;
  for (const auto& whole : whole_) {
    const std::vector<std::string> states = whole->node.core_states();
    for (std::size_t core = 0; core < states.size(); ++core)
      all.push_back(
          fmt::format("{}core {}: {}", whole->prefix, core, whole->node.is_lost() ? "lost" : states[core]));
  }
  return all;
}

std::string ClusterMachine::cpu_engine() const {
  return whole_.empty() ? "traffic nodes" : whole_.front()->node.cpu_engine();
}

std::vector<std::string> ClusterMachine::rtl_instances() const {
  std::vector<std::string> all;
  for (const auto& whole : whole_) std::ranges::copy(whole->node.rtl_instances(), std::back_inserter(all));
  return all;
}

std::vector<std::string> ClusterMachine::rtl_summary() const {
  std::vector<std::string> lines;
  for (const auto& whole : whole_) std::ranges::copy(whole->node.rtl_summary(), std::back_inserter(lines));
  return lines;
}

std::string ClusterMachine::memory_summary() const {
  std::string all;
  for (const auto& whole : whole_)
    if (const std::string one = whole->node.memory_summary(); !one.empty())
      all += (all.empty() ? "" : "; ") + whole->prefix + one;
  return all;
}

std::optional<ClusterOutcome> ClusterMachine::cluster() const {
  const Management& management = traffic_.management();
  ClusterOutcome result{.ranks = config_.nodes,
                        .firmware_ranks = config_.firmware_nodes,
                        .spares = config_.firmware_spares + config_.spares,
                        .commits = commits_.count,
                        .losses = management.losses(),
                        .idle_losses = traffic_.idle_losses(),
                        .recoveries = recoveries_.count,
                        .failures = failures_,
                        .early = early_};
  result.spares_used = static_cast<std::uint32_t>(
      std::ranges::count_if(moves_.nodes, [&](std::uint64_t node) { return node >= config_.nodes; }));
  if (!management.outcome()) return result;
  if (management.outcome()->finished) {
    result.result = management.outcome()->result;
    result.expected = RingProgram::expected(scenario_.config.seed, config_.nodes, config_.program.words,
                                            config_.program.steps);
  } else {
    result.not_recoverable = management.outcome()->reason;
  }
  return result;
}

void ClusterMachine::report(Statistics& statistics) const {
  traffic_.report_costs(statistics.group("node").group("checkpoint_costs"));
  for (const auto& whole : whole_) whole->node.report(statistics.group(whole->name));
  Statistics& cluster = statistics.group("cluster");
  cluster.add("checkpoints_committed", commits_.count);
  cluster.add("rollbacks", rollbacks_.count);
  cluster.add("recoveries", recoveries_.count);
  traffic_.report(cluster);
}

void ClusterMachine::flush_output() {
  for (const auto& whole : whole_) {
    whole->console.flush(whole->prefix, on_console);
    whole->uart0.flush(whole->prefix, on_uart0);
  }
}

}  // namespace asterism
