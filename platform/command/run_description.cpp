#include "platform/command/run_description.h"

#include <filesystem>
#include <utility>

#include "platform/command/record_file.h"
#include "platform/config/config.h"
#include "platform/host/output_file.h"
#include "platform/node/node_netlist.h"
#include "platform/report/changed_keys.h"
#include "platform/scenario/scenario.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json graph_of(const RunFolder& folder, const InstalledFiles& installed) {
  const std::string file = (folder.path / "scenario.json").string();
  try {
    ConfigDocument document = ConfigDocument::load(file);
    return node_netlist(check_scenario(document, installed).node);
  } catch (const ConfigError&) {
    return nullptr;
  }
}

// Throws ConfigError if the record or the map of pages is damaged. Only that of a run that was killed may be
// truncated.
void check_records(RunOnPage& run) {
  run.folder.page_map();
  const fs::path file = run.folder.path / "traces/record.bin";
  std::error_code none;
  if (!fs::exists(file, none)) return;
  const RunRecord record = read_record(
      file, run.folder.is_complete() ? RunRecord::Truncated::refused : RunRecord::Truncated::allowed);
  run.record_end = record.end();
  if (record.tracks.empty())
    run.record_problem = run.folder.is_complete()
                             ? "Nothing of this run is recorded."
                             : "The run was killed before the first part of its record was written.";
}

}  // namespace

RunOnPage described_run(const std::string& folder, const InstalledFiles& installed) {
  fs::path path = fs::absolute(folder).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  RunOnPage run{.folder = RunFolder::read(folder), .name = path.filename().string()};
  check_records(run);
  ScenarioConfig scenario;
  ObjectOf<ScenarioConfig> object(scenario);
  run.changed = changed_keys(run.folder.scenario, object);
  run.graph = graph_of(run.folder, installed);
  return run;
}

std::string write_report(const std::string& folder, const InstalledFiles& installed) {
  OutputFile file(fs::path(folder) / "report.html", "RUN");
  return file.finish(run_page({described_run(folder, installed)}))
      .lexically_proximate(fs::current_path())
      .string();
}

}  // namespace asterism
