#include "cosim/matt_ports.h"

#include <fmt/format.h>

#include "cosim/rtl_contract.h"

namespace asterism {
namespace {

using Kind = MattOperation::Kind;

constexpr ExpectedPort expected_ports[] = {
    {"in.valid", ASTERISM_RTL_INPUT, 1},        {"in.operation", ASTERISM_RTL_INPUT, 3},
    {"in.page", ASTERISM_RTL_INPUT, 32},        {"in.lines", ASTERISM_RTL_INPUT, 64},
    {"in.flag", ASTERISM_RTL_INPUT, 1},         {"out.valid", ASTERISM_RTL_OUTPUT, 1},
    {"out.answer", ASTERISM_RTL_OUTPUT, 1},     {"out.page", ASTERISM_RTL_OUTPUT, 32},
    {"out.lines", ASTERISM_RTL_OUTPUT, 64},     {"out.phase", ASTERISM_RTL_OUTPUT, 16},
    {"out.reason", ASTERISM_RTL_OUTPUT, 2},     {"out.pending", ASTERISM_RTL_OUTPUT, 32},
    {"out.candidates", ASTERISM_RTL_OUTPUT, 1},
};

bool chooses(Kind kind) { return kind == Kind::next || kind == Kind::take; }

const char* reason_text(Matt::Reason reason) {
  switch (reason) {
    case Matt::Reason::priority:
      return "a write waits";
    case Matt::Reason::pending:
      return "pending";
    default:
      return "candidate";
  }
}

}  // namespace

std::string to_text(const MattOperation& operation) {
  std::string text(to_text(operation.kind));
  switch (operation.kind) {
    case Kind::begin_phase:
      return text;
    case Kind::next:
      return operation.flag ? text + ", candidates too" : text;
    case Kind::write:
      return fmt::format("{} {:#x}, lines {:#x}", text, operation.page, operation.lines);
    case Kind::track:
      return fmt::format("{} {:#x}, {}", text, operation.page, operation.flag ? "begins" : "ends");
    default:
      return fmt::format("{} {:#x}", text, operation.page);
  }
}

std::string to_text(const MattOperation& operation, const MattAnswer& answer) {
  std::string text;
  if (answer.choice) {
    const Matt::Choice& choice = *answer.choice;
    text = fmt::format("page {:#x}, lines {:#x} of phase {}, {}; ", choice.page, choice.lines, choice.phase,
                       reason_text(choice.reason));
  } else if (chooses(operation.kind)) {
    text = "none; ";
  } else if (operation.kind == Kind::write || operation.kind == Kind::peek) {
    text = answer.yes ? "ready; " : "not ready; ";
  } else if (operation.kind == Kind::copied) {
    text = answer.yes ? "a write has waited; " : "nothing has waited; ";
  }
  return text + fmt::format("{} pending, {}", answer.work.pending,
                            answer.work.candidates ? "candidates" : "no candidates");
}

MattPorts::MattPorts(const RtlInstance& instance)
    : name_(check_contract(instance, "matt", expected_ports).name()),
      in_valid_(instance.port("in.valid")),
      operation_(instance.port("in.operation")),
      in_page_(instance.port("in.page")),
      in_lines_(instance.port("in.lines")),
      flag_(instance.port("in.flag")),
      out_valid_(instance.port("out.valid")),
      answer_(instance.port("out.answer")),
      out_page_(instance.port("out.page")),
      out_lines_(instance.port("out.lines")),
      phase_(instance.port("out.phase")),
      reason_(instance.port("out.reason")),
      pending_(instance.port("out.pending")),
      candidates_(instance.port("out.candidates")) {}

void MattPorts::ask(const MattOperation& operation) {
  in_valid_.set(1);
  operation_.set(static_cast<std::uint64_t>(operation.kind));
  in_page_.set(operation.page);
  in_lines_.set(operation.lines);
  flag_.set(operation.flag);
}

MattAnswer MattPorts::answer(Kind kind) const {
  MattAnswer answer{.yes = answer_.is_set(),
                    .work = {static_cast<std::uint32_t>(pending_.get()), candidates_.is_set()}};
  if (chooses(kind) && answer.yes) {
    const std::uint64_t reason = reason_.get();
    if (reason > static_cast<std::uint64_t>(Matt::Reason::candidate))
      throw RtlError(fmt::format("{}: its reason is {}, which does not exist", name_, reason));
    answer.choice = Matt::Choice{static_cast<std::uint32_t>(out_page_.get()), out_lines_.get(),
                                 static_cast<std::uint32_t>(phase_.get()), static_cast<Matt::Reason>(reason)};
  }
  return answer;
}

}  // namespace asterism
