#include "platform/command/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>

#include "base/quantity_text.h"
#include "base/temporary_folder.h"
#include "base/xml_text.h"
#include "platform/command/campaign_outcome.h"
#include "platform/config/config.h"
#include "platform/host/config_kinds.h"
#include "platform/host/exit_status.h"
#include "platform/host/human_time.h"
#include "platform/host/output_failure.h"
#include "platform/host/output_file.h"
#include "platform/host/run_directory.h"
#include "platform/report/campaign_page.h"
#include "platform/run/run_server.h"
#include "platform/scenario/scenario.h"
#include "platform/snapshot/snapshot.h"
#include "platform/study/point_runner.h"
#include "platform/study/study_kind.h"
#include "tlm/time.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

constexpr const char* printed_meaning =
    "The outcomes that software reports on the console: a name, and the words by which it is recognised.";

struct Campaign {
  std::string scenario, snapshot, faults, junit;
  std::uint32_t jobs = 0;
  Picoseconds until;
  PrintedOutcomes printed;
};
static_assert(member_count<Campaign>() == 7);
void describe(Fields& f, Campaign& c) {
  f("scenario", c.scenario,
    "The file or name of a scenario that the snapshot's configuration is compared with. \"\" makes no "
    "comparison.");
  f("snapshot", c.snapshot, "The snapshot from which all runs continue.");
  f("faults", c.faults, "A file with one JSON object per line, each a fault of a scenario.");
  f("junit", c.junit,
    "The file for a report as JUnit XML, with a test case for each fault. \"\" writes none.");
  f("jobs", c.jobs, "The number of runs at a time. 0 uses as many as the host has cores.", within(0, 1024));
  f("until", c.until,
    "The simulated time at which a run counts as hanging. 0 allows twice the time after the snapshot that a "
    "run without a fault takes, and 10 ms.");
  f("printed", c.printed, printed_meaning);
}

// As many servers as runs at a time. Each is started when it is first needed.
class Servers {
 public:
  Servers(fs::path snapshot, fs::path folder) : snapshot_(std::move(snapshot)), folder_(std::move(folder)) {}

  ObservedRun run(std::vector<FaultConfig> faults, std::optional<Picoseconds> until, const fs::path& out,
                  const std::stop_token& stop) {
    const auto start = std::chrono::steady_clock::now();
    std::unique_ptr<RunServer> server = take();
    ObservedRun seen;
    if (const auto status = server->run(
            {.out = out.string(), .quiet = true, .until = until, .faults = std::move(faults)}, stop)) {
      seen.status = *status;
      if (*status < 128) read_report(out, seen);
      give_back(std::move(server));
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    seen.host_seconds = took.count();
    return seen;
  }
  std::string last_words() const { return text_of_run_file(log(started_ - 1)); }

 private:
  fs::path log(int number) const { return folder_ / fmt::format("server{}.log", number); }
  std::unique_ptr<RunServer> take() {
    const std::scoped_lock lock(mutex_);
    if (idle_.empty()) {
      const int number = started_++;
      return std::make_unique<RunServer>(snapshot_, folder_ / fmt::format("server{}", number), log(number));
    }
    auto server = std::move(idle_.back());
    idle_.pop_back();
    return server;
  }
  void give_back(std::unique_ptr<RunServer> server) {
    const std::scoped_lock lock(mutex_);
    idle_.push_back(std::move(server));
  }

  const fs::path snapshot_, folder_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<RunServer>> idle_;
  int started_ = 0;
};

struct TrialConfig {
  std::string snapshot, folder;
  bool keeps = false;
  std::uint32_t line = 0;
  Picoseconds until;
  FaultConfig fault;
  PrintedOutcomes printed;
};
static_assert(member_count<TrialConfig>() == 7);
void describe(Fields& f, TrialConfig& c) {
  f("snapshot", c.snapshot, "The snapshot from which the run continues.");
  f("folder", c.folder, "The folder of all runs.");
  f("keeps", c.keeps, "Whether the folder of the run is kept.");
  f("line", c.line, "The line in the list of faults.");
  f("until", c.until, "The simulated time at which the run counts as hanging.");
  f("fault", c.fault, "The fault.");
  f("printed", c.printed, printed_meaning);
}

// The runs of a process share the servers and the run without a fault with which they are compared. The
// worker process of a rank has its own, because the servers of its parent communicate with the parent.
struct ComparedRuns {
  ComparedRuns(const fs::path& snapshot, const fs::path& folder)
      : servers(snapshot, folder), good(servers.run({}, {}, folder / "without", {})) {}

  const pid_t process = getpid();
  Servers servers;
  const ObservedRun good;
};
struct ComparedRunsOfProcess {
  std::mutex mutex;
  std::unique_ptr<ComparedRuns> made;
};
ComparedRunsOfProcess& compared_runs_of_process() {
  static ComparedRunsOfProcess one;
  return one;
}

constexpr const char* worker_folders = "worker_";

ComparedRuns& compared_runs_for(const TrialConfig& config) {
  ComparedRunsOfProcess& mine = compared_runs_of_process();
  const std::scoped_lock lock(mine.mutex);
  if (mine.made && mine.made->process == getpid()) return *mine.made;
  (void)mine.made.release();
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  const fs::path folder =
      fs::path(config.folder) / fmt::format("{}{}_{}", worker_folders, host.data(), getpid());
  fs::create_directories(folder);
  mine.made = std::make_unique<ComparedRuns>(config.snapshot, folder);
  if (mine.made->good.has_failed())
    throw std::runtime_error("the run without a fault fails: " + mine.made->servers.last_words());
  return *mine.made;
}

struct Fault {
  std::string text;
  int line;
  FaultConfig config = {};
};

std::vector<Fault> read_faults(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw InputMissing(Diagnostic::of_file(file, "there is no such list of faults"));
  std::vector<Fault> faults;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") != std::string::npos) faults.push_back({line, number});
  }
  if (faults.empty()) throw ConfigError(Diagnostic::of_file(file, "contains no fault"));
  return faults;
}

// Reads all faults as if they were in the scenario. Errors are reported at their lines.
void check_faults(std::vector<Fault>& faults, const std::string& file, const Snapshot& snapshot,
                  const fs::path& folder) {
  Diagnostics problems;
  const auto add = [&](const Fault& fault, Diagnostic diagnostic) {
    diagnostic.origin = {.file = file, .line = fault.line, .column = 1};
    problems.add(std::move(diagnostic));
  };
  const auto refuse = [&](const Fault& fault, const char* path, std::string problem) {
    Diagnostic diagnostic;
    diagnostic.path = path;
    diagnostic.problem = std::move(problem);
    add(fault, std::move(diagnostic));
  };
  const fs::path scenario = folder / "scenario.json";
  std::ofstream(scenario) << snapshot.notes().scenario;
  std::vector<Fault*> sound;
  std::string list;
  for (Fault& fault : faults) {
    if (!nlohmann::json::accept(fault.text)) {
      refuse(fault, "", "is not JSON");
      continue;
    }
    list += (list.empty() ? "" : ",") + fault.text;
    sound.push_back(&fault);
  }
  try {
    ScenarioRequest request;
    request.file = scenario.string();
    request.overrides = {"faults=[" + list + "]"};
    const Scenario judged = prepare(request, InstalledFiles::find());
    for (std::size_t i = 0; i < sound.size(); ++i) {
      sound[i]->config = judged.config.faults[i];
      if (sound[i]->config.at < snapshot.notes().at)
        refuse(*sound[i], "at",
               fmt::format("lies before the snapshot, which is at {}", human_time(snapshot.notes().at)));
    }
  } catch (const ConfigError& error) {
    constexpr std::string_view prefix = "faults.";
    for (Diagnostic problem : error.diagnostics().all()) {
      if (!problem.path.starts_with(prefix)) throw;
      std::size_t digits = 0;
      const std::size_t index = std::stoul(problem.path.substr(prefix.size()), &digits);
      problem.path.erase(0, std::min(problem.path.size(), prefix.size() + digits + 1));
      add(*sound.at(index), std::move(problem));
    }
  }
  fs::remove(scenario);
  problems.throw_if_any();
}

// A row holds the outcome, the seconds of the host, how and when the run ended, and the firmware's status.
class Trial final : public StudyPointOf<TrialConfig> {
 public:
  Trial() { set_kind(campaign_trial); }
  explicit Trial(TrialConfig config) : Trial() { config_ = std::move(config); }
  std::vector<Cell> run(const std::stop_token& stop) override {
    ComparedRuns& compared_runs = compared_runs_for(config_);
    if (config_.fault.at > compared_runs.good.at) return row(Outcome::late, {});
    const fs::path out = fs::path(config_.folder) / fmt::format("line{}", config_.line);
    const ObservedRun seen = compared_runs.servers.run({config_.fault}, config_.until, out, stop);
    std::error_code none;
    if (!config_.keeps) fs::remove_all(out, none), fs::remove(out.string() + ".log", none);
    return row(classify(seen, compared_runs.good, config_.printed), seen);
  }

 private:
  static std::vector<Cell> row(Outcome outcome, const ObservedRun& seen) {
    return {static_cast<std::uint64_t>(outcome), seen.host_seconds, seen.ended,
            static_cast<std::uint64_t>(seen.at.count()), seen.firmware_status};
  }
};

struct Judged {
  const Fault& fault;
  Outcome outcome;
  double host_seconds = 0;
  std::string ended = "";
  Picoseconds at = 0_ps;
  std::uint64_t firmware_status = 0;
};

std::string to_junit(const std::vector<Judged>& trials, const std::vector<OutcomeText>& texts,
                     const std::string& name) {
  int failures = 0;
  double seconds = 0;
  std::string cases;
  for (const Judged& trial : trials) {
    const auto& [fault, outcome, host_seconds] = std::tie(trial.fault, trial.outcome, trial.host_seconds);
    const OutcomeText& text = texts[static_cast<std::size_t>(outcome)];
    cases += fmt::format("  <testcase classname=\"{}\" name=\"line {}: {}\" time=\"{:.3f}\">", xml_text(name),
                         fault.line, xml_text(fault.text), host_seconds);
    seconds += host_seconds;
    if (is_bad(outcome)) {
      ++failures;
      cases += fmt::format("<failure type=\"{}\" message=\"{}\"/>", text.name, text.meaning);
    } else {
      cases += fmt::format("<system-out>{}</system-out>", xml_text(text.name));
    }
    cases += "</testcase>\n";
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" "
      "time=\"{:.3f}\">\n{}</testsuite>\n",
      xml_text(name), trials.size(), failures, seconds, cases);
}

// Prints the number of faults for each outcome, and the first few lines of bad ones. Returns whether there
// were bad ones.
bool print_table(const std::vector<Judged>& trials, const std::vector<OutcomeText>& texts,
                 const std::string& file) {
  bool bad = false;
  fmt::print("{:<10} {:>7}\n", "outcome", "faults");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::vector<int> lines;
    for (const Judged& trial : trials)
      if (trial.outcome == static_cast<Outcome>(i)) lines.push_back(trial.fault.line);
    fmt::print("{:<10} {:>7}  {}\n", texts[i].name, lines.size(), texts[i].meaning);
    if (!is_bad(static_cast<Outcome>(i))) continue;
    bad |= !lines.empty();
    constexpr std::size_t max_lines = 5;
    for (std::size_t k = 0; k < std::min(max_lines, lines.size()); ++k)
      fmt::print("{:<20}{}:{}\n", "", file, lines[k]);
    if (lines.size() > max_lines) fmt::print("{:<20}and {} more\n", "", lines.size() - max_lines);
  }
  return bad;
}

// The folder of the runs: one that the user named, or a temporary one.
class Folder {
 public:
  explicit Folder(const std::optional<std::string>& named)
      : path_(named ? fs::absolute(*named) : own_.emplace().path()) {
    if (!named) return;
    if (fs::exists(path_) && !fs::is_empty(path_))
      throw ConfigError(Diagnostic::of_file(*named, "is not empty; name another with --out"));
    fs::create_directories(path_);
  }
  const fs::path& path() const { return path_; }

 private:
  std::optional<TemporaryFolder> own_;
  fs::path path_;
};

Campaign read_arguments(const StudyArguments& arguments) {
  ConfigDocument document = ConfigDocument::parse("{}", "");
  for (const std::string& override : arguments.overrides) document.apply_override(override);
  Campaign campaign = read_config<Campaign>(document, InstalledFiles::find().configs);
  const auto refuse = [](const char* path, const char* problem) {
    throw ConfigError(Diagnostic{.origin = Origin::command_line(), .path = path, .problem = problem});
  };
  if (campaign.snapshot.empty()) refuse("snapshot", "is missing: name the file that `run --snapshot` wrote");
  if (campaign.faults.empty()) refuse("faults", "is missing: name a file with one fault per line, as JSON");
  for (const auto& [option, file] : {std::pair("--csv", &arguments.files.csv),
                                     {"--json", &arguments.files.json},
                                     {"--svg", &arguments.files.svg},
                                     {"--pdf", &arguments.files.pdf}})
    if (*file) refuse(option, "is not available for campaigns; use --report FILE or junit=FILE");
  return campaign;
}

// Throws ConfigError if the snapshot is of another configuration than the campaign's scenario.
void check_configuration(const Campaign& campaign, const Snapshot& snapshot) {
  if (campaign.scenario.empty()) return;
  ScenarioRequest request;
  request.file = campaign.scenario;
  snapshot.compare(prepare(request, InstalledFiles::find()).expanded());
}

// The runs of this process, from the run without a fault until the end of the campaign.
class OwnRuns {
 public:
  OwnRuns(const fs::path& snapshot, const fs::path& folder) {
    compared_runs_of_process().made = std::make_unique<ComparedRuns>(fs::absolute(snapshot), folder);
  }
  ~OwnRuns() { compared_runs_of_process().made.reset(); }
  OwnRuns(const OwnRuns&) = delete;
  OwnRuns& operator=(const OwnRuns&) = delete;

  const ObservedRun& good() const { return compared_runs_of_process().made->good; }
};

// Throws ConfigError if the run without a fault fails.
void check_good_run(const Campaign& campaign, const ObservedRun& good, const fs::path& folder) {
  if (!good.has_failed()) return;
  const std::string last_words = compared_runs_of_process().made->servers.last_words();
  throw ConfigError(Diagnostic::of_file(campaign.snapshot, "the run without a fault fails:\n" + last_words +
                                                               summary_of(folder / "without.log")));
}

PointRun run_trials(const Campaign& campaign, const std::vector<Fault>& faults, const fs::path& folder,
                    const StudyArguments& arguments, Ranks* ranks) {
  std::vector<std::unique_ptr<Trial>> points;
  std::vector<StudyPoint*> pointers;
  for (const Fault& fault : faults) {
    points.push_back(std::make_unique<Trial>(TrialConfig{.snapshot = fs::absolute(campaign.snapshot).string(),
                                                         .folder = folder.string(),
                                                         .keeps = arguments.out.has_value(),
                                                         .line = static_cast<std::uint32_t>(fault.line),
                                                         .until = campaign.until,
                                                         .fault = fault.config,
                                                         .printed = campaign.printed}));
    pointers.push_back(points.back().get());
  }
  PointRun run = run_points(pointers, {.threads = campaign.jobs != 0 ? campaign.jobs : arguments.threads,
                                       .show_progress = true,
                                       .points_are = "faults",
                                       .ranks = ranks});
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename().string().starts_with(worker_folders)) fs::remove_all(entry.path());
  return run;
}

std::vector<Judged> judge(const std::vector<Fault>& faults, const PointRun& run) {
  std::vector<Judged> trials;
  for (std::size_t i = 0; i < faults.size(); ++i)
    if (const auto& row = run.rows[i])
      trials.push_back({faults[i], static_cast<Outcome>(std::get<std::uint64_t>(row->at(0))),
                        std::get<double>(row->at(1)), std::get<std::string>(row->at(2)),
                        Picoseconds(std::get<std::uint64_t>(row->at(3))),
                        std::get<std::uint64_t>(row->at(4))});
    else if (!run.crashes[i].empty())
      trials.push_back({faults[i], Outcome::crashed});
  return trials;
}

void print_end(std::size_t faults, std::size_t trials, const PointRun& run) {
  fmt::print("\n{:<10} {}{} of {} faults in {:.1f} s on {}\n", "campaign",
             run.interrupted ? "interrupted: " : "", trials, faults, run.host_seconds, run.places());
}

std::string in_quotes(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

std::string page_of(const Campaign& campaign, const StudyArguments& arguments, const Snapshot& snapshot,
                    std::size_t faults, const std::vector<Judged>& trials, const ObservedRun& good) {
  CampaignOnPage page{.name = snapshot.notes().name,
                      .from = snapshot.notes().at,
                      .good_end = good.at,
                      .outcomes = {},
                      .faults = faults,
                      .trials = {}};
  const std::vector<OutcomeText> texts = outcome_texts(campaign.printed);
  for (std::size_t i = 0; i < texts.size(); ++i)
    page.outcomes.push_back({.name = texts[i].name,
                             .meaning = texts[i].meaning,
                             .is_bad = is_bad(static_cast<Outcome>(i)),
                             .is_late = static_cast<Outcome>(i) == Outcome::late});
  const fs::path beside = fs::absolute(*arguments.files.report).parent_path();
  for (const Judged& trial : trials) {
    const bool is_kept = arguments.out && trial.outcome != Outcome::late;
    const std::string until = trial.outcome == Outcome::hang ? " --until " + to_text(campaign.until) : "";
    const std::string line = fmt::format("line{}", trial.fault.line);
    page.trials.push_back(
        {.line = trial.fault.line,
         .kind = std::string(to_text(trial.fault.config.kind)),
         .at = trial.fault.config.at,
         .outcome = static_cast<std::size_t>(trial.outcome),
         .ended = trial.ended,
         .end = trial.at,
         .has_same_end = is_same_end(trial.outcome),
         .firmware_status = trial.firmware_status,
         .host_seconds = trial.host_seconds,
         .again = fmt::format("asterism run --restore {} --alone --fault {}{} --out {}",
                              in_quotes(campaign.snapshot), in_quotes(trial.fault.text), until, line),
         .folder = is_kept ? (fs::absolute(*arguments.out) / line).lexically_relative(beside).string() : ""});
  }
  return campaign_page(page);
}

// A campaign is given by options, not by a file: there is nothing to check.
const RegisteredConfigKind campaign_keys{
    described_kind<Campaign>(campaign, "", "Asterism campaign", {}, {.check = nullptr})};

}  // namespace

std::unique_ptr<StudyPoint> make_campaign_trial() { return std::make_unique<Trial>(); }

int verb_campaign(const StudyArguments& arguments, Ranks* ranks) {
  Campaign campaign = read_arguments(arguments);
  const Snapshot snapshot(campaign.snapshot, ASTERISM_VERSION);
  check_configuration(campaign, snapshot);
  std::vector<Fault> faults = read_faults(campaign.faults);
  std::optional<OutputFile> junit, report;
  if (!campaign.junit.empty()) junit.emplace(campaign.junit, "junit");
  if (arguments.files.report) report.emplace(*arguments.files.report, "--report");
  const Folder folder(arguments.out);
  check_faults(faults, campaign.faults, snapshot, folder.path());

  const OwnRuns runs(campaign.snapshot, folder.path());
  const ObservedRun& good = runs.good();
  check_good_run(campaign, good, folder.path());
  if (campaign.until == 0_ps) campaign.until = good.at + 2 * (good.at - snapshot.notes().at) + 10_ms;
  const PointRun run = run_trials(campaign, faults, folder.path(), arguments, ranks);
  const std::vector<Judged> trials = judge(faults, run);
  const std::vector<OutcomeText> texts = outcome_texts(campaign.printed);
  const bool bad = print_table(trials, texts, campaign.faults);
  print_end(faults.size(), trials.size(), run);
  const auto write = [&](std::optional<OutputFile>& file, const std::string& text) {
    const fs::path written = run.interrupted ? file->leave_partial(text) : file->finish(text);
    fmt::print("{:<10} {}\n", "written", written.string());
  };
  OutputAttempts attempts;
  if (junit) attempts.attempt([&] { write(junit, to_junit(trials, texts, snapshot.notes().name)); });
  if (report)
    attempts.attempt(
        [&] { write(report, page_of(campaign, arguments, snapshot, faults.size(), trials, good)); });
  attempts.throw_if_any();
  if (run.interrupted) return static_cast<int>(ExitStatus::interrupted);
  return static_cast<int>(bad ? ExitStatus::expectation : ExitStatus::success);
}

}  // namespace asterism
