#include <fmt/format.h>
#include <unistd.h>

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

#include "base/wrapped_text.h"
#include "platform/command/exit_statuses.h"
#include "platform/command/option_checks.h"
#include "platform/command/result_output.h"
#include "platform/command/verbs.h"
#include "platform/config/diagnostics.h"
#include "platform/rtl/block_build.h"
#include "platform/rtl/loaded_block.h"
#include "platform/rtl_exchange/block_export.h"
#include "platform/rtl_exchange/block_import.h"
#include "platform/rtl_exchange/port_roles.h"

namespace asterism {
namespace {

std::string title(const std::string& name, const std::string& parameters) {
  return parameters.empty() ? name : name + " (" + parameters + ")";
}

const char* text_of(KnownBlock::State state) {
  switch (state) {
    case KnownBlock::State::built:
      return "built";
    case KnownBlock::State::stale:
      return "stale";
    case KnownBlock::State::not_built:
      return "not built";
  }
  return "";
}

struct BuildArguments {
  std::string file;
  std::vector<std::string> overrides;
  std::optional<std::string> json;
};

int verb_rtl_build(const BuildArguments& arguments) {
  ResultOutput json(arguments.json, "--json");
  const auto begin = std::chrono::steady_clock::now();
  const BlockRequest request{.file = locate_block(arguments.file, Origin::command_line(), ""),
                             .overrides = arguments.overrides};
  const BuiltBlock built = build_block(request, [](const std::string& line) {
    fmt::print(stderr, "{}\n", line);
    std::fflush(stderr);
  });
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  const std::string block = title(built.name, built.parameters), library = short_path(built.library).string();
  if (json.is_wanted())
    json.write(nlohmann::ordered_json{{"name", built.name},
                                      {"parameters", built.parameters},
                                      {"library", built.library.string()},
                                      {"was_built_before", built.was_built_before},
                                      {"seconds", seconds.count()}}
                   .dump(2) +
               "\n");
  if (json.is_standard_output()) return 0;
  if (built.was_built_before)
    fmt::print("{} is built: {}\n", block, library);
  else
    fmt::print("built {} in {:.1f} s: {}\n", block, seconds.count(), library);
  return 0;
}

struct ImportArguments {
  std::string file, out = "block.json", target;
  std::optional<std::string> json;
  std::vector<std::string> libraries, mappings, ports, overrides;
  bool replaces = false;
};

// A line for each port: its name, its role, and what says so.
void print_roles(const ImportedBlock& block) {
  std::size_t name = 4, role = 4;
  for (const PortClaim& claim : block.ports) {
    name = std::max(name, claim.port.size());
    role = std::max(role, claim.role.size());
  }
  fmt::print(stderr, "{:<{}}  {:<{}}  by\n", "port", name, "role", role);
  for (const PortClaim& claim : block.ports)
    fmt::print(stderr, "{:<{}}  {:<{}}  {}\n", claim.port, name, claim.role, role,
               claim.reason.empty()
                   ? fmt::format("{}:{}", short_path(claim.origin.file).string(), claim.origin.line)
                   : claim.reason);
  for (const std::string& file : block.ignored) fmt::print(stderr, "left out: {}\n", file);
}

nlohmann::ordered_json json_of(const ImportedBlock& block) {
  auto ports = nlohmann::ordered_json::array();
  for (const PortClaim& claim : block.ports) {
    ports.push_back({{"port", claim.port}, {"role", claim.role}, {"reason", claim.reason}});
    if (claim.origin.line > 0)
      ports.back().update({{"file", claim.origin.file}, {"line", claim.origin.line}});
  }
  return {{"name", block.name}, {"contract", block.contract}, {"ports", ports}, {"left_out", block.ignored}};
}

int verb_rtl_import(const ImportArguments& arguments) {
  const std::filesystem::file_status status = std::filesystem::status(arguments.file);
  if (!std::filesystem::exists(status) || std::filesystem::is_directory(status))
    throw InputMissing(Diagnostic{.origin = Origin::command_line(),
                                  .path = "FILE",
                                  .problem = std::filesystem::exists(status)
                                                 ? arguments.file + " is a folder"
                                                 : "there is no file " + arguments.file});
  const std::optional<std::string> place = arguments.out;
  refuse_a_file_twice({{"--out", &place}, {"--json", &arguments.json}});
  ResultOutput out(place, "--out", arguments.replaces), json(arguments.json, "--json");
  ImportRequest request{.file = arguments.file,
                        .out = out.is_standard_output() ? "block.json" : arguments.out,
                        .libraries = {arguments.libraries.begin(), arguments.libraries.end()},
                        .mappings = arguments.mappings,
                        .target = arguments.target,
                        .ports = {},
                        .overrides = arguments.overrides};
  for (const std::string& port : arguments.ports) request.ports.push_back(port_claim(port));
  const ImportedBlock block = import_block(request);
  print_roles(block);
  out.write(block.text);
  if (json.is_wanted()) json.write(json_of(block).dump(2) + "\n");
  if (!out.is_standard_output() && !json.is_standard_output())
    fmt::print("{} of the contract {} is described by {}\n", block.name, block.contract,
               short_path(arguments.out).string());
  return 0;
}

CLI::App* add_rtl_import(CLI::App& rtl, ImportArguments& arguments) {
  CLI::App* verb = rtl.add_subcommand(
      "import",
      "Make a block.json from a .core file of FuseSoC or an IP-XACT component (IEEE 1685-2014, 1685-2022)");
  verb->add_option("FILE", arguments.file, "The .core file, or the component in XML")
      ->required()
      ->check(mistake_in_name);
  verb->add_option("KEY=VALUE", arguments.overrides, "Sets keys of block.json, e.g. contract=arbiter")
      ->check(mistake_in_override);
  verb->add_option("--out", arguments.out, "Where it is written; - prints it (default: block.json)")
      ->check(mistake_in_file);
  verb->add_flag("--replace", arguments.replaces, "Write it although the file exists");
  verb->add_option("--port", arguments.ports, "PORT=ROLE, e.g. scan_i=input:0, tx_o=output, rst=reset:high")
      ->allow_extra_args(false)
      ->check(mistake_in_value);
  verb->add_option("--library", arguments.libraries,
                   "Folders with the .core files of other cores; that of FILE is always searched")
      ->allow_extra_args(false)
      ->check(mistake_in_value);
  verb->add_option("--mapping", arguments.mappings, "Cores that stand for virtual ones, or that map them")
      ->allow_extra_args(false)
      ->check(mistake_in_value);
  verb->add_option("--target", arguments.target,
                   "The target of the core (default: default), or the view of the component")
      ->check(mistake_in_value);
  verb->add_option("--json", arguments.json,
                   "Write the roles of the ports to this file as JSON; - prints it instead")
      ->type_name("FILE")
      ->check(mistake_in_file);
  return verb;
}

struct ExportArguments {
  std::string block, name = "local:rtl:1.0";
  std::optional<std::string> core, component;
  std::vector<std::string> overrides;
  bool replaces = false;
};

int verb_rtl_export(const ExportArguments& arguments) {
  ExportRequest request{.block = locate_block(arguments.block, Origin::command_line(), ""),
                        .overrides = arguments.overrides,
                        .vendor = {},
                        .library = {},
                        .version = {}};
  std::string* const parts[] = {&request.vendor, &request.library, &request.version};
  std::size_t colons = 0;
  for (const char c : arguments.name)
    if (c == ':')
      ++colons;
    else if (colons < 3)
      *parts[colons] += c;
  if (colons != 2 || std::ranges::any_of(parts, [](const std::string* part) { return part->empty(); }))
    refuse_option("--name", fmt::format("expected VENDOR:LIBRARY:VERSION, got \"{}\"", arguments.name));
  if (!arguments.core && !arguments.component)
    refuse_option("--core", "neither --core nor --ipxact names a file to write");
  refuse_a_file_twice({{"--core", &arguments.core}, {"--ipxact", &arguments.component}});
  ResultOutput core(arguments.core, "--core", arguments.replaces),
      component(arguments.component, "--ipxact", arguments.replaces);
  // Paths are relative to the file; on standard output, to block.json.
  const auto place = [&](const ResultOutput& output, const std::optional<std::string>& file) {
    return output.is_standard_output() ? request.block : std::filesystem::path(*file);
  };
  std::string core_text, component_text;
  if (core.is_wanted()) core_text = fusesoc_core_of(request, place(core, arguments.core));
  if (component.is_wanted())
    component_text = ipxact_component_of(request, place(component, arguments.component));
  core.write(core_text);
  component.write(component_text);
  return 0;
}

CLI::App* add_rtl_export(CLI::App& rtl, ExportArguments& arguments) {
  CLI::App* verb = rtl.add_subcommand("export", "Describe a block for other tools");
  verb->add_option("BLOCK.json", arguments.block, "The description of the block")
      ->required()
      ->check(mistake_in_name);
  verb->add_option("KEY=VALUE", arguments.overrides, "Overrides keys, e.g. parameters.Radix=16")
      ->check(mistake_in_override);
  verb->add_option("--core", arguments.core, "Write a .core file of FuseSoC")->check(mistake_in_file);
  verb->add_option("--ipxact", arguments.component, "Write an IP-XACT component (IEEE 1685-2022)")
      ->check(mistake_in_file);
  verb->add_flag("--replace", arguments.replaces, "Write files although they exist");
  verb->add_option("--name", arguments.name, "VENDOR:LIBRARY:VERSION (default: local:rtl:1.0)")
      ->check(mistake_in_value);
  return verb;
}

// A line of a table, and below it the file: the path of one is often longer than a line, and is copied whole.
// Only on a terminal are long lines wrapped.
void print(const std::vector<KnownBlock>& blocks) {
  std::size_t name = 5;
  for (const KnownBlock& block : blocks) name = std::max(name, block.name.size());
  const auto line = [&](const std::string& block, const char* state, const std::string& contract,
                        const std::string& parameters) {
    const std::string heading = fmt::format("{:<{}}  {:<9}  {:<13}", block, name, state, contract);
    return isatty(STDOUT_FILENO) != 0 ? wrapped(heading, parameters, heading.size() + 2)
                                      : fmt::format("{}  {}\n", heading, parameters);
  };
  fmt::print("{}  file\n", line("block", "state", "contract", "parameters"));
  for (const KnownBlock& block : blocks)
    fmt::print("{}  {}\n",
               line(block.name, text_of(block.state), block.contract,
                    block.parameters.empty() ? "-" : block.parameters),
               short_path(block.file).string());
}

}  // namespace

int list_blocks(const std::optional<std::string>& file) {
  ResultOutput json(file, "--json");
  const std::vector<KnownBlock> blocks = known_blocks();
  auto all = nlohmann::ordered_json::array();
  for (const KnownBlock& block : blocks)
    all.push_back({{"name", block.name},
                   {"state", text_of(block.state)},
                   {"contract", block.contract},
                   {"parameters", block.parameters},
                   {"file", block.file.string()},
                   {"library", block.library.string()}});
  if (json.is_wanted()) json.write(all.dump(2) + "\n");
  if (!json.is_standard_output()) print(blocks);
  return 0;
}

Verb add_rtl(CLI::App& app) {
  const auto arguments = std::make_shared<BuildArguments>();
  const auto importing = std::make_shared<ImportArguments>();
  const auto exporting = std::make_shared<ExportArguments>();
  CLI::App* verb = app.add_subcommand(
      "rtl", "Build and list blocks in SystemVerilog, import and export their descriptions");
  verb->footer(exit_statuses({{ExitStatus::interrupted, "interrupted"}}));
  verb->require_subcommand(1);
  CLI::App* build = verb->add_subcommand(
      "build",
      "Check a block, compile it with Verilator, and keep the library; does nothing if it is up to date");
  build->add_option("BLOCK.json", arguments->file, "The description of the block")->required();
  build
      ->add_option("KEY=VALUE", arguments->overrides,
                   "Overrides keys, e.g. parameters.Radix=16 or assertions=true")
      ->check(mistake_in_override);
  build
      ->add_option("--json", arguments->json,
                   "Write what was built to this file as JSON; - prints it instead")
      ->type_name("FILE")
      ->check(mistake_in_file);
  const auto list_json = std::make_shared<std::optional<std::string>>();
  CLI::App* list =
      verb->add_subcommand("list", "List the blocks, and whether they are built, stale or not built");
  list->add_option("--json", *list_json, "Write the list to this file as JSON; - prints it instead")
      ->type_name("FILE")
      ->check(mistake_in_file);
  CLI::App* import = add_rtl_import(*verb, *importing);
  CLI::App* exported = add_rtl_export(*verb, *exporting);
  return {verb, [build, arguments, import, importing, exported, exporting, list_json](Ranks*) {
            if (build->parsed()) return verb_rtl_build(*arguments);
            if (import->parsed()) return verb_rtl_import(*importing);
            if (exported->parsed()) return verb_rtl_export(*exporting);
            return list_blocks(*list_json);
          }};
}

}  // namespace asterism
