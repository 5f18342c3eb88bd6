#include "platform/run/run_reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <systemc>

#include "base/statistics.h"

namespace asterism {

void write_statistics(const RunOutcome& outcome, const SimulatedSystem& system,
                      const RunDirectory& directory) {
  Statistics statistics;
  statistics.add("ended", name_of(outcome.end));
  if (outcome.end == RunOutcome::End::firmware_exit || outcome.end == RunOutcome::End::power_off)
    statistics.add("firmware_status", outcome.firmware_status);
  statistics.add("simulated_time", outcome.time);
  statistics.add("instructions", outcome.instructions);
  statistics.add("power_losses", outcome.power_losses);
  statistics.add("recoveries", outcome.recoveries);
  if (outcome.late_faults > 0) statistics.add("late_faults", outcome.late_faults);
  if (outcome.mismatches > 0) statistics.add("mismatches", outcome.mismatches);
  system.report_to(statistics);
  directory.write("stats.json", to_json(statistics));

  Statistics host;
  host.add("wall_microseconds", static_cast<std::uint64_t>(outcome.host_seconds * 1e6));
  host.add("instructions_per_second", static_cast<std::uint64_t>(static_cast<double>(outcome.instructions) /
                                                                 std::max(outcome.host_seconds, 1e-9)));
  host.add("systemc", std::string_view(sc_core::sc_version()));
  host.add("cpu_engine", system.cpu_engine());
  system.report_host(host);
  directory.write("host.json", to_json(host));
}

void write_core_reports(const RunOutcome& outcome, const RunDirectory& directory) {
  std::string text;
  for (const CoreReport& core : outcome.cores)
    text += fmt::format("{}==== {}: {}", text.empty() ? "" : "\n", core.name, core.details);
  if (!text.empty()) directory.write("cores.txt", text);
}

std::vector<std::string> instances_without_trace(const RtlOptions& options) {
  std::vector<std::string> names;
  for (const RtlOptions::Trace& trace : options.trace) {
    std::error_code none;
    const std::filesystem::directory_iterator files(options.traces, none);
    if (std::ranges::none_of(files, [&](const auto& file) {
          return file.path().filename().string().starts_with(trace.instance + ".");
        }))
      names.push_back(trace.instance);
  }
  return names;
}

std::string text_of(std::vector<Lockstep::Mismatch> first, std::uint64_t all, const RunDirectory& directory) {
  std::string text;
  first.resize(std::min(first.size(), Mismatches::max_kept));
  for (Lockstep::Mismatch& mismatch : first) {
    if (!mismatch.trace.empty())
      mismatch.trace = (directory.final_path() / "traces" / std::filesystem::path(mismatch.trace).filename())
                           .lexically_proximate(std::filesystem::current_path())
                           .string();
    text += (text.empty() ? "" : "\n") + mismatch.text();
  }
  if (const std::uint64_t more = all - std::min<std::uint64_t>(all, first.size()); more > 0)
    text += fmt::format("\nand {} more mismatch{}\n", more, more == 1 ? "" : "es");
  return text;
}

}  // namespace asterism
