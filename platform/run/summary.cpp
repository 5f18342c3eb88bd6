#include "platform/run/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/counted.h"
#include "platform/host/human_time.h"

namespace asterism {
namespace {

// The part that has not ended when a run is stopped.
const char* unfinished_part(const Summary& s) {
  if (s.outcome.cluster) return "cluster";
  return s.scenario.workload ? "workload" : "firmware";
}

std::string how_it_ended(const Summary& s) {
  const RunOutcome& o = s.outcome;
  switch (o.end) {
    case RunOutcome::End::firmware_exit:
      if (o.cluster)
        return fmt::format("the firmware of {} exited with status {} before the cluster had ended",
                           o.cluster->early, o.firmware_status);
      return fmt::format("firmware exited with status {}", o.firmware_status);
    case RunOutcome::End::power_off:
      if (o.cluster)
        return fmt::format("the firmware of {} switched it off before the cluster had ended",
                           o.cluster->early);
      return "firmware switched the node off";
    case RunOutcome::End::workload_done:
      return "every core has executed its instructions";
    case RunOutcome::End::cluster_finished:
      if (o.cluster->is_independent) return "every node has ended";
      return o.cluster->is_ring ? "every rank has completed all its steps"
                                : "every rank has reported that it has finished";
    case RunOutcome::End::not_recoverable:
      return "not recoverable: " + o.cluster->not_recoverable;
    case RunOutcome::End::time_limit:
      if (o.power_returns && !o.cluster)
        return fmt::format("stopped at the time limit of {}: the power is off until {}",
                           human_time(s.scenario.config.until), human_time(*o.power_returns));
      return fmt::format("stopped at the time limit of {}: the {} had not ended",
                         human_time(s.scenario.config.until), unfinished_part(s));
    case RunOutcome::End::stalled:
      return fmt::format("stopped: no event is pending, and the {} has not ended", unfinished_part(s));
    case RunOutcome::End::mismatch:
      return o.mismatch.starts_with("RTL failure") ? "stopped: the RTL has failed"
             : o.mismatch.find("translated code") != std::string::npos
                 ? "stopped: translated code and the interpreter differ"
                 : "stopped: the RTL and the model differ";
    case RunOutcome::End::check:
      return "stopped by node.checks: " + o.finding;
    case RunOutcome::End::quit:
      return "ended by its live session";
    case RunOutcome::End::interrupted:
      return "interrupted";
  }
  return "";
}

// The path relative to the current folder, if the file is below it.
std::string from_here(const std::string& file) {
  const auto relative = std::filesystem::path(file).lexically_proximate(std::filesystem::current_path());
  return relative.native().starts_with("..") ? file : relative.string();
}

std::vector<std::pair<std::string, std::string>> lines_of(const ClusterOutcome& c) {
  if (c.is_independent)
    return {
        {"cluster", fmt::format("{} independent nodes, {}", c.ranks, counted(c.losses, "loss", "losses"))}};
  std::vector<std::pair<std::string, std::string>> lines{
      {"cluster", fmt::format("{}, {} with firmware; {} of {} used", counted(c.ranks, "rank", "ranks"),
                              c.firmware_ranks, c.spares_used, counted(c.spares, "spare", "spares"))},
      {c.is_ring ? "checkpoints" : "losses",
       c.is_ring
           ? fmt::format("{} committed by all ranks, {}, {}", c.commits, counted(c.losses, "loss", "losses"),
                         counted(c.recoveries, "recovery", "recoveries"))
           : fmt::format("{}, {}", counted(c.losses, "loss", "losses"),
                         counted(c.recoveries, "recovery", "recoveries"))}};
  for (const std::string& failure : c.failures)
    lines.emplace_back(&failure == &c.failures.front() ? "failed" : "", failure);
  if (c.result && !c.is_ring)
    lines.emplace_back("result", fmt::format("{:#018x}, of what all ranks have reported", *c.result));
  else if (c.result)
    lines.emplace_back(
        "result",
        fmt::format("{:#018x}, {} the result of the sequential program", *c.result,
                    *c.result == c.expected ? "equal to" : fmt::format("but {:#018x} is", c.expected)));
  return lines;
}

constexpr std::size_t label_width = 13, widest = 80, max_cores = 16, max_cores_with_callers = 4,
                      max_named = 8;

// Ascending numbers as at most max_named ranges: "0-15, 17, 20".
std::string ranges_of(const std::vector<std::size_t>& numbers) {
  std::string text;
  std::size_t named = 0;
  for (std::size_t first = 0, last; first < numbers.size(); first = last + 1) {
    for (last = first; last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1;) ++last;
    if (named++ == max_named) return text + ", ...";
    if (!text.empty()) text += ", ";
    text += last == first ? fmt::format("{}", numbers[first])
                          : fmt::format("{}-{}", numbers[first], numbers[last]);
  }
  return text;
}

// The states of many cores in a few lines: groups of cores in the same state, the smallest first, each with
// the most frequent program counter.
std::vector<std::string> grouped_states(const std::vector<CoreReport>& cores) {
  struct Group {
    std::vector<std::size_t> cores;
    std::map<std::string, std::size_t> places;
  };
  std::map<std::string, Group> by_state;
  for (std::size_t core = 0; core < cores.size(); ++core) {
    const std::string& state = cores[core].state;
    const std::size_t pc = std::min(state.find(", pc "), state.size());
    Group& group = by_state[state.substr(0, pc)];
    group.cores.push_back(core);
    if (pc < state.size()) ++group.places[state.substr(pc + 2)];
  }
  std::vector<std::pair<std::string, Group>> groups(by_state.begin(), by_state.end());
  std::ranges::stable_sort(groups, {}, [](const auto& group) { return group.second.cores.size(); });
  std::vector<std::string> lines;
  for (const auto& [state, group] : groups) {
    if (lines.size() == max_cores) {
      lines.back() = fmt::format("and {} more states", groups.size() - max_cores + 1);
      break;
    }
    const auto most =
        std::ranges::max_element(group.places, {}, [](const auto& place) { return place.second; });
    std::string where;
    if (most != group.places.end())
      where = group.places.size() == 1 ? ", " + most->first
                                       : fmt::format(", {} of them at {}", most->second, most->first);
    const std::string what = state + where;
    lines.push_back(group.cores.size() == cores.size()
                        ? fmt::format("all {}: {}", cores.size(), what)
                        : fmt::format("{} of {}: {} ({})", group.cores.size(), cores.size(), what,
                                      ranges_of(group.cores)));
  }
  return lines;
}

// A label and its value, which is continued on the next lines if it is too long for one.
std::string labelled(std::string_view label, std::string_view value) {
  constexpr std::size_t width = widest - label_width;
  std::string text = fmt::format("{:<{}}", label, label_width);
  while (value.size() > width) {
    std::size_t end = value.rfind(' ', width);
    if (end == std::string_view::npos) end = value.find(' ');  // a word of more than a line
    if (end == std::string_view::npos) break;
    text += fmt::format("{}\n{:<{}}", value.substr(0, end), "", label_width);
    value.remove_prefix(end + 1);
  }
  return text.append(value) += "\n";
}

// What the cores were doing when the run was stopped, or the faults with which the firmware failed.
std::vector<std::pair<std::string, std::string>> lines_of_cores(const RunOutcome& o) {
  std::vector<std::pair<std::string, std::string>> lines;
  const bool was_stopped = !o.ended_by_itself() && o.end != RunOutcome::End::mismatch;
  if (o.is_success() || o.end == RunOutcome::End::mismatch) return lines;
  if (was_stopped && !o.cluster && o.cores.size() > max_cores) {
    for (const std::string& group : grouped_states(o.cores))
      lines.emplace_back(lines.empty() ? "cores" : "", group);
    return lines;
  }
  std::size_t faults = 0;
  for (const CoreReport& core : o.cores) {
    std::vector<std::string> values;
    if (was_stopped) values.push_back(core.state);
    if (!core.fault.empty() && ++faults <= max_cores_with_callers) {
      values.push_back(core.fault);
      values.push_back(core.fault_callers);
    } else if (was_stopped && o.cores.size() <= max_cores_with_callers) {
      values.push_back(core.callers);
    }
    for (std::string& value : values) {
      if (value.empty()) continue;
      const bool is_first = &value == &values.front();
      if (o.cluster && is_first) value.insert(0, core.name + ": ");
      lines.emplace_back(is_first && !o.cluster ? core.name : "", value);
    }
  }
  return lines;
}

// The firmware or workload, which is printed in parentheses after the name of the scenario.
std::string what_runs(const Summary& s) {
  if (s.scenario.workload) return s.scenario.config.node.workload;
  return s.scenario.firmware.file.empty() ? "traffic nodes" : from_here(s.scenario.firmware.file);
}

// The speed of the simulation. Traffic nodes execute no instructions.
std::string how_fast(const RunOutcome& o) {
  std::string text = fmt::format("{} in {:.2f} s", human_time(o.time), o.host_seconds);
  const double millions = static_cast<double>(o.instructions) / 1e6;
  if (o.instructions > 0)
    text += fmt::format(" ({:.0f} MIPS, {:.1f} M instructions)",
                        o.host_seconds > 0 ? millions / o.host_seconds : 0, millions);
  return text;
}

// What the run does not time. Trace cores and traffic nodes have no instructions of their own.
std::string what_is_not_timed(const ScenarioConfig& config) {
  const NodeConfig& node = config.node;
  const MemoryConfig& memory = node.memory.controller;
  const bool times_memory = node.cores.caches.model != CacheModel::none ||
                            memory.fidelity == MemoryFidelity::exact ||
                            node.fabric.fidelity == Fidelity::flit || memory.codec.impl != Impl::model;
  const bool times_fetches = node.cores.caches.model != CacheModel::none && node.cores.caches.l1i;
  const bool has_tlbs = node.cores.caches.model != CacheModel::none && node.cores.caches.tlb;
  const char* const waits = !times_memory                                    ? "memory (node.cores.caches), "
                            : node.fabric.topology == TopologyKind::crossbar ? "waits on the crossbar, "
                                                                             : "";
  return fmt::format("{}{}{}TLBs{}", waits, node.cores.timing ? "" : "kinds of instructions, ",
                     times_fetches ? "" : "fetches, ", has_tlbs ? " of fetches" : "");
}

// " to the DIMM-SSD", or " (6 to dimm_ssd, 5 to ssd1)", by name.
std::string where_committed(const RunOutcome& o) {
  if (o.checkpoints_of.empty()) return "";
  if (o.checkpoints_of.size() == 1) return " to the DIMM-SSD";
  auto counts = o.checkpoints_of;  // in the order of their addresses
  std::ranges::sort(counts);
  std::string text;
  for (const auto& [ssd, count] : counts)
    text += fmt::format("{}{} to {}", text.empty() ? " (" : ", ", count, ssd);
  return text + ")";
}

class SummaryText {
 public:
  explicit SummaryText(const Summary& summary) : s_(summary) {
    line_as_it_is("scenario", fmt::format("{} ({})", s_.scenario.name, what_runs(s_)));
    line("ended", how_it_ended(s_));
    line("simulated", how_fast(o_));
    if (s_.scenario.config.has_firmware()) line("not timed", what_is_not_timed(s_.scenario.config));
    add_checkpoints();
    add_faults();
    if (!o_.memory.empty()) line("memory", o_.memory);
    if (!o_.checks.empty()) line("checks", o_.checks);
    add_rtl();
    if (!o_.ended_by_itself() && o_.script_waits_for)
      line("script", fmt::format("still waits for {}", *o_.script_waits_for));
    add_resets();
    add_cores();
    if (!s_.comparison.empty()) add_comparison();
    add_expectations();
    line_as_it_is("run files", from_here(s_.directory));
    if (!o_.mismatch.empty()) text_ += "\n" + o_.mismatch;
  }
  const std::string& text() const { return text_; }

 private:
  void line(std::string_view label, const std::string& value) { text_ += labelled(label, value); }
  void line_as_it_is(const char* label, const std::string& value) {
    text_ += fmt::format("{:<{}}{}\n", label, label_width, value);
  }

  void add_checkpoints() {
    if (o_.cluster) {
      for (const auto& [label, value] : lines_of(*o_.cluster)) line(label, value);
    } else if (!s_.scenario.workload) {
      const std::string losses =
          counted(o_.power_losses, "power loss", "power losses") +
          (o_.gpu_losses > 0 ? ", " + counted(o_.gpu_losses, "lost GPU", "lost GPUs") : "") + ", " +
          counted(o_.recoveries, "recovery", "recoveries");
      // Without a checkpoint on a DIMM-SSD, the firmware may have saved its state elsewhere.
      if (o_.checkpoints > 0 || o_.has_begun_checkpoints)
        line("checkpoints", fmt::format("{} committed{}, {}", o_.checkpoints, where_committed(o_), losses));
      else if (o_.power_losses + o_.gpu_losses + o_.recoveries > 0)
        line("losses", losses);
    }
  }

  void add_faults() {
    const auto& faults = s_.scenario.config.faults;
    if (o_.late_faults > 0)
      line("faults", fmt::format("{} of {} {}", o_.late_faults, faults.size(),
                                 o_.end == RunOutcome::End::interrupted
                                     ? "had not occurred when the run was interrupted"
                                     : "would have occurred after the end of the run"));
    if (o_.ignored_power_losses > 0)
      line("faults", fmt::format("{} had no effect: the power was off already",
                                 counted(o_.ignored_power_losses, "power loss", "power losses")));
    if (o_.cluster && o_.cluster->ineffective_faults > 0)
      line("faults", fmt::format("{} of {} had no effect: the node was lost, or the cluster had ended",
                                 o_.cluster->ineffective_faults, faults.size()));
  }

  void add_rtl() {
    if (o_.compared_translations.value_or(0) > 0 && o_.mismatches == 0)
      line("lockstep",
           fmt::format("{} of {} translated and interpreted, with the same results",
                       *o_.compared_translations, counted(o_.instructions, "instruction", "instructions")));
    for (const std::string& done : o_.rtl) line_as_it_is(&done == &o_.rtl.front() ? "RTL" : "", done);
    for (const CoverageWarning& warning : s_.warnings) line("warning", warning.instance + " " + warning.text);
    if (o_.mismatches > 0 && o_.end != RunOutcome::End::mismatch)
      line("DIFFERENT", fmt::format("RTL and model differed {}", counted(o_.mismatches, "time", "times")));
  }

  void add_resets() {
    if (o_.warm_resets == 0) return;
    line("resets",
         counted(o_.warm_resets, "warm reset", "warm resets") +
             (o_.reset_period ? fmt::format(", one every {} until the end: an endless loop of resets",
                                            human_time(*o_.reset_period))
                              : ""));
  }

  void add_cores() {
    for (const auto& [label, value] : lines_of_cores(o_)) line(label, value);
    if (!o_.is_success() && !o_.cores.empty())
      line("details", std::string("cores.txt (registers, callers)") +
                          (o_.has_last_instructions ? ", last_instructions.txt" : ""));
  }

  void add_comparison() {
    const std::string with = fmt::format("with {}:", *s_.scenario.config.expect.result_equals);
    const bool fits = label_width + with.size() + 1 + s_.comparison.size() <= widest;
    line("compared", fits ? with + " " + s_.comparison : with);
    if (!fits) line("", s_.comparison);
  }

  void add_expectations() {
    for (const std::string& failure : s_.failures) line("NOT MET", failure);
    if (!s_.failures.empty() || !o_.ended_by_itself()) return;
    const ExpectConfig& e = s_.scenario.config.expect;
    const bool has_script = !s_.scenario.node.devices.keys_of_input(HostUse::Input::script).empty();
    if (e.exit || e.recoveries || e.checks || e.late_faults || e.result || e.not_recoverable ||
        e.result_equals || !s_.scenario.coverage.empty() || has_script)
      line("expected", "all expectations are met");
  }

  const Summary& s_;
  const RunOutcome& o_ = s_.outcome;
  std::string text_ = "\n";
};

}  // namespace

std::string to_text(const Summary& summary) { return SummaryText(summary).text(); }

nlohmann::ordered_json to_json(const Summary& s, int status) {
  using Json = nlohmann::ordered_json;
  const RunOutcome& o = s.outcome;
  Json warnings = Json::array(), cores = Json::array();
  for (const CoverageWarning& warning : s.warnings)
    warnings.push_back({{"instance", warning.instance}, {"text", warning.text}});
  if (!o.is_success())
    for (const CoreReport& core : o.cores)
      cores.push_back({{"name", core.name},
                       {"state", core.state},
                       {"callers", core.callers},
                       {"fault", core.fault},
                       {"fault_callers", core.fault_callers}});
  return {{"scenario", s.scenario.name},
          {"runs", what_runs(s)},
          {"status", status},
          {"ended", name_of(o.end)},
          {"message", how_it_ended(s)},
          {"firmware_status", o.firmware_status},
          {"simulated_time_ps", o.time.count()},
          {"instructions", o.instructions},
          {"host_seconds", o.host_seconds},
          {"checkpoints", o.checkpoints},
          {"power_losses", o.power_losses},
          {"gpu_losses", o.gpu_losses},
          {"recoveries", o.recoveries},
          {"warm_resets", o.warm_resets},
          {"faults", s.scenario.config.faults.size()},
          {"late_faults", o.late_faults},
          {"memory", o.memory},
          {"checks", o.checks},
          {"mismatches", o.mismatches},
          {"mismatch", o.mismatch},
          {"compared", s.comparison},
          {"not_met", s.failures},
          {"warnings", warnings},
          {"cores", cores},
          {"folder", s.directory}};
}

}  // namespace asterism
