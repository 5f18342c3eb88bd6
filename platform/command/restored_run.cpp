#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "platform/command/reference_run.h"
#include "platform/command/run_arguments.h"
#include "platform/config/diagnostics.h"
#include "platform/host/human_time.h"
#include "platform/host/installed_files.h"
#include "platform/host/run_directory.h"
#include "platform/run/run_server.h"
#include "platform/scenario/scenario.h"
#include "platform/snapshot/snapshot.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

// The faults of --fault, checked as if they were in the scenario.
std::vector<FaultConfig> more_faults(const RunArguments& arguments, const std::string& scenario,
                                     const Snapshot& snapshot) {
  if (arguments.faults.empty()) return {};
  ScenarioRequest request;
  request.file = scenario;
  request.overrides = {fmt::format("faults=[{}]", fmt::join(arguments.faults, ","))};
  std::vector<FaultConfig> faults = prepare(request, InstalledFiles::find()).config.faults;
  for (const FaultConfig& fault : faults)
    if (fault.at < snapshot.notes().at)
      refuse_option("--fault", fmt::format("is at {}, but the snapshot is at {}", human_time(fault.at),
                                           human_time(snapshot.notes().at)));
  return faults;
}

// Refuses options that are fixed when the snapshot is made.
void refuse_what_a_snapshot_has(const RunArguments& arguments) {
  for (const auto& [is_given, option] : {std::pair(arguments.profile, "--profile"),
                                         {arguments.profile_lines, "--profile-lines"},
                                         {arguments.timeline, "--timeline"},
                                         {arguments.transactions, "--transactions"},
                                         {arguments.sample.has_value(), "--sample"},
                                         {!arguments.scenario.log.empty(), "--log"},
                                         {arguments.no_skip, "--no-skip"},
                                         {arguments.check_idle, "--check-idle"}})
    if (is_given)
      refuse_option(option, "can be used with --restore only if it was given when the snapshot was made");
  for (const auto& [is_given, option] : {std::pair(!arguments.trace.empty(), "--trace"),
                                         {arguments.trace_from.has_value(), "--trace-from"},
                                         {arguments.trace_to.has_value(), "--trace-to"}})
    if (is_given) refuse_option(option, "is not available for a run that continues from a snapshot");
  if (arguments.scenario.firmware && arguments.scenario.file.empty())
    refuse_option("--firmware", "is part of the snapshot; name a SCENARIO to compare both with it");
}

// When the continued run ends at the latest.
std::optional<Picoseconds> until_option(const RunArguments& arguments, const Snapshot& snapshot) {
  if (!arguments.scenario.until) return std::nullopt;
  const Picoseconds until = time_option("--until", arguments.scenario.until, 0_ps);
  if (until < snapshot.notes().at)
    refuse_option("--until", fmt::format("is earlier than the snapshot, which is at {}",
                                         human_time(snapshot.notes().at)));
  return until;
}

}  // namespace

Picoseconds time_option(const char* option, const std::optional<std::string>& text, Picoseconds otherwise) {
  if (!text) return otherwise;
  try {
    return parse_quantity<Picoseconds>(*text);
  } catch (const std::invalid_argument& error) {
    throw ConfigError(Diagnostic{.origin = Origin::command_line(), .path = option, .problem = error.what()});
  }
}

std::optional<SocketEndpoint> live_endpoint(const RunArguments& arguments) {
  if (!arguments.live) return std::nullopt;
  std::string why;
  try {
    if (auto endpoint = parse_socket_endpoint(*arguments.live)) return endpoint;
  } catch (const std::invalid_argument& error) {
    why = error.what();
  }
  refuse_option("--live",
                fmt::format("expected tcp:[HOST:]PORT or unix:PATH, got \"{}\"{}", *arguments.live, why));
}

void restore_run(const RunArguments& arguments) {
  refuse_what_a_snapshot_has(arguments);
  const Snapshot snapshot(*arguments.restore, ASTERISM_VERSION);
  if (!arguments.scenario.file.empty())
    snapshot.compare(prepare(arguments.scenario, InstalledFiles::find()).expanded());
  Continuation next{.out = {},
                    .quiet = arguments.quiet,
                    .until = until_option(arguments, snapshot),
                    .serves = arguments.serve_runs,
                    .live = live_endpoint(arguments)};
  if (next.live && !snapshot.notes().is_live)
    refuse_option("--live", "can be used with --restore only if it was given when the snapshot was made");
  const RunDirectory directory(arguments.out ? fs::path(*arguments.out)
                                             : fs::path("runs") / snapshot.notes().name);
  next.out = directory.final_path().string();
  snapshot.unpack(directory);
  RunArguments same;
  same.scenario.file = (directory.path() / "scenario.json").string();
  const InstalledFiles installed = InstalledFiles::find();
  const Scenario scenario = prepare(same.scenario, installed);
  next.faults = more_faults(arguments, same.scenario.file, snapshot);
  std::optional<ReferenceRun> reference;
  if (scenario.config.expect.result_equals && !arguments.alone) {
    reference.emplace(same.scenario, scenario, installed, directory);
    next.reference = reference->process();
  }
  snapshot.resume(directory, to_text(next));
}

}  // namespace asterism
