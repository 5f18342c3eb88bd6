#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/command/exit_statuses.h"
#include "platform/command/option_checks.h"
#include "platform/command/result_output.h"
#include "platform/command/run_description.h"
#include "platform/command/verbs.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

struct ReportArguments {
  std::string run;  // folders
  std::optional<std::string> other;
  std::optional<std::string> out;
};

int verb_report(const ReportArguments& arguments) {
  const InstalledFiles installed = InstalledFiles::find();
  std::vector<RunOnPage> runs{described_run(arguments.run, installed)};
  if (arguments.other) runs.push_back(described_run(*arguments.other, installed));
  const std::string place = arguments.out.value_or((fs::path(arguments.run) / "report.html").string());
  ResultOutput page(place, arguments.out ? "--out" : "RUN");
  page.write(run_page(std::move(runs)));
  if (!page.is_standard_output()) fmt::print("{:<10} {}\n", "written", place);
  return 0;
}

}  // namespace

Verb add_report(CLI::App& app) {
  const auto arguments = std::make_shared<ReportArguments>();
  CLI::App* verb = app.add_subcommand("report", "Make a page of a run, or of two beside each other");
  verb->footer(exit_statuses());
  verb->add_option("RUN", arguments->run, "The folder of a run, e.g. runs/power_loss")
      ->required()
      ->check(mistake_in_value);
  verb->add_option("RUN2", arguments->other, "The folder of another run, to be compared with the first one")
      ->check(mistake_in_value);
  verb->add_option("--out", arguments->out,
                   "Write the page to this file, or to standard output for \"-\" (default: RUN/report.html)")
      ->type_name("FILE")
      ->check(mistake_in_file);
  return {verb, [arguments](Ranks*) { return verb_report(*arguments); }};
}

}  // namespace asterism
