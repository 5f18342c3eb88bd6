#include "platform/system/cluster_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/random.h"
#include "cluster/network_interface.h"
#include "cluster/ring_program.h"
#include "tlm/time.h"

namespace asterism {
namespace {

// The exit status of firmware that lacks a device or memory, see sw/boot/exit_status.h.
constexpr unsigned status_unavailable = 3;

// The arguments of the firmware: those of the scenario, then the cluster's program and checkpoints.
std::string arguments(const ScenarioConfig& config) {
  const ClusterConfig& cluster = *config.cluster;
  if (!cluster.is_ring()) return config.firmware_arguments();
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

// The faults of one node of a cluster.
std::vector<FaultConfig> of_node(std::vector<FaultConfig> faults, NodeNumber node) {
  std::erase_if(faults, [&](const FaultConfig& fault) { return fault.node != node || fault.cluster_loss(); });
  return faults;
}

}  // namespace

ClusterSystem::WholeNode::WholeNode(NodeNumber node_number, const PreparedNode& prepared,
                                    const BuiltNodeContext& context)
    : number(node_number),
      name(node_name(number)),
      prefix(name + ": "),
      node(name.c_str(), prepared, context),
      console(prefix) {
  for (const std::string& line : node.serial_lines()) serial.try_emplace(line, prefix);
}

ClusterSystem::ClusterSystem(const Scenario& scenario, const std::filesystem::path& files,
                             const RtlOptions& rtl, EventLog& events, TransactionTaps* taps,
                             HostThreads* threads)
    : scenario_(scenario),
      config_(*scenario.config.cluster),
      events_(events),
      traffic_(config_, scenario.config.seed, events),
      clock_("network", traffic_.event_queue()) {
  for (const NodeNumber node : whole_nodes(config_)) {
    const BuiltNodeContext context{
        .events = events,
        .firmware = scenario.firmware,
        .arguments = arguments(scenario.config),
        .files = files / node_name(node),
        .seed = Random(scenario.config.seed).at(node),
        .faults = of_node(scenario.config.faults, node),
        .preferred_device = config_.nic,  // programs of a cluster use the first NIC
        .rtl = rtl,
        .taps = taps,
        .threads = threads};
    whole_.push_back(std::make_unique<WholeNode>(node, scenario.node, context));
    connect(*whole_.back());
    whole_.back()->node.power_on();
  }
  traffic_.on_loss([this](NodeNumber node, Loss loss) { lost(node, loss); });
  traffic_.management().on_end = [this] { stop_when_all_have_ended(); };
  clock_.at_now([this] {
    schedule_losses(scenario_.config.faults);
    traffic_.begin();
  });
}

void ClusterSystem::connect(WholeNode& whole) {
  BuiltNode& node = whole.node;
  node.on_console = [this, &whole](std::string_view text) { whole.console.write(text, on_console); };
  node.on_serial = [this, &whole](const std::string& line, std::string_view text) {
    whole.serial.at(line).write(text, output_of(line));
  };
  node.on_end = [this, &whole] { node_ended(whole); };
  node.on_lock_up = [this, &whole] { node_locked_up(whole); };
  node.on_power_restored = [this, &whole] {
    clock_.at_now([&] { traffic_.management().restarted(whole.number); });
  };
  NetworkInterface& interface = *node.devices().find_as<NetworkInterface>(config_.nic);
  interface.attach({.clock = clock_,
                    .network = traffic_.network(),
                    .node = whole.number,
                    .management = &traffic_.management(),
                    .storage = config_.has_storage() ? std::optional(config_.storage_node()) : std::nullopt});
  // Firmware that restarts has lost its state and its copies; independent nodes may restart.
  interface.on_reset = [this, &whole](Reset) {
    if (!whole.node.is_lost() && !config_.is_independent()) traffic_.lose(whole.number, Loss::memory);
  };
}

// All nodes are the same.
std::vector<std::string> ClusterSystem::serial_lines() const {
  return whole_.empty() ? std::vector<std::string>() : whole_.front()->node.serial_lines();
}

PrefixedLines::Out ClusterSystem::output_of(const std::string& line) const {
  return [this, &line](std::string_view text) { on_serial(line, text); };
}

void ClusterSystem::inject(const std::vector<FaultConfig>& faults) {
  clock_.at_now([&] { schedule_losses(faults); });
  for (const auto& whole : whole_) whole->node.inject(of_node(faults, whole->number));
}

void ClusterSystem::schedule_losses(const std::vector<FaultConfig>& faults) {
  for (const FaultConfig& fault : faults)
    if (const auto loss = fault.cluster_loss())
      traffic_.inject(
          {.at = fault.at, .node = *fault.node, .loss = *loss, .restore_after = fault.restore_after});
}

// A node loses power only by the loss of the node; the loss of its link does not affect it.
void ClusterSystem::lost(NodeNumber node, Loss loss) {
  if (loss != Loss::node) return;
  for (const auto& whole : whole_)
    if (whole->number == node) whole->node.lose();
}

void ClusterSystem::node_ended(const WholeNode& whole) {
  const End& end = *whole.node.end();
  if (end.how == End::How::mismatch || end.how == End::How::check) return stop(end);
  if (traffic_.management().outcome()) return stop_when_all_have_ended();
  if (end.status == 0 && config_.is_independent())
    return clock_.at_now([&] { traffic_.management().finished(whole.number, 0); });
  if (end.status != 0 && config_.is_ring()) {
    const std::string& words = whole.console.last();
    const std::string reason =
        fmt::format("its firmware exited with status {}{}{}", end.status, words.empty() ? "" : ": ", words);
    if (!ends_the_run(whole, end, reason)) failed(whole, reason);
    return;
  }
  early_ = whole.name;
  stop(end);
}

// If the node lacks hardware, its spares lack it, too, so no spare is used.
bool ClusterSystem::ends_the_run(const WholeNode& whole, const End& end, const std::string& reason) {
  const bool has_rank = traffic_.management().membership().rank_of(whole.number) != no_rank;
  if (end.status != status_unavailable || !has_rank) return false;
  clock_.at_now([&] { traffic_.management().not_recoverable(whole.number, whole.prefix + reason); });
  return true;
}

void ClusterSystem::node_locked_up(WholeNode& whole) {
  if (traffic_.management().outcome()) {
    whole.node.lose();
    return stop_when_all_have_ended();
  }
  std::string reason;
  for (const CoreReport& core : whole.node.core_reports())
    reason += fmt::format("{}{}: {}", reason.empty() ? "" : "; ", core.name, core.state);
  failed(whole, reason);
}

void ClusterSystem::failed(const WholeNode& whole, const std::string& reason) {
  failures_.push_back(whole.prefix + reason);
  clock_.at_now([&] {
    events_.record(traffic_.event_queue().now(), "cluster", "node_failed",
                   {{"node", std::uint64_t{whole.number}}, {"reason", reason}});
    if (config_.is_independent())
      traffic_.management().not_recoverable(whole.number, whole.prefix + reason);
    else
      traffic_.lose(whole.number, Loss::node, {}, whole.prefix + reason);
  });
}

void ClusterSystem::stop_when_all_have_ended() {
  // Independent nodes are not notified that another has failed.
  const bool must_end = config_.is_independent() && !traffic_.management().outcome()->finished;
  if (!must_end && !std::ranges::all_of(
                       whole_, [](const auto& whole) { return whole->node.end() || whole->node.is_lost(); }))
    return;
  const auto& outcome = traffic_.management().outcome();
  Picoseconds at = outcome->at;
  for (const auto& whole : whole_)
    if (whole->node.end()) at = std::max(at, whole->node.end()->at);
  stop({outcome->finished ? End::How::cluster_finished : End::How::not_recoverable, 0, at});
}

void ClusterSystem::stop(const End& end) {
  if (end_) return;
  end_ = end;
  sc_core::sc_stop();
}

std::uint64_t ClusterSystem::instructions() const {
  std::uint64_t sum = 0;
  for (const auto& whole : whole_) sum += whole->node.instructions();
  return sum;
}

std::vector<DebuggedCore> ClusterSystem::cores_to_debug() {
  std::vector<DebuggedCore> all;
  for (const auto& whole : whole_)
    for (DebuggedCore& each : whole->node.cores_to_debug()) {
      each.name = whole->name + "." + each.name;
      all.push_back(std::move(each));
    }
  return all;
}

std::vector<CoreReport> ClusterSystem::core_reports() {
  std::vector<CoreReport> all;
  for (const auto& whole : whole_)
    for (CoreReport& core : whole->node.core_reports()) {
      if (whole->node.is_lost()) core = {.name = core.name, .state = "lost", .details = "lost\n"};
      core.name = whole->prefix + core.name;
      all.push_back(std::move(core));
    }
  return all;
}

std::optional<std::string> ClusterSystem::script_waits_for() const {
  for (const auto& whole : whole_)
    if (const auto text = whole->node.script_waits_for(); text && !whole->node.is_lost())
      return fmt::format("{} of {}", *text, whole->name);
  return std::nullopt;
}

std::string ClusterSystem::cpu_engine() const {
  return whole_.empty() ? "traffic nodes" : whole_.front()->node.cpu_engine();
}

std::vector<std::string> ClusterSystem::rtl_instances() const {
  std::vector<std::string> all;
  for (const auto& whole : whole_) std::ranges::copy(whole->node.rtl_instances(), std::back_inserter(all));
  return all;
}

std::vector<std::string> ClusterSystem::rtl_summary() const {
  std::vector<std::string> lines;
  for (const auto& whole : whole_) std::ranges::copy(whole->node.rtl_summary(), std::back_inserter(lines));
  return lines;
}

std::optional<std::uint64_t> ClusterSystem::compared_translations() const {
  std::optional<std::uint64_t> sum;
  for (const auto& whole : whole_)
    if (const auto compared = whole->node.compared_translations()) sum = sum.value_or(0) + *compared;
  return sum;
}

std::vector<Lockstep::Mismatch> ClusterSystem::first_mismatches() const {
  std::vector<Lockstep::Mismatch> all;
  for (const auto& whole : whole_) std::ranges::copy(whole->node.first_mismatches(), std::back_inserter(all));
  std::ranges::stable_sort(all, {}, &Lockstep::Mismatch::at);
  return all;
}

std::uint64_t ClusterSystem::mismatches() const {
  std::uint64_t sum = 0;
  for (const auto& whole : whole_) sum += whole->node.mismatches();
  return sum;
}

std::vector<BlockCoverage> ClusterSystem::coverage() const {
  std::vector<BlockCoverage> all;
  for (const auto& whole : whole_) std::ranges::copy(whole->node.coverage(), std::back_inserter(all));
  return all;
}

std::string ClusterSystem::memory_summary() const {
  std::string all;
  for (const auto& whole : whole_)
    if (const std::string one = whole->node.memory_summary(); !one.empty())
      all += (all.empty() ? "" : "; ") + whole->prefix + one;
  return all;
}

std::string ClusterSystem::checks_summary() const {
  std::string all;
  for (const auto& whole : whole_)
    if (const std::string one = whole->node.checks_summary(); !one.empty())
      all += (all.empty() ? "" : "; ") + whole->prefix + one;
  return all;
}

std::uint64_t ClusterSystem::findings() const {
  std::uint64_t sum = 0;
  for (const auto& whole : whole_) sum += whole->node.findings();
  return sum;
}

// Rank 0 reports the recoveries of the ring program; in another program each node reports its own.
std::uint64_t ClusterSystem::recoveries() const {
  if (config_.is_ring()) return traffic_.announcements().recoveries();
  std::uint64_t sum = 0;
  for (const auto& whole : whole_) sum += whole->node.recoveries();
  return sum;
}

std::optional<ClusterOutcome> ClusterSystem::cluster() const {
  const Management& management = traffic_.management();
  ClusterOutcome result{.ranks = config_.nodes,
                        .firmware_ranks = config_.firmware_nodes,
                        .spares = config_.firmware_spares + config_.spares,
                        .spares_used = management.spares_used(),
                        .is_ring = config_.is_ring(),
                        .is_independent = config_.is_independent(),
                        .commits = traffic_.announcements().commits(),
                        .losses = management.losses(),
                        .ineffective_faults = traffic_.ineffective_faults(),
                        .recoveries = recoveries(),
                        .failures = failures_,
                        .early = early_};
  if (!management.outcome()) return result;
  if (management.outcome()->finished) {
    if (!config_.is_independent()) result.result = management.outcome()->result;
    if (config_.is_ring())
      result.expected = RingProgram::expected(scenario_.config.seed, config_.nodes, config_.program.words,
                                              config_.program.steps);
  } else {
    result.not_recoverable = management.outcome()->reason;
  }
  return result;
}

void ClusterSystem::report(Statistics& statistics) const {
  traffic_.report_costs(statistics.group("node").group("checkpoint_costs"));
  for (const auto& whole : whole_) whole->node.report(statistics.group(whole->name));
  Statistics& cluster = statistics.group("cluster");
  cluster.add("checkpoints_committed", traffic_.announcements().commits());
  cluster.add("rollbacks", traffic_.announcements().rollbacks());
  cluster.add("recoveries", recoveries());
  traffic_.report(cluster);
}

void ClusterSystem::flush_output() {
  for (const auto& whole : whole_) {
    whole->console.flush(on_console);
    for (auto& [line, lines] : whole->serial) lines.flush(output_of(line));
  }
}

}  // namespace asterism
