#include "cosim/rtl_operations.h"

#include <fmt/format.h>

#include <stdexcept>

#include "cosim/hang_watch.h"

namespace asterism {

RtlOperations::RtlOperations(std::shared_ptr<const RtlLibrary> library, Settings settings)
    : settings_(std::move(settings)),
      rtl_(std::move(library), settings_.instance),
      in_valid_(rtl_.port("in.valid")),
      out_valid_(rtl_.port("out.valid")) {
  if (settings_.impl == Impl::model) throw std::invalid_argument("RTL answers or is in lockstep");
}

void RtlOperations::begin(const RtlOptions& options) {
  timeline_.emplace(rtl_, RtlTimeline::Settings{.clock = settings_.clock, .trace = settings_.trace}, options);
  if (const auto file = timeline_->window_file())
    first_.trace_to(file->string(), settings_.trace.window,
                    [this](const std::string&, Picoseconds window) { timeline_->write_window(window); });
  start(Picoseconds(0));
}

void RtlOperations::restart() {
  if (!mismatch()) start(timeline_->time());
}

void RtlOperations::start(Picoseconds at) {
  const HangWatch::Scope scope(instance());
  rtl_.reset();
  timeline_->start(at);
}

void RtlOperations::finish(Picoseconds now) {
  if (mismatch()) return;
  try {
    timeline_->catch_up(now);
  } catch (const RtlError& error) {
    report_mismatch(failed(now, error, "goes on"));
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

Lockstep::Mismatch RtlOperations::found(Picoseconds at, std::string what, std::string model,
                                        std::string rtl) const {
  Lockstep::Mismatch mismatch;
  mismatch.at = at;
  mismatch.instance = instance();
  mismatch.what = std::move(what);
  mismatch.model = std::move(model);
  mismatch.rtl = std::move(rtl);
  return mismatch;
}

Lockstep::Mismatch RtlOperations::failed(Picoseconds at, const RtlError& error, std::string model) const {
  return found(at, "RTL failed", settings_.impl == Impl::rtl ? "" : std::move(model),
               report_reason(error.what(), instance()));
}

void RtlOperations::report_mismatch(Lockstep::Mismatch mismatch) {
  const Lockstep::Mismatch& kept = first_.keep(std::move(mismatch));
  if (on_mismatch) on_mismatch(kept);
}

std::string RtlOperations::unequal(std::initializer_list<std::pair<const char*, bool>> fields) {
  std::string names;
  for (const auto& [name, equal] : fields)
    if (!equal) names += (names.empty() ? "" : ", ") + std::string(name);
  return names;
}

void RtlOperations::report(Statistics& statistics) const {
  statistics.add("impl", to_text(settings_.impl));
  statistics.add("operations", operations());
  if (settings_.impl == Impl::lockstep) statistics.add("mismatches", std::uint64_t{mismatch().has_value()});
  coverage_.report(statistics.group("coverage"));
}

std::vector<std::string> RtlOperations::summary() const {
  std::string line = fmt::format("{}: {}, {} operations", instance(), to_text(settings_.impl), operations());
  if (settings_.impl == Impl::lockstep) line += mismatch() ? ", 1 mismatch" : ", 0 mismatches";
  std::vector<std::string> lines{line};
  for (const std::string& group : coverage_.text()) lines.push_back("reached " + group);
  return lines;
}

}  // namespace asterism
