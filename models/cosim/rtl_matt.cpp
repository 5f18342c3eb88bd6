#include "cosim/rtl_matt.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "cosim/hang_watch.h"
#include "cosim/matt_ports.h"
#include "cosim/mismatch.h"
#include "cosim/report_text.h"
#include "cosim/rtl_timeline.h"

namespace asterism {
namespace {

using Kind = MattOperation::Kind;

// What of the answers differs: "answer", "lines, phase, pending".
std::string differing(const MattAnswer& a, const MattAnswer& b) {
  std::string names;
  const auto name = [&](const char* field, bool equal) {
    if (!equal) names += (names.empty() ? "" : ", ") + std::string(field);
  };
  name("answer", a.yes == b.yes);
  if (a.choice && b.choice) {
    name("page", a.choice->page == b.choice->page);
    name("lines", a.choice->lines == b.choice->lines);
    name("phase", a.choice->phase == b.choice->phase);
    name("reason", a.choice->reason == b.choice->reason);
  }
  name("pending", a.work.pending == b.work.pending);
  name("candidates", a.work.candidates == b.work.candidates);
  return names;
}

std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  for (const auto& entry : enum_names(Kind{})) names.emplace_back(entry.name);
  return names;
}

}  // namespace

std::map<std::string, std::uint64_t> RtlMatt::parameters(const MattConfig& config, std::uint32_t pages) {
  return {{"Pages", pages},
          {"BufferEntries", config.buffer_entries},
          {"PhaseBits", config.phase_bits},
          {"EarlyWrites", config.early_writes}};
}

// ---- the block and what has become of it ----

class RtlMatt::Block {
 public:
  Block(std::shared_ptr<const RtlLibrary> library, const Settings& settings, const RtlOptions& options)
      : settings_(settings),
        patience_(10'000 + std::uint64_t{settings.pages} +
                  16 * std::uint64_t{settings.config.buffer_entries}),
        rtl_(std::move(library), settings.instance),
        ports_(rtl_),
        timeline_(rtl_, {.clock = settings.clock, .trace = settings.trace}, options),
        operations_(coverage_.group("operations", operation_names())),
        outcomes_(
            coverage_.group("outcomes", {"write not ready", "write ready", "peek not ready", "peek ready",
                                         "next priority", "next pending", "next candidate", "next none",
                                         "take", "take none", "copied", "copied with a write waiting"})) {
    check_parameters();
    if (const auto file = timeline_.window_file())
      first_.trace_to(file->string(), settings.trace.window,
                      [this](const std::string&, Picoseconds window) { timeline_.write_window(window); });
    restart(Picoseconds(0));
  }

  // What the RTL, or where it stands in the model, answers.
  MattAnswer operate(const MattOperation& operation, const MattAnswer& model) {
    if (first_.mismatch()) return model;
    const Picoseconds now = settings_.now();
    Past& past = past_.next();
    past = {now, operation, model};
    ++asked_;
    try {
      rtl_answer_ = ask(now, operation);
    } catch (const RtlError& error) {
      const bool stands_alone = settings_.impl == Impl::rtl;
      differ(now, operation, "RTL failed", stands_alone ? "" : to_text(operation, model),
             report_reason(error.what(), rtl_.name()));
      return model;
    }
    if (operation.kind == Kind::peek) rtl_answer_.work = model.work;  // the seat is not told of it
    if (settings_.impl == Impl::lockstep && rtl_answer_ != model) {
      differ(now, operation, differing(model, rtl_answer_), to_text(operation, model),
             to_text(operation, rtl_answer_));
      return model;
    }
    past.answer = rtl_answer_;
    count(operation.kind, rtl_answer_);
    return rtl_answer_;
  }

  void reset() {
    if (!first_.mismatch()) restart(timeline_.time());
  }
  void finish(Picoseconds now) {
    if (first_.mismatch()) return;
    try {
      timeline_.catch_up(now);
    } catch (const RtlError& error) {
      tell(found(now, "RTL failed", settings_.impl == Impl::rtl ? "" : "goes on",
                 report_reason(error.what(), rtl_.name())));
    }
  }

  std::function<void(const Lockstep::Mismatch&)> on_mismatch;

  const Settings& settings() const { return settings_; }
  std::uint64_t asked() const { return asked_; }
  const std::optional<Lockstep::Mismatch>& mismatch() const { return first_.mismatch(); }
  const Coverage& coverage() const { return coverage_; }

 private:
  struct Past {
    Picoseconds at;
    MattOperation operation;
    MattAnswer answer;
  };

  // A model of one shape beside RTL of another would differ sooner or later.
  void check_parameters() const {
    for (const auto& [name, wanted] : parameters(settings_.config, settings_.pages))
      if (const auto has = rtl_.library().parameter(name); has && *has != wanted)
        throw RtlError(fmt::format("{}: {} ({}) was built with {}={}, the model has {}", rtl_.name(),
                                   rtl_.library().name(), rtl_.library().file().string(), name, *has,
                                   wanted));
  }

  void restart(Picoseconds at) {
    const HangWatch::Scope scope(rtl_.name());
    rtl_.reset();
    timeline_.start(at);
  }

  MattAnswer ask(Picoseconds now, const MattOperation& operation) {
    timeline_.catch_up(now);
    const HangWatch::Scope scope(rtl_.name());
    ports_.ask(operation);
    timeline_.inputs_changed();
    for (std::uint64_t cycle = 0; cycle < patience_; ++cycle) {
      timeline_.settle();
      std::optional<MattAnswer> answer;
      if (cycle != 0 && ports_.answers()) answer = ports_.answer(operation.kind);
      timeline_.edge();
      if (cycle == 0) {
        ports_.ask_nothing();
        timeline_.inputs_changed();
      }
      if (answer) return *answer;
      scope.alive();
    }
    throw RtlError(fmt::format("{}: no answer: {} was low for {} cycles", rtl_.name(),
                               rtl_.library().ports()[*rtl_.library().find("out.valid")].name, patience_));
  }

  void count(Kind kind, const MattAnswer& answer) {
    operations_.hit(static_cast<std::size_t>(kind));
    switch (kind) {
      case Kind::write:
        return outcomes_.hit(answer.yes);
      case Kind::peek:
        return outcomes_.hit(2 + answer.yes);
      case Kind::next:
        return outcomes_.hit(answer.choice ? 4 + static_cast<std::size_t>(answer.choice->reason) : 7);
      case Kind::take:
        return outcomes_.hit(answer.choice ? 8 : 9);
      case Kind::copied:
        return outcomes_.hit(answer.yes ? 11 : 10);
      default:
        return;
    }
  }

  Lockstep::Mismatch found(Picoseconds at, std::string what, std::string model, std::string rtl) const {
    Lockstep::Mismatch mismatch;
    mismatch.at = at;
    mismatch.instance = rtl_.name();
    mismatch.what = std::move(what);
    mismatch.model = std::move(model);
    mismatch.rtl = std::move(rtl);
    return mismatch;
  }

  void differ(Picoseconds at, const MattOperation& operation, std::string what, std::string model,
              std::string rtl) {
    Lockstep::Mismatch mismatch = found(at, std::move(what), std::move(model), std::move(rtl));
    mismatch.asked = to_text(operation);
    past_.for_each([&](const Past& past) {
      mismatch.history.push_back(fmt::format("{}  {} -> {}", report_time(past.at), to_text(past.operation),
                                             to_text(past.operation, past.answer)));
    });
    tell(std::move(mismatch));
  }

  void tell(Lockstep::Mismatch mismatch) {
    const Lockstep::Mismatch& kept = first_.keep(std::move(mismatch));
    if (on_mismatch) on_mismatch(kept);
  }

  Settings settings_;
  std::uint64_t patience_;  // cycles
  RtlInstance rtl_;
  MattPorts ports_;
  RtlTimeline timeline_;
  MattAnswer rtl_answer_;
  LastFew<Past> past_;
  FirstMismatch first_;
  std::uint64_t asked_ = 0;
  Coverage coverage_;
  Coverage::Group &operations_, &outcomes_;
};

// ---- the seat ----

RtlMatt::RtlMatt(std::shared_ptr<const RtlLibrary> library, const Settings& settings,
                 const RtlOptions& options) {
  if (settings.impl == Impl::model) throw std::invalid_argument("RTL answers or is in lockstep");
  block_ = std::make_unique<Block>(std::move(library), settings, options);
  block_->on_mismatch = [this](const Lockstep::Mismatch& mismatch) {
    if (on_mismatch) on_mismatch(mismatch);
  };
}

RtlMatt::~RtlMatt() = default;

void RtlMatt::track(std::uint32_t page, bool tracked, Matt::Work& work) {
  work = block_->operate({.kind = Kind::track, .page = page, .flag = tracked}, {.work = work}).work;
}

void RtlMatt::mark(std::uint32_t page, Matt::Work& work) {
  work = block_->operate({.kind = Kind::mark, .page = page}, {.work = work}).work;
}

void RtlMatt::write(std::uint32_t page, std::uint64_t lines, Matt::Answer& answer, Matt::Work& work) {
  const MattAnswer given = block_->operate({.kind = Kind::write, .page = page, .lines = lines},
                                           {.yes = answer == Matt::Answer::ready, .work = work});
  answer = given.yes ? Matt::Answer::ready : Matt::Answer::not_ready;
  work = given.work;
}

void RtlMatt::peek(std::uint32_t page, Matt::Answer& answer) {
  const MattAnswer given =
      block_->operate({.kind = Kind::peek, .page = page}, {.yes = answer == Matt::Answer::ready});
  answer = given.yes ? Matt::Answer::ready : Matt::Answer::not_ready;
}

void RtlMatt::begin_phase(Matt::Work& work) {
  work = block_->operate({.kind = Kind::begin_phase}, {.work = work}).work;
}

void RtlMatt::next(bool candidates_too, std::optional<Matt::Choice>& choice, Matt::Work& work) {
  const MattAnswer given =
      block_->operate({.kind = Kind::next, .flag = candidates_too}, {choice.has_value(), choice, work});
  choice = given.choice;
  work = given.work;
}

void RtlMatt::take(std::uint32_t page, std::optional<Matt::Choice>& choice, Matt::Work& work) {
  const MattAnswer given =
      block_->operate({.kind = Kind::take, .page = page}, {choice.has_value(), choice, work});
  choice = given.choice;
  work = given.work;
}

void RtlMatt::copied(std::uint32_t page, bool& waited, Matt::Work& work) {
  const MattAnswer given =
      block_->operate({.kind = Kind::copied, .page = page}, {.yes = waited, .work = work});
  waited = given.yes;
  work = given.work;
}

void RtlMatt::reset(Reset) { block_->reset(); }
void RtlMatt::finish(Picoseconds now) { block_->finish(now); }

const std::string& RtlMatt::instance() const { return block_->settings().instance; }
std::uint64_t RtlMatt::operations() const { return block_->asked(); }
const std::optional<Lockstep::Mismatch>& RtlMatt::mismatch() const { return block_->mismatch(); }
const Coverage& RtlMatt::coverage() const { return block_->coverage(); }

void RtlMatt::report(Statistics& statistics) const {
  statistics.add("impl", to_text(block_->settings().impl));
  statistics.add("operations", operations());
  if (block_->settings().impl == Impl::lockstep)
    statistics.add("mismatches", std::uint64_t{mismatch().has_value()});
  coverage().report(statistics.group("coverage"));
}

std::vector<std::string> RtlMatt::summary() const {
  const Impl impl = block_->settings().impl;
  std::string line = fmt::format("{}: {}, {} operations", instance(), to_text(impl), operations());
  if (impl == Impl::lockstep) line += mismatch() ? ", 1 mismatch" : ", 0 mismatches";
  std::vector<std::string> lines{line};
  for (const std::string& group : coverage().text()) lines.push_back("reached " + group);
  return lines;
}

}  // namespace asterism
