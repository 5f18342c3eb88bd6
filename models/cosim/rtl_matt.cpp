#include "cosim/rtl_matt.h"

#include <utility>

#include "cosim/rtl_contract.h"

namespace asterism {
namespace {

using Kind = MattOperation::Kind;

// A phase ends page by page of the buffer and in words of the table: the number of cycles within which an
// answer must come.
std::uint64_t max_cycles(const RtlMatt::Settings& settings) {
  return 10'000 + std::uint64_t{settings.pages} + 16 * std::uint64_t{settings.config.buffer_entries};
}

}  // namespace

std::map<std::string, std::uint64_t> RtlMatt::parameters(const MattConfig& config, std::uint32_t pages) {
  return matt_block_parameters(config, pages);
}

RtlMatt::RtlMatt(std::shared_ptr<const RtlLibrary> library, const Settings& settings,
                 const RtlOptions& options)
    : RtlOperationsOf(std::move(library), {.instance = settings.instance,
                                           .impl = settings.impl,
                                           .clock = settings.clock,
                                           .on_mismatch = settings.on_mismatch,
                                           .trace = settings.trace,
                                           .max_cycles = max_cycles(settings),
                                           .answers_at_once = false}),
      now_(settings.now),
      ports_(rtl()),
      operations_(coverage_group("operations", points_of<Kind>())),
      outcomes_(coverage_group("outcomes", {"write not ready", "write ready", "peek not ready", "peek ready",
                                            "next priority", "next pending", "next candidate", "next none",
                                            "take", "take none", "copied", "copied with a write waiting"})) {
  operations_.need_each("never executed");
  outcomes_.need_one_of({0}, "never made a write wait");
  outcomes_.need_one_of({11}, "never released a write that waited");
  check_parameters(rtl(), parameters(settings.config, settings.pages));
  begin(options);
}

// ---- the hook ----

void RtlMatt::track(std::uint32_t page, bool tracked, Matt::Work& work) {
  work = answer_to({.kind = Kind::track, .page = page, .flag = tracked}, {.work = work}).work;
}

void RtlMatt::mark(std::uint32_t page, Matt::Work& work) {
  work = answer_to({.kind = Kind::mark, .page = page}, {.work = work}).work;
}

void RtlMatt::write(std::uint32_t page, std::uint64_t lines, Matt::Answer& answer, Matt::Work& work) {
  const MattAnswer given = answer_to({.kind = Kind::write, .page = page, .lines = lines},
                                     {.yes = answer == Matt::Answer::ready, .work = work});
  answer = given.yes ? Matt::Answer::ready : Matt::Answer::not_ready;
  work = given.work;
}

void RtlMatt::peek(std::uint32_t page, Matt::Answer& answer) {
  const MattAnswer given =
      answer_to({.kind = Kind::peek, .page = page}, {.yes = answer == Matt::Answer::ready});
  answer = given.yes ? Matt::Answer::ready : Matt::Answer::not_ready;
}

void RtlMatt::begin_phase(Matt::Work& work) {
  work = answer_to({.kind = Kind::begin_phase}, {.work = work}).work;
}

void RtlMatt::next(bool candidates_too, std::optional<Matt::Choice>& choice, Matt::Work& work) {
  choose({.kind = Kind::next, .flag = candidates_too}, choice, work);
}

void RtlMatt::take(std::uint32_t page, std::optional<Matt::Choice>& choice, Matt::Work& work) {
  choose({.kind = Kind::take, .page = page}, choice, work);
}

void RtlMatt::copied(std::uint32_t page, bool& waited, Matt::Work& work) {
  const MattAnswer given = answer_to({.kind = Kind::copied, .page = page}, {.yes = waited, .work = work});
  waited = given.yes;
  work = given.work;
}

void RtlMatt::reset(Reset) { restart(); }

void RtlMatt::choose(const MattOperation& operation, std::optional<Matt::Choice>& choice, Matt::Work& work) {
  const MattAnswer given = answer_to(operation, {choice.has_value(), choice, work});
  choice = given.choice;
  work = given.work;
}

MattAnswer RtlMatt::answer_to(const MattOperation& operation, const MattAnswer& model) {
  return operate(now_(), operation, model);
}

// ---- an operation ----

void RtlMatt::ask(const MattOperation& operation) { ports_.ask(operation); }

MattAnswer RtlMatt::read(const MattOperation& operation, const MattAnswer& model) const {
  MattAnswer answer = ports_.answer(operation.kind);
  if (operation.kind == Kind::peek) answer.work = model.work;  // the hook is not called for it
  return answer;
}

void RtlMatt::count(const MattOperation& operation, const MattAnswer& answer) {
  operations_.hit(static_cast<std::size_t>(operation.kind));
  switch (operation.kind) {
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

std::string RtlMatt::difference(const MattAnswer& model, const MattAnswer& rtl) const {
  const bool both = model.choice && rtl.choice;
  return unequal({{"answer", model.yes == rtl.yes},
                  {"page", !both || model.choice->page == rtl.choice->page},
                  {"lines", !both || model.choice->lines == rtl.choice->lines},
                  {"phase", !both || model.choice->phase == rtl.choice->phase},
                  {"reason", !both || model.choice->reason == rtl.choice->reason},
                  {"pending", model.work.pending == rtl.work.pending},
                  {"candidates", model.work.candidates == rtl.work.candidates}});
}

std::string RtlMatt::asked_text(const MattOperation& operation) const { return to_text(operation); }

std::string RtlMatt::answer_text(const MattOperation& operation, const MattAnswer& answer,
                                 const MattAnswer*) const {
  return to_text(operation, answer);
}

}  // namespace asterism
