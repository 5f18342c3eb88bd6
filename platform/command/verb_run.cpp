#include <fmt/format.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <new>
#include <nlohmann/json.hpp>
#include <sstream>

#include "platform/command/verbs.h"
#include "platform/host/human_time.h"
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

constexpr const char* result_file = "result.txt";

std::optional<std::string> contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// The run that expect.result_equals names. It is a process of its own, because SystemC can elaborate only
// once in a process. It starts from a copy of the flash image as this run found it and reads nothing from
// stdin. Its run directory is "reference" in that of this run; its stderr is written to "reference.log" next
// to it.
class ReferenceRun {
 public:
  ReferenceRun(const RunArguments& arguments, const Scenario& scenario, const InstalledFiles& installed,
               const RunDirectory& directory)
      : directory_(directory.path() / "reference"), log_(directory.path() / "reference.log") {
    ScenarioRequest request = arguments.scenario;
    request.log.clear();  // a trace of its instructions would fill its log
    const auto overrides = *reference_overrides(*scenario.config.expect.result_equals);
    request.overrides.insert(request.overrides.end(), overrides.begin(), overrides.end());
    const std::string& image = scenario.config.node.dimm_ssd.image;
    if (!image.empty()) {
      copied_image_ = directory.path() / "reference_flash.img";
      if (fs::is_regular_file(image))
        copy_sparse(image, copied_image_);  // the run itself refuses any other kind of file
      request.overrides.push_back("node.dimm_ssd.image=" + copied_image_.string());
    }
    const Scenario reference = prepare(request, installed);
    std::fflush(nullptr);
    child_ = fork();
    if (child_ < 0) throw std::runtime_error("cannot start a second process");
    // This is not _Exit, because AddressSanitizer reports errors on the stacks that SystemC has switched when
    // a function that never returns is called, and these would go to the child's log.
    if (child_ == 0) syscall(SYS_exit_group, run_in_child(reference));
  }
  ~ReferenceRun() {
    if (child_ > 0) {  // its result is no longer needed
      kill(child_, SIGKILL);
      waitpid(child_, nullptr, 0);
    }
    std::error_code none;
    fs::remove_all(fs::path(directory_) += ".partial", none);
    if (!copied_image_.empty()) fs::remove(copied_image_, none);
    if (fs::is_empty(log_, none)) fs::remove(log_, none);
  }

  // In a process that was restored from a snapshot, the restoring process has already started the reference
  // run.
  void take_over(pid_t child, const RunDirectory& directory) {
    child_ = child;
    directory_ = directory.path() / "reference";
    log_ = directory.path() / "reference.log";
    copied_image_.clear();
  }
  pid_t process() const { return child_; }

  enum class End { by_its_firmware, otherwise, interrupted };
  // Waits until it ends, or until this process receives SIGINT or SIGTERM.
  End wait() {
    sigset_t awaited, before;
    sigemptyset(&awaited);
    for (const int signal : {SIGCHLD, SIGINT, SIGTERM}) sigaddset(&awaited, signal);
    pthread_sigmask(SIG_BLOCK, &awaited, &before);
    int status = 0;
    bool interrupted = false;
    while (child_ > 0 && !interrupted) {
      if (waitpid(child_, &status, WNOHANG) != 0) child_ = -1;
      // Ctrl-C ends the child, too, so its end means nothing until the pending signals have been checked.
      const timespec at_once{};
      const int signal =
          child_ < 0 ? sigtimedwait(&awaited, nullptr, &at_once) : sigwaitinfo(&awaited, nullptr);
      interrupted = signal == SIGINT || signal == SIGTERM;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (interrupted) return End::interrupted;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? End::by_its_firmware : End::otherwise;
  }
  // The last line that it wrote to stderr.
  std::string last_words() const {
    std::ifstream log(log_);
    std::string last;
    for (std::string line; std::getline(log, line);) last = line;
    return last;
  }
  std::optional<std::string> result() const { return contents(directory_ / "files" / result_file); }

 private:
  // No exception may reach the copy of the parent's stack, because its destructors would act on the parent's
  // resources.
  int run_in_child(const Scenario& reference) const noexcept {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // a killed run leaves no process behind that holds its lock
    if (!std::freopen(log_.c_str(), "w", stderr)) return 1;
    if (!std::freopen("/dev/null", "r", stdin)) return 1;  // what is typed is for the run itself
    try {
      RunDirectory directory(directory_);
      directory.write("scenario.json", reference.expanded());
      const RunOutcome outcome = asterism::run(
          reference, directory, {.rtl = {}, .show_console = false, .show_progress = false, .on_start = {}});
      directory.finish();
      if (outcome.ended_by_itself()) return 0;
      fmt::print(stderr, "stopped at {} of simulated time\n", human_time(outcome.time));
    } catch (const std::exception& error) {
      fmt::print(stderr, "{}\n", error.what());
    }
    std::fflush(stderr);
    return 1;
  }
  static void copy_sparse(const fs::path& from, const fs::path& to) {
    std::string words[] = {"cp", "--sparse=always", "--", from.string(), to.string()};
    char* arguments[] = {words[0].data(), words[1].data(), words[2].data(),
                         words[3].data(), words[4].data(), nullptr};
    pid_t copying = 0;
    int status = 0;
    if (posix_spawnp(&copying, "cp", nullptr, nullptr, arguments, environ) != 0 ||
        waitpid(copying, &status, 0) < 0 || status != 0)
      throw std::runtime_error("cannot copy the flash image " + from.string());
  }

  fs::path directory_, log_, copied_image_;
  pid_t child_ = -1;
};

Picoseconds time_option(const char* option, const std::optional<std::string>& text, Picoseconds otherwise) {
  if (!text) return otherwise;
  try {
    return parse_quantity<Picoseconds>(*text);
  } catch (const std::invalid_argument& error) {
    throw ConfigError(Diagnostic{.origin = Origin::command_line(), .path = option, .problem = error.what()});
  }
}

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
  try {
    return parse_uart_endpoint(*arguments.uart0);
  } catch (const std::invalid_argument& error) {
    refuse_option("--uart0", error.what());
  }
}

void add_unmet_of_cluster(const ExpectConfig& expect, const RunOutcome& outcome,
                          std::vector<std::string>& lines) {
  const ClusterOutcome& cluster = *outcome.cluster;
  const bool lost = outcome.end == RunOutcome::End::not_recoverable;
  if (lost != expect.not_recoverable.value_or(false))
    lines.push_back(lost ? "not recoverable: " + cluster.not_recoverable
                         : std::string("not_recoverable: expected, but the cluster recovered"));
  if (!cluster.early.empty() && outcome.firmware_status == 0)
    lines.push_back("the firmware of " + cluster.early + " ended before the cluster had");
  if (cluster.result && cluster.is_ring && *cluster.result != cluster.expected)
    lines.push_back(fmt::format("result: {:#018x}, but the sequential program gives {:#018x}",
                                *cluster.result, cluster.expected));
}

// Refuses, before the run, what a snapshot cannot hold.
const std::string& checked_for_snapshot(const RunArguments& arguments, const Scenario& scenario) {
  if (const std::string why = why_no_process_image(); !why.empty())
    refuse_option("--snapshot", fmt::format("{} cannot make one", why));
  if (const std::string why = why_no_snapshot(scenario); !why.empty()) refuse_option("--snapshot", why);
  if (!arguments.trace.empty())
    refuse_option("--trace",
                  "cannot be combined with --snapshot, because several runs may continue from a snapshot");
  return *arguments.snapshot;
}

std::optional<std::string> save(OutputFile& file, const Scenario& scenario, const RunDirectory& directory) {
  try {
    return save_snapshot(
        file,
        {.name = scenario.name, .scenario = scenario.expanded(), .at = now(), .version = ASTERISM_VERSION},
        directory.path());
  } catch (const ImageError& error) {
    refuse_option("--snapshot", fmt::format("cannot be made: {}", error.what()));
  }
}

// The faults of --fault, checked as if they were in the scenario.
std::vector<FaultConfig> more_faults(const RunArguments& arguments, const std::string& scenario,
                                     const Snapshot& snapshot) {
  if (arguments.faults.empty()) return {};
  ScenarioRequest request;
  request.file = scenario;
  request.overrides = {fmt::format("faults=[{}]", fmt::join(arguments.faults, ","))};
  std::vector<FaultConfig> faults = prepare(request, InstalledFiles::find()).config.faults;
  for (const FaultConfig& fault : faults)
    if (fault.at < snapshot.notes().at)
      refuse_option("--fault", fmt::format("is at {}, but the snapshot is at {}", human_time(fault.at),
                                           human_time(snapshot.notes().at)));
  return faults;
}

// Refuses options that are fixed when the snapshot is made.
void refuse_what_a_snapshot_has(const RunArguments& arguments) {
  for (const auto& [is_given, option] : {std::pair(arguments.profile, "--profile"),
                                         {arguments.profile_lines, "--profile-lines"},
                                         {arguments.timeline, "--timeline"},
                                         {arguments.transactions, "--transactions"},
                                         {!arguments.scenario.log.empty(), "--log"},
                                         {arguments.no_skip, "--no-skip"},
                                         {arguments.check_idle, "--check-idle"}})
    if (is_given)
      refuse_option(option, "can be used with --restore only if it was given when the snapshot was made");
  for (const auto& [is_given, option] : {std::pair(!arguments.trace.empty(), "--trace"),
                                         {arguments.trace_from.has_value(), "--trace-from"},
                                         {arguments.trace_to.has_value(), "--trace-to"}})
    if (is_given) refuse_option(option, "is not available for a run that continues from a snapshot");
  if (arguments.scenario.firmware && arguments.scenario.file.empty())
    refuse_option("--firmware", "is part of the snapshot; name a SCENARIO to compare both with it");
}

[[noreturn]] void restore(const RunArguments& arguments) {
  refuse_what_a_snapshot_has(arguments);
  const Snapshot snapshot(*arguments.restore, ASTERISM_VERSION);
  if (!arguments.scenario.file.empty())
    snapshot.compare(prepare(arguments.scenario, InstalledFiles::find()).expanded());
  Continuation next{.out = {}, .quiet = arguments.quiet, .until = {}, .serves = arguments.serve};
  if (arguments.scenario.until) {
    next.until = time_option("--until", arguments.scenario.until, 0_ps);
    if (*next.until < snapshot.notes().at)
      refuse_option("--until", fmt::format("is earlier than the snapshot, which is at {}",
                                           human_time(snapshot.notes().at)));
  }
  const RunDirectory directory(arguments.out ? fs::path(*arguments.out)
                                             : fs::path("runs") / snapshot.notes().name);
  next.out = directory.final_path().string();
  snapshot.unpack(directory);
  RunArguments same;
  same.scenario.file = (directory.path() / "scenario.json").string();
  const InstalledFiles installed = InstalledFiles::find();
  const Scenario scenario = prepare(same.scenario, installed);
  next.faults = more_faults(arguments, same.scenario.file, snapshot);
  std::optional<ReferenceRun> reference;
  if (scenario.config.expect.result_equals && !arguments.alone) {
    reference.emplace(same, scenario, installed, directory);
    next.reference = reference->process();
  }
  snapshot.resume(directory, to_text(next));
}

// The expectations that are not met, one line each.
std::vector<std::string> unmet(const ExpectConfig& expect, const RunOutcome& outcome,
                               const RunDirectory& directory) {
  std::vector<std::string> lines;
  if (expect.exit && *expect.exit != outcome.firmware_status)
    lines.push_back(fmt::format("exit: expected {}, but the firmware ended with {}", *expect.exit,
                                outcome.firmware_status));
  if (expect.recoveries && *expect.recoveries != outcome.recoveries)
    lines.push_back(
        fmt::format("recoveries: expected {}, but there were {}", *expect.recoveries, outcome.recoveries));
  if (expect.checks && *expect.checks != outcome.findings)
    lines.push_back(fmt::format("checks: expected {}, but there were {}{}{}", *expect.checks,
                                outcome.findings, outcome.checks.empty() ? "" : ": ", outcome.checks));
  if (expect.result) {
    const std::string result = contents(directory.files() / result_file).value_or("none");
    const std::string_view text = std::string_view(result).substr(0, result.find_last_not_of('\n') + 1);
    if (text != *expect.result)
      lines.push_back(fmt::format("result: expected {}, but {} holds {}", *expect.result, result_file, text));
  }
  if (outcome.script_waits_for)
    lines.push_back(fmt::format("uart0.script: {:?} was never received", *outcome.script_waits_for));
  if (outcome.cluster) add_unmet_of_cluster(expect, outcome, lines);
  return lines;
}

// Returns what was compared, and adds to `failures` if the results differ.
std::string compare(ReferenceRun::End end, const ReferenceRun& reference, const RunDirectory& directory,
                    std::vector<std::string>& failures) {
  const auto theirs = reference.result(), ours = contents(directory.files() / result_file);
  const auto fail = [&](std::string why) {
    failures.push_back("result_equals: " + why);
    return why;
  };
  if (end == ReferenceRun::End::interrupted) return fail("interrupted before the other run had ended");
  if (end != ReferenceRun::End::by_its_firmware)
    return fail("the firmware of the other run did not end it: " + reference.last_words());
  if (!theirs || !ours)
    return fail(fmt::format("{} run left no {}", ours ? "the other" : "this", result_file));
  if (*theirs != *ours)
    return fail(fmt::format("files/{} and reference/files/{} differ", result_file, result_file));
  return fmt::format("{} is equal, bit for bit ({} bytes)", result_file, ours->size());
}

}  // namespace

int verb_run(const RunArguments& arguments) {
  if (arguments.restore) restore(arguments);
  const InstalledFiles installed = InstalledFiles::find();
  Scenario scenario = prepare(arguments.scenario, installed);
  const std::optional<GdbEndpoint> gdb = gdb_endpoint(arguments);
  const std::optional<UartEndpoint> uart0 = uart_endpoint(arguments, scenario);
  std::optional<OutputFile> snapshot_file;
  if (arguments.snapshot) snapshot_file.emplace(checked_for_snapshot(arguments, scenario), "--snapshot");
  RunDirectory directory(arguments.out ? fs::path(*arguments.out) : fs::path("runs") / scenario.name);
  directory.write("scenario.json", scenario.expanded());

  const auto [trace_from, trace_to] = trace_window(arguments, scenario.config);
  RunSettings settings{.rtl = rtl_options(arguments, trace_from, trace_to),
                       .show_console = !arguments.quiet,
                       .show_progress = true,
                       .gdb = gdb,
                       .gdb_snapshots = time_option("--gdb-snapshots", arguments.gdb_snapshots, 1_ms),
                       .uart0 = uart0,
                       .instruments = {.profile = arguments.profile,
                                       .profile_lines = arguments.profile_lines,
                                       .timeline = arguments.timeline,
                                       .transactions = arguments.transactions,
                                       .last_instructions = arguments.last_instructions,
                                       .trace_from = trace_from,
                                       .trace_to = trace_to},
                       .threads = arguments.threads,
                       .on_start = {}};
  std::optional<ReferenceRun> reference;
  if (const auto& other = scenario.config.expect.result_equals) {
    reference.emplace(arguments, scenario, installed, directory);
    settings.on_start = [&other] { fmt::print("also running {} to compare the results\n", *other); };
  }
  if (snapshot_file)
    settings.snapshot = {time_option("--snapshot-at", arguments.snapshot_at, 0_ps), [&] {
                           const auto continuation = save(*snapshot_file, scenario, directory);
                           if (!continuation) return false;
                           snapshot_file->forget();
                           Continuation next = continuation_of(*continuation);
                           directory.take_over(next.out);
                           if (next.serves) {
                             next = serve_runs();
                             directory.branch(next.out);
                           }
                           settings.show_console = !next.quiet;
                           if (next.until) scenario.config.until = *next.until;
                           settings.snapshot->faults = next.faults;
                           if (!next.faults.empty()) scenario.config.expect.recoveries.reset();
                           if (!next.faults.empty()) scenario.coverage.clear();
                           auto& faults = scenario.config.faults;
                           faults.insert(faults.end(), next.faults.begin(), next.faults.end());
                           if (reference) reference->take_over(next.reference, directory);
                           if (next.reference < 0) reference.reset();
                           return true;
                         }};
  const RunOutcome outcome = asterism::run(scenario, directory, settings);

  ReferenceRun::End reference_end = ReferenceRun::End::by_its_firmware;
  Summary summary{scenario, outcome, directory.final_path().string(), {}, {}, {}};
  if (outcome.end != RunOutcome::End::mismatch) summary.warnings = coverage_warnings(outcome.coverage);
  for (const CoverageWarning& warning : summary.warnings) log(warning.instance).warn(warning.text);
  if (outcome.ended_by_itself()) {
    summary.failures = unmet(scenario.config.expect, outcome, directory);
    std::ranges::copy(unmet_demands(scenario.coverage, outcome.coverage),
                      std::back_inserter(summary.failures));
    if (arguments.snapshot && !outcome.snapshot_saved)
      summary.failures.push_back(
          fmt::format("--snapshot-at: the run ended before that, at {}", human_time(outcome.time)));
    if (reference) {
      reference_end = reference->wait();
      summary.comparison = compare(reference_end, *reference, directory, summary.failures);
    }
  }
  reference.reset();
  const bool interrupted =
      outcome.end == RunOutcome::End::interrupted || reference_end == ReferenceRun::End::interrupted;
  if (interrupted) {
    directory.leave_partial();
    summary.directory = directory.path().string();
  } else {
    directory.finish();
  }
  std::fflush(stdout);
  fmt::print("{}", to_text(summary));
  return interrupted ? static_cast<int>(ExitStatus::interrupted)
                     : exit_status(outcome, summary.failures.empty());
}

}  // namespace asterism
