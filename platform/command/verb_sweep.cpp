#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "platform/command/exit_statuses.h"
#include "platform/command/option_checks.h"
#include "platform/command/run_sweep.h"
#include "platform/command/study_output.h"
#include "platform/command/verbs.h"
#include "platform/host/exit_status.h"
#include "platform/host/installed_files.h"
#include "platform/host/output_failure.h"
#include "platform/host/run_directory.h"
#include "platform/scenario/scenario_request.h"

namespace asterism {
namespace {

struct SweepArguments {
  ScenarioRequest scenario;
  std::string show = "simulated_time_ps,instructions,recoveries";
  ResultFiles files;
  std::optional<std::string> out;
  unsigned jobs = 0;  // 0 uses all cores of the host, and one on each rank
};

const DirectoryContents contents_of_a_sweep{
    {"sweep.json", "results.csv", "results.json", "figure.svg", "host.json", "runs"},
    {"sweep.json", "results.csv"}};

// "0, 1, 3": the runs that are done.
std::string finished_runs(const RunSweep& sweep, const PointRun& run) {
  std::string names;
  for (std::size_t i = 0; i < run.rows.size(); ++i)
    if (run.rows[i]) names += (names.empty() ? "" : ", ") + sweep.name_of_run(i);
  return names.empty() ? "none" : names;
}

int verb_sweep(const SweepArguments& arguments, Ranks* ranks) {
  const RunSweep sweep(arguments.scenario, shown_statistics(arguments.show), InstalledFiles::find());
  const Study& study = sweep.study();
  const StudyOutputs outputs(arguments.files);
  RunDirectory directory(arguments.out ? std::filesystem::path(*arguments.out)
                                       : std::filesystem::path("runs") / (study.name + "_sweep"),
                         contents_of_a_sweep);
  directory.write("sweep.json", study.expanded);

  bool has_failed = false;
  const auto write = [&](const PointRun& run) {
    OutputAttempts attempts;
    attempts.attempt([&] { outputs.write(study, run, "run"); });
    attempts.attempt([&] { write_directory(directory, study, run, outputs.is_verbose()); });
    if (run.interrupted)
      fmt::print(stderr, "asterism: interrupted; finished runs: {}, in {}\n", finished_runs(sweep, run),
                 (directory.path() / "runs").string());
    for (std::size_t i = 0; i < run.rows.size(); ++i) {
      const std::string failure = sweep.failure(i, run);
      has_failed = has_failed || !failure.empty();
      if (!failure.empty()) fmt::print(stderr, "asterism: {}\n", failure);
    }
    attempts.throw_if_any();
  };
  const PointRun run =
      sweep.run(directory.path() / "runs",
                {.threads = arguments.jobs, .show_progress = true, .ranks = ranks, .give_up = write});
  write(run);
  if (run.interrupted) return static_cast<int>(ExitStatus::interrupted);
  if (run.has_crashed()) return static_cast<int>(ExitStatus::internal);
  return static_cast<int>(has_failed ? ExitStatus::expectation : ExitStatus::success);
}

void add_swept_scenario(CLI::App& verb, ScenarioRequest& scenario) {
  verb.add_option("SCENARIO", scenario.file, "The scenario: a file, or a name in configs/scenarios")
      ->required()
      ->check(mistake_in_name);
  verb.add_option("KEY=VALUE", scenario.overrides,
                  "Overrides keys of the scenario; lists and ranges make a sweep, e.g. "
                  "node.cores.count=1,2,4 faults.0.at=1ms:9ms:1ms")
      ->check(mistake_in_override);
}

}  // namespace

Verb add_sweep(CLI::App& app) {
  const auto arguments = std::make_shared<SweepArguments>();
  CLI::App* verb = app.add_subcommand("sweep", "Run a scenario for each combination of values of swept keys");
  verb->footer(exit_statuses({{ExitStatus::expectation, "a run did not end with status 0"},
                              {ExitStatus::interrupted, "interrupted"}}));
  add_swept_scenario(*verb, arguments->scenario);
  verb->add_option("--show", arguments->show,
                   "The statistics of stats.json that the table shows, with commas between them; one with ? "
                   "may be missing in the first run, too (default: " +
                       arguments->show + ")")
      ->type_name("STATISTICS")
      ->check(mistake_in_value);
  verb->add_option("--firmware", arguments->scenario.firmware,
                   "Run this ELF file or application instead of the scenario's")
      ->type_name("ELF")
      ->check(mistake_in_value);
  verb->add_option("--until", arguments->scenario.until, "Stop each run at this simulated time, e.g. 5ms")
      ->type_name("TIME")
      ->check(mistake_in_value);
  verb->add_option("--csv", arguments->files.csv, "Write all runs as CSV to this file; - is standard output")
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
  verb->add_option("--out", arguments->out,
                   "Write the results and the run directories to this folder (default: runs/NAME_sweep)")
      ->type_name("DIR")
      ->check(mistake_in_value);
  verb->add_option("--jobs", arguments->jobs,
                   "The number of runs at a time (default: the host's cores; under mpirun one on each rank)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  return {.command = verb,
          .run = [arguments](Ranks* ranks) { return verb_sweep(*arguments, ranks); },
          .distributes = true};
}

}  // namespace asterism
