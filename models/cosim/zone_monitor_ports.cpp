#include "cosim/zone_monitor_ports.h"

#include <fmt/format.h>

#include "cosim/rtl_contract.h"

namespace asterism {
namespace {

using Kind = ZoneMonitorOperation::Kind;

constexpr ExpectedPort expected_ports[] = {
    {"in.valid", ASTERISM_RTL_INPUT, 1},      {"in.operation", ASTERISM_RTL_INPUT, 3},
    {"in.zone", ASTERISM_RTL_INPUT, 32},      {"in.flag", ASTERISM_RTL_INPUT, 1},
    {"out.valid", ASTERISM_RTL_OUTPUT, 1},    {"out.answer", ASTERISM_RTL_OUTPUT, 2},
    {"out.sectors", ASTERISM_RTL_OUTPUT, 16}, {"out.complete", ASTERISM_RTL_OUTPUT, 1},
};

const char* answer_text(ZoneMonitor::Answer answer) {
  switch (answer) {
    case ZoneMonitor::Answer::proceed:
      return "proceed";
    case ZoneMonitor::Answer::first_stall:
      return "first stall";
    default:
      return "stall";
  }
}

}  // namespace

std::string to_text(const ZoneMonitorOperation& operation) {
  std::string text(to_text(operation.kind));
  switch (operation.kind) {
    case Kind::write:
    case Kind::expose:
    case Kind::preserve:
      return fmt::format("{} {:#x}", text, operation.zone);
    case Kind::track:
      return text + (operation.flag ? ", on" : ", off");
    default:
      return text;
  }
}

std::string to_text(const ZoneMonitorOperation& operation, const ZoneMonitorAnswer& answer) {
  const char* state = answer.complete ? "complete" : "open";
  switch (operation.kind) {
    case Kind::write:
      return fmt::format("{}, {} sectors; {}", answer_text(answer.answer), answer.sectors, state);
    case Kind::begin:
      return fmt::format("{} sectors; {}", answer.sectors, state);
    default:
      return state;
  }
}

ZoneMonitorPorts::ZoneMonitorPorts(const RtlInstance& instance)
    : name_(check_contract(instance, "zone_monitor", expected_ports).name()),
      in_valid_(instance.port("in.valid")),
      operation_(instance.port("in.operation")),
      zone_(instance.port("in.zone")),
      flag_(instance.port("in.flag")),
      out_valid_(instance.port("out.valid")),
      answer_(instance.port("out.answer")),
      sectors_(instance.port("out.sectors")),
      complete_(instance.port("out.complete")) {}

void ZoneMonitorPorts::ask(const ZoneMonitorOperation& operation) {
  in_valid_.set(1);
  operation_.set(static_cast<std::uint64_t>(operation.kind));
  zone_.set(operation.zone);
  flag_.set(operation.flag);
}

ZoneMonitorAnswer ZoneMonitorPorts::answer() const {
  const std::uint64_t answer = answer_.get();
  if (answer > static_cast<std::uint64_t>(ZoneMonitor::Answer::stall))
    throw RtlError(fmt::format("{}: its answer is {}, which does not exist", name_, answer));
  return {static_cast<ZoneMonitor::Answer>(answer), static_cast<std::uint32_t>(sectors_.get()),
          complete_.is_set()};
}

}  // namespace asterism
