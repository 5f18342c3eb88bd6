#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <optional>

#include "platform/command/campaign.h"
#include "platform/command/study_output.h"
#include "platform/command/verbs.h"
#include "platform/host/installed_files.h"
#include "platform/host/run_directory.h"
#include "platform/study/point_runner.h"
#include "platform/study/study.h"
#include "platform/study/study_report.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

const DirectoryContents contents_of_a_study{
    {"study.json", "results.csv", "results.json", "figure.svg", "host.json"}, {"study.json", "results.csv"}};

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
  const InstalledFiles installed = InstalledFiles::find();
  const Study study = load_study(arguments.file, arguments.overrides, installed);
  std::optional<RunDirectory> directory;
  if (arguments.out) {
    directory.emplace(*arguments.out, contents_of_a_study);
    directory->write("study.json", study.expanded);
  }
  const StudyOutputs outputs(arguments.files);

  const auto write = [&](const PointRun& run) {
    outputs.write(study, run, "point");
    if (directory) write_directory(*directory, study, run, outputs.is_verbose());
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
