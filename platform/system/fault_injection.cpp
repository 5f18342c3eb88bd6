#include "platform/system/fault_injection.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "platform/host/human_time.h"
#include "platform/host/installed_files.h"
#include "tlm/time.h"

namespace asterism {

Scenario prepare_with(const RunDirectory& directory, const std::string& fault, std::vector<std::string> log) {
  ScenarioRequest request;
  request.file = (directory.path() / "scenario.json").string();
  if (!fault.empty()) request.overrides = {fmt::format("faults=[{}]", fault)};
  request.log = std::move(log);
  return prepare(request, InstalledFiles::find());
}

std::string message_of(const ConfigError& error, const std::string& prefix) {
  std::string text;
  for (Diagnostic problem : error.diagnostics().all()) {
    if (!prefix.empty() && problem.path.starts_with(prefix))
      problem.path.erase(0, std::min(prefix.size() + 1, problem.path.size()));
    std::string line = problem.text();
    const std::string origin = problem.origin.text() + ": error: ";
    if (line.starts_with(origin)) line.erase(0, origin.size());
    text += (text.empty() ? "" : "\n") + line;
  }
  return text;
}

std::string inject_fault(SimulatedSystem& system, const RunDirectory& directory, const std::string& json) {
  const auto given = nlohmann::ordered_json::parse(json, nullptr, false);
  if (!given.is_object())
    return fmt::format("expected a fault as a JSON object, e.g. {{\"kind\": \"power_loss\"}}, got {}", json);
  auto fault = given;
  if (!fault.contains("at")) fault["at"] = fmt::format("{}ps", now().count());
  try {
    const std::vector<FaultConfig> faults = prepare_with(directory, fault.dump(), {}).config.faults;
    if (faults.at(0).at < now())
      return fmt::format("at: {} has passed, it is {}", human_time(faults[0].at), human_time(now()));
    system.inject(faults);
    return "";
  } catch (const ConfigError& error) {
    return message_of(error, "faults.0");
  }
}

}  // namespace asterism
