#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>

#include "platform/command/run_sweep.h"
#include "platform/command/verbs.h"
#include "platform/host/installed_files.h"
#include "platform/host/run_directory.h"

namespace asterism {
namespace {

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

}  // namespace

int verb_sweep(const SweepArguments& arguments) {
  const RunSweep sweep(arguments.scenario, shown_statistics(arguments.show), InstalledFiles::find());
  const Study& study = sweep.study();
  const StudyOutputs outputs(arguments.files);
  RunDirectory directory(arguments.out ? std::filesystem::path(*arguments.out)
                                       : std::filesystem::path("runs") / (study.name + "_sweep"),
                         contents_of_a_sweep);
  directory.write("sweep.json", study.expanded);

  bool has_failed = false;
  const auto write = [&](const PointRun& run) {
    outputs.write(study, run, "run");
    write_directory(directory, study, run, outputs.is_verbose());
    if (run.interrupted)
      fmt::print(stderr, "asterism: interrupted; finished runs: {}, in {}\n", finished_runs(sweep, run),
                 (directory.path() / "runs").string());
    for (std::size_t i = 0; i < run.rows.size(); ++i) {
      const std::string failure = sweep.failure(i, run);
      has_failed = has_failed || !failure.empty();
      if (!failure.empty()) fmt::print(stderr, "asterism: {}\n", failure);
    }
  };
  const PointRun run = sweep.run(
      directory.path() / "runs",
      {.threads = arguments.jobs, .show_progress = true, .ranks = arguments.ranks, .give_up = write});
  write(run);
  if (run.interrupted) return static_cast<int>(ExitStatus::interrupted);
  if (run.has_crashed()) return static_cast<int>(ExitStatus::internal);
  return static_cast<int>(has_failed ? ExitStatus::expectation : ExitStatus::success);
}

}  // namespace asterism
