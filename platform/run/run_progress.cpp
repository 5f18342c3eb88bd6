#include "platform/run/run_progress.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "platform/host/human_time.h"
#include "platform/scenario/scenario_config.h"
#include "tlm/time.h"

namespace asterism {

std::optional<Picoseconds> time_of_last_run(const std::filesystem::path& folder) {
  std::ifstream file(folder / "stats.json");
  const auto stats = nlohmann::json::parse(file, nullptr, false);
  const auto time = stats.is_object() ? stats.find("simulated_time_ps") : stats.end();
  if (!stats.is_object() || time == stats.end() || !time->is_number_unsigned()) return std::nullopt;
  return Picoseconds(time->get<std::uint64_t>());
}

RunProgress::RunProgress(bool wanted, Picoseconds until, const std::filesystem::path& folder)
    : line_(wanted), until_(until), last_(wanted ? time_of_last_run(folder) : std::nullopt) {}

std::string time_left(Picoseconds now, double elapsed, Picoseconds until, std::optional<Picoseconds> last) {
  const bool is_as_last = last && *last > now && *last <= until;
  if (now == 0_ps || (!is_as_last && until == ScenarioConfig().until)) return "";
  const Picoseconds end = is_as_last ? *last : until;
  const double seconds =
      elapsed * static_cast<double>((end - now).count()) / static_cast<double>(now.count());
  const char* const words = is_as_last ? "as in the last run" : "at most";
  return fmt::format(", {} left {}", human_seconds(seconds), words);
}

void RunProgress::update(const SimulatedSystem& system, const EventFile& events) {
  const double elapsed = line_.seconds();
  if (!line_.is_due() || elapsed - last_elapsed_ < 0.25) return;
  const std::uint64_t instructions = system.instructions();
  const double mips =
      static_cast<double>(instructions - last_instructions_) / (elapsed - last_elapsed_) / 1e6;
  const std::uint64_t checkpoints = events.count("checkpoint_commit");
  line_.show(fmt::format("{} simulated{}, {} checkpoint{}{}", human_time(now()),
                         instructions > 0 ? fmt::format(", {:.0f} MIPS", mips) : "", checkpoints,
                         checkpoints == 1 ? "" : "s", time_left(now(), elapsed, until_, last_)));
  last_elapsed_ = elapsed;
  last_instructions_ = instructions;
}

}  // namespace asterism
