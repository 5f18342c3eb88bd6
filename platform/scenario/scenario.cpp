#include "platform/scenario/scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>

#include "platform/config/file_names.h"
#include "platform/config/nearest_name.h"
#include "platform/firmware/firmware_rules.h"
#include "platform/firmware/spin_table.h"
#include "platform/scenario/memory_check.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

// Only a regular file is sure to have an end; a pipe may have none.
void check_regular_file(const fs::path& file, const Origin& origin, const std::string& path,
                        const std::string& package = "") {
  refuse_overlong_name(file, origin, path);
  std::error_code none;
  if (fs::is_regular_file(file, none)) return;
  const bool exists = fs::exists(file, none);
  throw InputMissing(
      Diagnostic{.origin = origin,
                 .path = path,
                 .problem = (exists ? "is not a regular file: " : "there is no file ") + file.string() +
                            (exists || package.empty() ? "" : "; install the package " + package)});
}

std::string locate_firmware(const ScenarioConfig& config, const InstalledFiles& installed,
                            const ConfigDocument& document) {
  const std::string& name = config.firmware;
  const Origin origin = document.origin_of("firmware");
  const bool is_path = name.find('/') != std::string::npos || name.ends_with(".elf") ||
                       config.firmware_format == FirmwareFormat::raw;
  if (is_path) {
    const bool is_of_package = document.origin_of("firmware_package").file == origin.file;
    check_regular_file(name, origin, "firmware", is_of_package ? config.firmware_package : "");
    return name;
  }
  const fs::path file = installed.firmware / (name + ".elf");
  refuse_overlong_name(file, origin, "firmware");
  if (fs::exists(file)) return file.string();
  throw InputMissing(
      Diagnostic{.origin = origin,
                 .path = "firmware",
                 .problem = "there is no application of this name in " + installed.firmware.string(),
                 .nearest = nearest_name(name, installed.firmware_names())});
}

std::vector<std::byte> read_rom(const std::string& file, Bytes bank) {
  std::vector<std::byte> rom = ElfImage::read_file(file);
  if (ElfImage::is_elf(rom))
    throw ConfigError(Diagnostic::of_file(
        file, "firmware is an ELF file, expected the image of a ROM because firmware_format is raw"));
  if (rom.empty() || rom.size() > bank.count())
    throw ConfigError(Diagnostic::of_file(
        file, fmt::format("firmware has {} bytes, expected 1 to {} (the size of a bank of NOR flash)",
                          rom.size(), bank.count())));
  return rom;
}

// Firmware with a damaged symbol table runs as well as one without symbols.
FunctionSymbols symbols_of(const ElfImage& firmware, const std::string& file) {
  try {
    return firmware.bytes().empty() ? FunctionSymbols() : FunctionSymbols::parse(firmware.bytes(), file);
  } catch (const ConfigError&) {
    return {};
  }
}

// The scenario of firmware that is run without one.
constexpr const char* standard_scenario = "hello";

// Whether what the user names is an ELF file. The name of a scenario is not, whatever files there are.
bool names_firmware(const std::string& file, const InstalledFiles& installed) {
  std::error_code none;
  if (installed.configs.find("scenarios", file) || !fs::is_regular_file(file, none)) return false;
  std::array<std::byte, 4> magic{};
  std::ifstream(file, std::ios::binary).read(reinterpret_cast<char*>(magic.data()), magic.size());
  return ElfImage::is_elf(magic);
}

// A word without a slash would be the name of an application.
std::string as_path(const std::string& file) {
  return file.find('/') == std::string::npos ? "./" + file : file;
}

// A text that is not even meant as JSON gets another message than JSON with a mistake.
void check_begins_as_json(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  char first = 0;
  if (!in || !(in >> first) || first == '{' || first == '[') return;
  throw ConfigError(Diagnostic::of_file(
      file.string(), "is neither a scenario (JSON, which begins with \"{\") nor firmware (an ELF file)"));
}

// The firmware must not overwrite the loop in which secondary cores wait.
void check_spin_table(const Scenario& scenario, const Origin& origin) {
  if (scenario.config.node.cores.start != CoreStart::spin_table) return;
  const SpinTable table(scenario.map.range("dram"), scenario.config.node.cores.count);
  const AddressRange page = table.range();
  for (const ElfImage::Segment& segment : scenario.firmware.segments())
    if (page.overlaps({segment.address, segment.size}))
      throw ConfigError(Diagnostic{
          .origin = origin,
          .path = "firmware",
          .problem = fmt::format("{} loads {:#x} to {:#x}, but with node.cores.start=spin_table "
                                 "the waiting cores execute code in the page at {:#x}",
                                 scenario.firmware_file, segment.address.value(),
                                 (segment.address + segment.size).value() - 1, page.first.value())});
}

// The instances that have a log level. `names` are the names of nodes: "node", and in a cluster also that of
// each node.
std::vector<std::string> log_instances(const NodeConfig& node, const std::vector<std::string>& names) {
  std::vector<std::string> blocks{"fabric", "memory", "gic",      "uart0",
                                  "rtc",    "power",  "dimm_ssd", "semihosting"};
  if (node.gpu.count > 0) blocks.push_back("gpu");
  if (node.pcram.kind != PcramKind::none) blocks.push_back("pcram");
  if (node.nic.present || names.size() > 1) blocks.push_back("nic");
  if (node.nor_flash.present) blocks.insert(blocks.end(), {"flash0", "flash1"});
  for (std::uint32_t core = 0; core < node.cores.count; ++core)
    blocks.push_back("core" + std::to_string(core));
  std::vector<std::string> instances{"systemc"};
  for (const std::string& name : names) {
    instances.push_back(name);
    for (const std::string& block : blocks) instances.push_back(fmt::format("{}.{}", name, block));
  }
  return instances;
}

// Without this check a misspelt instance would be ignored.
void check_log(const NodeConfig& node, const std::vector<std::string>& names, const ConfigDocument& document,
               const std::string& path, Diagnostics& problems) {
  const std::vector<std::string> instances = log_instances(node, names);
  for (const auto& [instance, level] : node.log)
    if (std::ranges::count(instances, instance) == 0)
      problems.add({.origin = document.origin_of(path),
                    .path = path,
                    .problem = fmt::format("there is no instance \"{}\"", instance),
                    .nearest = nearest_name(instance, instances)});
}

// Checks of the address map that a description cannot express.
void check_map(const NodeConfig& node, const ConfigDocument& document, const std::string& path,
               Diagnostics& problems, AddressMap& map) {
  map.apply(node.address_map, document, path.empty() ? "address_map" : path + ".address_map", problems);
}

// The host needs 12 bytes for each block and 40 bytes for each page of flash, besides the contents.
constexpr std::uint64_t max_flash_blocks = 1u << 24;
constexpr Bytes max_flash = 4_TiB;

// The DIMM-SSD stores whole pages of memory in a flash page.
void check_flash(const NodeConfig& node, const ConfigLibrary& library, const ConfigDocument& document,
                 const std::string& prefix, Diagnostics& problems) {
  if (node.runs != NodeProgram::firmware) return;
  const auto part = load_config<FlashPart>(library, "flash", node.dimm_ssd.part);
  const auto refuse = [&](const std::string& key, const std::string& problem) {
    problems.add({.origin = document.origin_of(prefix + key), .path = prefix + key, .problem = problem});
  };
  if (part.page % 4_KiB != Bytes(0))
    refuse("dimm_ssd.part", fmt::format("{} has pages of {}, expected a multiple of 4 KiB for a DIMM-SSD",
                                        node.dimm_ssd.part, to_text(part.page)));
  if (const FlashGeometry flash = flash_geometry(node.dimm_ssd, part);
      flash.all_blocks() > max_flash_blocks || flash.all_pages() * flash.page > max_flash)
    refuse("dimm_ssd.blocks",
           fmt::format("the flash has {} blocks, {}; expected at most {} and {}", flash.all_blocks(),
                       to_text(flash.all_pages() * flash.page), max_flash_blocks, to_text(max_flash)));
}

void check_pcram(const NodeConfig& node, const ConfigLibrary& library, const ConfigDocument& document,
                 const std::string& prefix, Diagnostics& problems) {
  if (node.runs != NodeProgram::firmware || node.pcram.kind == PcramKind::none) return;
  const auto part = load_config<PcramPart>(library, "pcram", node.pcram.part);
  const std::string problem = pcram_problem(node.pcram, part, node.memory.size);
  if (problem.empty()) return;
  const std::string path = prefix + "pcram.part";
  problems.add({.origin = document.origin_of(path), .path = path, .problem = problem});
}

AddressMap map_of(const NodeConfig& node) {
  return AddressMap(
      node.memory.size,
      {.gpus = node.gpu.count > 0,
       .pcram = node.pcram.kind != PcramKind::none,
       .nic = node.nic.present,
       .nor_flash = node.nor_flash.present,
       .redistributors = node.cores.gic == InterruptControllerKind::gicv3 ? node.cores.count : 0});
}

bool is_within(std::string_view path, std::string_view above) {
  return path.starts_with(above) && (path.size() == above.size() || path[above.size()] == '.');
}

// Whether no error is known at a path, above it or below it.
bool is_sound(const Diagnostics& problems, std::string_view path) {
  return std::ranges::none_of(problems.all(), [&](const Diagnostic& problem) {
    return problem.path.empty() || is_within(problem.path, path) || is_within(path, problem.path);
  });
}

// Whether the number of nodes of a cluster is known, which its nested objects do not determine.
bool knows_nodes(const Diagnostics& problems) {
  constexpr std::string_view cluster = "cluster";
  return std::ranges::none_of(problems.all(), [&](const Diagnostic& problem) {
    const std::string_view path = problem.path;
    const bool is_key = is_within(path, cluster) && path.find('.', cluster.size() + 1) == std::string::npos;
    return path.empty() || is_key;
  });
}

void check_gpu_losses(const ScenarioConfig& config, const ConfigDocument& document, Diagnostics& problems) {
  if (!is_sound(problems, "node.gpu")) return;
  for (std::size_t i = 0; i < config.faults.size(); ++i) {
    const auto gpu = config.faults[i].gpu_loss();
    const std::string path = fmt::format("faults.{}.gpu", i);
    if (!gpu || *gpu < config.node.gpu.count || !is_sound(problems, path)) continue;
    problems.add({.origin = document.origin_of(path),
                  .path = path,
                  .problem = fmt::format("there is no GPU {}, because node.gpu.count is {}", *gpu,
                                         config.node.gpu.count)});
  }
}

std::vector<std::string> names_of(const ScenarioConfig& config) {
  std::vector<std::string> names{"node"};
  if (!config.is_cluster()) return names;
  for (const NodeNumber node : whole_nodes(*config.cluster)) names.push_back(node_name(node));
  return names;
}

// Applies the levels of --log, each INSTANCE=LEVEL, in addition to those of node.log.
void apply_log(const std::vector<std::string>& levels, ScenarioConfig& config) {
  std::string known;
  for (const auto& entry : enum_names(LogLevel{})) known += fmt::format(", \"{}\"", entry.name);
  const std::vector<std::string> instances = log_instances(config.node, names_of(config));
  Diagnostics problems;
  for (const std::string& each : levels) {
    const std::size_t equals = std::min(each.find('='), each.size());
    const std::string given = each.substr(0, equals), text = each.substr(std::min(equals + 1, each.size()));
    const std::string instance = std::ranges::count(instances, given) != 0 ? given : "node." + given;
    const auto level = enum_from_text<LogLevel>(text);
    Diagnostic problem{.origin = Origin::command_line(), .path = "--log", .problem = ""};
    if (equals == each.size()) {
      problem.expected = "INSTANCE=LEVEL, such as core0=trace";
      problem.got = fmt::format("\"{}\"", each);
    } else if (!level) {
      problem.expected = "one of " + known.substr(2);
      problem.got = fmt::format("\"{}\"", text);
    } else if (std::ranges::count(instances, instance) == 0) {
      problem.problem = fmt::format("there is no instance \"{}\"", given);
      problem.nearest = nearest_name(instance, instances);
    } else {
      config.node.log[instance] = *level;
      continue;
    }
    problems.add(problem);
  }
  problems.throw_if_any();
}

// The key of a fault in a cluster that has an error, and the error; the latter is "" if there is none.
std::pair<const char*, std::string> cluster_fault_problem(const FaultConfig& fault,
                                                          const ClusterConfig& cluster) {
  const std::string kind(to_text(fault.kind));
  const NodeNumber count = cluster.first_spare() + cluster.spares;
  if (!fault.node)
    return {"", "must name its node in a cluster: the key \"node\", 0 to " + std::to_string(count - 1)};
  const bool has_firmware = cluster.is_firmware(*fault.node);
  if (*fault.node >= count)
    return {"node",
            *fault.node < cluster.node_count()
                ? fmt::format("node {} is the global store, which has no faults", *fault.node)
                : fmt::format("there is no node {}: the cluster has {}, counted from 0", *fault.node, count)};
  if (fault.kind == FaultKind::power_loss)
    return {"kind", "power_loss is valid only for a single node; in a cluster use node_loss or link_loss"};
  const auto loss = fault.cluster_loss();
  if (!loss && !has_firmware)
    return {"kind", fmt::format("{} is valid only for nodes with firmware: node {} is a traffic node", kind,
                                *fault.node)};
  if (loss && has_firmware && *loss != Loss::node && *loss != Loss::link)
    return {
        "kind",
        fmt::format("{} is valid only for traffic nodes: node {} runs firmware; use node_loss or link_loss",
                    kind, *fault.node)};
  return {"", ""};
}

// Why there is no cluster, for a message.
const char* why_no_cluster(const ScenarioConfig& config) {
  return config.cluster ? "cluster.nodes is 0" : "the scenario has no cluster";
}

void check_faults(const ScenarioConfig& config, const ConfigDocument& document, Diagnostics& problems) {
  for (std::size_t i = 0; i < config.faults.size(); ++i) {
    if (!is_sound(problems, fmt::format("faults.{}", i))) continue;
    const FaultConfig& fault = config.faults[i];
    std::pair<const char*, std::string> problem{"", ""};
    if (config.is_cluster())
      problem = cluster_fault_problem(fault, *config.cluster);
    else if (fault.cluster_loss())
      problem = {"kind", fmt::format("{} concerns a node of a cluster, and {}", to_text(fault.kind),
                                     why_no_cluster(config))};
    else if (fault.node)
      problem = {"node", fmt::format("is valid only in a cluster, and {}; got {}", why_no_cluster(config),
                                     *fault.node)};
    const auto& [key, words] = problem;
    if (words.empty()) continue;
    const std::string path = fmt::format("faults.{}{}{}", i, *key ? "." : "", key);
    problems.add({.origin = document.origin_of(path), .path = path, .problem = words});
  }
}

// The description cannot make this check, because it cannot distinguish a cluster of 0 nodes from one whose
// number of nodes was refused.
void check_has_firmware(const ScenarioConfig& config, const ConfigDocument& document, Diagnostics& problems) {
  if (!config.cluster || config.is_cluster() || document.has("firmware")) return;
  if (config.has_firmware())
    problems.add({.origin = document.origin_of("firmware"),
                  .path = "firmware",
                  .problem = "this key is required because cluster.nodes is 0"});
}

void check_expect(const ScenarioConfig& config, const ConfigDocument& document, Diagnostics& problems) {
  const std::string path = "expect.not_recoverable";
  if (config.is_cluster() || !config.expect.not_recoverable) return;
  problems.add({.origin = document.origin_of(path),
                .path = path,
                .problem = fmt::format("is valid only with a cluster, and {}; got {}", why_no_cluster(config),
                                       *config.expect.not_recoverable)});
}

// Refuses settings that the nodes of a cluster cannot share.
void check_cluster_nodes(const ScenarioConfig& config, const ConfigDocument& document,
                         Diagnostics& problems) {
  const auto refuse = [&](const char* path, const char* problem) {
    problems.add({.origin = document.origin_of(path), .path = path, .problem = problem});
  };
  if (!config.is_cluster() || !config.has_firmware()) return;
  if (!config.node.nic.present)
    refuse("node.nic.present",
           "expected true in a cluster, because its nodes communicate by NICs, got false");
  if (!config.node.dimm_ssd.image.empty())
    refuse("node.dimm_ssd.image",
           "is valid only for a single node, because the nodes of a cluster would share the file");
  if (config.node.uart0.input == Pl011Input::script)
    refuse("node.uart0.input", "is valid only for a single node, because a cluster has no console input");
  if (config.node.uart0.input == Pl011Input::terminal)
    refuse("node.uart0.input",
           "is valid only for a single node, because the nodes of a cluster would share the terminal");
}

// Checks that need the files that the node names. A file that cannot be read is reported together with the
// other errors.
void check_built_node(const ScenarioConfig& config, bool knows_faults, const AddressMap& map,
                      const ConfigLibrary& library, const ConfigDocument& document, Diagnostics& problems) {
  const NodeConfig& node = config.node;
  try {
    const PreparedFabric fabric = prepare_fabric(node, map, library, document, "node", problems);
    check_rtl(node, fabric, document, "node", problems);
    check_memory(node, knows_faults ? config.faults : std::vector<FaultConfig>{}, library, document, "node",
                 problems);
    check_flash(node, library, document, "node.", problems);
    check_pcram(node, library, document, "node.", problems);
  } catch (const ConfigError& error) {
    if (problems.empty()) throw;
    problems.add(error.diagnostics());
  }
}

}  // namespace

NodeConfig check_node(ConfigDocument& document, const InstalledFiles& installed) {
  Diagnostics problems;
  NodeConfig config = read_config<NodeConfig>(document, &installed.configs, problems);
  AddressMap map = map_of(config);
  check_map(config, document, "", problems, map);
  check_log(config, {"node"}, document, "log", problems);
  problems.throw_if_any();
  const PreparedFabric fabric = prepare_fabric(config, map, installed.configs, document, "", problems);
  check_rtl(config, fabric, document, "", problems);
  check_memory(config, {}, installed.configs, document, "", problems);
  check_flash(config, installed.configs, document, "", problems);
  check_pcram(config, installed.configs, document, "", problems);
  problems.throw_if_any();
  return config;
}

ScenarioConfig check_scenario(ConfigDocument& document, const InstalledFiles& installed) {
  Diagnostics problems;
  ScenarioConfig config = read_config<ScenarioConfig>(document, &installed.configs, problems);
  AddressMap map = map_of(config.node);
  check_map(config.node, document, "node", problems, map);
  check_log(config.node, names_of(config), document, "node.log", problems);
  const bool knows_node = is_sound(problems, "node"), knows_faults = is_sound(problems, "faults");
  check_gpu_losses(config, document, problems);
  if (knows_nodes(problems)) {
    check_faults(config, document, problems);
    check_expect(config, document, problems);
    check_has_firmware(config, document, problems);
    if (knows_node) check_cluster_nodes(config, document, problems);
    if (knows_node) check_covered_blocks(config, document, problems);
  }
  if (knows_node) check_built_node(config, knows_faults, map, installed.configs, document, problems);
  problems.throw_if_any();
  return config;
}

CheckedNode load_node(const std::string& file, const std::vector<std::string>& overrides,
                      const InstalledFiles& installed) {
  const auto& configs = installed.configs;
  const bool is_scenarios_name = configs.find("scenarios", file).has_value();
  const bool is_like_a_nodes_name = !nearest_name(file, configs.list("nodes")).empty();
  const fs::path path =
      configs.locate(is_like_a_nodes_name && !is_scenarios_name ? "nodes" : "scenarios", file);
  ConfigDocument document = ConfigDocument::load(path);
  for (const std::string& override : overrides) document.apply_override(override);
  const bool of_scenario =
      std::ranges::any_of(scenario_keys, [&](std::string_view key) { return document.has(key); });
  NodeConfig config =
      of_scenario ? check_scenario(document, installed).node : check_node(document, installed);
  AddressMap map = map_of(config);
  Diagnostics none;
  check_map(config, document, of_scenario ? "node" : "", none, map);
  return {path.stem().string(), std::move(config), std::move(map)};
}

NamedDocument load_scenario(const ScenarioRequest& request, const InstalledFiles& installed) {
  const bool is_firmware = names_firmware(request.file, installed);
  if (is_firmware && request.firmware)
    refuse_option("--firmware", request.file + " is firmware already; name a scenario to run it there");
  const fs::path file = installed.configs.locate("scenarios", is_firmware ? standard_scenario : request.file);
  if (!is_firmware) check_begins_as_json(file);
  ConfigDocument document = ConfigDocument::load(file);
  if (is_firmware)
    for (const std::string& override : {"firmware=" + as_path(request.file), std::string("expect={}")})
      document.apply_override(override);
  for (const std::string& override : request.overrides) document.apply_override(override);
  if (request.firmware) document.apply_override("firmware=" + *request.firmware);
  if (request.until) document.apply_override("until=" + *request.until);
  return {std::move(document), (is_firmware ? fs::path(request.file) : file).stem().string()};
}

Scenario prepare(const ScenarioRequest& request, const InstalledFiles& installed) {
  NamedDocument loaded = load_scenario(request, installed);
  Scenario scenario = prepare(std::move(loaded.document), loaded.name, installed);
  apply_log(request.log, scenario.config);
  return scenario;
}

Scenario prepare(ConfigDocument document, const std::string& name, const InstalledFiles& installed) {
  ScenarioConfig config = check_scenario(document, installed);
  AddressMap map = map_of(config.node);
  Diagnostics none;
  check_map(config.node, document, "node", none, map);
  PreparedFabric fabric = prepare_fabric(config.node, map, installed.configs, document, "node", none);
  Scenario scenario{.name = name,
                    .config = std::move(config),
                    .map = std::move(map),
                    .flash = {},
                    .fabric = std::move(fabric),
                    .workload = {},
                    .firmware_file = {},
                    .firmware = {},
                    .symbols = {},
                    .stacks = {},
                    .rom = {},
                    .rtl = {},
                    .coverage = {},
                    .image_origin = document.origin_of("node.dimm_ssd.image")};
  scenario.coverage = coverage_demands(scenario.config.expect, document);
  const NodeConfig& node = scenario.config.node;
  if (node.runs == NodeProgram::workload) {
    scenario.workload = load_config<Workload>(installed.configs, "workloads", node.workload);
    scenario.rtl = prepare_rtl(node, scenario.map, scenario.fabric, document, "node");
    return scenario;
  }
  if (!scenario.config.has_firmware()) return scenario;
  scenario.flash = load_config<FlashPart>(installed.configs, "flash", node.dimm_ssd.part);
  scenario.dram = load_config<DramPart>(installed.configs, "dram", node.memory.dram.part);
  if (node.pcram.kind != PcramKind::none)
    scenario.pcram = load_config<PcramPart>(installed.configs, "pcram", node.pcram.part);
  if (const Pl011Config& uart = node.uart0; uart.input == Pl011Input::file)
    check_regular_file(uart.input_file, document.origin_of("node.uart0.input_file"), "node.uart0.input_file");
  scenario.firmware_file = locate_firmware(scenario.config, installed, document);
  if (scenario.config.firmware_format == FirmwareFormat::raw)
    scenario.rom = read_rom(scenario.firmware_file, scenario.map.range("flash0").size);
  else
    scenario.firmware = ElfImage::load(scenario.firmware_file, scenario.map.range("dram"));
  scenario.symbols = symbols_of(scenario.firmware, scenario.firmware_file);
  if (scenario.rom.empty())
    scenario.stacks = find_stacks(node.checks, scenario.firmware, scenario.firmware_file, document);
  check_spin_table(scenario, document.origin_of("firmware"));
  scenario.rtl = prepare_rtl(node, scenario.map, scenario.fabric, document, "node");
  return scenario;
}

}  // namespace asterism
