#include "platform/run/run_debugger.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "platform/config/diagnostics.h"
#include "platform/host/installed_files.h"
#include "platform/snapshot/snapshot.h"
#include "platform/system/fault_injection.h"
#include "tlm/log.h"

namespace asterism {
namespace {

std::string map_of(const Scenario& scenario) {
  std::string text;
  for (const MapEntry& entry : scenario.node.map.entries())
    text += fmt::format("{:#012x}-{:#012x}  {}\n", entry.range.first.value(), entry.range.last().value(),
                        entry.name);
  return text;
}

using Lines = std::vector<std::pair<std::string, std::string>>;

void add_lines(const std::string& path, const Statistics& statistics, Lines& lines) {
  for (const auto& [name, value] : statistics.entries()) {
    const std::string place = fmt::format("{}.{}", path, name);
    if (const auto* below = std::get_if<std::unique_ptr<Statistics>>(&value))
      add_lines(place, **below, lines);
    else if (const auto* number = std::get_if<std::uint64_t>(&value))
      lines.emplace_back(place, fmt::format("{}", *number));
    else
      lines.emplace_back(place, std::get<std::string>(value));
  }
}

// Calls `visit` with each group of the statistics of each node: its node, its name and its contents.
template <class Visit>
void for_each_group(const SimulatedSystem& system, Visit visit) {
  Statistics all;
  system.report_to(all);
  for (const auto& [node, content] : all.entries())
    if (const auto* const of_node = std::get_if<std::unique_ptr<Statistics>>(&content))
      for (const auto& [name, value] : (*of_node)->entries())
        if (const auto* const group = std::get_if<std::unique_ptr<Statistics>>(&value))
          visit(node, name, **group);
}

std::vector<std::string> group_names(const SimulatedSystem& system) {
  std::vector<std::string> names;
  for_each_group(system, [&](const std::string&, const std::string& name, const Statistics&) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  });
  return names;
}

// The lines of a group of the statistics, for each node.
std::string group_of(const SimulatedSystem& system, std::string_view group) {
  Lines lines;
  for_each_group(system, [&](const std::string& node, const std::string& name, const Statistics& contents) {
    if (name == group) add_lines(fmt::format("{}.{}", node, name), contents, lines);
  });
  if (lines.empty()) return "this run has none\n";
  std::size_t width = 0;
  for (const auto& [place, value] : lines) width = std::max(width, place.size());
  std::string text;
  for (const auto& [place, value] : lines) text += fmt::format("{:<{}} {}\n", place, width, value);
  return text;
}

// `levels`: what was set before in this run; the new one is added.
std::string set_log_level(const DebuggedRun& run, std::vector<std::string>& levels,
                          const std::string& assignment) {
  levels.push_back(assignment);
  try {
    set_log_levels(log_levels(prepare_with(run.directory, "", levels)));
    run.log_levels_changed();
    return "";
  } catch (const ConfigError& error) {
    levels.pop_back();
    return message_of(error, "--log");
  }
}

// Where a core has the first byte of the kernel: by VBAR_EL1, from the time when the kernel has written it,
// except while a program is executed under page tables of its own (KPTI); or the physical address, as long
// as the kernel executes it there.
std::optional<std::uint64_t> kernel_base(const KernelSymbols& symbols, Iss& core) {
  const auto physical = [&core](std::uint64_t address) { return core.debug_port().physical(address); };
  const std::uint64_t vbar = core.read(CoreRegister::vbar), pc = core.read(CoreRegister::pc);
  const auto vectors = symbols.find("vectors");
  if (vectors && physical(vbar) == vectors) return vbar - (*vectors - symbols.kernel().first).count();
  const bool is_early = physical(pc) == Address(pc) && symbols.kernel().contains(Address(pc));
  return is_early ? std::optional(symbols.kernel().first.value()) : std::nullopt;
}

std::string write_symbols(const DebuggedRun& run, unsigned selected) {
  const KernelSymbols& symbols = run.scenario.firmware.kernel_symbols;
  if (symbols.empty()) return "this run has no kernel of Linux with symbols\n";
  const std::vector<DebuggedCore> cores = run.system.cores_to_debug();
  auto base = kernel_base(symbols, cores[selected].core->iss());
  for (std::size_t i = 0; !base && i < cores.size(); ++i) base = kernel_base(symbols, cores[i].core->iss());
  if (!base) return "no core is in the kernel, so that its addresses are unknown; try again later\n";
  constexpr const char* file = "kernel_symbols.elf";
  const std::vector<std::byte> contents = symbols.elf_file(*base);
  run.directory.write(file, {reinterpret_cast<const char*>(contents.data()), contents.size()});
  return fmt::format("the kernel begins at {:#x}{}\nsymbol-file {}\n", *base,
                     *base == symbols.kernel().first.value() ? " (physical; it is not mapped yet)" : "",
                     absolute(run.directory.path() / file).string());
}

}  // namespace

std::string why_no_live_snapshot(const Scenario& scenario, bool has_uart_port) {
  if (has_uart_port) return "a run with --uart0 has no snapshots, because what its client sends is in none";
  if (std::string why = why_no_snapshot(scenario); !why.empty()) return why;
  if (scenario.config.expect.result_equals)
    return "a run that is compared with another one has no snapshots; expect={} omits the comparison";
  return "";
}

std::map<std::string, LogLevel> log_levels(const Scenario& scenario) {
  std::map<std::string, LogLevel> levels;
  for (const auto& [instance, level] : scenario.config.node.log) levels[instance] = level;
  if (!scenario.is_cluster()) return levels;
  for (const auto& [instance, level] : scenario.config.node.log) {
    const bool of_all = instance == "node" || instance.starts_with("node.");
    for (const NodeNumber node : whole_nodes(*scenario.config.cluster))
      if (of_all) levels.emplace(node_name(node) + instance.substr(std::string_view("node").size()), level);
  }
  return levels;
}

void attach(Debugger& debugger, const DebuggedRun& run) {
  const auto refuse = [](std::string problem) {
    throw ConfigError(
        Diagnostic{.origin = Origin::command_line(), .path = "--gdb", .problem = std::move(problem)});
  };
  Debugger::DebuggedSystem view{.cores = run.system.cores_to_debug(),
                                .infos = {"map"},
                                .info = {},
                                .snapshots = &run.snapshots,
                                .why_no_snapshots = why_no_live_snapshot(run.scenario, run.has_uart_port),
                                .snapshot_interval = run.snapshot_interval,
                                .inject_fault = {},
                                .set_log_level = {},
                                .write_symbols = {},
                                .halted = run.halted,
                                .interrupted = run.interrupted};
  if (view.cores.empty()) refuse("no core of this scenario runs firmware");
  std::ranges::copy(group_names(run.system), std::back_inserter(view.infos));
  view.info = [run](const std::string& what) {
    return what == "map" ? map_of(run.scenario) : group_of(run.system, what);
  };
  view.inject_fault = [run](const std::string& json) {
    return inject_fault(run.system, run.directory, json);
  };
  view.set_log_level = [run, levels = std::vector<std::string>()](const std::string& assignment) mutable {
    return set_log_level(run, levels, assignment);
  };
  view.write_symbols = [run](unsigned core) { return write_symbols(run, core); };
  try {
    debugger.attach(std::move(view));
  } catch (const std::invalid_argument& error) {
    refuse(error.what());
  }
}

}  // namespace asterism
