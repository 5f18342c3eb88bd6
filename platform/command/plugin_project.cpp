#include "platform/command/plugin_project.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/case_conv.hpp>
#include <string_view>

#include "platform/command/project.h"
#include "platform/config/diagnostics.h"
#include "platform/host/installed_files.h"
#include "platform/scenario/scenario.h"
#include "tlm/device.h"

namespace asterism {
namespace {

// Those of C++ and of C that a name may look like.
constexpr std::string_view keywords =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t "
    "char8_t class co_await co_return co_yield compl concept const const_cast consteval constexpr "
    "constinit continue decltype default delete do double dynamic_cast else enum explicit export extern "
    "false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr "
    "operator or or_eq private protected public register reinterpret_cast requires restrict return "
    "short signed sizeof static static_assert static_cast struct switch template this thread_local "
    "throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while "
    "xor xor_eq ";

// The node of the template's scenario.
constexpr const char* node_of_template = "checkpoint_node";

// Whether a device may be added to it under this name.
bool is_free_in_node(const std::string& name) {
  const InstalledFiles installed = InstalledFiles::find();
  const PreparedNode node = load_node(node_of_template, {}, installed);
  const auto has_name = [&](const PlacedDevice& device) { return device.instance() == name; };
  if (std::ranges::any_of(node.devices.all(), has_name)) return false;
  try {
    const std::string device = R"({"type": "pl011", "base": "0x0b20_0000", "interrupt": 24})";
    load_node(node_of_template, {fmt::format("devices.{}={}", name, device)}, installed);
  } catch (const ConfigError&) {
    return false;
  }
  return true;
}

// "" if it is free.
std::string owner_of(const std::string& name) {
  if (DeviceTypes::find(name)) return "a type of devices";
  if (keywords.find(" " + name + " ") != std::string_view::npos) return "a keyword of C++ or C";
  if (!is_free_in_node(name)) return fmt::format("a part of the node {}", node_of_template);
  return "";
}

}  // namespace

int write_plugin_project(const std::string& folder) {
  const std::string expected =
      "a new name of lower-case letters, digits and _, of which the first is a letter, which becomes that of "
      "the "
      "type";
  const std::string name = project_name(folder, "", "[a-z][a-z0-9_]*", expected);
  if (const std::string owner = owner_of(name); !owner.empty())
    throw ConfigError(
        Diagnostic{.origin = Origin::command_line(),
                   .path = "DIR",
                   .problem = fmt::format("expected {}, got \"{}\", which is {}", expected, name, owner)});
  write_project({.folder = folder,
                 .template_folder = InstalledFiles::firmware_sources() / "template_plugin",
                 .files = {{"CMakeLists.txt", "CMakeLists.txt"},
                           {"device.cpp.in", name + ".cpp"},
                           {"test.c.in", name + "_test.c"},
                           {"scenario.json", "scenario.json"}},
                 .marks = {{"@NAME@", name},
                           {"@UPPER@", boost::algorithm::to_upper_copy(name)},
                           {"@PACKAGE@", InstalledFiles::prefix().string()}}});
  fmt::print(
      "Written: {0}. Build the device {1} and its firmware, and run them:\n\n    cd {2}\n"
      "    cmake -S . -B build -G Ninja\n    cmake --build build\n    asterism run scenario.json\n",
      folder, name, as_word_of_shell(folder));
  return 0;
}

}  // namespace asterism
