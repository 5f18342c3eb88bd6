#include "platform/study/statistics_json.h"

#include <variant>

namespace asterism {

nlohmann::ordered_json json_of(const Statistics& statistics) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const auto& [name, value] : statistics.entries()) {
    if (const auto* count = std::get_if<std::uint64_t>(&value)) object[name] = *count;
    if (const auto* text = std::get_if<std::string>(&value)) object[name] = *text;
    if (const auto* group = std::get_if<std::unique_ptr<Statistics>>(&value)) object[name] = json_of(**group);
  }
  return object;
}

}  // namespace asterism
