#include "platform/run_debugger.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "platform/config/diagnostics.h"

namespace asterism {
namespace {

constexpr std::pair<std::string_view, std::string_view> groups[] = {{"ecc", "memory"}, {"ssd", "dimm_ssd"},
                                                                    {"gpu", "gpu"},    {"pcram", "pcram"},
                                                                    {"nic", "nic"},    {"power", "power"}};

std::string map_of(const Scenario& scenario) {
  std::string text;
  for (const MapEntry& entry : scenario.map.entries())
    text += fmt::format("{:#012x}-{:#012x}  {}\n", entry.range.first.value(), entry.range.last().value(),
                        entry.name);
  return text;
}

void tell(const std::string& path, const Statistics& statistics, std::string& text) {
  for (const auto& [name, value] : statistics.entries()) {
    const std::string place = fmt::format("{}.{}", path, name);
    if (const auto* below = std::get_if<std::unique_ptr<Statistics>>(&value))
      tell(place, **below, text);
    else if (const auto* number = std::get_if<std::uint64_t>(&value))
      text += fmt::format("{:<44} {}\n", place, *number);
    else
      text += fmt::format("{:<44} {}\n", place, std::get<std::string>(value));
  }
}

// A group of the statistics, of each node.
std::string group_of(const Machine& machine, std::string_view group) {
  Statistics all;
  machine.report_to(all);
  std::string text;
  for (const auto& [node, content] : all.entries()) {
    const auto* of_node = std::get_if<std::unique_ptr<Statistics>>(&content);
    if (!of_node) continue;
    for (const auto& [name, value] : (*of_node)->entries())
      if (const auto* below = std::get_if<std::unique_ptr<Statistics>>(&value); below && name == group)
        tell(fmt::format("{}.{}", node, name), **below, text);
  }
  return text.empty() ? "there is none\n" : text;
}

}  // namespace

void attach(Debugger& debugger, Machine& machine, const Scenario& scenario,
            std::function<bool()> interrupted) {
  const auto refuse = [](std::string problem) {
    throw ConfigError(
        Diagnostic{.origin = Origin::command_line(), .path = "--gdb", .problem = std::move(problem)});
  };
  Debugger::Machine view{
      .cores = machine.cores_to_debug(), .infos = {"map"}, .info = {}, .interrupted = std::move(interrupted)};
  if (view.cores.empty()) refuse("no core of this scenario runs firmware");
  std::ranges::transform(groups, std::back_inserter(view.infos),
                         [](const auto& group) { return std::string(group.first); });
  view.info = [&machine, &scenario](const std::string& what) {
    if (what == "map") return map_of(scenario);
    return group_of(machine,
                    std::ranges::find(groups, what, [](const auto& group) { return group.first; })->second);
  };
  try {
    debugger.attach(std::move(view));
  } catch (const std::invalid_argument& error) {
    refuse(error.what());
  }
}

}  // namespace asterism
