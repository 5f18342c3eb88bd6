#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/command/exit_statuses.h"
#include "platform/command/expectations.h"
#include "platform/command/option_checks.h"
#include "platform/command/record_file.h"
#include "platform/command/reference_run.h"
#include "platform/command/result_output.h"
#include "platform/command/run_arguments.h"
#include "platform/command/run_description.h"
#include "platform/command/verbs.h"
#include "platform/config/diagnostics.h"
#include "platform/host/exit_status.h"
#include "platform/host/human_time.h"
#include "platform/host/output_failure.h"
#include "platform/host/output_file.h"
#include "platform/instruments/perfetto_trace.h"
#include "platform/report/live_page.h"
#include "platform/run/run.h"
#include "platform/run/run_server.h"
#include "platform/run/summary.h"
#include "platform/scenario/scenario.h"
#include "platform/snapshot/snapshot.h"
#include "tlm/log.h"
#include "tlm/time.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

// The window of traces of RTL and of instructions.
std::pair<Picoseconds, Picoseconds> trace_window(const RunArguments& arguments,
                                                 const ScenarioConfig& config) {
  const bool traces_a_core =
      std::ranges::any_of(config.node.log, [](const auto& level) { return level.second == LogLevel::trace; });
  const bool has_trace = !arguments.trace.empty() || traces_a_core || arguments.gdb;  // by `monitor log`
  if (!has_trace && (arguments.trace_from || arguments.trace_to))
    refuse_option(arguments.trace_from ? "--trace-from" : "--trace-to",
                  "has no effect without --trace INSTANCE or --log CORE=trace");
  const Picoseconds from = time_option("--trace-from", arguments.trace_from, 0_ps);
  const Picoseconds to =
      time_option("--trace-to", arguments.trace_to, Picoseconds(std::numeric_limits<std::uint64_t>::max()));
  if (from >= to) refuse_option("--trace-to", "is not later than --trace-from");
  return {from, to};
}

RtlOptions rtl_options(const RunArguments& arguments, Picoseconds from, Picoseconds to) {
  RtlOptions options{
      .skip = !arguments.no_skip, .check_idle = arguments.check_idle, .traces = {}, .trace = {}};
  for (const std::string& instance : arguments.trace) options.trace.push_back({instance, from, to});
  return options;
}

std::optional<GdbEndpoint> gdb_endpoint(const RunArguments& arguments) {
  if (!arguments.gdb) return std::nullopt;
  try {
    return parse_gdb_endpoint(*arguments.gdb);
  } catch (const std::invalid_argument& error) {
    throw ConfigError(Diagnostic{.origin = Origin::command_line(), .path = "--gdb", .problem = error.what()});
  }
}

std::optional<UartEndpoint> uart_endpoint(const RunArguments& arguments, const Scenario& scenario) {
  if (!arguments.uart0) return std::nullopt;
  if (scenario.is_cluster() || !scenario.config.has_firmware())
    refuse_option("--uart0", "needs a scenario of one node that runs firmware");
  const PlacedDevice* const uart0 = scenario.node.devices.device("uart0");
  if (!uart0 || !uart0->shape.is_serial_line)
    refuse_option("--uart0", "the node has no serial line \"uart0\"");
  try {
    return parse_uart_endpoint(*arguments.uart0);
  } catch (const std::invalid_argument& error) {
    refuse_option("--uart0", error.what());
  }
}

std::optional<PageServerOptions> serve_options(const RunArguments& arguments) {
  if (!arguments.serve) return std::nullopt;
  try {
    return parse_page_server_options(*arguments.serve == "true" ? "" : *arguments.serve);  // of CLI11
  } catch (const std::invalid_argument& error) {
    refuse_option("--serve", error.what());
  }
}

// Refuses what a snapshot cannot hold.
void check_for_snapshot(const RunArguments& arguments, const Scenario& scenario, const char* option) {
  if (const std::string why = why_no_process_image(); !why.empty())
    refuse_option(option, fmt::format("{} cannot make one", why));
  if (const std::string why = why_no_snapshot(scenario); !why.empty()) refuse_option(option, why);
  for (const auto& [is_given, other] : {std::pair(!arguments.trace.empty(), "--trace"),
                                        {arguments.perfetto.has_value(), "--perfetto"},
                                        {arguments.report, "--report"},
                                        {arguments.serve.has_value(), "--serve"},
                                        {arguments.json.has_value(), "--json"}})
    if (is_given)
      refuse_option(option,
                    fmt::format("cannot be combined with {}, because several runs may continue from a "
                                "snapshot",
                                other));
}

Picoseconds sample_option(const RunArguments& arguments) {
  const Picoseconds distance = time_option("--sample", arguments.sample, arguments.report ? 1_us : 0_ps);
  if (arguments.sample && distance < 1_ns)
    refuse_option("--sample", fmt::format("is {}, expected at least 1ns", *arguments.sample));
  return distance;
}

RunSettings settings_of(const RunArguments& arguments, const ScenarioConfig& config,
                        const std::optional<GdbEndpoint>& gdb, const std::optional<UartEndpoint>& uart0) {
  const auto [trace_from, trace_to] = trace_window(arguments, config);
  return {.rtl = rtl_options(arguments, trace_from, trace_to),
          .show_console = !arguments.quiet && arguments.json != "-",
          .show_progress = true,
          .gdb = gdb,
          .gdb_snapshots = time_option("--gdb-snapshots", arguments.gdb_snapshots, 1_ms),
          .uart0 = uart0,
          .instruments = {.profile = arguments.profile,
                          .profile_lines = arguments.profile_lines,
                          .timeline = arguments.timeline,
                          .transactions = arguments.transactions,
                          .record = arguments.sample || arguments.perfetto || arguments.report,
                          .sample = sample_option(arguments),
                          .sample_grows = !arguments.sample,
                          .last_instructions = arguments.last_instructions,
                          .trace_from = trace_from,
                          .trace_to = trace_to},
          .threads = arguments.threads,
          .on_start = {}};
}

// A run of a scenario from its start.
class ScenarioRun {
 public:
  explicit ScenarioRun(const RunArguments& arguments);
  // Returns the exit status.
  int run();

 private:
  // Returns true in each process that continues from the snapshot.
  bool make_snapshot(OutputFile& file);
  void continue_as(const Continuation& next);
  // Adds what was expected and is not met. Returns whether the user has interrupted the other run.
  bool judge(Summary& summary);
  void finish(Summary& summary, int status);
  void open_pages(const PageServerOptions& options);

  const RunArguments& arguments_;
  const InstalledFiles installed_ = InstalledFiles::find();
  Scenario scenario_;
  const std::optional<GdbEndpoint> gdb_;
  const std::optional<UartEndpoint> uart0_;
  const std::optional<SocketEndpoint> live_;
  std::optional<OutputFile> snapshot_file_, perfetto_file_;
  ResultOutput json_;
  RunDirectory directory_;
  RunSettings settings_;
  std::optional<ReferenceRun> reference_;
  std::optional<PageServer> pages_;
};

std::optional<OutputFile> snapshot_file(const RunArguments& arguments, const Scenario& scenario) {
  if (!arguments.snapshot) return std::nullopt;
  check_for_snapshot(arguments, scenario, "--snapshot");
  return std::optional<OutputFile>(std::in_place, *arguments.snapshot, "--snapshot");
}

ScenarioRun::ScenarioRun(const RunArguments& arguments)
    : arguments_(arguments),
      scenario_(prepare(arguments.scenario, installed_)),
      gdb_(gdb_endpoint(arguments)),
      uart0_(uart_endpoint(arguments, scenario_)),
      live_(live_endpoint(arguments)),
      snapshot_file_(snapshot_file(arguments, scenario_)),
      json_(arguments.json, "--json"),
      directory_(arguments.out ? fs::path(*arguments.out) : fs::path("runs") / scenario_.name) {
  directory_.write("scenario.json", scenario_.expanded());
  if (arguments.perfetto) perfetto_file_.emplace(*arguments.perfetto, "--perfetto");
  settings_ = settings_of(arguments, scenario_.config, gdb_, uart0_);
  if (const auto& other = scenario_.config.expect.result_equals) {
    reference_.emplace(arguments.scenario, scenario_, installed_, directory_);
    settings_.on_start = [&other, to = json_.is_standard_output() ? stderr : stdout] {
      fmt::print(to, "also running {} to compare the results\n", *other);
    };
  }
  if (const auto serve = serve_options(arguments)) open_pages(*serve);
  if (snapshot_file_)
    settings_.snapshot = {time_option("--snapshot-at", arguments.snapshot_at, 0_ps),
                          [this] { return make_snapshot(*snapshot_file_); }};
  if (live_)
    settings_.live = {
        .endpoint = live_, .version = ASTERISM_VERSION, .save = [this](const std::string& file) {
          check_for_snapshot(arguments_, scenario_, "snapshot");
          OutputFile output(file, "snapshot");
          return make_snapshot(output);
        }};
}

void ScenarioRun::open_pages(const PageServerOptions& options) {
  try {
    pages_.emplace(options, [&](const std::string& token) {
      const LivePage page{.title = directory_.final_path().filename().string(),
                          .token = token,
                          .control = options.control,
                          .report = (directory_.final_path() / "report.html").string()};
      return std::vector<PageServer::File>{
          {"/", "text/html; charset=utf-8", live_page(page)},
          {"/page.css", "text/css", std::string(page_style)},
          {"/plots.js", "text/javascript; charset=utf-8", std::string(page_plots)},
          {"/page.js", "text/javascript; charset=utf-8", "\"use strict\";\n" + std::string(page_script)}};
    });
  } catch (const std::runtime_error& error) {
    refuse_option("--serve", error.what());
  }
  settings_.pages = &*pages_;
  settings_.pages_wait = options.waits;
}

bool ScenarioRun::make_snapshot(OutputFile& file) {
  const SnapshotNotes notes{.name = scenario_.name,
                            .scenario = scenario_.expanded(),
                            .at = now(),
                            .version = ASTERISM_VERSION,
                            .is_live = settings_.live.has_value()};
  try {
    const auto continuation = save_snapshot(file, notes, directory_.path());
    if (!continuation) return false;
    file.forget();
    continue_as(continuation_of(*continuation));
    return true;
  } catch (const ImageError& error) {
    refuse_option(settings_.live ? "snapshot" : "--snapshot",
                  fmt::format("cannot be made: {}", error.what()));
  }
}

void ScenarioRun::continue_as(const Continuation& first) {
  directory_.take_over(first.out);
  const Continuation next = first.serves ? serve_runs() : first;
  if (first.serves) directory_.branch(next.out);
  settings_.show_console = !next.quiet;
  settings_.more_faults = next.faults;
  if (settings_.live) settings_.live->endpoint = next.live;
  if (next.until) scenario_.config.until = *next.until;
  if (!next.faults.empty()) {
    scenario_.config.expect.recoveries.reset();
    scenario_.coverage.clear();
    auto& faults = scenario_.config.faults;
    faults.insert(faults.end(), next.faults.begin(), next.faults.end());
  }
  if (reference_) reference_->take_over(next.reference, directory_);
  if (next.reference < 0) reference_.reset();
}

int ScenarioRun::run() {
  const RunOutcome outcome = asterism::run(scenario_, directory_, settings_);
  Summary summary{scenario_, outcome, directory_.final_path().string(), {}, {}, {}};
  if (outcome.end != RunOutcome::End::mismatch) summary.warnings = coverage_warnings(outcome.coverage);
  for (const CoverageWarning& warning : summary.warnings) log(warning.instance).warn(warning.text);
  const bool interrupted =
      (outcome.ended_by_itself() && judge(summary)) || outcome.end == RunOutcome::End::interrupted;
  reference_.reset();
  const int status = interrupted ? static_cast<int>(ExitStatus::interrupted)
                                 : exit_status(outcome, summary.failures.empty());
  finish(summary, status);
  return status;
}

bool ScenarioRun::judge(Summary& summary) {
  const RunOutcome& outcome = summary.outcome;
  summary.failures = unmet(scenario_.config.expect, outcome, directory_);
  std::ranges::copy(unmet_demands(scenario_.coverage, outcome.coverage),
                    std::back_inserter(summary.failures));
  if (outcome.compared_translations == 0)
    summary.failures.push_back(
        "node.cores.translator: nothing was executed in lockstep (a profile, a trace, a debugger, or a host "
        "that lets no process make code prevents it)");
  if (arguments_.snapshot && !outcome.snapshot_saved)
    summary.failures.push_back(
        fmt::format("--snapshot-at: the run ended before that, at {}", human_time(outcome.time)));
  if (!reference_) return false;
  const ReferenceRun::End end = reference_->wait();
  summary.comparison = reference_->compare(end, directory_, summary.failures);
  return end == ReferenceRun::End::interrupted;
}

void ScenarioRun::finish(Summary& summary, int status) {
  if (status == static_cast<int>(ExitStatus::interrupted)) {
    directory_.leave_partial();
    summary.directory = directory_.path().string();
  } else {
    directory_.finish();
  }
  OutputAttempts attempts;
  if (perfetto_file_)
    attempts.attempt([&] {
      perfetto_file_->finish(to_perfetto(read_record(fs::path(summary.directory) / "traces/record.bin")));
    });
  std::fflush(stdout);
  std::string report;
  if (arguments_.report) attempts.attempt([&] { report = write_report(summary.directory, installed_); });
  if (json_.is_wanted()) attempts.attempt([&] { json_.write(to_json(summary, status).dump(2) + "\n"); });
  if (!json_.is_standard_output()) {
    fmt::print("{}", to_text(summary));
    if (!report.empty()) fmt::print("{:<12} {}\n", "report", report);
  }
  std::fflush(stdout);
  if (pages_) pages_->finish(fs::path(summary.directory) / "report.html");
  attempts.throw_if_any();
}

int verb_run(const RunArguments& arguments) {
  if (arguments.restore) restore_run(arguments);
  return ScenarioRun(arguments).run();
}

// `--report` of other verbs takes the name of a file, which is not one here.
constexpr const char* report_takes_no_file =
    "--report takes no file, it writes report.html to the folder of the run; `asterism report RUN "
    "--out FILE` writes another";

// The value of --serve is optional, therefore it must follow an equals sign.
std::string mistake_in_override_of_run(const std::string& text) {
  const std::string mistake = mistake_in_override(text);
  if (mistake.empty()) return "";
  if (text.ends_with(".html")) return mistake + "; " + report_takes_no_file;
  const bool is_port = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  return is_port ? fmt::format("{}; a port is given as --serve={}", mistake, text) : mistake;
}

std::string mistake_in_report(const std::string& text) {
  return text == "true" || text == "false" ? std::string() : report_takes_no_file;
}

void add_scenario(CLI::App& verb, RunArguments& run) {
  verb.add_option(
          "SCENARIO", run.scenario.file,
          "The scenario: a file, or a name in configs/scenarios; or an ELF file, which runs on the node "
          "of `hello`")
      ->check(mistake_in_name);
  verb.add_option("KEY=VALUE", run.scenario.overrides,
                  "Overrides keys of the scenario, e.g. node.cores.count=2 or faults=[]")
      ->check(mistake_in_override_of_run);
  verb.add_option("--firmware", run.scenario.firmware,
                  "Run this ELF file or application instead of the scenario's")
      ->type_name("ELF")
      ->check(mistake_in_value);
  verb.add_option("--until", run.scenario.until, "Stop the run at this simulated time, e.g. 5ms")
      ->type_name("TIME")
      ->check(mistake_in_value);
  verb.add_option("--out", run.out, "Write the results to this folder (default: runs/NAME)")
      ->type_name("DIR")
      ->check(mistake_in_value);
  verb.add_flag("--quiet", run.quiet,
                "Write the guest's output only to the run directory, not to the terminal");
  verb.add_option("--json", run.json,
                  "Write the summary to this file as JSON; - prints it instead, and nothing else")
      ->type_name("FILE")
      ->check(mistake_in_file);
}

void add_rtl_traces(CLI::App& verb, RunArguments& run) {
  verb.add_option(
          "--trace", run.trace,
          "Record the signals of this RTL instance as FST in traces/, e.g. node.fabric.arbiter.XB (all "
          "its outputs)")
      ->type_name("INSTANCE")
      ->check(mistake_in_value)
      ->allow_extra_args(false);
  verb.add_option("--trace-from", run.trace_from,
                  "Simulated time at which traces of RTL and of instructions begin, e.g. 10us (default: the "
                  "start)")
      ->type_name("TIME")
      ->check(mistake_in_value);
  verb.add_option("--trace-to", run.trace_to, "Simulated time at which traces end (default: the end)")
      ->type_name("TIME")
      ->check(mistake_in_value);
}

void add_connections(CLI::App& verb, RunArguments& run) {
  verb.add_option("--gdb", run.gdb,
                  "Wait for GDB at [HOST]:PORT before the first instruction, e.g. :1234 (default HOST: "
                  "loopback)")
      ->type_name("[HOST]:PORT")
      ->check(mistake_in_value);
  verb.add_option("--uart0", run.uart0,
                  "Connect uart0 to a client at tcp:[HOST:]PORT, unix:PATH or pty; with \",wait\" behind it, "
                  "the run begins when a client is there")
      ->type_name("PLACE")
      ->check(mistake_in_value);
  verb.add_option("--live", run.live,
                  "Let programs drive and inspect the run, by requests at unix:PATH or tcp:[HOST:]PORT "
                  "(default HOST: loopback)")
      ->type_name("PLACE")
      ->check(mistake_in_value)
      ->excludes("--gdb");
  verb.add_option(
          "--gdb-snapshots", run.gdb_snapshots,
          "With --gdb: keep a snapshot at this distance of simulated time at least, so that GDB can go "
          "back (default: 1ms; 0s: none)")
      ->type_name("TIME")
      ->check(mistake_in_value)
      ->needs("--gdb");
}

void add_instruments(CLI::App& verb, RunArguments& run) {
  verb.add_option("--log", run.scenario.log,
                  "Set a log level by INSTANCE=LEVEL, e.g. gic=debug; core0=trace logs every instruction")
      ->type_name("INSTANCE=LEVEL")
      ->check(mistake_in_value)
      ->allow_extra_args(false);
  verb.add_flag("--profile", run.profile,
                "Count the instructions, time and cache misses of each core by function: profile.txt, "
                "profile.folded and a flame graph, profile.svg");
  verb.add_flag("--profile-lines", run.profile_lines,
                "With --profile: also count them by line of source: profile_lines.txt")
      ->needs("--profile");
  verb.add_flag("--timeline", run.timeline, "Draw the activity of each core over time: timeline.svg");
  verb.add_flag("--transactions", run.transactions,
                "Record the TLM transactions of cores and devices: traces/transactions.bin");
  verb.add_option("--sample", run.sample,
                  "Record what cores and devices do, and the statistics at this distance of simulated time, "
                  "e.g. 10us: traces/record.bin")
      ->type_name("TIME")
      ->check(mistake_in_value);
  verb.add_flag("--report", run.report,
                "Make a page of the run, report.html; records what --sample does, at a distance that grows")
      ->check(mistake_in_report);
  verb.add_flag(
          "--serve", run.serve,
          "Show the run in browsers while it goes on, at a loopback address, and make its report; "
          "--serve=8080,control,wait chooses the port, lets pages stop the run, and begins it when a page "
          "is open")
      ->excludes("--gdb");
  verb.add_option("--perfetto", run.perfetto,
                  "Record what cores and devices do, and write it to this file for ui.perfetto.dev")
      ->type_name("FILE")
      ->check(mistake_in_file_of_run);
  verb.add_option("--last-instructions", run.last_instructions,
                  "If the run fails, write the last N instructions of each core, with their operands and "
                  "results: last_instructions.txt")
      ->type_name("N")
      ->check(CLI::Range(1, 65536))
      ->excludes("--gdb")
      ->excludes("--live");
}

void add_snapshots(CLI::App& verb, RunArguments& run) {
  verb.add_option("--threads", run.threads,
                  "Simulate cores in parallel on this many host threads; the results do not depend on it "
                  "(default: 1)")
      ->type_name("N")
      ->check(CLI::Range(1, 64));
  CLI::Option* at =
      verb.add_option("--snapshot-at", run.snapshot_at, "Make a snapshot at this simulated time, e.g. 5ms")
          ->type_name("TIME");
  at->check(mistake_in_value);
  verb.add_option("--snapshot", run.snapshot, "Write the snapshot, the whole state of the run, to this file")
      ->type_name("FILE")
      ->check(mistake_in_value)
      ->needs(at);
  at->needs("--snapshot")->excludes("--gdb")->excludes("--uart0")->excludes("--last-instructions");
  at->excludes("--json")
      ->excludes("--live")
      ->excludes("--perfetto")
      ->excludes("--report")
      ->excludes("--serve");
  CLI::Option* restore =
      verb.add_option("--restore", run.restore,
                      "Continue from a snapshot file; SCENARIO, if given, is compared with that of the "
                      "snapshot")
          ->type_name("FILE");
  restore->check(mistake_in_value)->excludes(at)->excludes("--threads")->excludes("--last-instructions");
  restore->excludes("--gdb")->excludes("--uart0")->excludes("--perfetto")->excludes("--report");
  restore->excludes("--json")->excludes("--serve");
  verb.add_flag("--alone", run.alone,
                "With --restore: omit the other run that the scenario compares this one with")
      ->needs(restore);
  verb.add_flag("--serve-runs", run.serve_runs)->needs(restore)->group("");
  verb.add_option("--fault", run.faults,
                  "With --restore: inject one more fault, written as in a scenario, as JSON; may be repeated")
      ->type_name("JSON")
      ->check(mistake_in_value)
      ->allow_extra_args(false)
      ->needs(restore);
}

void add_rtl_checks(CLI::App& verb, RunArguments& run) {
  verb.add_flag("--check-idle", run.check_idle,
                "Simulate RTL also in cycles that it reports as idle, and check that they are");
  verb.add_flag("--no-skip", run.no_skip,
                "Simulate RTL in idle cycles, too; this is slower and has the same results");
}

}  // namespace

Verb add_run(CLI::App& app) {
  const auto arguments = std::make_shared<RunArguments>();
  CLI::App* verb = app.add_subcommand("run", "Run a scenario and print a summary");
  verb->footer(
      exit_statuses({{ExitStatus::success, "to 63 from the firmware (a larger one is reported as 63)"},
                     {ExitStatus::expectation, "expectation not met"},
                     {ExitStatus::lockstep, "RTL and model differ"},
                     {ExitStatus::time_limit, "time limit"},
                     {ExitStatus::plugin, "a plug-in failed"},
                     {ExitStatus::interrupted, "interrupted"}}));
  add_scenario(*verb, *arguments);
  add_rtl_traces(*verb, *arguments);
  add_connections(*verb, *arguments);
  add_instruments(*verb, *arguments);
  add_snapshots(*verb, *arguments);
  add_rtl_checks(*verb, *arguments);
  const CLI::Option* scenario = verb->get_option("SCENARIO");
  verb->callback([=] {
    if (scenario->empty() && !arguments->restore) throw CLI::RequiredError("SCENARIO");
    if (arguments->serve) arguments->report = true;
  });
  return {verb, [arguments](Ranks*) { return verb_run(*arguments); }};
}

}  // namespace asterism
