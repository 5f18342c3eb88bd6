#include "platform/embedding/node.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <map>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "devices/external.h"
#include "platform/config/config.h"
#include "platform/config/diagnostics.h"
#include "platform/config/json_parser.h"
#include "platform/firmware/firmware.h"
#include "platform/host/installed_files.h"
#include "platform/host/run_directory.h"
#include "platform/scenario/device_faults.h"
#include "platform/scenario/scenario.h"
#include "platform/system/built_node.h"
#include "tlm/log_of_node.h"

namespace asterism {
namespace {

// Such a program has no command line: what has no place in a file is at `place`.
Diagnostics placed(const Diagnostics& problems, const char* place) {
  Diagnostics all;
  for (Diagnostic problem : problems.all()) {
    if (problem.origin.is_command_line()) problem.origin.file = place;
    all.add(std::move(problem));
  }
  return all;
}
template <class Call>
auto with_place(const char* place, const Call& call) {
  try {
    return call();
  } catch (const InputMissing& error) {
    throw InputMissing(placed(error.diagnostics(), place));
  } catch (const ConfigError& error) {
    throw ConfigError(placed(error.diagnostics(), place));
  }
}

std::shared_ptr<const PreparedNode> prepared(ConfigDocument document,
                                             const std::vector<std::string>& overrides,
                                             const InstalledFiles& installed) {
  for (const std::string& override : overrides) document.apply_override(override);
  auto node = std::make_shared<PreparedNode>(check_node(document, installed));
  if (node->config.runs != NodeProgram::firmware)
    throw ConfigError(Diagnostic::of_file("node", "a node in a program of your own runs firmware"));
  node->rtl = prepare_rtl(node->config, node->devices, node->map, node->fabric, document, "");
  return node;
}

// SystemC keeps the processes of a module that is destroyed before simulation begins, and would execute them.
// They have its name, but no parent.
struct OrphanedProcesses {
  std::string module;

  ~OrphanedProcesses() {
    if (sc_core::sc_get_status() > sc_core::SC_BEFORE_END_OF_ELABORATION) return;
    for (sc_core::sc_object* const each : sc_core::sc_get_top_level_objects()) {
      sc_core::sc_process_handle process(each);
      if (process.valid() && std::string_view(each->name()).starts_with(module + ".")) process.disable();
    }
  }
};

std::string name_here(const std::string& name) {
  const sc_core::sc_object* const parent = sc_core::sc_get_curr_simcontext()->active_object();
  return parent ? parent->name() + ("." + name) : name;
}

// The keys of a scenario that concern the faults.
struct FaultsConfig {
  std::vector<FaultConfig> faults;
};
void describe(Fields& f, FaultsConfig& c) {
  f("faults", c.faults, "The faults to inject, with their times.");
}

std::vector<FaultConfig> faults_of(const std::string& text, const DeviceList& devices) {
  Diagnostics problems;
  ConfigDocument document = ConfigDocument::parse("{}", "faults");
  document.root().object()->push_back({"faults", {"faults", 1, 1}, parse_json(text, "faults", problems)});
  auto faults = read_config<FaultsConfig>(document, nullptr, problems).faults;
  problems.throw_if_any();
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const auto [key, words] = cluster_only_problem(faults[i], "a node in a program of your own is in none");
    if (words.empty()) continue;
    const std::string path = fmt::format("faults.{}.{}", i, key);
    problems.add({.origin = document.origin_of(path), .path = path, .problem = words});
  }
  check_device_faults(faults, devices, document, problems);
  problems.throw_if_any();
  return faults;
}

// Checked before modules are built, which SystemC warns of when they are destroyed before simulation.
const std::string& existing_folder(const std::string& files) {
  std::error_code none;
  if (files.empty() || std::filesystem::is_directory(files, none)) return files;
  throw std::invalid_argument(fmt::format("files: there is no folder \"{}\"", files));
}

}  // namespace

NodeDescription::NodeDescription(std::string_view json, const std::vector<std::string>& overrides)
    : node_(with_place("override", [&] {
        return prepared(ConfigDocument::parse(json, "node"), overrides, InstalledFiles::find());
      })) {}

NodeDescription NodeDescription::of_file(const std::string& file, const std::vector<std::string>& overrides) {
  const InstalledFiles installed = InstalledFiles::find();
  const auto path = with_place("node", [&] { return installed.configs.locate("nodes", file); });
  return NodeDescription(
      with_place("override", [&] { return prepared(ConfigDocument::load(path), overrides, installed); }));
}

NodeFirmware NodeFirmware::of_file(const std::string& file) {
  return {.name = file, .elf = ElfImage::read_file(file)};
}

struct Node::Parts final : EventLog {
  Parts(Node& owner, const char* name, std::shared_ptr<const PreparedNode> prepared,
        const NodeContext& context)
      : owner(owner),
        prepared(std::move(prepared)),
        firmware(context.firmware.elf.empty() ? Firmware{}
                                              : Firmware::of_elf(context.firmware.elf, context.firmware.name,
                                                                 this->prepared->devices.dram())),
        orphans{name_here(name)},
        node(name, *this->prepared,
             {.events = *this,
              .firmware = firmware,
              .arguments = context.arguments,
              .files = existing_folder(context.files),
              .seed = context.seed,
              .faults = faults_of(context.faults, this->prepared->devices)}) {
    node.on_console = [&owner](std::string_view text) { owner.on_console(text); };
    node.on_serial = [&owner](const std::string& line, std::string_view text) {
      owner.on_serial(line, text);
    };
    node.on_end = [&owner] { owner.on_end(); };
    node.on_power_restored = [this] { node.forget_end(); };
    node.on_lock_up = [&owner] { owner.on_lock_up(); };
    orphans.module = node.name();
    connect_log();
  }
  ~Parts() override { receive_log(node.name(), nullptr); }

  void record(Picoseconds at, std::string_view source, std::string_view kind,
              std::initializer_list<Detail>) override {
    owner.on_event(at.count(), source, kind);
  }

  External& external(const std::string& device) const {
    if (auto* const found = node.devices().find_as<External>(device)) return *found;
    throw std::invalid_argument(
        fmt::format("{} has no device \"{}\" of the type external", node.name(), device));
  }

  // The key `log` names the node "node".
  void connect_log() {
    std::map<std::string, LogLevel> levels;
    constexpr std::string_view own = "node";
    for (const auto& [instance, level] : prepared->config.log)
      if (instance.starts_with(own)) levels[node.name() + instance.substr(own.size())] = level;
    add_log_levels(levels);
    receive_log(node.name(), [this](LogLevel level, const std::string& instance, std::string_view text) {
      if (owner.on_log) owner.on_log(to_text(level), instance, text);
      return static_cast<bool>(owner.on_log);
    });
  }

  std::uint64_t address_of(const std::string& device, const std::string& name, unsigned index) const {
    std::vector<std::string> names;
    for (const MapEntry& entry : prepared->map.entries()) {
      if (!entry.registers || (entry.device != device && entry.name != device)) continue;
      for (const Register* const each : entry.registers->registers()) {
        if (each->name() == name && index < each->count())
          return entry.range.first.value() + each->offset() + std::uint64_t{index} * each->stride();
        names.push_back(each->count() == 1 ? each->name()
                                           : fmt::format("{}[{}]", each->name(), each->count()));
      }
    }
    if (names.empty())
      throw std::invalid_argument(fmt::format("{} has no device \"{}\" with registers", node.name(), device));
    throw std::invalid_argument(
        fmt::format("{} has no register {}[{}], but {}", device, name, index, fmt::join(names, ", ")));
  }

  Node& owner;
  const std::shared_ptr<const PreparedNode> prepared;
  const Firmware firmware;
  OrphanedProcesses orphans;  // of the node, also if that throws
  BuiltNode node;
};

namespace {

const char* before_simulation(const char* name) {
  if (sc_core::sc_get_status() <= sc_core::SC_BEFORE_END_OF_ELABORATION) return name;
  throw std::logic_error(fmt::format("the node \"{}\" has to be built before simulation begins", name));
}

}  // namespace

Node::Node(const char* name, const NodeDescription& description, const NodeContext& context)
    : parts_(std::make_unique<Parts>(*this, before_simulation(name), description.node_, context)) {}

Node::~Node() {
  if (sc_core::sc_get_status() == sc_core::SC_RUNNING)
    log(parts_->node.name())
        .error("the node is destroyed by a process of the simulation, which has to end first");
}

namespace {

template <class Sockets>
auto& numbered(Sockets& sockets, unsigned number, const std::string& device, const char* key) {
  if (number < sockets.size()) return sockets[number];
  throw std::invalid_argument(fmt::format("the device \"{}\" has {} {}, so there is no {}[{}]", device,
                                          sockets.size(), key, key, number));
}

}  // namespace

Node::Target& Node::target(const std::string& device) { return parts_->external(device).target; }

Node::Master& Node::master(const std::string& device, unsigned number) {
  return numbered(parts_->external(device).masters, number, device, "masters");
}

Node::Line& Node::line(const std::string& device, unsigned number) {
  return numbered(parts_->external(device).lines, number, device, "lines");
}

void Node::on_reset(const std::string& device, std::function<void(bool)> action) {
  parts_->external(device).on_reset = [action = std::move(action)](Reset kind) {
    action(kind != Reset::warm);
  };
}

const Node::Line& Node::interrupt(const std::string& device, unsigned number) const {
  return parts_->node.devices().interrupt(device, number);
}

void Node::power_on() { parts_->node.power_on(); }

void Node::lose() { parts_->node.lose(); }

std::optional<Node::End> Node::end() const {
  const auto& end = parts_->node.end();
  if (!end) return std::nullopt;
  return End{.has_exited = end->how == SimulatedSystem::End::How::exited,
             .status = end->status,
             .at = end->at.count(),
             .why = end->why};
}

std::uint64_t Node::instructions() const { return parts_->node.instructions(); }

std::string Node::statistics() const {
  Statistics statistics;
  parts_->node.report(statistics);
  return to_json(statistics);
}

std::uint32_t Node::read_register(const std::string& device, const std::string& name, unsigned index) {
  const std::uint64_t address = parts_->address_of(device, name, index);
  std::uint32_t value = 0;
  read(address, std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

void Node::write_register(const std::string& device, const std::string& name, std::uint32_t value,
                          unsigned index) {
  const std::uint64_t address = parts_->address_of(device, name, index);
  if (!parts_->node.write_registers(Address(address), std::as_bytes(std::span(&value, 1))))
    throw std::invalid_argument(fmt::format("the register {} of {} is read-only, or of RTL", name, device));
}

std::size_t Node::read(std::uint64_t address, std::span<std::byte> into) {
  return parts_->node.debug_access(tlm::TLM_READ_COMMAND, Address(address), into);
}

std::size_t Node::write(std::uint64_t address, std::span<const std::byte> from) {
  std::vector<std::byte> bytes(from.begin(), from.end());
  return parts_->node.debug_access(tlm::TLM_WRITE_COMMAND, Address(address), bytes);
}

}  // namespace asterism
