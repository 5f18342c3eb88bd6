#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "platform/command/exit_statuses.h"
#include "platform/command/option_checks.h"
#include "platform/command/plugin_project.h"
#include "platform/command/result_output.h"
#include "platform/command/verbs.h"
#include "platform/config/diagnostics.h"
#include "platform/config/nearest_name.h"
#include "platform/host/exit_status.h"
#include "platform/host/hang_limit.h"
#include "platform/host/installed_files.h"
#include "platform/node/plugin.h"
#include "platform/plugin_check/checked_node.h"
#include "platform/plugin_check/plugin_check.h"
#include "tlm/device.h"

namespace asterism {
namespace {

struct PluginCheckArguments {
  std::vector<std::string> words;  // the file, and keys
  std::string type, node, device;
  std::optional<std::string> json;
  PluginCheckSettings settings;
};

std::string mistake_of_plugin_check(const PluginCheckArguments& arguments, std::size_t files) {
  const bool has_node = !arguments.node.empty();
  if (files > 1) return "expected one file";
  if (has_node != !arguments.device.empty()) return "--node and --device are given together";
  if (has_node && !arguments.type.empty())
    return "a device of a node has a type: --type is given without --node";
  if (files == 0 && arguments.type.empty() && !has_node)
    return "expected the file of a plug-in, --type or --node";
  return "";
}

// The types of a plug-in, or the one that is chosen.
std::vector<std::string> types_of(const std::string& file, const std::string& chosen) {
  std::vector<std::string> types = file.empty() ? DeviceTypes::names() : std::vector<std::string>();
  if (!file.empty()) try {
      types = load_plugin(file);
    } catch (const TypeFileError& error) {
      const Diagnostic problem = Diagnostic::of_file(file, fmt::format("plug-in {}", error.what()));
      if (error.is_missing) throw InputMissing(problem);
      throw ConfigError(problem);
    }
  if (chosen.empty()) return types;
  if (std::ranges::count(types, chosen) != 0) return {chosen};
  throw ConfigError(Diagnostic{.origin = Origin::command_line(),
                               .path = "--type",
                               .problem = fmt::format("there is no type of devices \"{}\"{}", chosen,
                                                      file.empty() ? "" : " in " + file),
                               .nearest = nearest_name(chosen, types)});
}

CheckedNode checked_node(const PluginCheckArguments& arguments, const std::vector<std::string>& keys,
                         const ConfigLibrary& library) {
  CheckedNode checked = node_of_file(arguments.node, keys, library);
  std::vector<std::string> names;
  for (const PlacedDevice& device : checked.node.devices.all()) names.push_back(device.instance());
  if (std::ranges::count(names, arguments.device) == 0)
    throw ConfigError(Diagnostic{.origin = Origin::command_line(),
                                 .path = "--device",
                                 .problem = fmt::format("there is no device \"{}\"", arguments.device),
                                 .nearest = nearest_name(arguments.device, names)});
  return checked;
}

// A node for each type, or the one of the user's.
std::vector<CheckedNode> checked_nodes(const PluginCheckArguments& arguments, const std::string& file,
                                       const std::vector<std::string>& keys) {
  const ConfigLibrary& library = InstalledFiles::find().configs;
  std::vector<std::string> types;
  if (!file.empty() || arguments.node.empty()) types = types_of(file, arguments.type);
  std::vector<CheckedNode> nodes;
  if (!arguments.node.empty()) {
    nodes.push_back(checked_node(arguments, keys, library));
    return nodes;
  }
  nodes.reserve(types.size());
  for (const std::string& type : types) nodes.push_back(node_with_device(type, file, keys, library));
  return nodes;
}

int verb_plugin_check(PluginCheckArguments arguments) {
  arguments.settings.patience = hang_limit();
  std::vector<std::string> files, keys;
  for (const std::string& word : arguments.words)
    (word.find('=') == std::string::npos ? files : keys).push_back(word);
  if (const std::string mistake = mistake_of_plugin_check(arguments, files.size()); !mistake.empty()) {
    fmt::print(stderr, "asterism plugin check: {}\nRun with --help for more information.\n", mistake);
    return static_cast<int>(ExitStatus::usage);
  }
  const std::string instance = arguments.node.empty() ? checked_instance : arguments.device;
  ResultOutput output(arguments.json, "--json");
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  bool is_ok = true;
  for (const CheckedNode& node : checked_nodes(arguments, files.empty() ? "" : files.front(), keys)) {
    const auto begin = std::chrono::steady_clock::now();
    const PluginCheckReport report = check_device(node, instance, arguments.settings);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    if (!output.is_standard_output()) fmt::print("{}Checked in {:.1f} s.\n", report.text(), seconds.count());
    std::fflush(stdout);  // the next check may take long
    json.push_back(report.json());
    is_ok = is_ok && report.is_ok();
  }
  if (output.is_wanted()) output.write(json.dump(2) + "\n");
  return static_cast<int>(is_ok ? ExitStatus::success : ExitStatus::expectation);
}

void add_plugin_check(CLI::App& verb, PluginCheckArguments& arguments) {
  CLI::App* check = verb.add_subcommand(
      "check", "Check devices against the rules of TLM-2.0 and of a node, with random accesses");
  check->footer(exit_statuses(
      {{ExitStatus::expectation, "a rule is broken"}, {ExitStatus::plugin, "the plug-in failed"}}));
  check
      ->add_option("FILE|KEY=VALUE", arguments.words,
                   "The library of the plug-in, and keys of the device, e.g. clock=1MHz; with --node, keys "
                   "of the node")
      ->check(mistake_in_value);
  check
      ->add_option("--type", arguments.type,
                   "Check this type only, of the plug-in or, without a FILE, of Asterism")
      ->type_name("TYPE")
      ->check(mistake_in_value);
  check->add_option("--node", arguments.node, "Check a device of this node, for one that needs others")
      ->type_name("NODE")
      ->check(mistake_in_value);
  check->add_option("--device", arguments.device, "The name of the device in the node")
      ->type_name("DEVICE")
      ->check(mistake_in_value);
  check->add_option("--seed", arguments.settings.seed, "The seed of the accesses (default: 1)");
  check
      ->add_option("--accesses", arguments.settings.accesses,
                   "The number of accesses of a trial (default: 1000)")
      ->check(CLI::Range(1u, 10'000'000u).description(""));
  check->add_option("--json", arguments.json, "Write the report to this file as JSON; - prints it instead")
      ->type_name("FILE")
      ->check(mistake_in_file);
}

}  // namespace

Verb add_plugin(CLI::App& app) {
  const auto folder = std::make_shared<std::string>();
  const auto arguments = std::make_shared<PluginCheckArguments>();
  CLI::App* verb = app.add_subcommand("plugin", "Write devices in libraries of their own, and check them");
  verb->footer(exit_statuses());
  verb->require_subcommand(1);
  CLI::App* made = verb->add_subcommand("new", "Write a device, with firmware that uses it, to start from");
  made->add_option("DIR", *folder, "The folder, a new or an empty one; its name is that of the type")
      ->required()
      ->check(mistake_in_value);
  add_plugin_check(*verb, *arguments);
  return {verb, [made, folder, arguments](Ranks*) {
            return made->parsed() ? write_plugin_project(*folder) : verb_plugin_check(*arguments);
          }};
}

}  // namespace asterism
