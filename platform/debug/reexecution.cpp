#include "platform/debug/reexecution.h"

#include <nlohmann/json.hpp>
#include <vector>

namespace asterism {
namespace {

using Json = nlohmann::json;

Json json_of(const DebugPlace& place) {
  return {static_cast<unsigned>(place.kind), place.core, place.count, place.pc};
}

DebugPlace place_of(const Json& json) {
  return {static_cast<DebugPlace::Kind>(json.at(0).get<unsigned>()), json.at(1), json.at(2), json.at(3)};
}

// Packets hold arbitrary bytes.
Json json_of(std::string_view bytes) {
  return Json::binary(std::vector<std::uint8_t>(bytes.begin(), bytes.end()));
}

std::string bytes_of(const Json& json) {
  const auto& bytes = json.get_binary();
  return {bytes.begin(), bytes.end()};
}

Json json_of(const DebugInput& input) {
  return {json_of(input.at), input.selection.for_registers, input.selection.for_resume,
          json_of(input.packet)};
}

DebugInput input_of(const Json& json) {
  return {place_of(json.at(0)), {json.at(1), json.at(2)}, bytes_of(json.at(3))};
}

Json json_of(const DebugStop& stop) {
  return {static_cast<unsigned>(stop.why), stop.core, stop.address, json_of(stop.text)};
}

DebugStop stop_of(const Json& json) {
  return {static_cast<DebugStop::Why>(json.at(0).get<unsigned>()), json.at(1), json.at(2),
          bytes_of(json.at(3))};
}

}  // namespace

std::string Reexecution::to_text() const {
  Json all = {{"goal", static_cast<unsigned>(goal)},
              {"end", json_of(end)},
              {"end_time", end_time.count()},
              {"steps", steps},
              {"core", core},
              {"from", from},
              {"end_counts", end_counts},
              {"stop", json_of(stop)},
              {"events", events},
              {"log_levels", log_levels},
              {"unread", json_of(unread)}};
  Json& packets = all["inputs"] = Json::array();
  for (const DebugInput& each : inputs) packets.push_back(json_of(each));
  Json& breakpoints = all["breakpoints"] = Json::array();
  for (const auto& each : stops.breakpoints) breakpoints.push_back({each.address, each.is_hardware});
  Json& watchpoints = all["watchpoints"] = Json::array();
  for (const Watchpoint& each : stops.watchpoints)
    watchpoints.push_back({each.range.first.value(), each.range.size.count(), each.loads, each.stores});
  const std::vector<std::uint8_t> bytes = Json::to_cbor(all);
  return {bytes.begin(), bytes.end()};
}

Reexecution Reexecution::from_text(std::string_view text) {
  const Json all = Json::from_cbor(text);
  Reexecution task{.goal = static_cast<Goal>(all.at("goal").get<unsigned>()), .end = place_of(all.at("end"))};
  task.end_time = Picoseconds(all.at("end_time").get<std::uint64_t>());
  task.steps = all.at("steps");
  task.core = all.at("core");
  task.from = all.at("from");
  task.end_counts = all.at("end_counts");
  task.stop = stop_of(all.at("stop"));
  task.events = all.at("events").get<std::set<std::string>>();
  task.log_levels = all.at("log_levels").get<std::vector<std::string>>();
  task.unread = bytes_of(all.at("unread"));
  for (const Json& each : all.at("inputs")) task.inputs.push_back(input_of(each));
  for (const Json& each : all.at("breakpoints")) task.stops.breakpoints.push_back({each.at(0), each.at(1)});
  for (const Json& each : all.at("watchpoints"))
    task.stops.watchpoints.push_back(
        {.range = {Address(each.at(0).get<std::uint64_t>()), Bytes(each.at(1).get<std::uint64_t>())},
         .loads = each.at(2),
         .stores = each.at(3)});
  return task;
}

}  // namespace asterism
