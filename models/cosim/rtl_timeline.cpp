#include "cosim/rtl_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "cosim/hang_watch.h"
#include "cosim/report_text.h"

namespace asterism {
namespace {

// Bounds the batches, so that a slow block does not count as hanging.
constexpr std::uint64_t batch_limit = 4096;
constexpr std::uint64_t forever = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t batch_until_idle = 16;

bool is_seen_outside(std::string_view role) {
  return role.starts_with("interrupt.") || role.starts_with("master.");
}

}  // namespace

RtlTimeline::RtlTimeline(RtlInstance& instance, const Settings& settings, const RtlOptions& options)
    : instance_(instance),
      settings_(settings),
      options_(options),
      trace_(options, instance),
      idle_(instance.port("idle")),
      next_event_(instance.port("next_event")) {
  const RtlLibrary& library = instance.library();
  if (!library.block().has_clock)
    throw RtlError(
        fmt::format("{}: {} has no clock, there is nothing to step", instance.name(), library.name()));
  const std::uint32_t width = next_event_.width();
  never_ = width == 0 || width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  for (std::uint32_t i = 0; i < library.ports().size(); ++i) {
    const AsterismRtlPort& port = library.ports()[i];
    if (port.direction != ASTERISM_RTL_OUTPUT || !is_seen_outside(port.role)) continue;
    const RtlPort output = instance.port_at(i);
    seen_.push_back({output, i, std::vector<std::uint64_t>(output.words())});
  }
  if (settings.trace.on != TraceOn::never && !options.traces.empty() && library.block().has_trace)
    recorder_.emplace(instance, RtlRecorder::Settings{.period = period(), .window = settings.trace.window});
}

void RtlTimeline::start(Picoseconds at) {
  start_ = at;
  cycles_ = tried_ = 0;
  inputs_changed();
  if (recorder_) recorder_->restart();
  check_outputs();
}

std::uint64_t RtlTimeline::cycles_until(Picoseconds now) const {
  return now <= start_ ? 0 : cycles_in(now - start_, settings_.clock).count();
}

void RtlTimeline::advance(Picoseconds now) {
  const std::uint64_t due = cycles_until(now);
  if (cycles_ >= due) return;
  const HangWatch::Scope scope(instance_.name());
  if (idle()) {
    if (options_.check_idle) prove_idle();
    if (options_.skip) {
      cycles_ = due;
      return;
    }
  }
  if (const std::uint64_t count = batch(due - cycles_); count > 1)
    run(count);
  else
    step();
}

// How many of the due cycles can be stepped without a check in between.
std::uint64_t RtlTimeline::batch(std::uint64_t due) const {
  if (trace_.wanted()) return 1;
  if (seen_.empty()) return std::min(due, idle_.width() == 0 ? batch_limit : batch_until_idle);
  if (checks() || fresh_inputs_) return 1;
  const std::uint64_t quiet = std::max(tried_, cycles_) - cycles_;
  return std::clamp<std::uint64_t>(std::max(next_event_.get(), quiet), 1, std::min(due, batch_limit));
}

void RtlTimeline::run(std::uint64_t cycles) {
  if (recorder_) recorder_->record(next_edge(), cycles);
  instance_.run(cycles);
  cycles_ += cycles;
  fresh_inputs_ = false;
  check_outputs();
}

void RtlTimeline::settle() {
  const Picoseconds at = next_edge();
  if (recorder_ && !quiet_) recorder_->record(at);
  traced_ = !quiet_ && trace_.covers(at);
  if (traced_)
    traced_settle(instance_, at, period());
  else
    instance_.settle();
}

void RtlTimeline::edge() {
  if (traced_)
    traced_edge(instance_, next_edge());
  else
    instance_.edge();
  ++cycles_;
  fresh_inputs_ = false;
  check_outputs();
}

void RtlTimeline::check_outputs() {
  const bool changed = take_outputs();
  if (checks() && !fresh_inputs_) take_promise();
  if (changed && on_change && !quiet_) on_change(time());
}

// Returns whether an externally visible output has changed.
bool RtlTimeline::take_outputs() {
  bool changed = false;
  for (Output& output : seen_)
    for (std::uint32_t word = 0; word < output.value.size(); ++word) {
      const std::uint64_t value = output.port.get(word);
      if (value == output.value[word]) continue;
      if (cycles_ < promised_) next_event_lied(output);
      output.value[word] = value;
      changed = true;
    }
  return changed;
}

void RtlTimeline::take_promise() {
  const std::uint64_t claim = next_event_.get(), longest = forever - cycles_;
  if (claim != 0)
    promised_ = std::max(promised_, cycles_ + (claim == never_ ? longest : std::min(claim, longest)));
}

void RtlTimeline::keep(Moment& moment) const {
  instance_.save(moment.state);
  moment.cycles = cycles_;
  moment.promised = promised_;
  moment.fresh_inputs = fresh_inputs_;
}

void RtlTimeline::return_to(const Moment& moment) {
  instance_.restore(moment.state);
  cycles_ = moment.cycles;
  promised_ = tried_ = 0;
  take_outputs();
  promised_ = moment.promised;
  fresh_inputs_ = moment.fresh_inputs;
}

// The edge at which an externally visible output changes, or up to which none does.
std::uint64_t RtlTimeline::try_ahead() {
  if (tried_ > cycles_) return tried_;
  const HangWatch::Scope scope(instance_.name());
  const std::uint64_t quantum = cycles_in(settings_.quantum, settings_.clock).count();
  const std::uint64_t last = cycles_ + std::clamp<std::uint64_t>(quantum, 1, batch_limit);
  keep(origin_);
  promised_ = 0;  // a broken promise is detected at its edge
  bool changes = false;
  while (!changes && cycles_ < last) {
    instance_.settle();
    instance_.edge();
    ++cycles_;
    changes = take_outputs();
    scope.alive();
  }
  const std::uint64_t found = cycles_;
  return_to(origin_);
  return tried_ = found;
}

std::optional<Picoseconds> RtlTimeline::next_event() {
  const bool unknown = !seen_.empty() && !fresh_inputs_ && !idle_.is_set() && next_event_.get() == 0;
  return unknown ? time_of(try_ahead()) : next_check();
}

std::optional<Picoseconds> RtlTimeline::next_check() const {
  if (seen_.empty()) return std::nullopt;
  if (fresh_inputs_) return next_edge();
  if (idle_.is_set()) return std::nullopt;
  const std::uint64_t claim = next_event_.get();
  if (claim == 0) return std::max(next_edge(), time() + settings_.quantum);
  const std::uint64_t last = cycles_in(Picoseconds(forever) - start_, settings_.clock).count();
  if (claim == never_ || claim >= last - std::min(cycles_, last)) return std::nullopt;
  return time_of(cycles_ + claim);
}

std::optional<std::filesystem::path> RtlTimeline::window_file() const {
  if (!recorder_) return std::nullopt;
  return options_.traces / (instance_.name() + (trace_.wanted() ? ".mismatch.fst" : ".fst"));
}

void RtlTimeline::write_window(Picoseconds window, const TraceNotes& notes) const {
  const auto file = trace_file(options_.traces, instance_.name(), trace_.wanted() ? ".mismatch" : "");
  recorder_->write(file, window);
  add_notes(file, notes);
}

// One more cycle, with the clock high before and after: a block at its fixed point then has the same state,
// to the last byte. Assertions lag behind the block, with values of the cycle before and those that they have
// sampled.
void RtlTimeline::prove_idle() {
  const auto one_more = [this] {
    instance_.settle();
    instance_.edge();
  };
  for (unsigned lag = instance_.library().block().has_assertions ? 2 : 0; lag > 0; --lag) one_more();
  instance_.save(before_);
  one_more();
  instance_.save(after_);
  if (before_ == after_) return;
  std::size_t differ = std::max(before_.size(), after_.size()) - std::min(before_.size(), after_.size());
  for (std::size_t i = 0; i < std::min(before_.size(), after_.size()); ++i) differ += before_[i] != after_[i];
  throw RtlError(fmt::format(
      "{}: {} lies at {}: state changed in a cycle in which it claimed to be idle ({} of {} bytes)",
      instance_.name(), port_name("idle"), report_time(time()), differ, after_.size()));
}

void RtlTimeline::next_event_lied(const Output& output) const {
  const std::uint64_t early = promised_ - cycles_;
  const std::string how_early =
      promised_ == forever ? "though it said never"
                           : fmt::format("{} cycle{} earlier than it said", early, early == 1 ? "" : "s");
  throw RtlError(fmt::format("{}: {} lies at {}: {} changed {}", instance_.name(), port_name("next_event"),
                             report_time(time()), instance_.library().ports()[output.index].name, how_early));
}

std::string RtlTimeline::port_name(const char* role) const {
  const auto index = instance_.library().find(role);
  return index ? instance_.library().ports()[*index].name : role;
}

}  // namespace asterism
