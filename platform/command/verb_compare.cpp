#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "platform/command/exit_statuses.h"
#include "platform/command/option_checks.h"
#include "platform/command/result_output.h"
#include "platform/command/verbs.h"
#include "platform/config/diagnostics.h"
#include "platform/report/run_comparison.h"

namespace asterism {
namespace {

struct CompareArguments {
  std::string first, second;  // folders of runs
  double least = 0;           // per cent
  std::optional<std::string> json;
};

// Without its numbers, a run would differ in all of them, or not at all.
RunFolder complete_run(const std::string& folder) {
  RunFolder run = RunFolder::read(folder);
  if (run.stats.empty())
    throw InputMissing(Diagnostic::of_file(
        folder, "has no stats.json, which a run writes at its end, so that there is nothing to compare"));
  return run;
}

int verb_compare(const CompareArguments& arguments) {
  ResultOutput json(arguments.json, "--json");
  const RunFolder first = complete_run(arguments.first), second = complete_run(arguments.second);
  RunComparison comparison = compare(first, second);
  comparison.leave_out(arguments.least / 100);
  if (json.is_wanted()) json.write(to_json(comparison).dump(2) + "\n");
  if (!json.is_standard_output()) fmt::print("{}", to_text(comparison, first, second));
  return static_cast<int>(comparison.is_equal() ? ExitStatus::success : ExitStatus::differs);
}

std::string mistake_in_least(const std::string& text) {
  double percent = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number && percent >= 0 && std::isfinite(percent)
             ? std::string()
             : "expected a number of per cent, 0 or more, got \"" + text + "\"";
}

}  // namespace

Verb add_compare(CLI::App& app) {
  const auto arguments = std::make_shared<CompareArguments>();
  CLI::App* verb = app.add_subcommand("compare", "Say in what two runs differ, and by how much");
  verb->footer(
      exit_statuses({{ExitStatus::success, "the runs do not differ"}, {ExitStatus::differs, "they differ"}}));
  verb->add_option("RUN", arguments->first, "The folder of a run, e.g. runs/power_loss")
      ->required()
      ->check(mistake_in_value);
  verb->add_option("RUN2", arguments->second, "The folder of another one")
      ->required()
      ->check(mistake_in_value);
  verb->add_option("--least", arguments->least,
                   "Leave out statistics that differ by less than this many per cent")
      ->type_name("PERCENT")
      ->check(mistake_in_least);
  verb->add_option("--json", arguments->json,
                   "Write the differences to this file as JSON; - prints it instead")
      ->type_name("FILE")
      ->check(mistake_in_file);
  return {verb, [arguments](Ranks*) { return verb_compare(*arguments); }};
}

}  // namespace asterism
