#include "platform/run/served_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "platform/host/human_time.h"
#include "platform/run/run_progress.h"
#include "tlm/time.h"

namespace asterism {

ServedRun::ServedRun(PageServer& pages, const Shown& shown, const std::filesystem::path& record)
    : pages_(pages), shown_(shown) {
  pages_.serve_record(record);
  publish("running");
}

void ServedRun::wait_for_page() {
  while (!shown_.interrupted() && !pages_.wait_for_page(std::chrono::milliseconds(100))) continue;
  start_ = last_ = Clock::now();
}

ServedRun::Clock::duration ServedRun::poll() {
  if (now() >= pages_.stops_at()) pages_.stop();
  if (pages_.wants_state()) publish("running");
  if (!pages_.is_stopped()) return {};
  const Clock::time_point began = Clock::now();
  publish("stopped");
  shown_.before_message();
  fmt::print(stderr, "a page has stopped the run at {}\n", human_time(now()));
  while (pages_.is_stopped() && !shown_.interrupted())
    pages_.wait_until_changed(std::chrono::milliseconds(100));
  const auto took = Clock::now() - began;
  stopped_ += took;
  last_ += took;
  publish("running");
  return took;
}

void ServedRun::publish(const char* phase) {
  const Clock::time_point at = Clock::now();
  const double seconds = std::chrono::duration<double>(at - last_).count();
  const std::uint64_t instructions = shown_.system.instructions();
  const double host_seconds = std::chrono::duration<double>(at - start_ - stopped_).count();
  const Picoseconds end = std::max(now(), std::min(shown_.until, pages_.stops_at()));
  nlohmann::ordered_json state{
      {"phase", phase},
      {"time_ps", now().count()},
      {"until_ps", shown_.until.count()},
      {"host_seconds", host_seconds},
      {"left", host_seconds < 2 ? "" : time_left(now(), host_seconds, end, shown_.last)},
      {"instructions", instructions},
      {"events", shown_.events.count()},
      {"checkpoints", shown_.events.count("checkpoint_commit")},
      {"power_losses", shown_.events.count("power_lost")},
      {"recoveries", shown_.events.recoveries()}};
  if (seconds > 0.05) {
    state["mips"] = static_cast<double>(instructions - last_instructions_) / seconds / 1e6;
    state["simulated_ps_per_second"] = static_cast<double>((now() - last_time_).count()) / seconds;
  }
  if (const Picoseconds stop = pages_.stops_at(); stop < shown_.until) state["stops_at_ps"] = stop.count();
  // Before the file is flushed, which then has all names.
  nlohmann::ordered_json begun = nlohmann::ordered_json::array();
  for (const auto& each : shown_.recorder.begun())
    begun.push_back({each.track, each.name, each.since.count()});
  state["begun"] = std::move(begun);
  constexpr std::size_t most = 4096;
  for (const auto& [line, text] : shown_.recorder.begun_lines())
    state["begun_lines"][line] = text.substr(text.size() - std::min(text.size(), most));
  state["record_bytes"] = shown_.recorder.flush();
  last_ = at;
  last_instructions_ = instructions;
  last_time_ = now();
  pages_.publish(std::move(state), now());
}

}  // namespace asterism
