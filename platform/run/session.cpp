#include "platform/run/session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <systemc>
#include <thread>
#include <vector>

#include "cosim/rtl_trace.h"
#include "platform/config/diagnostics.h"
#include "platform/config/nearest_name.h"
#include "platform/host/exit_status.h"
#include "platform/host/hang_limit.h"
#include "platform/host/human_time.h"
#include "platform/run/hanging_plugin.h"
#include "platform/run/run_reports.h"
#include "platform/system/built_node.h"
#include "platform/system/cluster_system.h"
#include "platform/system/manycore_node.h"
#include "platform/system/plugin_device.h"
#include "tlm/log.h"
#include "tlm/time.h"
#include "tlm/warning_cause.h"

namespace asterism {
namespace {

RunOutcome::End how_it_ended(const SimulatedSystem::End& end) {
  switch (end.how) {
    case SimulatedSystem::End::How::exited:
      return RunOutcome::End::firmware_exit;
    case SimulatedSystem::End::How::switched_off:
      return RunOutcome::End::power_off;
    case SimulatedSystem::End::How::workload_done:
      return RunOutcome::End::workload_done;
    case SimulatedSystem::End::How::cluster_finished:
      return RunOutcome::End::cluster_finished;
    case SimulatedSystem::End::How::not_recoverable:
      return RunOutcome::End::not_recoverable;
    case SimulatedSystem::End::How::mismatch:
      return RunOutcome::End::mismatch;
    case SimulatedSystem::End::How::check:
      return RunOutcome::End::check;
  }
  return RunOutcome::End::firmware_exit;
}

// The instance, or the beginning of the path of one, that is nearest to `given`.
std::string nearest_instance(const std::string& given, const std::vector<std::string>& instances) {
  std::vector<std::string> names;
  for (const std::string& instance : instances) {
    for (auto dot = instance.find('.'); dot != std::string::npos; dot = instance.find('.', dot + 1))
      names.push_back(instance.substr(0, dot));
    names.push_back(instance);
  }
  const auto is_end_of = [&](const std::string& name) { return name.ends_with("." + given); };
  if (const auto end = std::ranges::find_if(names, is_end_of); end != names.end()) return *end;
  return nearest_name(given, names);
}

// Refuses a trace of RTL that does not exist, which would be silently empty.
void check_traces(const RtlOptions& rtl, const SimulatedSystem& node) {
  const std::vector<std::string> instances = node.rtl_instances();
  for (const RtlOptions::Trace& trace : rtl.trace) {
    const auto is_of = [&](const std::string& instance) {
      return instance == trace.instance || instance.starts_with(trace.instance + ".");
    };
    if (std::ranges::any_of(instances, is_of)) continue;
    throw ConfigError(
        Diagnostic{.origin = Origin::command_line(),
                   .path = "--trace",
                   .problem = fmt::format("there is no RTL \"{}\" in this node{}", trace.instance,
                                          instances.empty() ? ", in which every block is a model" : ""),
                   .nearest = nearest_instance(trace.instance, instances)});
  }
}

// Opens what the user has named with an option; nullptr if the option was not given.
template <class Opened, class Endpoint>
std::unique_ptr<Opened> opened(const std::optional<Endpoint>& endpoint, const char* option) {
  try {
    return endpoint ? std::make_unique<Opened>(*endpoint) : nullptr;
  } catch (const std::runtime_error& error) {
    throw ConfigError(Diagnostic{.origin = Origin::command_line(), .path = option, .problem = error.what()});
  }
}

RtlOptions with_traces_in(const RunDirectory& directory, RtlOptions options) {
  options.traces = directory.path() / "traces";
  return options;
}

// SystemC passes on as a report what a process has thrown, and as it is what a callback of a module has, such
// as end_of_elaboration().
void throw_if_of_plugin(const std::exception& error) {
  if (const auto& failure = PluginDevice::failure()) throw PluginFailure(*failure);
  const auto* const report = dynamic_cast<const sc_core::sc_report*>(&error);
  const std::string words = report ? report->get_msg() : error.what();
  const char* const process = report ? report->get_process_name() : nullptr;
  if (const char* const owner = PluginDevice::owner_of(process ? process : ""))
    throw PluginFailure(fmt::format("{} has thrown in its process {}: {}", owner, process, words));
  if (const char* const owner = PluginDevice::at_fault())
    throw PluginFailure(fmt::format("{} has thrown in a callback of SystemC: {}", owner, words));
  // "port not bound: port 'node.acme.done' (sc_out)".
  const std::size_t named = std::min(words.find('\'') + 1, words.size());
  if (const char* const owner = PluginDevice::owner_of(std::string_view(words).substr(named)))
    throw PluginFailure(fmt::format("{} has a mistake: {}", owner, words));
}

bool has_plugins(const Scenario& scenario) {
  return std::ranges::any_of(scenario.node.devices.all(),
                             [](const PlacedDevice& device) { return !device.plugin.empty(); });
}

std::unique_ptr<PluginWatch> watch_plugins(const Scenario& scenario, const RunDirectory& directory,
                                           RawTerminal& terminal) {
  if (!has_plugins(scenario)) return nullptr;
  return std::make_unique<PluginWatch>(
      PluginWatch::Message{.at_fault = PluginDevice::at_fault,
                           .start = "\n",
                           .end = ". The run is left in ",
                           .place = [&directory] { return directory.path().c_str(); },
                           .before = [&terminal] { terminal.restore(); }});
}

// A call into RTL or a plug-in that does not return can be ended only together with the process, which leaves
// the run partial. `plugins` is nullptr if the node has none.
std::unique_ptr<HangWatch> watch_calls(const RunDirectory& directory, RawTerminal& terminal,
                                       const PluginWatch* plugins) {
  const std::chrono::seconds limit = hang_limit();
  const auto end_run = [limit, &directory, &terminal](const std::string& instance) {
    terminal.restore();
    fmt::print(
        stderr,
        "\n{}: one evaluation of the RTL has not returned for {} s: it may be an endless loop. The run is "
        "left in {}\n",
        instance, limit.count(), directory.path().string());
    _exit(static_cast<int>(ExitStatus::lockstep));
  };
  if (!plugins) return std::make_unique<HangWatch>(limit, end_run);
  return std::make_unique<HangWatch>(limit, end_run, [limit, plugins, hanging = HangingPlugin()]() mutable {
    if (const char* const label = hanging.sample())
      plugins->end_process({label, ": the plug-in has not let simulated time pass for ",
                            std::to_string(limit.count()).c_str(), " s: it may be an endless loop"});
  });
}

}  // namespace

Session::Session(const Scenario& scenario, const RunDirectory& directory, const RunSettings& settings)
    : scenario_(scenario),
      directory_(directory),
      settings_(settings),
      events_(directory.path() / "events.jsonl"),
      console_(directory.path() / "console.log", settings.show_console),
      terminal_(!scenario.node.devices.keys_of_input(HostUse::Input::terminal).empty()),
      interruption_(terminal_),
      uart_port_(opened<UartPort>(settings.uart0, "--uart0")),
      rtl_(with_traces_in(directory, settings.rtl)),
      plugin_watch_(watch_plugins(scenario, directory, terminal_)),
      hang_watch_(scenario.node.rtl.any() || plugin_watch_
                      ? watch_calls(directory, terminal_, plugin_watch_.get())
                      : nullptr),
      debugger_(opened<Debugger>(settings.gdb, "--gdb")),
      live_(settings.live ? opened<LiveSession>(settings.live->endpoint, "--live") : nullptr),
      instruments_(settings.instruments, scenario, directory, events_),
      threads_(settings.threads > 1 ? std::make_unique<HostThreads>(settings.threads) : nullptr),
      system_(build_system()),
      serial_(directory.path(), system_->serial_lines(), settings.show_console),
      progress_(settings.show_progress && !terminal_.is_raw(), scenario.config.until,
                directory.final_path()) {  // it would overwrite what is typed
  check_traces(rtl_, *system_);
  check_coverage_demands(scenario.coverage, system_->coverage());
  if (uart_port_) system_->connect_serial("uart0", uart_port_->input());
  instruments_.attach(*system_);
  if (debugger_) attach_debugger();
  if (live_) attach_live_session();
  if (settings.instruments.last_instructions > 0) keep_last_instructions();
}

std::unique_ptr<SimulatedSystem> Session::build_system() {
  if (debugger_) events_for_debugger_.emplace(events_, *debugger_);
  if (live_) events_.forward_to(*live_);  // behind all other logs, because it may halt there
  EventLog& events = debugger_ ? static_cast<EventLog&>(*events_for_debugger_) : events_;
  const std::filesystem::path files = directory_.files();
  try {
    if (scenario_.is_cluster())
      return std::make_unique<ClusterSystem>(scenario_, files, rtl_, events, instruments_.taps(),
                                             threads_.get());
    if (scenario_.workload) return std::make_unique<ManycoreNode>("node", scenario_, rtl_);
    const ScenarioConfig& config = scenario_.config;
    auto node = std::make_unique<BuiltNode>("node", scenario_.node,
                                            BuiltNodeContext{.events = events,
                                                             .firmware = scenario_.firmware,
                                                             .arguments = config.firmware_arguments(),
                                                             .files = files,
                                                             .seed = config.seed,
                                                             .faults = config.faults,
                                                             .rtl = rtl_,
                                                             .taps = instruments_.taps(),
                                                             .threads = threads_.get()});
    node->on_end = [] { sc_core::sc_stop(); };
    node->power_on();
    return node;
  } catch (const RtlError& error) {
    throw ConfigError(Diagnostic{.origin = scenario_.node.rtl.arbiter_origin,
                                 .path = "node.fabric.arbiter.variant",
                                 .problem = error.what()});
  }
}

void Session::attach_debugger() {
  snapshots_.emplace(directory_.path(), threads());
  attach(*debugger_, {.system = *system_,
                      .scenario = scenario_,
                      .directory = directory_,
                      .snapshots = *snapshots_,
                      .snapshot_interval = settings_.gdb_snapshots,
                      .has_uart_port = uart_port_ != nullptr,
                      .log_levels_changed = [this] { instruments_.follow_log(*system_); },
                      .halted = [this] { instruments_.halted(); },
                      .interrupted = [this] { return interruption_.happened(); }});
  console_.show_once();
  serial_.show_once();
}

void Session::attach_live_session() {
  try {
    live_->attach({.system = *system_,
                   .scenario = scenario_,
                   .directory = directory_,
                   .version = settings_.live->version,
                   .why_no_snapshots = why_no_live_snapshot(scenario_, uart_port_ != nullptr),
                   .save = [this](const std::string& file) { return save_live(file); },
                   .halted =
                       [this] {
                         instruments_.halted();
                         if (served_run_) served_run_->show_halt();
                       },
                   .interrupted = [this] { return interruption_.happened(); }});
  } catch (const std::invalid_argument& error) {
    refuse_option("--live", error.what());
  }
}

// Clients of another live session connect to the process that continues, if it has one.
bool Session::save_live(const std::string& file) {
  pause();
  bool continues = false;
  try {
    continues = settings_.live->save(file);
  } catch (...) {
    resume();
    throw;
  }
  if (!continues) {
    resume();
    return false;
  }
  live_->forget_clients();
  continue_from_snapshot();
  live_->continue_at(settings_.live->endpoint);
  announce_live_session();
  return true;
}

void Session::announce_live_session() const {
  if (live_ && live_->is_open()) fmt::print(stderr, "live session: {}\n", live_->address());
}

void Session::keep_last_instructions() {
  if (system_->waits_for_the_host())
    refuse_option("--last-instructions", "is not available with input from outside the simulation");
  for (const DeviceList::KeptFile& kept : scenario_.node.devices.kept_files())
    refuse_option(
        "--last-instructions",
        fmt::format("is not available with a file that keeps the state of a device ({})", kept.key));
  last_instructions_.emplace(settings_.instruments.last_instructions, *system_, scenario_.firmware.symbols,
                             directory_, threads());
}

void Session::connect_output() {
  system_->on_console = [this](std::string_view text) {
    progress_.clear(), console_.write(text), instruments_.output("console", text);
    if (live_) live_->output("console", text);
  };
  system_->on_serial = [this](const std::string& line, std::string_view text) {
    progress_.clear(), serial_.write(line, text), instruments_.output(line, text);
    if (uart_port_ && line == "uart0") uart_port_->transmit(text);
    if (live_) live_->output(line, text);
  };
}

void Session::wait_for_clients() {
  if (uart_port_) {
    const bool waits = settings_.uart0->waits;
    fmt::print(stderr, "{}: {}\n", waits ? "waiting for a client of uart0" : "uart0", uart_port_->address());
    while (waits && !interruption_.happened() && !uart_port_->wait_for_client(std::chrono::milliseconds(100)))
      continue;
  }
  if (settings_.pages) show_pages();
  if (debugger_) fmt::print(stderr, "waiting for a debugger: target remote {}\n", debugger_->address());
  announce_live_session();
}

void Session::show_pages() {
  served_run_.emplace(*settings_.pages,
                      ServedRun::Shown{.system = *system_,
                                       .events = events_,
                                       .recorder = *instruments_.recorder(),
                                       .until = scenario_.config.until,
                                       .last = time_of_last_run(directory_.final_path()),
                                       .interrupted = [this] { return interruption_.happened(); },
                                       .before_message = [this] { progress_.clear(); }},
                      directory_.path() / "traces" / "record.bin");
  fmt::print(stderr, "the run is shown at {}\n", settings_.pages->address());
  if (settings_.pages_wait) served_run_->wait_for_page();
  start_ = Clock::now();
}

LiveSnapshots::Threads Session::threads() {
  return {[this] { pause(); }, [this] { resume(); }};
}

// They are started again on demand.
void Session::end_threads() {
  system_->quiesce();
  if (threads_) threads_->stop();
}

void Session::pause() {
  end_threads();
  interruption_.pause();
  if (hang_watch_) hang_watch_->pause();
  if (debugger_) debugger_->pause_port();
  if (live_) live_->pause_port();
  if (served_run_) served_run_->pause();
}

void Session::resume() {
  interruption_.resume();
  if (hang_watch_) hang_watch_->resume();
  if (debugger_) debugger_->resume_port();
  if (served_run_) served_run_->resume();
  if (live_) live_->resume_port();
}

RunOutcome Session::run() {
  start_ = Clock::now();
  if (settings_.on_start) settings_.on_start();
  connect_output();
  wait_for_clients();
  advance_to_end();
  system_->flush_output();
  serial_.flush();
  log_repetitions();
  take_end();
  take_outcome();
  write_reports();
  return outcome_;
}

void Session::advance_to_end() {
  if (!settings_.snapshot || settings_.snapshot->at >= scenario_.config.until)
    return advance(scenario_.config.until);
  advance(settings_.snapshot->at);
  if (outcome_.end != RunOutcome::End::time_limit) return;
  outcome_.snapshot_saved = true;
  end_threads();
  if (settings_.snapshot->save()) continue_from_snapshot();
  advance(scenario_.config.until);
}

// In a process that continues from the snapshot, with another run directory.
void Session::continue_from_snapshot() {
  resume();
  system_->move_files(directory_.files());
  move_traces(rtl_.traces, directory_.path() / "traces");
  system_->inject(settings_.more_faults);
  start_ = Clock::now();
  until_ = scenario_.config.until;
}

// Advances simulated time in slices that take about 20 ms of the host's time, so that signals and the
// terminal are handled between them. The slices do not change what is simulated: each reaches at least to the
// next event, and the last one ends there.
//
// With a person at the terminal, simulated time never passes faster than that of the host: an idle operating
// system would reach the time limit while they think.
void Session::advance(Picoseconds until) {
  const Picoseconds longest = terminal_.is_raw() ? 10_ms : 1_s;
  Picoseconds slice = 10_us;
  until_ = until;
  for (;;) {
    if (last_instructions_) last_instructions_->poll();
    if (is_copy()) until_ = last_instructions_->end();
    if (const auto end = end_now()) {
      outcome_.end = *end;
      if (live_) end_live_session();
      break;
    }
    const Clock::time_point start = Clock::now();
    const Picoseconds began = now();
    Picoseconds stop = std::min(until_, instruments_.next_sample());
    if (served_run_ && served_run_->next_stop() > began) stop = std::min(stop, served_run_->next_stop());
    simulate(slice, terminal_.is_raw() ? std::min(stop, began + longest) : stop);
    if (now() >= instruments_.next_sample()) instruments_.sample(*system_);
    if (debugger_) debugger_->poll();
    if (live_) live_->poll();
    if (served_run_ && !is_copy() && !system_->end()) start_ += served_run_->poll();
    if (!system_->end() && is_interrupted()) {
      const bool quits = live_ && live_->has_quit() && !interruption_.happened();
      outcome_.end = quits ? RunOutcome::End::quit : RunOutcome::End::interrupted;
      break;
    }
    progress_.update(*system_, events_);
    const auto took = Clock::now() - start;
    if (terminal_.is_raw()) wait_for_host(now() - began, took);
    if (took < std::chrono::milliseconds(10) && slice < longest) slice = slice * 2;
    if (took > std::chrono::milliseconds(40) && slice > 1_us) slice = slice / 2;
  }
  progress_.clear();
  if (is_copy()) last_instructions_->finish();
}

void Session::wait_for_host(Picoseconds simulated, Clock::duration took) {
  const std::chrono::nanoseconds passed(simulated.count() / 1000);
  if (passed > took) std::this_thread::sleep_for(passed - took);
}

void Session::end_live_session() {
  const auto& end = system_->end();
  live_->ended(name_of(outcome_.end), end ? std::optional(end->status) : std::nullopt);
}

std::optional<RunOutcome::End> Session::end_now() {
  if (is_copy() && last_instructions_->is_done()) return RunOutcome::End::interrupted;
  // Also before the start, if RTL differs while memory is loaded.
  if (system_->end()) return how_it_ended(*system_->end());
  if (now() >= until_) return RunOutcome::End::time_limit;
  if (!sc_core::sc_pending_activity() && !system_->waits_for_the_host()) {
    if (debugger_) debugger_->stalled();
    if (debugger_ && debugger_->was_killed()) return RunOutcome::End::interrupted;
    if (live_) live_->stalled();
    if (live_ && live_->has_quit()) return RunOutcome::End::quit;
    if (!sc_core::sc_pending_activity()) return RunOutcome::End::stalled;
  }
  return std::nullopt;
}

bool Session::is_copy() const { return last_instructions_ && last_instructions_->is_copy(); }

bool Session::is_interrupted() const {
  return interruption_.happened() || (debugger_ && debugger_->was_killed()) || (live_ && live_->has_quit());
}

std::optional<Picoseconds> Session::next_poll() const {
  if (debugger_) return debugger_->next_poll();
  return live_ ? live_->next_poll() : std::nullopt;
}

void Session::simulate(Picoseconds slice, Picoseconds until) {
  const Picoseconds to_next = to_picoseconds(sc_core::sc_time_to_pending_activity());
  const Picoseconds left = std::min(until, next_poll().value_or(until)) - now();
  const Picoseconds length = std::min(std::max(slice, to_next), left);
  try {
    sc_core::sc_start(to_sc_time(length),
                      to_next > left ? sc_core::SC_RUN_TO_TIME : sc_core::SC_EXIT_ON_STARVATION);
    // Otherwise a time could be that before or behind its last events.
    while ((debugger_ || live_) && !system_->end() && !is_interrupted() &&
           sc_core::sc_get_status() == sc_core::SC_PAUSED && sc_core::sc_pending_activity_at_current_time())
      sc_core::sc_start(sc_core::SC_ZERO_TIME);
  } catch (const std::exception& error) {
    throw_if_of_plugin(error);
    throw;
  }
  if (plugin_watch_ && sc_core::sc_get_status() == sc_core::SC_STOPPED && !system_->end() &&
      !is_interrupted()) {
    const char* const label = PluginDevice::stopped_by();
    throw PluginFailure(fmt::format("{} has called sc_stop(), which ends the simulation for all",
                                    label ? label : "a plug-in"));
  }
}

void Session::take_end() {
  outcome_.host_seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  outcome_.time = now();
  if (const auto& end = system_->end()) {
    outcome_.firmware_status = end->status;
    outcome_.finding = end->why;
    outcome_.time = end->at;
  }
  if (debugger_) debugger_->ended(exit_status(outcome_, outcome_.end != RunOutcome::End::not_recoverable));
}

void Session::take_outcome() {
  outcome_.instructions = system_->instructions();
  outcome_.script_waits_for = system_->script_waits_for();
  outcome_.checkpoints = events_.count("checkpoint_commit");
  for (const PlacedDevice& device : scenario_.node.devices.all())
    if (device.type == "dimm_ssd")
      outcome_.checkpoints_of.emplace_back(device.instance(),
                                           events_.count("checkpoint_commit", "node." + device.instance()));
  outcome_.has_begun_checkpoints = events_.count("checkpoint_begin") > 0;
  outcome_.power_losses = events_.count("power_lost");
  outcome_.gpu_losses = events_.count("gpu_lost");
  outcome_.power_returns = events_.power_returns();
  outcome_.ignored_power_losses = events_.count("power_loss_ignored");
  outcome_.warm_resets = events_.count("warm_reset");
  outcome_.late_faults = static_cast<std::uint64_t>(std::ranges::count_if(
      scenario_.config.faults, [&](const FaultConfig& fault) { return fault.at > outcome_.time; }));
  outcome_.cluster = system_->cluster();
  outcome_.recoveries = outcome_.cluster ? outcome_.cluster->recoveries : events_.recoveries();
  if (!outcome_.ended_by_itself() && !outcome_.cluster)
    outcome_.reset_period = events_.reset_period(outcome_.time);
  outcome_.cores = system_->core_reports();
  outcome_.memory = system_->memory_summary();
  outcome_.checks = system_->checks_summary();
  outcome_.findings = system_->findings();
  outcome_.rtl = system_->rtl_summary();
  outcome_.coverage = system_->coverage();
  outcome_.compared_translations = system_->compared_translations();
  outcome_.mismatches = system_->mismatches();
  outcome_.mismatch = text_of(system_->first_mismatches(), outcome_.mismatches, directory_);
}

void Session::write_reports() {
  if (!outcome_.is_success()) {
    write_core_reports(outcome_, directory_);
    outcome_.has_last_instructions = last_instructions_ && last_instructions_->record();
  }
  if (outcome_.cluster && outcome_.cluster->result)
    directory_.write("files/result.txt", fmt::format("{:#018x}\n", *outcome_.cluster->result));
  write_statistics(outcome_, *system_, directory_);
  warn_of_empty_traces();
  instruments_.finish(*system_, outcome_.time);
  events_.check(), console_.check(), serial_.check();
}

void Session::warn_of_empty_traces() const {
  const InstrumentOptions& options = settings_.instruments;
  if (!options.has_window()) return;
  std::vector<std::string> names = instances_without_trace(rtl_);
  const std::vector<std::string> cores = instruments_.cores_without_trace();
  constexpr std::size_t most = 4;
  if (cores.size() > most)
    names.push_back(fmt::format("{} cores", cores.size()));
  else
    names.insert(names.end(), cores.begin(), cores.end());
  if (names.empty()) return;
  const bool ends = options.trace_to < Picoseconds(std::numeric_limits<std::uint64_t>::max());
  fmt::print(
      stderr,
      "asterism: there was nothing to trace of {} from {} to {}; the run ended at {} of simulated time\n",
      fmt::join(names, ", "), human_time(options.trace_from), ends ? human_time(options.trace_to) : "the end",
      human_time(outcome_.time));
}

}  // namespace asterism
