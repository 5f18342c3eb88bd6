#include "platform/command/expectations.h"

#include <fmt/format.h>

#include <string_view>

#include "platform/command/reference_run.h"

namespace asterism {
namespace {

void add_unmet_of_cluster(const ExpectConfig& expect, const RunOutcome& outcome,
                          std::vector<std::string>& lines) {
  const ClusterOutcome& cluster = *outcome.cluster;
  const bool lost = outcome.end == RunOutcome::End::not_recoverable;
  if (lost != expect.not_recoverable.value_or(false))
    lines.push_back(lost ? "not recoverable: " + cluster.not_recoverable
                         : std::string("not_recoverable: expected, but the cluster recovered"));
  if (!cluster.early.empty() && outcome.firmware_status == 0)
    lines.push_back("the firmware of " + cluster.early + " ended before the cluster had");
  if (cluster.result && cluster.is_ring && *cluster.result != cluster.expected)
    lines.push_back(fmt::format("result: {:#018x}, but the sequential program gives {:#018x}",
                                *cluster.result, cluster.expected));
}

}  // namespace

std::vector<std::string> unmet(const ExpectConfig& expect, const RunOutcome& outcome,
                               const RunDirectory& directory) {
  std::vector<std::string> lines;
  if (expect.exit && *expect.exit != outcome.firmware_status)
    lines.push_back(fmt::format("exit: expected {}, but the firmware ended with {}", *expect.exit,
                                outcome.firmware_status));
  if (expect.recoveries && *expect.recoveries != outcome.recoveries)
    lines.push_back(
        fmt::format("recoveries: expected {}, but there were {}", *expect.recoveries, outcome.recoveries));
  if (expect.checks && *expect.checks != outcome.findings)
    lines.push_back(fmt::format("checks: expected {}, but there were {}{}{}", *expect.checks,
                                outcome.findings, outcome.checks.empty() ? "" : ": ", outcome.checks));
  if (expect.late_faults && *expect.late_faults != outcome.late_faults)
    lines.push_back(fmt::format("late_faults: expected {}, but {} would have occurred after the end",
                                *expect.late_faults, outcome.late_faults));
  if (expect.result) {
    const std::string result = result_in(directory.files()).value_or("none");
    const std::string_view text = std::string_view(result).substr(0, result.find_last_not_of('\n') + 1);
    if (text != *expect.result)
      lines.push_back(fmt::format("result: expected {}, but {} holds {}", *expect.result, result_file, text));
  }
  if (outcome.script_waits_for)
    lines.push_back(fmt::format("script: {} was never received", *outcome.script_waits_for));
  if (outcome.cluster) add_unmet_of_cluster(expect, outcome, lines);
  return lines;
}

}  // namespace asterism
