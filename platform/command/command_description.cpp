#include "platform/command/command_description.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace asterism {
namespace {

std::vector<std::string> names_of(const auto& options) {
  std::vector<std::string> names;
  names.reserve(options.size());
  for (const CLI::Option* option : options) names.push_back(option->get_name());
  return names;
}

nlohmann::json description_of(const CLI::Option& option) {
  const bool is_argument = option.get_positional();
  nlohmann::json json{{"name", is_argument ? option.get_name(true) : option.get_name()},
                      {"description", option.get_description()},
                      {"required", option.get_required()},
                      {"repeats", option.get_expected_max() == CLI::detail::expected_max_vector_size},
                      {"needs", names_of(option.get_needs())},
                      {"excludes", names_of(option.get_excludes())}};
  if (!is_argument && !option.get_type_name().empty()) json["value"] = option.get_type_name();
  return json;
}

}  // namespace

nlohmann::json description_of(const CLI::App& command) {
  auto arguments = nlohmann::json::array(), options = arguments, verbs = arguments;
  for (const CLI::Option* option : command.get_options())
    if (!option->get_group().empty())  // a hidden one has none
      (option->get_positional() ? arguments : options).push_back(description_of(*option));
  for (const CLI::App* verb : command.get_subcommands({})) verbs.push_back(description_of(*verb));
  return {{"name", command.get_name()},
          {"description", command.get_description()},
          {"arguments", arguments},
          {"options", options},
          {"verbs", verbs}};
}

}  // namespace asterism
