#include "platform/command/run_description.h"

#include <filesystem>
#include <map>
#include <utility>

#include "platform/command/record_file.h"
#include "platform/config/config.h"
#include "platform/host/output_file.h"
#include "platform/node/node_netlist.h"
#include "platform/scenario/scenario.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// The scenario with the same devices, without any other key: every key has its default. Errors do not matter,
// since wrong and missing values keep theirs.
Json defaults_of(const Json& scenario) {
  Json bare{{"node", {{"devices", Json::object()}}}};
  const Json devices = scenario.value(Json::json_pointer("/node/devices"), Json::object());
  for (const auto& [name, device] : devices.items())
    for (const char* key : {"type", "plugin"})
      if (device.contains(key)) bare["node"]["devices"][name][key] = device[key];
  if (scenario.contains("cluster")) bare["cluster"] = Json::object();
  ConfigDocument document = ConfigDocument::parse(bare.dump(), "defaults");
  Diagnostics ignored;
  return Json::parse(expanded(read_config<ScenarioConfig>(document, nullptr, ignored)));
}

// What distinguishes any scenario: its place in the address map, the paths of its files.
bool is_of_interest(const std::string& path) {
  for (const char* end : {".base", ".interrupt", ".type", ".plugin"})
    if (path.starts_with("node.devices.") && path.ends_with(end)) return false;
  return true;
}

Json changed_keys(const Json& scenario) {
  std::map<std::string, Json> defaults;
  for (FlatValue& each : flattened(defaults_of(scenario))) defaults.emplace(each.path, std::move(each.value));
  Json changed = Json::array();
  for (const FlatValue& each : flattened(scenario)) {
    const auto otherwise = defaults.find(each.path);
    if (!is_of_interest(each.path) || (otherwise != defaults.end() && otherwise->second == each.value))
      continue;
    const auto text = [](const Json& value) {
      return value.is_string() ? value.get<std::string>() : value.dump();
    };
    changed.push_back({{"path", each.path},
                       {"value", text(each.value)},
                       {"otherwise", otherwise == defaults.end() ? "" : text(otherwise->second)}});
  }
  return changed;
}

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
  run.changed = changed_keys(run.folder.scenario);
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
