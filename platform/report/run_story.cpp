#include "platform/report/run_story.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <vector>

#include "platform/host/human_time.h"

namespace asterism {
namespace {

using Json = nlohmann::ordered_json;

std::string how_it_ended(const Json& stats) {
  const std::map<std::string, std::string> ends = {
      {"power_off", "The firmware switched the node off"},
      {"workload_done", "Every core executed its instructions"},
      {"cluster_finished", "Every node of the cluster finished"},
      {"not_recoverable", "Nothing could be restored any more, and the run ended"},
      {"time_limit", "The run was stopped at its time limit"},
      {"stalled", "The run was stopped because nothing was left to happen"},
      {"mismatch", "The run was stopped because RTL or translated code differs from its model"},
      {"check", "A check of the node stopped the run"},
      {"quit", "A live session ended the run"},
      {"interrupted", "The run was interrupted"}};
  const auto ended = stats.find("ended");
  const std::string end = ended != stats.end() && ended->is_string() ? ended->get<std::string>() : "";
  if (end == "firmware_exit")
    return fmt::format("The firmware exited with status {}", number_in(stats, "firmware_status"));
  const auto known = ends.find(end);
  return known == ends.end() ? "The run has not ended" : known->second;
}

std::vector<const RecordedEvent*> of_kind(const RunFolder& run, std::string_view kind) {
  std::vector<const RecordedEvent*> events;
  for (const RecordedEvent& event : run.events)
    if (event.kind == kind) events.push_back(&event);
  return events;
}

// " at 1 ms and 2 ms", or the first and the last of many.
std::string times_of(const std::vector<const RecordedEvent*>& events) {
  if (events.size() == 1) return " at " + human_time(events[0]->at);
  if (events.size() == 2)
    return fmt::format(" at {} and {}", human_time(events[0]->at), human_time(events[1]->at));
  return fmt::format(" between {} and {}", human_time(events.front()->at), human_time(events.back()->at));
}

std::string failures_of(const RunFolder& run) {
  std::string text;
  const auto add = [&](std::string_view kind, std::string_view one, std::string_view several) {
    if (const auto events = of_kind(run, kind); !events.empty())
      text += fmt::format(" There {}{}.",
                          events.size() == 1 ? fmt::format("was one {}", one)
                                             : fmt::format("were {} {}", events.size(), several),
                          times_of(events));
  };
  add("power_lost", "loss of power", "losses of power");
  add("warm_reset", "warm reset", "warm resets");
  add("node_loss", "loss in the cluster", "losses in the cluster");
  add("gpu_lost", "lost GPU", "lost GPUs");
  add("gpu_memory_fault", "fault in a GPU's memory", "faults in GPUs' memories");
  add("gpu_zone_contained", "uncorrectable error of a GPU", "uncorrectable errors of GPUs");
  add("memory_fault", "fault in memory", "faults in memory");
  add("uncorrectable_error", "uncorrectable error", "uncorrectable errors");
  add("core_locked_up", "core that locked up", "cores that locked up");
  return text;
}

// Whether an event is that of a loss by which the node of a source, "node1.dimm_ssd", loses what it is doing.
bool stops(const RecordedEvent& event, std::string_view source) {
  const std::string_view node = source.substr(0, source.find('.'));
  if (event.kind == "node_loss") return node == fmt::format("node{}", number_in(event.details, "node"));
  return (event.kind == "power_lost" || event.kind == "warm_reset") &&
         std::string_view(event.source).substr(0, event.source.find('.')) == node;
}

// The checkpoints that ended with the power, or with a reset, and not by themselves.
std::string interrupted_checkpoints_of(const RunFolder& run) {
  std::vector<std::string> interrupted;
  for (auto begin = run.events.begin(); begin != run.events.end(); ++begin) {
    if (begin->kind != "checkpoint_begin") continue;
    const std::uint64_t version = number_in(begin->details, "version");
    const auto next = std::find_if(begin + 1, run.events.end(), [&](const RecordedEvent& event) {
      return event.source == begin->source && event.kind.starts_with("checkpoint_") &&
             number_in(event.details, "version") == version;
    });
    if (next != run.events.end() && next->kind != "checkpoint_begin") continue;
    const auto loss = std::find_if(begin + 1, next,
                                   [&](const RecordedEvent& event) { return stops(event, begin->source); });
    if (loss != next) interrupted.push_back(fmt::format("version {} at {}", version, human_time(loss->at)));
  }
  if (interrupted.empty()) return "";
  if (interrupted.size() <= 3)
    return fmt::format(" A loss or a reset interrupted the checkpoint of {}.",
                       fmt::join(interrupted, " and "));
  return fmt::format(" Losses and resets interrupted {} checkpoints.", interrupted.size());
}

std::string checkpoints_of(const RunFolder& run) {
  const auto durable = of_kind(run, "checkpoint_commit");
  std::string text;
  if (!durable.empty())
    text +=
        fmt::format(" {} became durable{}.",
                    durable.size() == 1 ? "One checkpoint" : fmt::format("{} checkpoints", durable.size()),
                    times_of(durable));
  const auto failed = of_kind(run, "checkpoint_failed");
  if (!failed.empty())
    text +=
        fmt::format(" {} given up.", failed.size() == 1 ? "One was" : fmt::format("{} were", failed.size()));
  text += interrupted_checkpoints_of(run);
  std::vector<std::string> restored;
  for (const RecordedEvent* event : of_kind(run, "restore"))
    restored.push_back(
        fmt::format("version {} at {}", number_in(event->details, "version"), human_time(event->at)));
  if (!restored.empty() && restored.size() <= 3)
    text += fmt::format(" The DIMM-SSD restored {}.", fmt::join(restored, " and "));
  else if (!restored.empty())
    text += fmt::format(" The DIMM-SSD restored checkpoints {} times.", restored.size());
  return text;
}

// Of a run that was killed, or that goes on.
std::string story_without_end(const RunFolder& run, std::optional<Picoseconds> record_end) {
  std::string text = "The run has not ended, or it was killed: it has no statistics.";
  if (!run.events.empty())
    text += fmt::format(" Its last event was at {} of simulated time.", human_time(run.last_known_time()));
  if (record_end)
    text +=
        fmt::format(" Its record ends at {}; what came later was not written yet.", human_time(*record_end));
  return text + failures_of(run) + checkpoints_of(run);
}

}  // namespace

std::string run_story(const RunFolder& run, std::optional<Picoseconds> record_end) {
  if (!run.is_complete()) return story_without_end(run, record_end);
  const std::uint64_t instructions = number_in(run.stats, "instructions");
  std::string text = fmt::format("{} after {} of simulated time", how_it_ended(run.stats),
                                 human_time(Picoseconds(number_in(run.stats, "simulated_time_ps"))));
  if (instructions >= 1'000'000)
    text += fmt::format(" and {:.1f} million instructions", static_cast<double>(instructions) / 1e6);
  else if (instructions > 0)
    text += fmt::format(" and {} instructions", instructions);
  text += "." + failures_of(run) + checkpoints_of(run);
  if (const std::uint64_t recoveries = number_in(run.stats, "recoveries"); recoveries > 0)
    text += fmt::format(" It recovered {}.", recoveries == 1 ? "once" : fmt::format("{} times", recoveries));
  if (const double seconds = static_cast<double>(number_in(run.host, "wall_microseconds")) / 1e6; seconds > 0)
    text += fmt::format(" The host took {:.2g} s.", seconds);
  return text;
}

}  // namespace asterism
