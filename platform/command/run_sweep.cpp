#include "platform/command/run_sweep.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/temporary_folder.h"
#include "platform/config/config.h"
#include "platform/config/nearest_name.h"
#include "platform/host/exit_status.h"
#include "platform/scenario/scenario.h"
#include "platform/study/seeds.h"
#include "platform/study/study_report.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

std::string text_of_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

// Reads the keys of a run; a SweepRun executes it.
class ScenarioPoint final : public StudyPointOf<ScenarioConfig> {
 public:
  std::vector<Cell> run(const std::stop_token&) override { return {}; }
};

struct SweepRunConfig {
  std::string name, scenario, folder, shown;
};
static_assert(member_count<SweepRunConfig>() == 4);
void describe(Fields& f, SweepRunConfig& c) {
  f("name", c.name, "The name of the scenario.");
  f("scenario", c.scenario, "The fully expanded scenario.");
  f("folder", c.folder, "The run directory.");
  f("shown", c.shown, "The statistics that the row contains.");
}

// Executes `asterism ARGUMENTS` with its output in a file. The process has a group of its own, because this
// process handles Ctrl-C, and it ends with the thread that waits for it. Returns its exit status, 128 +
// signal if a signal ended it.
int execute(const std::vector<std::string>& arguments, const fs::path& log, const std::stop_token& stop) {
  std::vector<char*> words;
  words.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  const int written = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (written < 0 || nothing < 0)
    throw std::system_error(errno, std::generic_category(), "cannot write " + log.string());
  sigset_t none;
  sigemptyset(&none);
  const pid_t parent = getpid(), process = fork();
  if (process == 0) {  // only functions that are safe after the fork of a process with threads
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(static_cast<int>(ExitStatus::internal));
    setpgid(0, 0);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    dup2(nothing, STDIN_FILENO);
    dup2(written, STDOUT_FILENO);
    dup2(written, STDERR_FILENO);
    execv("/proc/self/exe", words.data());
    _exit(static_cast<int>(ExitStatus::internal));
  }
  const int error = errno;
  close(written);
  close(nothing);
  if (process < 0) throw std::system_error(error, std::generic_category(), "cannot start a run");
  const std::stop_callback end(stop, [process] { kill(process, SIGKILL); });
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string outcome_of(int status) {
  switch (static_cast<ExitStatus>(status)) {
    case ExitStatus::success:
      return "ok";
    case ExitStatus::expectation:
      return "expectation not met";
    case ExitStatus::lockstep:
      return "RTL and model differ";
    case ExitStatus::time_limit:
      return "time limit";
    case ExitStatus::internal:
      return "internal error";
    case ExitStatus::plugin:
      return "a plug-in failed";
    default:
      break;
  }
  if (status < 128) return fmt::format("status {}", status);
  const char* name = sigabbrev_np(status - 128);
  return name ? fmt::format("killed by SIG{}", name) : fmt::format("killed by signal {}", status - 128);
}

// Why a run failed: the lines "NOT MET" of its summary, or else how it ended, or its last line.
std::string reason_in(const std::string& log) {
  std::string reason, ended, last;
  std::istringstream lines(log);
  const auto add = [&](const std::string& line) { reason += (reason.empty() ? "" : "; ") + line; };
  bool goes_on = false;  // the value of a label goes on in the next line
  for (std::string line; std::getline(lines, line);) {
    const std::string value = line.size() > 13 ? line.substr(13) : "";
    if (line.starts_with("NOT MET"))
      add(value);
    else if (line.starts_with("             ") && goes_on)
      reason += " " + value;
    else if (line.starts_with("ended  "))
      ended = value;
    goes_on = line.starts_with("NOT MET") || (goes_on && line.starts_with("             "));
    if (!line.empty()) last = line;
  }
  return !reason.empty() ? reason : !ended.empty() ? ended : last;
}

void collect_paths(const nlohmann::json& tree, const std::string& prefix, std::vector<std::string>& paths) {
  for (const auto& [key, value] : tree.items()) {
    const std::string path = join_path(prefix, key);
    if (value.is_object())
      collect_paths(value, path, paths);
    else
      paths.push_back(path);
  }
}

const nlohmann::json* statistic(const nlohmann::json& stats, const std::string& path) {
  const nlohmann::json* at = &stats;
  for (const std::string& key : split_path(path)) {
    if (!at->is_object() || !at->contains(key)) return nullptr;
    at = &at->at(key);
  }
  return at;
}

[[noreturn]] void refuse_statistic(const nlohmann::json& stats, const std::string& path,
                                   const nlohmann::json* found) {
  std::vector<std::string> paths;
  if (found) {
    collect_paths(*found, path, paths);
    throw StudyMistake(
        "--show", fmt::format("{} is a group of stats.json, which has {}{}", path,
                              fmt::join(paths.begin(),
                                        paths.begin() + std::min<std::ptrdiff_t>(std::ssize(paths), 5), ", "),
                              paths.size() > 5 ? ", ..." : ""));
  }
  collect_paths(stats, "", paths);
  const std::string nearest = nearest_name(path, paths);
  throw StudyMistake("--show", fmt::format("the first run has no statistic \"{}\" in its stats.json{}", path,
                                           nearest.empty() ? "; \"" + path + "?\" leaves it empty"
                                                           : "; did you mean \"" + nearest + "\"?"));
}

Cell cell_of(const nlohmann::json& stats, const ShownStatistic& shown) {
  const nlohmann::json* found = statistic(stats, shown.path);
  if (!found && shown.is_optional) return {};
  if (!found || found->is_object()) refuse_statistic(stats, shown.path, found);
  if (found->is_number_unsigned()) return found->get<std::uint64_t>();
  return found->is_string() ? found->get<std::string>() : found->dump();
}

// A row has the name of the run, its outcome, the shown statistics, the exit status, and why it failed.
class SweepRun final : public StudyPointOf<SweepRunConfig> {
 public:
  SweepRun() { set_kind(sweep_run); }
  explicit SweepRun(SweepRunConfig config) : SweepRun() { config_ = std::move(config); }

  std::vector<Cell> run(const std::stop_token& stop) override {
    const fs::path folder = config_.folder, log = config_.folder + ".log";
    fs::create_directories(folder.parent_path());
    const TemporaryFolder given;
    const fs::path scenario = given / (config_.name + ".json");
    std::ofstream(scenario) << config_.scenario;
    const int status =
        execute({"asterism", "run", scenario.string(), "--quiet", "--out", folder.string()}, log, stop);
    const std::vector<ShownStatistic> shown = shown_statistics(config_.shown);
    std::error_code none;
    if (stop.stop_requested() && status == 128 + SIGKILL) {
      fs::remove_all(config_.folder + ".partial", none), fs::remove(log, none);
      return {};
    }
    const nlohmann::json stats = nlohmann::json::parse(text_of_file(folder / "stats.json"), nullptr, false);
    std::vector<Cell> row{folder.filename().string(), outcome_of(status)};
    for (const ShownStatistic& one : shown) row.push_back(stats.is_object() ? cell_of(stats, one) : Cell());
    row.emplace_back(static_cast<std::uint64_t>(status));
    row.emplace_back(status == 0 ? std::string() : reason_in(text_of_file(log)));
    return row;
  }
};

// Mistakes in an expanded scenario are reported where the key was written. Keys are swept on the command
// line, and the document does not have them.
Diagnostic at_origin(Diagnostic problem, const Study& study) {
  const auto has_it = [&](const std::string& key) { return (problem.path + ".").starts_with(key + "."); };
  if (std::ranges::none_of(study.swept, has_it)) problem.origin = study.document.origin_of(problem.path);
  return problem;
}

// Which keys can be swept depends on the types of devices, and those of plug-ins are known once these are
// loaded. Mistakes are reported when the points are read.
void load_plugins_of(ConfigDocument scenario, const ConfigLibrary& library) {
  try {
    Diagnostics later;
    read_config<ScenarioConfig>(scenario, &library, later);
  } catch (const ConfigError&) {
  }
}

// "with node.gpu.count=1 node.cores.count=2": the combination of a run.
std::string combination_of(const Study& study, const Study::Point& point) {
  return "with " + swept_keys_of(study, point);
}

// Checks each run as `asterism run` would. A mistake in a file that not all runs have is reported with the
// first combination that has it.
void check_runs(const Study& study, const InstalledFiles& installed) {
  struct Found {
    Diagnostic problem;
    const Study::Point *first, *last;
    std::size_t runs;
  };
  std::vector<Found> all;
  std::map<std::string, std::size_t> known;  // of a text its place in `all`
  bool is_missing = false;
  for (const Study::Point& point : study.points) {
    try {
      prepare(ConfigDocument::parse(point.config, ""), study.name, installed);
    } catch (const ConfigError& error) {
      is_missing = is_missing || dynamic_cast<const InputMissing*>(&error);
      for (const Diagnostic& found : error.diagnostics().all()) {
        const Diagnostic problem = found.origin.is_command_line() ? at_origin(found, study) : found;
        const auto [at, is_new] = known.try_emplace(problem.text(), all.size());
        if (is_new)
          all.push_back({.problem = problem, .first = &point, .last = &point, .runs = 1});
        else if (Found& again = all[at->second]; std::exchange(again.last, &point) != &point)
          ++again.runs;
      }
    }
  }
  Diagnostics problems;
  for (auto& [problem, first, last, runs] : all) {
    if (!problem.origin.is_command_line() && runs < study.points.size())
      problem.detail += (problem.detail.empty() ? "" : "; ") + combination_of(study, *first) +
                        (runs == 1 ? "" : fmt::format(" and {} more", runs - 1));
    problems.add(problem);
  }
  if (is_missing && problems.size() == 1) throw InputMissing(problems.all().front());
  problems.throw_if_any();
}

// "simulated_time" and "ps" for simulated_time_ps.
std::pair<std::string, std::string_view> heading_and_unit(const std::string& path) {
  constexpr std::string_view picoseconds = "_ps";
  if (!path.ends_with(picoseconds)) return {path, ""};
  return {path.substr(0, path.size() - picoseconds.size()), picoseconds.substr(1)};
}

}  // namespace

std::vector<ShownStatistic> shown_statistics(const std::string& list) {
  std::vector<ShownStatistic> shown;
  std::istringstream words(list);
  for (std::string path; std::getline(words, path, ',');) {
    const bool is_optional = path.ends_with('?');
    if (is_optional) path.pop_back();
    if (path.empty())
      refuse_option("--show", "expected names of statistics with commas between them, got \"" + list + "\"");
    shown.push_back({path, is_optional});
  }
  if (shown.empty()) refuse_option("--show", "names no statistic");
  return shown;
}

RunSweep::RunSweep(const ScenarioRequest& request, std::vector<ShownStatistic> shown,
                   const InstalledFiles& installed)
    : shown_(std::move(shown)) {
  for (const ShownStatistic& one : shown_) headings_.push_back(heading_and_unit(one.path).first);
  kind_ = {.name = "sweep",
           .meaning = "Runs of a node over swept keys",
           .coordinates = {},
           .columns = {{.name = "run",
                        .heading = "run",
                        .unit = "",
                        .meaning = "The folder of the run in runs/",
                        .is_label = true},
                       {"outcome", "outcome", "", "ok if the run ended with status 0, else how it ended"}},
           .x = "",
           .y = "",
           .state = "outcome",
           .bars = {},
           .only_typed_sweeps = true,
           .make = make_study_point<ScenarioPoint>};
  for (std::size_t i = 0; i < shown_.size(); ++i) {
    kind_.columns.push_back({.name = shown_[i].path,
                             .heading = headings_[i],
                             .unit = heading_and_unit(shown_[i].path).second,
                             .meaning = "A statistic of stats.json",
                             .places = 3,
                             .max_places = 6});
    kind_.bars.push_back(shown_[i].path);
  }
  kind_.columns.push_back({.name = "status",
                           .heading = "",
                           .unit = "",
                           .meaning = "The exit status of the run",
                           .is_label = true});
  kind_.columns.push_back({"reason", "", "", "Why the run failed"});
  NamedDocument loaded = load_scenario(request, installed);
  load_plugins_of(loaded.document, installed.configs);
  study_ = read_study(std::move(loaded.document), loaded.name, installed.configs, kind_);
  check_runs(study_, installed);
  choose_axis();
}

// The axis of curves is the swept number with the most values.
void RunSweep::choose_axis() {
  std::size_t most = 0;
  for (std::size_t k = 0; k < study_.keys.size(); ++k) {
    std::set<Cell> values;
    for (const Study::Point& point : study_.points) values.insert(point.coordinates[k]);
    const bool is_number = std::ranges::all_of(values, [](const Cell& cell) {
      return std::holds_alternative<std::uint64_t>(cell) || std::holds_alternative<double>(cell);
    });
    if (!is_number || values.size() <= most) continue;
    most = values.size();
    kind_.x = kind_.x_key = study_.keys[k];
  }
}

std::string RunSweep::name_of_run(std::size_t run) const {
  return fmt::format("{:0{}}", run, std::to_string(study_.points.size() - 1).size());
}

PointRun RunSweep::run(const fs::path& folder, const PointRunSettings& settings) const {
  std::vector<std::unique_ptr<SweepRun>> runs;
  std::vector<StudyPoint*> points;
  const auto add = [&](const std::string& name, const std::string& scenario) {
    // A misspelt name shows in the first run. Others may lack a statistic: their results are not lost for it.
    std::string shown;
    for (const ShownStatistic& one : shown_)
      shown += (shown.empty() ? "" : ",") + one.path + (one.is_optional || !runs.empty() ? "?" : "");
    runs.push_back(
        std::make_unique<SweepRun>(SweepRunConfig{study_.name, scenario, (folder / name).string(), shown}));
    points.push_back(runs.back().get());
  };
  for (std::size_t i = 0; i < study_.points.size(); ++i) {
    const Study::Point& point = study_.points[i];
    if (study_.seeds == 1)
      add(name_of_run(i), point.config);
    else
      add(fmt::format("{}_seed{}", name_of_run(i), seed_of(point)), point.config);
    for (const Study::Seed& further : point.further)
      add(fmt::format("{}_seed{}", name_of_run(i), further.seed), further.config);
  }
  try {
    return run_all_seeds(study_, points, settings);
  } catch (const StudyMistake& mistake) {
    refuse_option("--show", mistake.what());
  }
}

std::string RunSweep::failure(std::size_t run, const PointRun& runs) const {
  std::string name = "run " + name_of_run(run);
  if (!study_.keys.empty()) {
    const std::string keys = name_of_point(study_, study_.points[run]);  // "sweep: node.cores.count=4"
    name += " (" + keys.substr(keys.find(' ') + 1) + ")";
  }
  if (!runs.crashes[run].empty()) return name + ": " + runs.crashes[run];
  if (!runs.rows[run]) return "";
  const std::vector<Cell>& row = *runs.rows[run];
  if (row[row.size() - 2] == Cell(std::uint64_t{0})) return "";
  return fmt::format("{}: {}: {}", name, to_text(row[1]), to_text(row.back()));
}

std::unique_ptr<StudyPoint> make_sweep_run() { return std::make_unique<SweepRun>(); }

}  // namespace asterism
