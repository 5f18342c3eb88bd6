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
#include "platform/scenario/device_faults.h"
#include "platform/scenario/field_faults.h"

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
                       config.firmware_format != FirmwareFormat::elf;
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

// The initial file system of Linux; "" if the scenario has none.
std::string locate_initrd(const ScenarioConfig& config, const InstalledFiles& installed,
                          const ConfigDocument& document) {
  const std::string& name = config.initrd;
  if (name.empty()) return "";
  const Origin origin = document.origin_of("initrd");
  if (name.find('/') != std::string::npos) {
    check_regular_file(name, origin, "initrd");
    return name;
  }
  const fs::path file = installed.firmware / (name + ".cpio");
  refuse_overlong_name(file, origin, "initrd");
  if (fs::exists(file)) return file.string();
  throw InputMissing(
      Diagnostic{.origin = origin,
                 .path = "initrd",
                 .problem = fmt::format("there is no {}; `scripts/setup linux` installs what the build makes "
                                        "it from",
                                        file.string())});
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

KernelSymbols kernel_symbols_of(const LinuxImage& image, const std::string& file,
                                const ConfigDocument& document) {
  const Segment& kernel = image.segments().front();
  if (file.empty()) return KernelSymbols(kernel);
  check_regular_file(file, document.origin_of("symbols"), "symbols");
  return KernelSymbols::load(file, kernel);
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
void check_spin_table(const PreparedNode& node, const Firmware& firmware, const Origin& origin) {
  if (node.config.cores.start != CoreStart::spin_table) return;
  const SpinTable table(node.devices.dram(), node.config.cores.count);
  const AddressRange page = table.range();
  for (const Segment& segment : firmware.segments())
    if (page.overlaps({segment.address, segment.size}))
      throw ConfigError(Diagnostic{
          .origin = origin,
          .path = "firmware",
          .problem = fmt::format("{} loads {:#x} to {:#x}, but with node.cores.start=spin_table "
                                 "the waiting cores execute code in the page at {:#x}",
                                 firmware.file, segment.address.value(),
                                 (segment.address + segment.size).value() - 1, page.first.value())});
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

std::vector<std::string> names_of(const ScenarioConfig& config) {
  std::vector<std::string> names{"node"};
  if (!config.is_cluster()) return names;
  for (const NodeNumber node : whole_nodes(*config.cluster)) names.push_back(node_name(node));
  return names;
}

// Applies the levels of --log, each INSTANCE=LEVEL, in addition to those of node.log.
void apply_log(const std::vector<std::string>& levels, const DeviceList& devices, ScenarioConfig& config) {
  std::string known;
  for (const auto& entry : enum_names(LogLevel{})) known += fmt::format(", \"{}\"", entry.name);
  const std::vector<std::string> instances = log_instances(devices, names_of(config));
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
  if (fault.kind == FaultKind::power_loss && cluster.is_ring())
    return {"kind", "power_loss is valid only if program.kind is not ring; use node_loss or link_loss"};
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
    const auto [key, words] = config.is_cluster() ? cluster_fault_problem(fault, *config.cluster)
                                                  : cluster_only_problem(fault, why_no_cluster(config));
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

// Where they may be, for the keys of `field_faults`.
void check_field_faults(const FieldFaultsConfig& faults, const DeviceList& devices,
                        const ConfigDocument& document, Diagnostics& problems) {
  const auto problem = device_fault_problem(last_field_fault(faults), devices);
  if (!problem) return;
  const auto& [key, words] = *problem;
  const char* const own = key == "gpu" ? ".gpus" : key == "address" ? ".memory" : "";
  const std::string path = std::string("field_faults") + own;
  problems.add({.origin = document.origin_of(path), .path = path, .problem = words});
}

// Replaces them by faults with times.
void add_field_faults(ScenarioConfig& config, const FaultRates& rates) {
  const std::vector<FaultConfig> faults = field_faults(*config.field_faults, rates, config.seed);
  config.faults.insert(config.faults.end(), faults.begin(), faults.end());
  config.field_faults.reset();
}

// Refuses what the devices of the node do not make possible.
void check_needed_devices(const ScenarioConfig& config, const DeviceList& devices,
                          const ConfigDocument& document, Diagnostics& problems) {
  const auto refuse = [&](const std::string& path, const std::string& problem) {
    problems.add({.origin = document.origin_of(path), .path = path, .problem = problem});
  };
  if (!config.has_firmware()) return;
  if (config.firmware_format == FirmwareFormat::raw && !devices.rom())
    refuse("firmware_format", "is elf if the node has no ROM, such as a bank of NOR flash");
  const auto counts_recoveries = [](const DeviceShape& shape) { return shape.counts_recoveries; };
  const bool may_recover = config.cluster || devices.first(counts_recoveries);
  if (config.expect.recoveries.value_or(0) != 0 && !may_recover)
    refuse("expect.recoveries",
           "is 0 if the node has no device to which firmware reports its recoveries, such as a "
           "power controller");
}

// Refuses settings that the nodes of a cluster cannot share.
void check_cluster_nodes(const ScenarioConfig& config, const DeviceList& devices,
                         const ConfigDocument& document, Diagnostics& problems) {
  const auto refuse = [&](const std::string& path, const std::string& problem) {
    problems.add({.origin = document.origin_of(path), .path = path, .problem = problem});
  };
  if (!config.is_cluster() || !config.has_firmware()) return;
  const PlacedDevice* const nic = devices.device(config.cluster->nic);
  if (!nic || !nic->shape.network)
    refuse("cluster.nic",
           fmt::format("the node has no NIC \"{}\", by which the nodes of a cluster communicate",
                       config.cluster->nic));
  else if (!nic->shape.network->empty())
    refuse("cluster.nic", fmt::format("{} is connected to the network \"{}\" of its node",
                                      config.cluster->nic, *nic->shape.network));
  for (const PlacedDevice& device : devices.all()) {
    const HostUse& host = device.shape.host;
    const std::string key = "node." + device.key + ".";
    for (const HostUse::File& file : host.files)
      if (file.is_kept)
        refuse(key + file.key,
               "is valid only for a single node, because the nodes of a cluster would share the file");
    if (host.input == HostUse::Input::terminal)
      refuse(key + host.input_key,
             "is valid only for a single node, because the nodes of a cluster would share the terminal");
  }
}

}  // namespace

PreparedNode check_node(ConfigDocument& document, const InstalledFiles& installed) {
  Diagnostics problems;
  NodeConfig config = read_config<NodeConfig>(document, &installed.configs, problems);
  problems.throw_if_any();
  PreparedNode node = prepare_node(std::move(config), {"node"}, installed.configs, document, "", problems);
  problems.throw_if_any();
  return node;
}

CheckedScenario check_scenario(ConfigDocument& document, const InstalledFiles& installed) {
  Diagnostics problems;
  CheckedScenario checked{read_config<ScenarioConfig>(document, &installed.configs, problems)};
  std::optional<FaultRates> field_rates;
  if (const auto& faults = checked.config.field_faults; faults && is_sound(problems, "field_faults")) {
    field_rates = load_config<FaultRates>(installed.configs, "faults", faults->rates);
    if (const std::string why = problem_of(*faults, *field_rates); !why.empty())
      problems.add({.origin = document.origin_of("field_faults"), .path = "field_faults", .problem = why});
  }
  const ScenarioConfig& config = checked.config;
  const bool knows_node = is_sound(problems, "node"), knows_faults = is_sound(problems, "faults");
  if (knows_nodes(problems)) {
    check_faults(config, document, problems);
    check_expect(config, document, problems);
    check_has_firmware(config, document, problems);
  }
  if (knows_node)
    checked.node = prepare_node(config.node, names_of(config), installed.configs, document, "node", problems);
  if (knows_node && is_sound(problems, "node")) {
    if (knows_faults && is_sound(problems, "faults"))
      check_device_faults(config.faults, checked.node.devices, document, problems);
    if (field_rates && is_sound(problems, "field_faults"))
      check_field_faults(*config.field_faults, checked.node.devices, document, problems);
    if (knows_nodes(problems)) {
      check_needed_devices(config, checked.node.devices, document, problems);
      check_cluster_nodes(config, checked.node.devices, document, problems);
      check_covered_blocks(config, checked.node.devices, document, problems);
    }
  }
  problems.throw_if_any();
  if (field_rates) add_field_faults(checked.config, *field_rates);
  return checked;
}

namespace {

// The map of a node with a device of each type, to explain accesses to devices that another node lacks.
AddressMap usual_map(const InstalledFiles& installed) {
  const auto file = installed.configs.find("nodes", "every_device");
  if (!file) return {};
  try {
    ConfigDocument document = ConfigDocument::load(*file);
    return check_node(document, installed).map;
  } catch (const ConfigError&) {
    return {};  // a file of the user's own may have this name
  }
}

// Files that devices read while the node is built.
void check_input_files(const DeviceList& devices) {
  for (const PlacedDevice& device : devices.all())
    for (const HostUse::File& file : device.shape.host.files)
      if (!file.is_kept)
        check_regular_file(file.file, device.origins.at(file.key),
                           fmt::format("node.{}.{}", device.key, file.key));
}

Firmware load_firmware(const ScenarioConfig& config, const PreparedNode& node,
                       const InstalledFiles& installed, const ConfigDocument& document) {
  const std::string file = locate_firmware(config, installed, document);
  const AddressRange dram = node.devices.dram();
  if (config.firmware_format == FirmwareFormat::raw)
    return {.file = file, .rom = read_rom(file, node.devices.rom()->place.range().size)};
  if (config.firmware_format == FirmwareFormat::elf) {
    Firmware firmware = Firmware::of_elf(file, dram);
    firmware.stacks = find_stacks(node.config.checks, firmware.elf, file, document);
    return firmware;
  }
  Firmware firmware{.file = file,
                    .linux_image = LinuxImage::load(file, locate_initrd(config, installed, document), dram)};
  firmware.kernel_symbols = kernel_symbols_of(*firmware.linux_image, config.symbols, document);
  firmware.symbols = FunctionSymbols::of_kernel(firmware.kernel_symbols);
  return firmware;
}

}  // namespace

NodeDocument load_node_document(const std::string& file, const std::vector<std::string>& overrides,
                                const ConfigLibrary& configs) {
  const bool is_scenarios_name = configs.find("scenarios", file).has_value();
  const bool is_like_a_nodes_name = !nearest_name(file, configs.list("nodes")).empty();
  const fs::path path =
      configs.locate(is_like_a_nodes_name && !is_scenarios_name ? "nodes" : "scenarios", file);
  ConfigDocument document = ConfigDocument::load(path);
  for (const std::string& override : overrides) document.apply_override(override);
  const bool is_scenario =
      std::ranges::any_of(scenario_keys, [&](std::string_view key) { return document.has(key); });
  return {std::move(document), path.stem().string(), is_scenario ? "node" : ""};
}

PreparedNode check_node(NodeDocument& loaded, const InstalledFiles& installed) {
  PreparedNode node = loaded.path.empty() ? check_node(loaded.document, installed)
                                          : check_scenario(loaded.document, installed).node;
  node.name = loaded.name;
  return node;
}

PreparedNode load_node(const std::string& file, const std::vector<std::string>& overrides,
                       const InstalledFiles& installed) {
  NodeDocument loaded = load_node_document(file, overrides, installed.configs);
  return check_node(loaded, installed);
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
  apply_log(request.log, scenario.node.devices, scenario.config);
  return scenario;
}

Scenario prepare(ConfigDocument document, const std::string& name, const InstalledFiles& installed) {
  CheckedScenario checked = check_scenario(document, installed);
  Scenario scenario{.name = name, .config = std::move(checked.config), .node = std::move(checked.node)};
  scenario.coverage = coverage_demands(scenario.config.expect, document);
  PreparedNode& node = scenario.node;
  if (node.config.runs == NodeProgram::workload) {
    scenario.workload = load_config<Workload>(installed.configs, "workloads", node.config.workload);
  } else if (scenario.config.has_firmware()) {
    node.map.compare_with(usual_map(installed));
    check_input_files(node.devices);
    scenario.firmware = load_firmware(scenario.config, node, installed, document);
    check_spin_table(node, scenario.firmware, document.origin_of("firmware"));
  } else {
    return scenario;
  }
  node.rtl = prepare_rtl(node.config, node.devices, node.map, node.fabric, document, "node");
  return scenario;
}

}  // namespace asterism
