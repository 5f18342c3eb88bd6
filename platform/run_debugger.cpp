#include "platform/run_debugger.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>
#include <variant>

#include "platform/config/diagnostics.h"
#include "platform/snapshot/snapshot.h"
#include "platform/summary.h"
#include "tlm/time.h"

namespace asterism {
namespace {

constexpr std::pair<std::string_view, std::string_view> groups[] = {
    {"ecc", "memory"}, {"ssd", "dimm_ssd"}, {"gpu", "gpu"},       {"pcram", "pcram"},
    {"nic", "nic"},    {"power", "power"},  {"flash0", "flash0"}, {"flash1", "flash1"},
    {"checks", "checks"}};

std::string map_of(const Scenario& scenario) {
  std::string text;
  for (const MapEntry& entry : scenario.map.entries())
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

// The lines of a group of the statistics, for each node.
std::string group_of(const SimulatedSystem& system, std::string_view group) {
  Statistics all;
  system.report_to(all);
  Lines lines;
  for (const auto& [node, content] : all.entries()) {
    const auto* of_node = std::get_if<std::unique_ptr<Statistics>>(&content);
    if (!of_node) continue;
    for (const auto& [name, value] : (*of_node)->entries())
      if (const auto* below = std::get_if<std::unique_ptr<Statistics>>(&value); below && name == group)
        add_lines(fmt::format("{}.{}", node, name), **below, lines);
  }
  if (lines.empty()) return "this run has none\n";
  std::size_t width = 0;
  for (const auto& [place, value] : lines) width = std::max(width, place.size());
  std::string text;
  for (const auto& [place, value] : lines) text += fmt::format("{:<{}} {}\n", place, width, value);
  return text;
}

// Executes `monitor snapshot`; `words` are the words after it.
std::string save_or_load(LiveSnapshots& snapshots, const Scenario& scenario,
                         std::span<const std::string> words) {
  if (const std::string why = why_no_snapshot(scenario); !why.empty()) return why + "\n";
  if (scenario.config.expect.result_equals)
    return "a run that is compared with another one has no snapshots; expect={} omits the comparison\n";
  if (words.size() == 1 && words[0] == "save") {
    const bool loaded = snapshots.save();
    return fmt::format(
        "snapshot {} of {}{}\n", snapshots.count(), human_time(now()),
        loaded ? " was loaded; let GDB discard what it has read:\nmaintenance flush register-cache\n"
                 "maintenance flush dcache"
               : "");
  }
  if (!words.empty() && words[0] == "load" && words.size() <= 2) {
    unsigned number = snapshots.count();
    if (number == 0) return "there is no snapshot yet; use: monitor snapshot save\n";
    if (words.size() == 2) {
      const std::string& text = words[1];
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      if (error != std::errc() || end != text.data() + text.size() || number == 0 ||
          number > snapshots.count())
        return fmt::format("expected a number from 1 to {}, got \"{}\"\n", snapshots.count(), text);
    }
    snapshots.load(number);
  }
  return "expected: monitor snapshot save, or: monitor snapshot load [N]\n";
}

}  // namespace

void attach(Debugger& debugger, SimulatedSystem& system, const Scenario& scenario, LiveSnapshots& snapshots,
            std::function<bool()> interrupted) {
  const auto refuse = [](std::string problem) {
    throw ConfigError(
        Diagnostic{.origin = Origin::command_line(), .path = "--gdb", .problem = std::move(problem)});
  };
  Debugger::DebuggedSystem view{.cores = system.cores_to_debug(),
                                .infos = {"map"},
                                .info = {},
                                .snapshot = {},
                                .interrupted = std::move(interrupted)};
  if (view.cores.empty()) refuse("no core of this scenario runs firmware");
  std::ranges::transform(groups, std::back_inserter(view.infos),
                         [](const auto& group) { return std::string(group.first); });
  view.info = [&system, &scenario](const std::string& what) {
    if (what == "map") return map_of(scenario);
    return group_of(system,
                    std::ranges::find(groups, what, [](const auto& group) { return group.first; })->second);
  };
  view.snapshot = [&snapshots, &scenario](std::span<const std::string> words) {
    return save_or_load(snapshots, scenario, words);
  };
  try {
    debugger.attach(std::move(view));
  } catch (const std::invalid_argument& error) {
    refuse(error.what());
  }
}

}  // namespace asterism
