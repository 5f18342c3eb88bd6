#include "platform/report/changed_keys.h"

#include <map>
#include <string>
#include <utility>

#include "platform/config/config.h"
#include "platform/report/run_folder.h"

namespace asterism {
namespace {

using Json = nlohmann::ordered_json;

// The configuration with the same devices of a node, without any other key: every key has its default. Errors
// do not matter, since wrong and missing values keep theirs.
Json defaults_of(const Json& config, ObjectValue& fresh) {
  Json bare = Json::object();
  const Json devices = config.value(Json::json_pointer("/node/devices"), Json::object());
  for (const auto& [name, device] : devices.items())
    for (const char* key : {"type", "plugin"})
      if (device.contains(key)) bare["node"]["devices"][name][key] = device[key];
  if (config.contains("cluster")) bare["cluster"] = Json::object();
  ConfigDocument document = ConfigDocument::parse(bare.dump(), "defaults");
  Diagnostics ignored;
  read_object(fresh, document, nullptr, ignored);
  return Json::parse(write_object(fresh));
}

// What distinguishes any scenario: the places of its devices in the address map.
bool is_of_interest(const std::string& path) {
  for (const char* end : {".base", ".interrupt", ".type", ".plugin"})
    if (path.starts_with("node.devices.") && path.ends_with(end)) return false;
  return true;
}

}  // namespace

Json changed_keys(const Json& config, ObjectValue& fresh) {
  std::map<std::string, Json> defaults;
  for (FlatValue& each : flattened(defaults_of(config, fresh)))
    defaults.emplace(each.path, std::move(each.value));
  Json changed = Json::array();
  for (const FlatValue& each : flattened(config)) {
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

}  // namespace asterism
