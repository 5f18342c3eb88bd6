#include "platform/run/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>

#include "core/host_threads.h"
#include "cosim/hang_watch.h"
#include "cosim/rtl_trace.h"
#include "flash/flash_image.h"
#include "platform/config/diagnostics.h"
#include "platform/config/nearest_name.h"
#include "platform/host/exit_status.h"
#include "platform/host/human_time.h"
#include "platform/host/progress_line.h"
#include "platform/host/shown_text.h"
#include "platform/run/interruption.h"
#include "platform/run/last_instructions.h"
#include "platform/run/run_debugger.h"
#include "platform/run/summary.h"
#include "platform/system/cluster_system.h"
#include "platform/system/manycore_node.h"
#include "platform/system/node.h"
#include "tlm/log.h"
#include "tlm/time.h"
#include "tlm/warning_cause.h"

namespace asterism {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Shows the progress of a run a few times a second.
class RunProgress {
 public:
  explicit RunProgress(bool wanted) : line_(wanted) {}

  void update(const SimulatedSystem& node, const EventFile& events) {
    const double elapsed = line_.seconds();
    if (!line_.is_due() || elapsed - last_elapsed_ < 0.25) return;
    const std::uint64_t instructions = node.instructions();
    const double mips =
        static_cast<double>(instructions - last_instructions_) / (elapsed - last_elapsed_) / 1e6;
    line_.show(fmt::format("{} simulated{}, {} checkpoints", human_time(now()),
                           instructions > 0 ? fmt::format(", {:.0f} MIPS", mips) : "",
                           events.count("checkpoint_commit")));
    last_elapsed_ = elapsed;
    last_instructions_ = instructions;
  }
  void clear() { line_.clear(); }

 private:
  ProgressLine line_;
  double last_elapsed_ = 0;
  std::uint64_t last_instructions_ = 0;
};

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

// Advances simulated time in slices that take about 20 ms of the host's time, so that signals and the
// terminal are handled between them. The slices do not change what is simulated: each reaches at least to the
// next event, and the last one ends there.
RunOutcome::End advance_time(SimulatedSystem& node, Picoseconds until, const Interruption& interruption,
                             Debugger* debugger, LastInstructions* last, RunProgress& progress,
                             const EventFile& events) {
  Picoseconds slice = 10_us;
  for (;;) {
    if (last) last->poll();
    if (last && last->is_copy()) {
      until = last->end();
      if (last->is_done()) return RunOutcome::End::interrupted;
    }
    if (node.end())
      return how_it_ended(*node.end());  // also before the start, if RTL differs while memory is loaded
    if (now() >= until) return RunOutcome::End::time_limit;
    if (!sc_core::sc_pending_activity() && !node.waits_for_the_host()) {
      if (debugger) debugger->stalled();
      if (debugger && debugger->was_killed()) return RunOutcome::End::interrupted;
      if (!sc_core::sc_pending_activity()) return RunOutcome::End::stalled;
    }
    const Clock::time_point start = Clock::now();
    const Picoseconds to_next = to_picoseconds(sc_core::sc_time_to_pending_activity());
    const auto poll = debugger ? debugger->next_poll() : std::nullopt;
    const Picoseconds left = std::min(until, poll.value_or(until)) - now();
    const Picoseconds length = std::min(std::max(slice, to_next), left);
    sc_core::sc_start(to_sc_time(length),
                      to_next > left ? sc_core::SC_RUN_TO_TIME : sc_core::SC_EXIT_ON_STARVATION);
    // Otherwise a time could be that before or behind its last events.
    while (debugger && sc_core::sc_get_status() == sc_core::SC_PAUSED &&
           sc_core::sc_pending_activity_at_current_time())
      sc_core::sc_start(sc_core::SC_ZERO_TIME);
    if (debugger) debugger->poll();
    if (!node.end() && (interruption.happened() || (debugger && debugger->was_killed())))
      return RunOutcome::End::interrupted;
    progress.update(node, events);
    const double took = seconds_since(start);
    if (took < 0.01 && slice < 1_s) slice = slice * 2;
    if (took > 0.04 && slice > 1_us) slice = slice / 2;
  }
}

// Writes the output of a guest to a file of the run directory and, if wanted, immediately to stdout.
class Console {
 public:
  Console(const std::filesystem::path& file, const bool& show) : file_(file, std::ios::binary), show_(show) {}
  // From now on the text may be written again, by processes that continue from live snapshots.
  void show_once() { shown_.emplace(); }
  void write(std::string_view text) {
    file_ << text << std::flush;
    if (shown_) text = shown_->unseen(text);
    if (!show_) return;
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }

 private:
  std::ofstream file_;
  const bool& show_;
  std::optional<ShownText> shown_;
};

std::string_view name_of(RunOutcome::End end) {
  switch (end) {
    case RunOutcome::End::firmware_exit:
      return "firmware_exit";
    case RunOutcome::End::power_off:
      return "power_off";
    case RunOutcome::End::workload_done:
      return "workload_done";
    case RunOutcome::End::cluster_finished:
      return "cluster_finished";
    case RunOutcome::End::not_recoverable:
      return "not_recoverable";
    case RunOutcome::End::time_limit:
      return "time_limit";
    case RunOutcome::End::stalled:
      return "stalled";
    case RunOutcome::End::mismatch:
      return "mismatch";
    case RunOutcome::End::check:
      return "check";
    case RunOutcome::End::interrupted:
      return "interrupted";
  }
  return "";
}

void write_reports(const RunOutcome& outcome, const SimulatedSystem& node, const RunDirectory& directory) {
  Statistics statistics;
  statistics.add("ended", name_of(outcome.end));
  if (outcome.end == RunOutcome::End::firmware_exit || outcome.end == RunOutcome::End::power_off)
    statistics.add("firmware_status", outcome.firmware_status);
  statistics.add("simulated_time", outcome.time);
  statistics.add("instructions", outcome.instructions);
  statistics.add("power_losses", outcome.power_losses);
  statistics.add("recoveries", outcome.recoveries);
  if (outcome.mismatches > 0) statistics.add("mismatches", outcome.mismatches);
  node.report_to(statistics);
  directory.write("stats.json", to_json(statistics));

  Statistics host;
  host.add("wall_microseconds", static_cast<std::uint64_t>(outcome.host_seconds * 1e6));
  host.add("instructions_per_second", static_cast<std::uint64_t>(static_cast<double>(outcome.instructions) /
                                                                 std::max(outcome.host_seconds, 1e-9)));
  host.add("systemc", std::string_view(sc_core::sc_version()));
  host.add("cpu_engine", node.cpu_engine());
  node.report_host(host);
  directory.write("host.json", to_json(host));
}

void write_core_reports(const RunOutcome& outcome, const RunDirectory& directory) {
  std::string text;
  for (const CoreReport& core : outcome.cores)
    text += fmt::format("{}==== {}: {}", text.empty() ? "" : "\n", core.name, core.details);
  if (!text.empty()) directory.write("cores.txt", text);
}

void copy_input_files(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (lies_within(to, from))
    throw ConfigError(Diagnostic::of_file(
        from.string(), "cannot be copied to the run directory, which is inside it; name another with --out"));
  std::error_code error;
  std::filesystem::copy(from, to, std::filesystem::copy_options::recursive, error);
  if (error)
    throw InputMissing(
        Diagnostic::of_file(from.string(), "cannot be copied to the run directory: " + error.message()));
}

// The root folders of the guests' files. They are created if they do not exist.
std::vector<std::filesystem::path> guests_folders(const Scenario& scenario, const RunDirectory& directory) {
  if (!scenario.is_cluster()) return {directory.files()};
  std::vector<std::filesystem::path> folders;
  for (const NodeNumber node : whole_nodes(*scenario.config.cluster)) {
    folders.push_back(directory.files() / node_name(node));
    std::filesystem::create_directory(folders.back());
  }
  return folders;
}

std::unique_ptr<SimulatedSystem> build(const Scenario& scenario, const RunDirectory& directory,
                                       const RtlOptions& rtl, EventLog& events, TransactionTaps* taps,
                                       HostThreads* threads) {
  try {
    if (scenario.is_cluster())
      return std::make_unique<ClusterSystem>(scenario, directory.files(), rtl, events, taps, threads);
    if (scenario.workload) return std::make_unique<ManycoreNode>("node", scenario, rtl);
    return std::make_unique<Node>("node", scenario, directory.files(), rtl, events, taps, threads);
  } catch (const RtlError& error) {
    throw ConfigError(Diagnostic{.origin = scenario.rtl.arbiter_origin,
                                 .path = "node.fabric.arbiter.variant",
                                 .problem = error.what()});
  } catch (const FlashImageError& error) {
    throw ConfigError(
        Diagnostic{.origin = scenario.image_origin, .path = "node.dimm_ssd.image", .problem = error.what()});
  }
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

Debugger& make_debugger(std::optional<Debugger>& debugger, const GdbEndpoint& endpoint) {
  try {
    return debugger.emplace(endpoint);
  } catch (const std::runtime_error& error) {
    throw ConfigError(Diagnostic{.origin = Origin::command_line(), .path = "--gdb", .problem = error.what()});
  }
}

void open_uart_port(std::optional<UartPort>& port, const UartEndpoint& endpoint) {
  try {
    port.emplace(endpoint);
  } catch (const std::runtime_error& error) {
    throw ConfigError(
        Diagnostic{.origin = Origin::command_line(), .path = "--uart0", .problem = error.what()});
  }
}

void wait_for_client(UartPort& port, const Interruption& interruption) {
  while (!interruption.happened() && !port.wait_for_client(std::chrono::milliseconds(100))) continue;
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

// The first mismatches, one after the other, with the paths that their traces will have when the run is over.
std::string text_of(std::vector<Lockstep::Mismatch> first, std::uint64_t all, const RunDirectory& directory) {
  std::string text;
  first.resize(std::min(first.size(), Mismatches::max_kept));
  for (Lockstep::Mismatch& mismatch : first) {
    if (!mismatch.trace.empty())
      mismatch.trace = (directory.final_path() / "traces" / std::filesystem::path(mismatch.trace).filename())
                           .lexically_proximate(std::filesystem::current_path())
                           .string();
    text += (text.empty() ? "" : "\n") + mismatch.text();
  }
  if (const std::uint64_t more = all - std::min<std::uint64_t>(all, first.size()); more > 0)
    text += fmt::format("\nand {} more mismatch{}\n", more, more == 1 ? "" : "es");
  return text;
}

// A call into RTL that does not return can be ended only together with the process, which leaves the run
// partial.
void watch_rtl(std::optional<HangWatch>& watch, const RunDirectory& directory, RawTerminal* terminal) {
  constexpr std::chrono::seconds time_limit(10);
  watch.emplace(time_limit, [time_limit, &directory, terminal](const std::string& instance) {
    if (terminal) terminal->restore();
    fmt::print(stderr,
               "\n{}: one evaluation of the RTL has not returned for {} s: it may be an endless "
               "loop. The run is left in {}\n",
               instance, time_limit.count(), directory.path().string());
    _exit(static_cast<int>(ExitStatus::lockstep));
  });
}

}  // namespace

int exit_status(const RunOutcome& outcome, bool expectations_met) {
  if (outcome.mismatches > 0 && outcome.end != RunOutcome::End::interrupted)
    return static_cast<int>(ExitStatus::lockstep);
  switch (outcome.end) {
    case RunOutcome::End::time_limit:
    case RunOutcome::End::stalled:
      return static_cast<int>(ExitStatus::time_limit);
    case RunOutcome::End::mismatch:
      return static_cast<int>(ExitStatus::lockstep);
    case RunOutcome::End::check:
      return static_cast<int>(ExitStatus::expectation);
    case RunOutcome::End::interrupted:
      return static_cast<int>(ExitStatus::interrupted);
    default:
      break;
  }
  if (!expectations_met) return static_cast<int>(ExitStatus::expectation);
  constexpr auto largest = static_cast<std::uint64_t>(ExitStatus::largest_of_firmware);
  return static_cast<int>(std::min(outcome.firmware_status, largest));
}

RunOutcome run(const Scenario& scenario, const RunDirectory& directory, const RunSettings& settings) {
  set_log_levels(log_levels(scenario));

  for (const std::filesystem::path& folder : guests_folders(scenario, directory))
    if (!scenario.config.files.empty()) copy_input_files(scenario.config.files, folder);
  EventFile events(directory.path() / "events.jsonl");
  Console console(directory.path() / "console.log", settings.show_console);
  Console uart0(directory.path() / "uart0.log", settings.show_console);
  std::optional<RawTerminal> terminal;
  if (scenario.config.node.uart0.input == Pl011Input::terminal) terminal.emplace();
  Interruption interruption(terminal ? &*terminal : nullptr);
  std::optional<UartPort> uart_port;
  if (settings.uart0) open_uart_port(uart_port, *settings.uart0);
  RtlOptions rtl = settings.rtl;
  rtl.traces = directory.path() / "traces";
  std::optional<HangWatch> hang_watch;
  if (scenario.rtl.any()) watch_rtl(hang_watch, directory, terminal ? &*terminal : nullptr);
  std::optional<Debugger> debugger;
  std::optional<EventsForDebugger> events_for_debugger;
  if (settings.gdb) events_for_debugger.emplace(events, make_debugger(debugger, *settings.gdb));
  Instruments instruments(settings.instruments, scenario, directory, events);
  std::optional<HostThreads> threads;
  if (settings.threads > 1) threads.emplace(settings.threads);
  const std::unique_ptr<SimulatedSystem> built =
      build(scenario, directory, rtl, debugger ? static_cast<EventLog&>(*events_for_debugger) : events,
            instruments.taps(), threads ? &*threads : nullptr);
  SimulatedSystem& node = *built;
  check_traces(rtl, node);
  check_coverage_demands(scenario.coverage, node.coverage());
  if (uart_port) node.connect_uart0(uart_port->input());
  instruments.attach(node);
  // Host threads are started again on demand.
  const auto end_threads = [&] {
    node.quiesce();
    if (threads) threads->stop();
  };
  std::optional<LiveSnapshots> snapshots;
  if (debugger) {
    const auto pause = [&] {
      end_threads();
      interruption.pause();
      if (hang_watch) hang_watch->pause();
      debugger->pause_port();
    };
    const auto resume = [&] {
      interruption.resume();
      if (hang_watch) hang_watch->resume();
      debugger->resume_port();
    };
    snapshots.emplace(directory.path(), LiveSnapshots::Threads{pause, resume});
    attach(*debugger, {.system = node,
                       .scenario = scenario,
                       .scenario_file = directory.path() / "scenario.json",
                       .snapshots = *snapshots,
                       .snapshot_interval = settings.gdb_snapshots,
                       .has_uart_port = uart_port.has_value(),
                       .log_levels_changed = [&] { instruments.follow_log(node); },
                       .halted = [&] { instruments.halted(); },
                       .interrupted = [&interruption] { return interruption.happened(); }});
    for (Console* each : {&console, &uart0}) each->show_once();
  }
  std::optional<LastInstructions> last_instructions;
  if (const unsigned count = settings.instruments.last_instructions; count > 0) {
    if (node.waits_for_the_host() || !scenario.config.node.dimm_ssd.image.empty())
      refuse_option("--last-instructions", node.waits_for_the_host()
                                               ? "is not available with input from outside the simulation"
                                               : "is not available with a flash image of the host "
                                                 "(node.dimm_ssd.image)");
    const auto pause = [&] {
      end_threads();
      interruption.pause();
      if (hang_watch) hang_watch->pause();
    };
    const auto resume = [&] {
      interruption.resume();
      if (hang_watch) hang_watch->resume();
    };
    last_instructions.emplace(count, node, scenario.symbols, directory,
                              LiveSnapshots::Threads{pause, resume});
  }
  Clock::time_point start = Clock::now();
  RunProgress progress(settings.show_progress);
  if (settings.on_start) settings.on_start();
  node.on_console = [&](std::string_view text) { progress.clear(), console.write(text); };
  node.on_uart0 = [&](std::string_view text) {
    progress.clear(), uart0.write(text);
    if (uart_port) uart_port->transmit(text);
  };

  RunOutcome outcome;
  if (uart_port)
    fmt::print(stderr, "{}: {}\n", settings.uart0->waits ? "waiting for a client of uart0" : "uart0",
               uart_port->address());
  if (uart_port && settings.uart0->waits) wait_for_client(*uart_port, interruption);
  if (debugger) fmt::print(stderr, "waiting for a debugger: target remote {}\n", debugger->address());
  const auto run_until = [&](Picoseconds until) {
    outcome.end = advance_time(node, until, interruption, debugger ? &*debugger : nullptr,
                               last_instructions ? &*last_instructions : nullptr, progress, events);
    progress.clear();
    if (last_instructions && last_instructions->is_copy()) last_instructions->finish();
  };
  if (settings.snapshot && settings.snapshot->at < scenario.config.until) {
    run_until(settings.snapshot->at);
    if (outcome.end == RunOutcome::End::time_limit) {
      outcome.snapshot_saved = true;
      end_threads();
      if (settings.snapshot->save()) {
        interruption.resume();
        if (hang_watch) hang_watch->resume();
        node.move_files(directory.files());
        move_traces(rtl.traces, directory.path() / "traces");
        node.inject(settings.snapshot->faults);
        start = Clock::now();
      }
      run_until(scenario.config.until);
    }
  } else {
    run_until(scenario.config.until);
  }
  node.flush_output();
  log_repetitions();
  outcome.host_seconds = seconds_since(start);
  if (node.end()) outcome.firmware_status = node.end()->status, outcome.finding = node.end()->why;
  if (debugger) debugger->ended(exit_status(outcome, outcome.end != RunOutcome::End::not_recoverable));
  outcome.time = node.end() ? node.end()->at : now();
  outcome.instructions = node.instructions();
  outcome.script_waits_for = node.script_waits_for();
  outcome.checkpoints = events.count("checkpoint_commit");
  outcome.recoveries = events.recoveries();
  outcome.power_losses = events.count("power_lost");
  outcome.warm_resets = events.count("warm_reset");
  outcome.cluster = node.cluster();
  if (outcome.cluster) outcome.recoveries = outcome.cluster->recoveries;
  outcome.cores = node.core_reports();
  if (!outcome.is_success()) {
    write_core_reports(outcome, directory);
    outcome.has_last_instructions = last_instructions && last_instructions->record();
  }
  if (!outcome.ended_by_itself() && !outcome.cluster)
    outcome.reset_period = events.reset_period(outcome.time);
  outcome.memory = node.memory_summary();
  outcome.checks = node.checks_summary();
  outcome.findings = node.findings();
  outcome.rtl = node.rtl_summary();
  outcome.coverage = node.coverage();
  outcome.mismatches = node.mismatches();
  outcome.mismatch = text_of(node.first_mismatches(), outcome.mismatches, directory);
  if (outcome.cluster && outcome.cluster->result)
    directory.write("files/result.txt", fmt::format("{:#018x}\n", *outcome.cluster->result));
  write_reports(outcome, node, directory);
  instruments.finish(outcome.time);
  return outcome;
}

}  // namespace asterism
