#include "cosim/rtl_operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "cosim/hang_watch.h"

namespace asterism {

RtlOperations::RtlOperations(std::shared_ptr<const RtlLibrary> library, Settings settings)
    : settings_(std::move(settings)),
      rtl_(std::move(library), settings_.instance),
      in_valid_(rtl_.port("in.valid")),
      out_valid_(rtl_.port("out.valid")),
      mismatches_(settings_.on_mismatch) {
  if (settings_.impl == Impl::model) throw std::invalid_argument("RTL answers or is in lockstep");
}

void RtlOperations::begin(const RtlOptions& options) {
  timeline_.emplace(rtl_, RtlTimeline::Settings{.clock = settings_.clock, .trace = settings_.trace}, options);
  if (const auto file = timeline_->window_file())
    mismatches_.trace_to(
        file->string(), settings_.trace.window, [this](const Lockstep::Mismatch&, Picoseconds window) {
          // The cycle of the answer ends with the last edge.
          const Picoseconds edge = timeline_->time(), half = duration(Cycles(1), settings_.clock) / 2;
          timeline_->write_window(window,
                                  {.mismatch = edge - std::min(edge, half), .answers = past_answers()});
        });
  start(Picoseconds(0));
}

void RtlOperations::restart() {
  if (!is_over()) start(timeline_->time());
}

void RtlOperations::start(Picoseconds at) {
  const HangWatch::Scope scope(instance());
  rtl_.reset();
  timeline_->start(at);
}

void RtlOperations::finish(Picoseconds now) {
  if (is_over()) return;
  try {
    timeline_->catch_up(now);
  } catch (const RtlError& error) {
    add_failure(now, error, [] { return Lockstep::Mismatch{.model = "goes on"}; });
  }
}

// ---- an exchange ----

void RtlOperations::seek(Picoseconds now) {
  ++asked_;
  timeline_->catch_up(now);
}

void RtlOperations::await_answer() {
  const HangWatch::Scope scope(instance());
  timeline_->inputs_changed();
  for (std::uint64_t cycle = 0; cycle < settings_.max_cycles; ++cycle) {
    timeline_->settle();
    if (out_valid_.is_set() && (cycle != 0 || settings_.answers_at_once)) return;
    leave_cycle();
  }
  throw RtlError(fmt::format("{}: no answer: {} was low for {} cycles", instance(),
                             rtl_.library().ports()[*rtl_.library().find("out.valid")].name,
                             settings_.max_cycles));
}

// The operation is requested in one cycle only.
void RtlOperations::leave_cycle() {
  const HangWatch::Scope scope(instance());
  timeline_->edge();
  if (!in_valid_.is_set()) return;
  in_valid_.set(0);
  timeline_->inputs_changed();
}

// ---- the outcome ----

void RtlOperations::add_failure(Picoseconds at, const RtlError& error, const Describe& describe) {
  const auto described = [&] {
    Lockstep::Mismatch mismatch = describe();
    mismatch.what = "RTL failed";
    if (settings_.impl == Impl::rtl) mismatch.model.clear();
    mismatch.rtl = report_reason(error.what(), instance());
    return mismatch;
  };
  add(at, true, described);
}

void RtlOperations::add(Picoseconds at, bool rtl_failed, const Describe& describe) {
  const Lockstep::Mismatch* const kept = mismatches_.add(rtl_failed, [&] {
    Lockstep::Mismatch mismatch = describe();
    mismatch.at = at;
    mismatch.instance = instance();
    for (const auto& [then, text] : past_answers())
      mismatch.history.push_back(report_time(then) + "  " + text);
    return mismatch;
  });
  if (kept != nullptr && on_mismatch) on_mismatch(*kept);
}

std::string RtlOperations::unequal(std::initializer_list<std::pair<const char*, bool>> fields) {
  std::string names;
  for (const auto& [name, equal] : fields)
    if (!equal) names += (names.empty() ? "" : ", ") + std::string(name);
  return names;
}

std::optional<BlockCoverage> RtlOperations::block_coverage(std::string block) const {
  if (settings_.impl != Impl::lockstep) return std::nullopt;
  return BlockCoverage{std::move(block), instance(), "", coverage_};
}

void RtlOperations::report(Statistics& statistics) const {
  statistics.add("impl", to_text(settings_.impl));
  statistics.add("operations", operations());
  if (settings_.impl == Impl::lockstep) statistics.add("mismatches", mismatches());
  coverage_.report(statistics.group("coverage"));
}

std::vector<std::string> RtlOperations::summary() const {
  std::string line = fmt::format("{}: {}, {} operations", instance(), to_text(settings_.impl), operations());
  if (settings_.impl == Impl::lockstep) line += ", " + mismatch_count(mismatches());
  std::vector<std::string> lines{line};
  for (const std::string& group : coverage_.text()) lines.push_back("reached " + group);
  return lines;
}

}  // namespace asterism
