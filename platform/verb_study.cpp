#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "platform/campaign.h"
#include "platform/installed_files.h"
#include "platform/output_file.h"
#include "platform/run_directory.h"
#include "platform/study/point_runner.h"
#include "platform/study/study.h"
#include "platform/study/study_report.h"
#include "platform/verbs.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

const DirectoryContents contents_of_a_study{
    {"study.json", "results.csv", "results.json", "figure.svg", "host.json"}, {"study.json", "results.csv"}};

// The files of an interrupted or crashed study keep the name of a partial one.
bool is_partial(const PointRun& run) { return run.interrupted || run.has_crashed(); }

// The result of --csv, --json or --svg. The file is opened before the study runs, so that an error in its
// path is found early. "-" is standard output, which then contains nothing else.
class StudyOutput {
 public:
  StudyOutput(const std::optional<std::string>& file, const char* option,
              std::string (*make)(const Study&, const PointRun&))
      : make_(make), is_standard_output_(file == "-") {
    if (file && !is_standard_output_) file_ = std::make_unique<OutputFile>(*file, option);
  }
  bool is_standard_output() const { return is_standard_output_; }
  void write(const Study& study, const PointRun& run, bool is_verbose) const {
    if (is_standard_output_) fmt::print("{}", make_(study, run));
    if (!file_) return;
    const std::string text = make_(study, run);
    const fs::path path = is_partial(run) ? file_->leave_partial(text) : file_->finish(text);
    if (is_verbose) fmt::print("{:<10} {}\n", "written", path.string());
  }

 private:
  std::unique_ptr<OutputFile> file_;
  std::string (*make_)(const Study&, const PointRun&);
  bool is_standard_output_;
};

void refuse_two_on_standard_output(const StudyArguments& arguments) {
  const std::pair<const char*, const std::optional<std::string>*> options[] = {
      {"--csv", &arguments.csv}, {"--json", &arguments.json}, {"--svg", &arguments.svg}};
  const char* first = nullptr;
  for (const auto& [option, file] : options) {
    if (*file != "-") continue;
    if (first)
      throw ConfigError(Diagnostic{.origin = Origin::command_line(),
                                   .path = option,
                                   .problem = fmt::format("- is already used by {}", first)});
    first = option;
  }
}

std::string host_json(const PointRun& run) {
  nlohmann::ordered_json json{{"wall_microseconds", static_cast<std::uint64_t>(run.host_seconds * 1e6)},
                              {"threads", run.threads}};
  if (run.ranks != 0) json["ranks"] = run.ranks;
  return json.dump(2) + "\n";
}

void write_directory(RunDirectory& directory, const Study& study, const PointRun& run, bool is_verbose) {
  directory.write("results.csv", to_csv(study, run));
  directory.write("results.json", to_json(study, run));
  directory.write("figure.svg", to_svg(study, run));
  directory.write("host.json", host_json(run));
  if (is_partial(run))
    directory.leave_partial();
  else
    directory.finish();
  if (is_verbose)
    fmt::print("{:<10} {}\n", "written",
               (is_partial(run) ? directory.path() : directory.final_path()).string());
}

// "12 points in 3.1 s on 2 threads; 10 ok, 2 saturated"
std::string what_was_done(const Study& study, const PointRun& run) {
  std::string text = is_partial(run)
                         ? fmt::format("{}: {} of {} points", run.interrupted ? "interrupted" : "crashed",
                                       run.done(), study.points.size())
                         : fmt::format("{} {}", run.done(), run.done() == 1 ? "point" : "points");
  if (run.partly() != 0) text += fmt::format(" and a part of {}", run.partly());
  text += fmt::format(" in {:.1f} s on {}", run.host_seconds, run.places());
  std::vector<std::pair<std::string, int>> states;
  for (std::size_t c = 0; c < study.kind->columns.size(); ++c) {
    if (study.kind->columns[c].name != study.kind->state) continue;
    for (const auto& row : run.rows) {
      if (!row) continue;
      const std::string state = to_text((*row)[c]);
      auto at = std::ranges::find(states, state, &std::pair<std::string, int>::first);
      if (at == states.end()) at = states.insert(at, {state, 0});
      ++at->second;
    }
  }
  for (const auto& [state, count] : states)
    text += fmt::format("{} {} {}", state == states[0].first ? ";" : ",", count, state);
  return text;
}

}  // namespace

Study load_study(const std::string& file, const std::vector<std::string>& overrides,
                 const InstalledFiles& installed) {
  const fs::path path = installed.configs.locate("studies", file, {std::string(campaign)});
  ConfigDocument document = ConfigDocument::load(path);
  for (const std::string& override : overrides) document.apply_override(override);
  return read_study(std::move(document), path.stem().string(), installed.configs);
}

int verb_study(const StudyArguments& arguments) {
  if (arguments.file == campaign) return verb_campaign(arguments);
  refuse_two_on_standard_output(arguments);
  const InstalledFiles installed = InstalledFiles::find();
  const Study study = load_study(arguments.file, arguments.overrides, installed);
  std::optional<RunDirectory> directory;
  if (arguments.out) {
    directory.emplace(*arguments.out, contents_of_a_study);
    directory->write("study.json", study.expanded);
  }
  const StudyOutput results[] = {{arguments.csv, "--csv", to_csv},
                                 {arguments.json, "--json", to_json},
                                 {arguments.svg, "--svg", to_svg}};

  const auto write = [&](const PointRun& run) {
    const bool is_verbose = std::ranges::none_of(results, &StudyOutput::is_standard_output);
    if (is_verbose) {
      fmt::print("{}\n", to_table(study, run));
      fmt::print("{:<10} {}\n", "study", fmt::format("{}: {}", study.name, what_was_done(study, run)));
    }
    for (const StudyOutput& result : results) result.write(study, run, is_verbose);
    if (directory) write_directory(*directory, study, run, is_verbose);
    for (std::size_t i = 0; i < study.points.size(); ++i)
      if (!run.crashes[i].empty())
        fmt::print(stderr, "asterism: {}: {}\n", name_of_point(study, study.points[i]), run.crashes[i]);
  };
  const PointRun run = run_study(
      study,
      {.threads = arguments.threads, .show_progress = true, .ranks = arguments.ranks, .give_up = write});
  write(run);
  if (run.interrupted) return static_cast<int>(ExitStatus::interrupted);
  return static_cast<int>(run.has_crashed() ? ExitStatus::internal : ExitStatus::success);
}

}  // namespace asterism
