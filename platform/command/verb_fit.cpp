// `asterism fit PART`: the curves with which a contended memory of a DRAM part expects waits, fitted to the
// exact engine (models/memory/dram_fit.h).
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "memory/dram_fit.h"
#include "memory/dram_part.h"
#include "platform/command/option_checks.h"
#include "platform/command/verbs.h"
#include "platform/config/config.h"
#include "platform/host/installed_files.h"
#include "platform/host/output_file.h"
#include "platform/host/progress_line.h"

namespace asterism {
namespace {

struct FitArguments {
  std::string part;
  std::optional<std::string> out;
};

std::string row(const char* patterns, const DramCurveErrors& errors) {
  return fmt::format("{:<9} {:>6.1f}% {:>6.1f}% {:>10.1f}% {:>6.1f}%\n", patterns, 100 * errors.latency_mean,
                     100 * errors.latency_worst, 100 * errors.throughput_mean, 100 * errors.throughput_worst);
}

int verb_fit(const FitArguments& arguments) {
  const ConfigLibrary library = InstalledFiles::find().configs;
  const auto part = load_config<DramPart>(library, "dram", arguments.part);
  std::optional<OutputFile> file;
  if (arguments.out) file.emplace(*arguments.out, "--out");
  ProgressLine line(isatty(STDERR_FILENO) != 0);
  const std::string name = std::filesystem::path(arguments.part).stem().string();
  const DramCurves curves = fit_dram_curves(name, part, {}, {}, [&](double done) {
    if (line.is_due()) line.show(fmt::format("{:.0f}%", 100 * done));
  });
  line.clear();
  const std::string text = expanded(curves);
  if (!file) {
    fmt::print("{}", text);
    return 0;
  }
  fmt::print("errors    latency below the knee  throughput above it\n{}{}written to {}\n",
             row("fitted", curves.fitted), row("held out", curves.held_out), file->finish(text).string());
  return 0;
}

}  // namespace

Verb add_fit(CLI::App& app) {
  const auto arguments = std::make_shared<FitArguments>();
  CLI::App* verb = app.add_subcommand("fit", "Fit the curves of a DRAM part for memory.fidelity=contended");
  verb->add_option("PART", arguments->part, "The part: a name in configs/dram, or a file")
      ->required()
      ->check(mistake_in_value);
  verb->add_option("--out", arguments->out, "The file to write; without it, the curves are printed")
      ->check(mistake_in_value);
  return {verb, [arguments](Ranks*) { return verb_fit(*arguments); }};
}

}  // namespace asterism
