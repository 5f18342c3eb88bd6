#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <boost/algorithm/string/case_conv.hpp>
#include <memory>
#include <string>

#include "platform/command/option_checks.h"
#include "platform/command/project.h"
#include "platform/command/verbs.h"
#include "platform/config/diagnostics.h"
#include "platform/host/installed_files.h"
#include "tlm/device.h"

namespace asterism {
namespace {

int verb_plugin_new(const std::string& folder) {
  const std::string name = project_name(folder, "", "[a-z][a-z0-9_]*",
                                        "a name of lower-case letters, digits and _, of which the first is a "
                                        "letter, which becomes that of the type");
  if (DeviceTypes::find(name))
    throw ConfigError(Diagnostic{.origin = Origin::command_line(),
                                 .path = "DIR",
                                 .problem = fmt::format("there is a type of devices {} already", name)});
  write_project({.folder = folder,
                 .template_folder = InstalledFiles::firmware_sources() / "template_plugin",
                 .files = {{"CMakeLists.txt", "CMakeLists.txt"},
                           {"device.cpp", name + ".cpp"},
                           {"test.c", name + "_test.c"},
                           {"scenario.json", "scenario.json"}},
                 .marks = {{"@NAME@", name},
                           {"@UPPER@", boost::algorithm::to_upper_copy(name)},
                           {"@PACKAGE@", InstalledFiles::prefix().string()}}});
  fmt::print(
      "Written: {0}. Build the device {1} and its firmware, and run them:\n\n    cd {0}\n"
      "    cmake -S . -B build -G Ninja\n    cmake --build build\n    asterism run scenario.json\n",
      folder, name);
  return 0;
}

}  // namespace

Verb add_plugin(CLI::App& app) {
  const auto folder = std::make_shared<std::string>();
  CLI::App* verb = app.add_subcommand("plugin", "Write devices in libraries of their own");
  verb->require_subcommand(1);
  CLI::App* made = verb->add_subcommand("new", "Write a device, with firmware that uses it, to start from");
  made->add_option("DIR", *folder, "The folder, a new or an empty one; its name is that of the type")
      ->required()
      ->check(mistake_in_value);
  return {verb, [folder](Ranks*) { return verb_plugin_new(*folder); }};
}

}  // namespace asterism
