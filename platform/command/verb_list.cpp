#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/wrapped_text.h"
#include "platform/command/campaign.h"
#include "platform/command/exit_statuses.h"
#include "platform/command/option_checks.h"
#include "platform/command/result_output.h"
#include "platform/command/verbs.h"
#include "platform/config/nearest_name.h"
#include "platform/host/config_kinds.h"
#include "platform/host/exit_status.h"
#include "platform/node/plugin.h"
#include "platform/registers/firmware_header.h"
#include "platform/registers/register_page.h"
#include "platform/registers/svd.h"
#include "platform/scenario/scenario.h"
#include "platform/study/paper.h"
#include "tlm/device.h"

namespace asterism {
namespace {

struct ListArguments {
  std::string what;
  // For devices: a node instead of that with a device of each type, and files to write.
  std::optional<std::string> node;
  std::vector<std::string> overrides;
  std::optional<std::string> svd, markdown, header, json;
};

using Json = nlohmann::ordered_json;

// A list as text, and as JSON: names, or objects. Each entry is a line, so that others can search it; only on
// a terminal are longer ones wrapped.
struct Listed {
  std::string text;
  Json json = Json::array();

  void add(const std::string& name) {
    text += name + "\n";
    json.push_back(name);
  }
  void add(const std::string& name, const std::string& meaning, std::size_t indent) {
    text += isatty(STDOUT_FILENO) != 0 ? wrapped(name, meaning, indent)
                                       : fmt::format("{:<{}} {}\n", name, indent - 1, meaning);
    json.push_back({{"name", name}, {"meaning", meaning}});
  }
};

Listed listed(const std::vector<std::string>& names) {
  Listed list;
  for (const std::string& name : names) list.add(name);
  return list;
}

// Prints columns as wide as their widest text; the last one ends the line.
template <std::size_t columns>
void print_table(const std::vector<std::array<std::string, columns>>& rows) {
  std::array<std::size_t, columns> widths{};
  for (const auto& row : rows)
    for (std::size_t i = 0; i + 1 < columns; ++i) widths[i] = std::max(widths[i], row[i].size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i + 1 < columns; ++i) fmt::print("{:<{}}  ", row[i], widths[i]);
    fmt::print("{}\n", row.back());
  }
}

void print_map(const AddressMap& map) {
  std::vector<std::array<std::string, 4>> rows{{"device", "type", "address", "interrupt"}};
  for (const MapEntry& entry : map.entries()) {
    const std::string interrupts = interrupt_text(entry);
    rows.push_back({entry.name, entry.type,
                    fmt::format("{:#010x}-{:#010x}", entry.range.first.value(), entry.range.last().value()),
                    interrupts.empty() ? "-" : interrupts});
  }
  print_table(rows);
}

Json json_of(const AddressMap& map) {
  Json json = Json::array();
  for (const MapEntry& entry : map.entries())
    json.push_back({{"name", entry.name},
                    {"type", entry.type},
                    {"first", entry.range.first.value()},
                    {"last", entry.range.last().value()},
                    {"interrupts", entry.interrupts}});
  return json;
}

// The node to which the devices belong.
struct DevicesOf {
  SvdDevice as_svd;
  AddressMap map;
};

DevicesOf devices_of(const ListArguments& arguments, const InstalledFiles& installed) {
  if (!arguments.node)
    return {{"Asterism", ASTERISM_VERSION, "The standard map of Asterism's nodes, with all devices"},
            load_node("every_device", {}, installed).map};
  PreparedNode node = load_node(*arguments.node, arguments.overrides, installed);
  if (node.config.runs == NodeProgram::workload)
    throw ConfigError(
        Diagnostic{.origin = Origin::command_line(),
                   .path = "--node",
                   .problem = fmt::format("{} runs a workload and has no devices", *arguments.node)});
  return {{svd_identifier(node.name), ASTERISM_VERSION, fmt::format("Asterism node {}", node.name)},
          std::move(node.map)};
}

// The macro of an include guard: "ACME_DMA_H" of "build/acme_dma.h".
std::string guard_of(const std::string& file) {
  std::string guard = file == "-" ? "devices_h" : std::filesystem::path(file).filename().string();
  for (char& c : guard)
    c = std::isalnum(static_cast<unsigned char>(c)) ? static_cast<char>(std::toupper(c)) : '_';
  return guard;
}

void list_devices(const ListArguments& arguments, const InstalledFiles& installed) {
  refuse_a_file_twice({{"--svd", &arguments.svd},
                       {"--markdown", &arguments.markdown},
                       {"--header", &arguments.header},
                       {"--json", &arguments.json}});
  const DevicesOf of = devices_of(arguments, installed);
  ResultOutput as_svd(arguments.svd, "--svd"), as_page(arguments.markdown, "--markdown"),
      as_header(arguments.header, "--header"), as_json(arguments.json, "--json");
  if (as_svd.is_wanted()) as_svd.write(svd(of.as_svd, of.map));
  if (as_page.is_wanted()) as_page.write(register_page(of.map));
  if (as_header.is_wanted()) as_header.write(firmware_header({of.map}, guard_of(*arguments.header)));
  if (as_json.is_wanted()) as_json.write(json_of(of.map).dump(2) + "\n");
  if (!as_svd.is_standard_output() && !as_page.is_standard_output() && !as_header.is_standard_output() &&
      !as_json.is_standard_output())
    print_map(of.map);
}

// The error in the words after WHAT; "" if there is none.
std::string mistake_of_usage(const ListArguments& arguments) {
  if (!arguments.overrides.empty() && !arguments.node)
    return "KEY=VALUE overrides keys of a node; name the node by --node";
  if (arguments.what == "devices") return "";
  for (const auto& [option, value] : {std::pair{"--node", &arguments.node},
                                      {"--svd", &arguments.svd},
                                      {"--markdown", &arguments.markdown},
                                      {"--header", &arguments.header}})
    if (*value)
      return fmt::format("{} is valid only for devices: asterism list devices {} ...", option, option);
  return "";
}

Listed list_of(const std::string& what, const InstalledFiles& installed) {
  Listed list;
  if (what == "device_types") {
    load_all_plugins();
    for (const std::string& type : DeviceTypes::names())
      list.add(type, std::string(DeviceTypes::find(type)->meaning), 18);
  } else if (what == "topologies") {
    for (const auto& entry : enum_names(TopologyKind{}))
      list.add(std::string(entry.name), std::string(entry.meaning), 13);
  } else if (what == "firmware") {
    list = listed(installed.firmware_names());
  } else if (what == "papers") {
    for (const auto& [id, title] : Paper::list(installed.configs)) list.add(id, title, 25);
  } else {
    std::vector<std::string> names = installed.configs.list(what);
    if (what == "studies") names.insert(std::ranges::upper_bound(names, campaign), std::string(campaign));
    list = listed(names);
  }
  return list;
}

std::string mistake_in_list(const std::string& word, const std::vector<std::string>& lists) {
  if (std::ranges::count(lists, word) != 0) return "";
  const std::string nearest = nearest_name(word, lists);
  return fmt::format("there is no list \"{}\"; {}", word,
                     nearest.empty() ? "--help has all" : fmt::format("did you mean \"{}\"?", nearest));
}

int verb_list(const ListArguments& arguments) {
  const std::string& what = arguments.what;
  if (const std::string mistake = mistake_of_usage(arguments); !mistake.empty()) {
    fmt::print(stderr, "asterism list: {}\nRun with --help for more information.\n", mistake);
    return static_cast<int>(ExitStatus::usage);
  }
  if (what == "blocks") return list_blocks(arguments.json);
  const InstalledFiles installed = InstalledFiles::find();
  if (what == "devices") {
    list_devices(arguments, installed);
    return 0;
  }
  ResultOutput json(arguments.json, "--json");
  const Listed list = list_of(what, installed);
  if (json.is_wanted()) json.write(list.json.dump(2) + "\n");
  if (!json.is_standard_output()) fmt::print("{}", list.text);
  return 0;
}

}  // namespace

Verb add_list(CLI::App& app) {
  const auto arguments = std::make_shared<ListArguments>();
  std::vector<std::string> words;
  for (const ConfigKind& kind : config_kinds())
    if (!kind.folder.empty()) words.emplace_back(kind.folder);
  for (const char* word : {"papers", "firmware", "topologies", "devices", "device_types", "blocks"})
    words.emplace_back(word);
  CLI::App* verb =
      app.add_subcommand("list", "List configuration files, firmware, papers, devices or blocks");
  verb->footer(exit_statuses());
  verb->add_option("WHAT", arguments->what, fmt::format("One of {}", fmt::join(words, ", ")))
      ->required()
      ->check([words](const std::string& word) { return mistake_in_list(word, words); });
  verb->add_option("KEY=VALUE", arguments->overrides, "Overrides keys of --node")->check(mistake_in_override);
  verb->add_option("--node", arguments->node,
                   "For devices: list those of this node or scenario instead of one of each type")
      ->type_name("FILE")
      ->check(mistake_in_value);
  verb->add_option(
          "--svd", arguments->svd,
          "For devices: write the registers as CMSIS-SVD, for debuggers and IDEs; - is standard output")
      ->type_name("FILE")
      ->check(mistake_in_file);
  verb->add_option("--markdown", arguments->markdown,
                   "For devices: write the registers as a page of Markdown")
      ->type_name("FILE")
      ->check(mistake_in_file);
  verb->add_option("--header", arguments->header,
                   "For devices: write addresses, interrupts and registers as a C header for firmware")
      ->type_name("FILE")
      ->check(mistake_in_file);
  verb->add_option("--json", arguments->json, "Write the list to this file as JSON; - prints it instead")
      ->type_name("FILE")
      ->check(mistake_in_file);
  return {verb, [arguments](Ranks*) { return verb_list(*arguments); }};
}

}  // namespace asterism
