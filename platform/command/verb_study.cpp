#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platform/command/campaign.h"
#include "platform/command/exit_statuses.h"
#include "platform/command/option_checks.h"
#include "platform/command/study_output.h"
#include "platform/command/verbs.h"
#include "platform/host/exit_status.h"
#include "platform/host/installed_files.h"
#include "platform/host/output_failure.h"
#include "platform/host/run_directory.h"
#include "platform/study/point_runner.h"
#include "platform/study/study.h"
#include "platform/study/study_report.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

const DirectoryContents contents_of_a_study{
    {"study.json", "results.csv", "results.json", "figure.svg", "host.json"}, {"study.json", "results.csv"}};

// Loads a study with its overrides. Throws ConfigError or InputMissing.
Study load_study(const std::string& file, const std::vector<std::string>& overrides,
                 const InstalledFiles& installed) {
  const fs::path path = installed.configs.locate("studies", file, {std::string(campaign)});
  ConfigDocument document = ConfigDocument::load(path);
  for (const std::string& override : overrides) document.apply_override(override);
  return read_study(std::move(document), path.stem().string(), installed.configs);
}

int verb_study(const StudyArguments& arguments, Ranks* ranks) {
  if (arguments.file == campaign) return verb_campaign(arguments, ranks);
  const InstalledFiles installed = InstalledFiles::find();
  const Study study = load_study(arguments.file, arguments.overrides, installed);
  std::optional<RunDirectory> directory;
  if (arguments.out) {
    directory.emplace(*arguments.out, contents_of_a_study);
    directory->write("study.json", study.expanded);
  }
  const StudyOutputs outputs(arguments.files);

  const auto write = [&](const PointRun& run) {
    OutputAttempts attempts;
    attempts.attempt([&] { outputs.write(study, run, "point"); });
    if (directory) attempts.attempt([&] { write_directory(*directory, study, run, outputs.is_verbose()); });
    for (std::size_t i = 0; i < study.points.size(); ++i)
      if (!run.crashes[i].empty())
        fmt::print(stderr, "asterism: {}: {}\n", name_of_point(study, study.points[i]), run.crashes[i]);
    attempts.throw_if_any();
  };
  const PointRun run = run_study(
      study, {.threads = arguments.threads, .show_progress = true, .ranks = ranks, .give_up = write});
  write(run);
  if (run.interrupted) return static_cast<int>(ExitStatus::interrupted);
  return static_cast<int>(run.has_crashed() ? ExitStatus::internal : ExitStatus::success);
}

}  // namespace

Verb add_study(CLI::App& app) {
  const auto arguments = std::make_shared<StudyArguments>();
  CLI::App* verb = app.add_subcommand("study", "Simulate one model alone: sweeps, curves, saturation");
  verb->footer(exit_statuses(
      {{ExitStatus::expectation, "a failure that the study or the campaign searches for was found"},
       {ExitStatus::interrupted, "interrupted"}}));
  verb->add_option("STUDY", arguments->file,
                   "The study: a file, or a name in configs/studies. `campaign` injects many faults from one "
                   "snapshot; `asterism schema campaign --text` prints its keys")
      ->required()
      ->check(mistake_in_name);
  verb->add_option(
          "KEY=VALUE", arguments->overrides,
          "Overrides keys; lists and ranges make a sweep, e.g. topology=mesh,superstar rate=0.01:0.20:0.01")
      ->check(mistake_in_override);
  verb->add_option("--csv", arguments->files.csv,
                   "Write all points and columns as CSV to this file; - is standard output")
      ->type_name("FILE")
      ->check(mistake_in_file);
  verb->add_option("--json", arguments->files.json,
                   "Write the same and the whole configuration as JSON to this file")
      ->type_name("FILE")
      ->check(mistake_in_file);
  verb->add_option("--svg", arguments->files.svg, "Write a figure to this file")
      ->type_name("FILE")
      ->check(mistake_in_file);
  verb->add_option("--pdf", arguments->files.pdf, "Write the figure as PDF (needs rsvg-convert)")
      ->type_name("FILE")
      ->check(mistake_in_file);
  verb->add_option("--report", arguments->files.report, "Make a page for a browser: figures and all points")
      ->type_name("FILE")
      ->check(mistake_in_file);
  verb->add_option("--out", arguments->out, "Write all of these to this folder")
      ->type_name("DIR")
      ->check(mistake_in_value);
  verb->add_option(
          "--threads", arguments->threads,
          "The number of points at a time (default: the host's cores; under mpirun one on each rank)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  return {.command = verb,
          .run = [arguments](Ranks* ranks) { return verb_study(*arguments, ranks); },
          .distributes = true};
}

}  // namespace asterism
