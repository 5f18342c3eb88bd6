// `asterism fit NAME [KEY=VALUE]...`: the curves with which a contended memory of a DRAM part, or a contended
// fabric of a topology, expects waits, fitted to the exact engine (models/memory/dram_fit.h,
// models/fabric/traffic/fabric_fit.h). Keys are those of a fabric, for routers of other parameters.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fabric/topology/topologies.h"
#include "fabric/traffic/fabric_fit.h"
#include "memory/dram_fit.h"
#include "memory/dram_part.h"
#include "platform/command/exit_statuses.h"
#include "platform/command/option_checks.h"
#include "platform/command/verbs.h"
#include "platform/config/config.h"
#include "platform/config/nearest_name.h"
#include "platform/host/installed_files.h"
#include "platform/host/output_file.h"
#include "platform/host/progress_line.h"
#include "platform/rtl/child_processes.h"

namespace asterism {
namespace {

struct FitArguments {
  std::string name;
  std::vector<std::string> overrides;
  std::optional<std::string> out;
};
using Progress = std::function<void(double)>;

std::string row(const char* patterns, const auto& errors) {
  return fmt::format("{:<9} {:>6.1f}% {:>6.1f}% {:>10.1f}% {:>6.1f}%\n", patterns, 100 * errors.latency_mean,
                     100 * errors.latency_worst, 100 * errors.throughput_mean, 100 * errors.throughput_worst);
}

DramCurves fit_part(const std::string& name, const ConfigLibrary& library, const Progress& progress) {
  const auto part = load_config<DramPart>(library, "dram", name);
  return fit_dram_curves(std::filesystem::path(name).stem().string(), part, {}, {}, progress);
}

// The key `graph` of a fabric must name one, also if all of them are fitted to.
FabricConfig overridden(FabricConfig config, const std::vector<std::string>& graphs,
                        const FitArguments& arguments, const ConfigLibrary& library) {
  if (config.topology == TopologyKind::graph) config.graph = graphs.front();
  ConfigDocument document = ConfigDocument::parse(expanded(config), arguments.name);
  for (const std::string& override : arguments.overrides) document.apply_override(override);
  return read_config<FabricConfig>(document, library);
}

// Of a topology, or of a graph in configs/graphs.
FabricCurves fit_fabric(std::optional<TopologyKind> topology, const FitArguments& arguments,
                        const ConfigLibrary& library, const Progress& progress) {
  const std::vector<std::string> graphs = topology ? library.list("graphs") : std::vector{arguments.name};
  const FabricConfig config =
      overridden(fabric_to_fit(topology.value_or(TopologyKind::graph)), graphs, arguments, library);
  const auto technology = load_config<SwitchTechnology>(library, "technologies", config.technology);
  FabricsToFit fabrics;
  if (config.topology != TopologyKind::graph) {
    fabrics.push_back(build_topology(config, technology));
  } else {
    for (const std::string& graph : graphs) {
      const auto described = load_config<GraphConfig>(library, "graphs", graph);
      fabrics.push_back(build_topology(config, technology, &described));
    }
  }
  FabricCurves start;
  start.topology = config.topology;
  start.digest = curves_digest(config);
  return fit_fabric_curves(fabrics, flit_parameters(config), start, {}, progress);
}

// An interruption leaves no file: the signal is looked for whenever there is progress.
int fit(const FitArguments& arguments, const auto& curves_of) {
  const BuildSignals signals;
  std::optional<OutputFile> file;
  if (arguments.out) file.emplace(*arguments.out, "--out");
  ProgressLine line(true, ProgressLine::Elsewhere::lines);
  const auto curves = curves_of([&](double done) {
    signals.wait(0);
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

[[noreturn]] void refuse_name(const std::string& name, std::vector<std::string> topologies,
                              const ConfigLibrary& library) {
  std::vector<std::string> names = std::move(topologies);
  for (const char* kind : {"dram", "graphs"})
    for (std::string& each : library.list(kind)) names.push_back(std::move(each));
  throw InputMissing(
      Diagnostic{.origin = Origin::command_line(),
                 .path = "",
                 .problem = fmt::format("no file \"{}\", no such name in {} or {}, and no such topology",
                                        name, library.places("dram"), library.places("graphs")),
                 .nearest = nearest_name(std::filesystem::path(name).stem().string(), names)});
}

int verb_fit(const FitArguments& arguments) {
  const ConfigLibrary library = InstalledFiles::find().configs;
  const std::string& name = arguments.name;
  std::optional<TopologyKind> topology;
  std::vector<std::string> topologies;
  for (const auto& kind : enum_names(TopologyKind{})) {
    if (kind.value == TopologyKind::crossbar) continue;
    if (kind.name == name) topology = kind.value;
    topologies.emplace_back(kind.name);
  }
  if (topology || library.find("graphs", name))
    return fit(arguments, [&](const Progress& p) { return fit_fabric(topology, arguments, library, p); });
  std::error_code none;
  if (!library.find("dram", name) && !std::filesystem::is_regular_file(name, none))
    refuse_name(name, std::move(topologies), library);
  if (!arguments.overrides.empty())
    refuse_option("KEY=VALUE",
                  fmt::format("changes a fabric, and {} is neither a topology nor a graph", name));
  return fit(arguments, [&](const Progress& p) { return fit_part(name, library, p); });
}

}  // namespace

Verb add_fit(CLI::App& app) {
  const auto arguments = std::make_shared<FitArguments>();
  CLI::App* verb =
      app.add_subcommand("fit", "Fit the curves of a DRAM part or a topology for contended runs");
  verb->footer(exit_statuses({{ExitStatus::interrupted, "interrupted"}}));
  verb->add_option(
          "NAME", arguments->name,
          "The DRAM part: a name in configs/dram, or a file. Or a topology, or a name in configs/graphs")
      ->required()
      ->check(mistake_in_value);
  verb->add_option("KEY=VALUE", arguments->overrides, "Keys of the fabric, e.g. buffer_depth=8")
      ->check(mistake_in_override);
  verb->add_option("--out", arguments->out, "The file to write; without it, the curves are printed")
      ->type_name("FILE")
      ->check(mistake_in_value);
  return {verb, [arguments](Ranks*) { return verb_fit(*arguments); }};
}

}  // namespace asterism
