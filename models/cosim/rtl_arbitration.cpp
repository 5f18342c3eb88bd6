#include "cosim/rtl_arbitration.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "cosim/hang_watch.h"
#include "cosim/report_text.h"
#include "cosim/rtl_recorder.h"
#include "cosim/rtl_trace.h"

namespace asterism {
namespace {

bool is_one_of(const RequestSet& grant, const RequestSet& requests) {
  const bool one = (grant[0] == 0) != (grant[1] == 0) && (grant[0] & (grant[0] - 1)) == 0 &&
                   (grant[1] & (grant[1] - 1)) == 0;
  return one && (grant[0] & ~requests[0]) == 0 && (grant[1] & ~requests[1]) == 0;
}

unsigned only_member(const RequestSet& set) {
  return static_cast<unsigned>(set[0] != 0 ? std::countr_zero(set[0]) : 64 + std::countr_zero(set[1]));
}

void check_block(const RtlLibrary& library, const RtlArbitration::Settings& settings) {
  const auto refuse = [&](const std::string& what) {
    throw RtlError(
        fmt::format("{}: {} ({}) {}", settings.instance, library.name(), library.file().string(), what));
  };
  if (library.contract() != "arbiter")
    refuse(fmt::format("is a block of the contract {}, expected arbiter", library.contract()));
  if (settings.inputs > max_hook_radix)
    refuse(fmt::format("cannot arbitrate {} inputs: there are at most {}", settings.inputs, max_hook_radix));
  for (const auto& [role, direction] :
       {std::pair{"request", ASTERISM_RTL_INPUT}, {"grant", ASTERISM_RTL_OUTPUT}})
    if (const std::uint32_t width =
            library.ports()[library.index_of(role, static_cast<std::uint32_t>(direction))].width;
        width < settings.inputs)
      refuse(fmt::format(
          "has {} bits of {}, the switch has {} inputs: build it with as many, or let block.json name "
          "the parameter as its \"radix\"",
          width, role, settings.inputs));
}

std::string name_or_number(const std::vector<std::string>& names, unsigned index) {
  return index < names.size() ? names[index] : std::to_string(index);
}

std::vector<std::string> names_or_numbers(const std::vector<std::string>& names, unsigned count,
                                          unsigned first = 0) {
  std::vector<std::string> all = names;
  for (unsigned i = static_cast<unsigned>(all.size()); i < count; ++i)
    all.push_back(std::to_string(first + i));
  all.resize(count);
  return all;
}

}  // namespace

// ---- one output ----

class RtlArbitration::Output final : public LockstepPeer {
 public:
  Output(const std::shared_ptr<const RtlLibrary>& library, const Settings& settings,
         const RtlOptions& options, unsigned output)
      : rtl_(library, settings.instance + "." + name_or_number(settings.output_names, output)),
        input_names_(names_or_numbers(settings.input_names, settings.inputs)),
        request_(rtl_.port("request")),
        grant_(rtl_.port("grant")),
        idle_(rtl_.port("idle")),
        impl_(settings.impl),
        period_(settings.period),
        skip_(options.skip),
        check_idle_(options.check_idle),
        traces_(options.traces),
        trace_(options, rtl_),
        lockstep_(rtl_.name(), *this, {}, settings.on_mismatch) {
    lockstep_.name_inputs(settings.input_names);
    reset(Reset::cold, {});
    if (settings.trace.on == TraceOn::never || traces_.empty() || !library->block().has_trace) return;
    window_ = settings.trace.window;
    recorder_.emplace(rtl_, RtlRecorder::Settings{.period = period_, .window = window_, .has_remarks = true});
    lockstep_.trace_to((traces_ / (rtl_.name() + suffix() + ".fst")).string(), window_);
  }

  Lockstep& lockstep() { return lockstep_; }
  std::uint64_t decisions() const { return decisions_; }

  void compare(Picoseconds now, const RequestSet& requests, unsigned choice) {
    if (lockstep_.is_over()) return;
    ++decisions_;
    Transaction transaction;
    transaction.at = now;
    transaction.kind = Transaction::Kind::arbitrate;
    transaction.bytes = 0;
    transaction.data = requests;
    Answer model;
    model.data[choice / 64] = std::uint64_t{1} << choice % 64;
    models_grant_ = model.data;
    lockstep_.compare(transaction, model);
  }

  // Returns the decision of the RTL alone; nullopt if it has failed, and `failure` says why.
  std::optional<unsigned> grant(Picoseconds now, const RequestSet& requests,
                                std::optional<Lockstep::Mismatch>& failure) {
    ++decisions_;
    try {
      const RequestSet grant = step(now, requests);
      if (is_one_of(grant, requests)) return only_member(grant);
      failure = failure_at(now, requests, "grants " + report_winner(grant, input_names_));
    } catch (const RtlError& error) {
      failure = failure_at(now, requests, error.what());
    }
    return std::nullopt;
  }

  // ---- as the peer ----

  void reset(Reset, Picoseconds) override {
    const HangWatch::Scope scope(rtl_.name());
    rtl_.reset();
    if (recorder_) recorder_->restart();
  }
  void catch_up(Picoseconds) override {}
  Answer answer(const Transaction& transaction) override {
    Answer answer;
    answer.data = step(transaction.at, transaction.data);
    return answer;
  }
  void write_window(Picoseconds window, TraceNotes notes) override;

  Picoseconds last() const { return last_; }

 private:
  std::string suffix() const { return trace_.wanted() ? ".mismatch" : ""; }

  void set_requests(const RequestSet& requests) {
    request_.set(requests[0]);
    if (request_.words() > 1) request_.set(requests[1], 1);
  }

  RequestSet step(Picoseconds now, const RequestSet& requests) {
    const HangWatch::Scope scope(rtl_.name());
    if (now > last_ + period_) idle_until(now, scope);
    last_ = now;
    set_requests(requests);
    if (recorder_) recorder_->record(now, 1, models_grant_);
    if (trace_.covers(now)) return traced_step(now);
    rtl_.settle();
    const RequestSet grant = granted();
    rtl_.edge();
    return grant;
  }

  RequestSet granted() const { return {grant_.get(), grant_.words() > 1 ? grant_.get(1) : 0}; }

  RequestSet traced_step(Picoseconds now) {
    traced_settle(rtl_, now, period_);
    const RequestSet grant = granted();
    traced_edge(rtl_, now);
    return grant;
  }
  void idle_until(Picoseconds now, const HangWatch::Scope& scope);
  bool claims_idle();
  void step_idle(Picoseconds first, std::uint64_t cycles, bool is_checked, const HangWatch::Scope& scope);
  void check_idle();
  Lockstep::Mismatch failure_at(Picoseconds now, const RequestSet& requests, const std::string& reason);

  RtlInstance rtl_;
  const std::vector<std::string> input_names_;  // or numbers
  RtlPort request_, grant_, idle_;
  Impl impl_;
  Picoseconds period_;
  bool skip_, check_idle_;
  std::filesystem::path traces_;
  Picoseconds window_;
  RtlTrace trace_;
  std::optional<RtlRecorder> recorder_;
  Lockstep lockstep_;
  Picoseconds last_;           // rising edge of the last decision
  RequestSet models_grant_{};  // in the present decision
  std::uint64_t decisions_ = 0;
};

// Steps the clock edges between the last decision and `now`.
void RtlArbitration::Output::idle_until(Picoseconds now, const HangWatch::Scope& scope) {
  set_requests({});
  const bool is_idle = claims_idle();
  if (is_idle && skip_ && !check_idle_ && !recorder_ && !trace_.wanted()) return;
  const std::uint64_t edges = (now - last_ - Picoseconds(1)) / period_;
  const std::uint64_t stepped = is_idle && skip_ ? std::uint64_t{check_idle_} : edges;
  if (stepped != 0) return step_idle(now - edges * period_, stepped, is_idle && check_idle_, scope);
  const Picoseconds released = last_ + period_ / 2;
  if (recorder_) recorder_->record(released, 0);
  if (!trace_.covers(released)) return;
  rtl_.settle();
  rtl_.trace(released.count());
}

// With the present requests.
bool RtlArbitration::Output::claims_idle() {
  if (idle_.width() == 0) return false;
  rtl_.settle();
  return idle_.is_set();
}

void RtlArbitration::Output::step_idle(Picoseconds first, std::uint64_t cycles, bool is_checked,
                                       const HangWatch::Scope& scope) {
  if (recorder_) recorder_->record(first, cycles);
  const Picoseconds end = first + (cycles - 1) * period_;
  const bool traced = trace_.covers(first);
  if (traced) traced_settle(rtl_, first, period_);
  if (is_checked)
    check_idle();
  else
    rtl_.run(1);
  if (traced) rtl_.trace(first.count());
  constexpr std::uint64_t stretch = 100'000;  // a long idle time is not a hang
  for (std::uint64_t left = cycles - 1; left != 0; left -= std::min(left, stretch)) {
    rtl_.run(std::min(left, stretch));
    scope.alive();
  }
  if (traced && end > first) rtl_.trace(end.count());
}

// Steps a cycle without requests, in which no byte of the state may change.
void RtlArbitration::Output::check_idle() {
  RtlInstance::Snapshot before, after;
  rtl_.settle();
  rtl_.save(before);
  rtl_.edge();
  rtl_.settle();
  rtl_.save(after);
  if (before != after)
    throw RtlError(rtl_.name() + ": its state changes in a cycle in which nobody requests");
}

// The marker begins with the cycle of the decision, in the low half of which the grant can be seen.
void RtlArbitration::Output::write_window(Picoseconds window, TraceNotes notes) {
  const std::filesystem::path file = trace_file(traces_, rtl_.name(), suffix());
  recorder_->write(file, window);
  const auto port = [this](const char* role) {
    return rtl_.library().ports()[*rtl_.library().find(role)].name;
  };
  notes.mismatch -= Picoseconds(std::min(notes.mismatch.count(), period_.count() / 2));
  notes.answers.clear();
  notes.vectors = {{.name = "request", .bits = input_names_, .port = port("request")},
                   {.name = "grant", .bits = input_names_, .port = port("grant")}};
  if (impl_ == Impl::lockstep)
    notes.vectors.push_back({.name = "model_grant", .bits = input_names_, .changes = recorder_->remarks()});
  add_notes(file, notes);
}

Lockstep::Mismatch RtlArbitration::Output::failure_at(Picoseconds now, const RequestSet& requests,
                                                      const std::string& reason) {
  Lockstep::Mismatch failure;
  failure.at = now;
  failure.instance = rtl_.name();
  failure.what = "RTL failed";
  failure.asked = "requests " + report_set(requests, input_names_);
  failure.rtl = report_reason(reason, rtl_.name());
  if (!recorder_) return failure;
  try {
    write_window(window_, {.mismatch = now});
    failure.trace = trace_file(traces_, rtl_.name(), suffix()).string();
    failure.window = window_;
  } catch (const RtlError& error) {
    failure.trace_error = error.what();
  }
  return failure;
}

// ---- all outputs ----

RtlArbitration::RtlArbitration(std::shared_ptr<const RtlLibrary> library, Settings settings,
                               const RtlOptions& options)
    : library_(std::move(library)),
      settings_(std::move(settings)),
      requested_while_won_(max_hook_radix),
      won_(max_hook_radix),
      at_once_(max_hook_radix) {
  if (settings_.impl == Impl::model || settings_.period == Picoseconds(0))
    throw std::invalid_argument("RTL arbitrates or is in lockstep, and has a clock");
  check_block(*library_, settings_);
  for (unsigned output = 0; output < settings_.outputs; ++output) {
    outputs_.push_back(std::make_unique<Output>(library_, settings_, options, output));
    outputs_.back()->lockstep().on_mismatch = [this](const Lockstep::Mismatch& mismatch) {
      report(mismatch);
    };
  }
}

RtlArbitration::~RtlArbitration() = default;

unsigned RtlArbitration::decide(Picoseconds now, unsigned output, const RequestSet& requests,
                                unsigned choice) {
  if (over_) return choice;
  if (settings_.impl == Impl::lockstep) {
    outputs_[output]->compare(now, requests, choice);
  } else {
    std::optional<Lockstep::Mismatch> failure;
    const auto winner = outputs_[output]->grant(now, requests, failure);
    if (failure) report(*failure);
    choice = winner.value_or(choice);
  }
  count(requests, choice);
  return choice;
}

void RtlArbitration::report(const Lockstep::Mismatch& mismatch) {
  over_ = mismatch.stops;
  if (!mismatch_) mismatch_ = mismatch;
  if (reported_++ < Mismatches::max_kept && on_mismatch) on_mismatch(mismatch);
}

std::uint64_t RtlArbitration::mismatches() const {
  std::uint64_t all = 0;
  for (const auto& output : outputs_) all += output->lockstep().mismatches();
  return all;
}

void RtlArbitration::count(const RequestSet& requests, unsigned winner) {
  RequestSet& others = requested_while_won_[winner];
  for (unsigned word = 0; word < requests.size(); ++word) {
    requesters_[word] |= requests[word];
    others[word] |= requests[word];
  }
  ++won_[winner];
  ++at_once_[static_cast<unsigned>(std::popcount(requests[0]) +
                                   (requests[1] == 0 ? 0 : std::popcount(requests[1]))) -
             1];
}

void RtlArbitration::reset(Reset kind) {
  if (over_) return;
  for (const auto& output : outputs_) {
    if (settings_.impl == Impl::lockstep)
      output->lockstep().reset(kind, output->last());
    else
      output->reset(kind, output->last());
  }
}

std::uint64_t RtlArbitration::decisions() const {
  std::uint64_t all = 0;
  for (const auto& output : outputs_) all += output->decisions();
  return all;
}

Coverage RtlArbitration::coverage() const {
  const unsigned inputs = settings_.inputs, outputs = settings_.outputs;
  const auto names = names_or_numbers(settings_.input_names, inputs);
  const auto is_in = [](const RequestSet& set, unsigned i) { return (set[i / 64] >> i % 64 & 1) != 0; };
  Coverage coverage;
  Coverage::Group& requesters = coverage.group("requesters", names);
  for (unsigned i = 0; i < inputs; ++i) requesters.hit(i, is_in(requesters_, i));
  Coverage::Group& winners = coverage.group("winners", names);
  for (unsigned i = 0; i < inputs; ++i) winners.hit(i, won_[i]);
  Coverage::Group& decided = coverage.group("outputs", names_or_numbers(settings_.output_names, outputs));
  for (unsigned i = 0; i < outputs; ++i) decided.hit(i, outputs_[i]->decisions());
  Coverage::Group& at_once = coverage.group("requests at once", names_or_numbers({}, inputs, 1));
  for (unsigned i = 0; i < inputs; ++i) at_once.hit(i, at_once_[i]);
  std::vector<std::size_t> two_or_more;
  for (unsigned i = 1; i < inputs; ++i) two_or_more.push_back(i);
  at_once.need_one_of(std::move(two_or_more), "never had two requests at once");

  std::vector<std::string> pair_names;
  for (unsigned a = 0; a < inputs; ++a)
    for (unsigned b = 0; b < inputs; ++b)
      if (a != b) pair_names.push_back(names[a] + " over " + names[b]);
  Coverage::Group& pairs = coverage.group("pairs", std::move(pair_names));
  for (unsigned a = 0, pair = 0; a < inputs; ++a)
    for (unsigned b = 0; b < inputs; ++b)
      if (a != b) pairs.hit(pair++, is_in(requested_while_won_[a], b));
  return coverage;
}

void RtlArbitration::report(Statistics& statistics) const {
  statistics.add("decisions", decisions());
  if (settings_.impl == Impl::lockstep) statistics.add("mismatches", mismatches());
  coverage().report(statistics.group("coverage"));
}

}  // namespace asterism
