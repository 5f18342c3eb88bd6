#include "platform/instruments/run_recorder.h"

#include <algorithm>
#include <array>
#include <utility>

namespace asterism {
namespace {

// The events that begin and end an interval of their source. The same `version` identifies it, if there is
// one.
struct Span {
  std::string_view name, begins, ends;
  std::string_view outcome;
};
constexpr std::array spans = {
    Span{"checkpoint", "checkpoint_begin", "checkpoint_commit", "durable"},
    Span{"checkpoint", "checkpoint_begin", "checkpoint_failed", "given up"},
    Span{"snapshot", "gpu_snapshot_begin", "gpu_snapshot_taken", "taken"},
    Span{"snapshot", "gpu_snapshot_begin", "gpu_snapshot_failed", "given up"},
    Span{"no power", "power_lost", "power_restored", "restored"},
};

const char* name_of(RunRecorder::Activity activity) {
  switch (activity) {
    case RunRecorder::Activity::off:
      return "off";
    case RunRecorder::Activity::running:
      return "running";
    case RunRecorder::Activity::waiting:
      return "waiting";
    case RunRecorder::Activity::blocked:
      return "blocked";
    case RunRecorder::Activity::locked_up:
      return "locked_up";
  }
  return "";
}

// "node1" of "node1.dimm_ssd".
std::string_view node_of_source(std::string_view source) { return source.substr(0, source.find('.')); }

// The unit of a number, from the end of its name (docs/seeing.md).
std::string_view unit_of(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> units = {
      {{"_bytes_per_second", "B/s"}, {"_bytes", "B"}, {"_ps", "ps"}, {"_pj", "pJ"}}};
  for (const auto& [end, unit] : units)
    if (name.ends_with(end)) return unit;
  return "";
}

}  // namespace

ActivityLog::Track RunRecorder::track(std::string_view path) {
  if (const auto known = tracks_.find(path); known != tracks_.end()) return known->second;
  const auto dot = path.rfind('.');
  const Track parent = dot == std::string_view::npos ? RunRecordWriter::no_track : track(path.substr(0, dot));
  const Track track = writer_.add_track(path.substr(dot + 1), TrackKind::activity, parent);
  tracks_.emplace(path, track);
  nodes_.emplace(track, node_of_source(path));
  return track;
}

// ---- what blocks report ----

// The next to end is in front of the heap.
constexpr auto ends_later = [](const auto& a, const auto& b) { return a.end > b.end; };

void RunRecorder::interval(Track track, Picoseconds begin, Picoseconds end, std::string_view what,
                           Details details, std::span<const Flow> flows) {
  time_passes(begin);
  if (end <= passed_) return writer_.interval(track, begin, end, what, details, flows);
  Future& future = futures_.emplace_back(
      Future{track, begin, end, std::string(what), {}, std::vector<Flow>(flows.begin(), flows.end())});
  for (const auto& [name, value] : details) future.details.emplace_back(name, value);
  std::ranges::push_heap(futures_, ends_later);
}

void RunRecorder::instant(Track track, Picoseconds at, std::string_view what, Details details,
                          std::span<const Flow> flows) {
  writer_.instant(track, at, what, details, flows);
}

// It may have passed further: cores are ahead of it, and so are the ends of some accesses.
void RunRecorder::time_passes(Picoseconds at) {
  passed_ = std::max(passed_, at);
  while (!futures_.empty() && futures_.front().end <= passed_) {
    std::ranges::pop_heap(futures_, ends_later);
    write(futures_.back());
    futures_.pop_back();
  }
}

void RunRecorder::write(const Future& future) {
  const std::vector<Detail> details(future.details.begin(), future.details.end());
  writer_.interval(future.track, future.begin, future.end, future.what, details, future.flows);
}

void RunRecorder::cut(const Future& future, Picoseconds at, std::string_view outcome) {
  if (future.begin > at) return;
  std::vector<Detail> details(future.details.begin(), future.details.end());
  details.emplace_back("outcome", std::string(outcome));
  writer_.interval(future.track, future.begin, at, future.what, details, future.flows);
}

// ---- cores and events ----

std::size_t RunRecorder::add_core(const std::string& name, Activity activity) {
  const bool is_of_cluster = name.find('.') != std::string::npos;
  cores_.push_back({track(is_of_cluster ? name : "node." + name), activity, {}});
  return cores_.size() - 1;
}

void RunRecorder::end_activity(Core& core, Picoseconds at) {
  if (core.activity != Activity::off && at > core.since)
    writer_.interval(core.track, core.since, at, name_of(core.activity));
}

void RunRecorder::set(std::size_t index, Activity activity, Picoseconds at) {
  Core& core = cores_[index];
  if (core.activity == activity) return;
  end_activity(core, at);
  core.activity = activity;
  core.since = at;
}

void RunRecorder::close(const Open& open, Picoseconds at, std::string_view outcome) {
  std::vector<Detail> details(open.details.begin(), open.details.end());
  details.emplace_back("outcome", std::string(outcome));
  writer_.interval(open.track, open.since, at, open.name, details);
}

// Power or a reset ends what the node's devices had begun.
void RunRecorder::interrupt(std::string_view node, Picoseconds at) {
  std::erase_if(open_, [&](const Open& open) {
    if (node_of_source(open.source) != node) return false;
    close(open, at, "interrupted");
    return true;
  });
  std::erase_if(futures_, [&](const Future& future) {
    if (nodes_.at(future.track) != node) return false;
    cut(future, at, "interrupted");
    return true;
  });
  std::ranges::make_heap(futures_, ends_later);
}

void RunRecorder::record(Picoseconds at, std::string_view source, std::string_view kind,
                         std::initializer_list<Detail> details) {
  time_passes(at);
  const auto version = std::ranges::find(details, "version", &Detail::first);
  const auto identity = version == details.end() ? std::nullopt : std::optional<Value>(version->second);
  for (const Span& span : spans) {
    if (span.ends != kind) continue;
    const auto open = std::ranges::find_if(open_, [&](const Open& each) {
      return each.begins == span.begins && each.source == source && each.version == identity;
    });
    if (open == open_.end()) continue;
    close(*open, at, span.outcome);
    open_.erase(open);
    return;
  }
  if (kind == "power_lost" || kind == "warm_reset" || kind == "power_off")
    interrupt(node_of_source(source), at);
  if (const auto span = std::ranges::find(spans, kind, &Span::begins); span != spans.end()) {
    Open open{.track = track(source),
              .source = std::string(source),
              .name = std::string(span->name),
              .begins = std::string(kind),
              .version = identity,
              .since = at,
              .details = {}};
    for (const auto& [name, value] : details) open.details.emplace_back(name, value);
    open_.push_back(std::move(open));
    return;
  }
  writer_.instant(track(source), at, kind, details);
}

void RunRecorder::output(Picoseconds at, std::string_view name, std::string_view text) {
  Line& line = lines_[std::string(name)];
  for (const char c : text) {
    if (line.text.empty()) line.since = at;
    if (c == '\n')
      end_line(name, line);
    else
      line.text += c;
  }
}

void RunRecorder::end_line(std::string_view name, Line& line) {
  const std::array<Detail, 1> details = {{{"text", std::exchange(line.text, "")}}};
  writer_.instant(track(name), line.since, "output", details);
}

std::vector<RunRecorder::Begun> RunRecorder::begun() {
  std::vector<Begun> all;
  all.reserve(cores_.size() + open_.size());
  for (const Core& core : cores_)
    if (core.activity != Activity::off)
      all.push_back({core.track, writer_.text(name_of(core.activity)), core.since});
  for (const Open& open : open_) all.push_back({open.track, writer_.text(open.name), open.since});
  return all;
}

std::vector<std::pair<std::string, std::string>> RunRecorder::begun_lines() const {
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& [name, line] : lines_)
    if (!line.text.empty()) all.emplace_back(name, line.text);
  return all;
}

void RunRecorder::sample(Picoseconds at, const Statistics& statistics) {
  if (!samples_) samples_ = {writer_.add_track("samples", TrackKind::counter), 0};
  writer_.value(samples_->track, at, ++samples_->value);
  std::string path;
  sample(at, statistics, path);
}

void RunRecorder::sample(Picoseconds at, const Statistics& statistics, std::string& path) {
  const std::size_t length = path.size();
  for (const auto& [name, value] : statistics.entries()) {
    path.append(length == 0 ? "" : ".").append(name);
    if (const auto* const group = std::get_if<std::unique_ptr<Statistics>>(&value)) {
      sample(at, **group, path);
    } else if (const auto* const number = std::get_if<std::uint64_t>(&value)) {
      auto counter = counters_.find(path);
      if (counter == counters_.end()) {
        const Track parent = length == 0 ? RunRecordWriter::no_track : track(path.substr(0, length));
        const Track track = writer_.add_track(name, TrackKind::counter, parent, unit_of(name));
        counter = counters_.emplace(path, Counter{track, ~*number}).first;
      }
      if (std::exchange(counter->second.value, *number) != *number)
        writer_.value(counter->second.track, at, *number);
    }
    path.resize(length);
  }
}

void RunRecorder::finish(Picoseconds at) {
  time_passes(at);
  for (const Future& future : futures_) cut(future, at, "in progress at the end");
  for (Core& core : cores_) end_activity(core, at);
  for (const Open& open : open_) close(open, at, "in progress at the end");
  for (auto& [name, line] : lines_)
    if (!line.text.empty()) end_line(name, line);
  writer_.finish();
}

}  // namespace asterism
