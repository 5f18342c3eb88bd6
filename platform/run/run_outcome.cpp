#include "platform/run/run_outcome.h"

#include <algorithm>

#include "platform/host/exit_status.h"

namespace asterism {

std::string_view name_of(RunOutcome::End end) {
  switch (end) {
    case RunOutcome::End::firmware_exit:
      return "firmware_exit";
    case RunOutcome::End::power_off:
      return "power_off";
    case RunOutcome::End::workload_done:
      return "workload_done";
    case RunOutcome::End::cluster_finished:
      return "cluster_finished";
    case RunOutcome::End::not_recoverable:
      return "not_recoverable";
    case RunOutcome::End::time_limit:
      return "time_limit";
    case RunOutcome::End::stalled:
      return "stalled";
    case RunOutcome::End::mismatch:
      return "mismatch";
    case RunOutcome::End::check:
      return "check";
    case RunOutcome::End::quit:
      return "quit";
    case RunOutcome::End::interrupted:
      return "interrupted";
  }
  return "";
}

int exit_status(const RunOutcome& outcome, bool expectations_met) {
  if (outcome.mismatches > 0 && outcome.end != RunOutcome::End::interrupted)
    return static_cast<int>(ExitStatus::lockstep);
  switch (outcome.end) {
    case RunOutcome::End::time_limit:
    case RunOutcome::End::stalled:
      return static_cast<int>(ExitStatus::time_limit);
    case RunOutcome::End::mismatch:
      return static_cast<int>(ExitStatus::lockstep);
    case RunOutcome::End::check:
      return static_cast<int>(ExitStatus::expectation);
    case RunOutcome::End::interrupted:
      return static_cast<int>(ExitStatus::interrupted);
    default:
      break;
  }
  if (!expectations_met) return static_cast<int>(ExitStatus::expectation);
  constexpr auto largest = static_cast<std::uint64_t>(ExitStatus::largest_of_firmware);
  return static_cast<int>(std::min(outcome.firmware_status, largest));
}

}  // namespace asterism
