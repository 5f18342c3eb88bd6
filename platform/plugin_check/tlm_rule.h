// The rules that a device of a node keeps, as target and as initiator, so that its transactions can be mixed
// with those of any other: the base protocol of TLM-2.0 (IEEE 1666-2011 §11 and §14), and the contract of
// devices (tlm/device.h).
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace asterism {

enum class TlmRule {
  delay,
  quantum,
  interrupts,
  dmi,
  byte_enables,
  streaming_width,
  status,
  range,
  debug,
  payload,
  master,
  concurrency,
  progress,
  reset,
  power_loss,
  determinism,
  statistics,
};

struct TlmRuleText {
  std::string_view name;
  std::string_view demand;  // a sentence
};

// In the order of TlmRule.
inline constexpr auto tlm_rules = std::to_array<TlmRuleText>({
    {"delay", "The annotated delay only grows, and what an initiator does next is not before it."},
    {"quantum",
     "An access takes effect at now + delay, so that answers do not depend on how far initiators run ahead."},
    {"interrupts", "A line changes at the time of its cause, whatever the quantum."},
    {"dmi",
     "Direct memory is granted within the target, and shows what b_transport shows until it is withdrawn."},
    {"byte_enables",
     "Bytes that are not enabled do not change, for any length of the enables; none is legal."},
    {"streaming_width",
     "A streaming width below the length repeats the addresses, or is answered with an error."},
    {"status", "Every access gets a response status, and none ends the simulation."},
    {"range", "An access that is not within the target gets an error, also at the end of the address space."},
    {"debug", "transport_dbg takes no time, has no side effects, and works before simulation begins."},
    {"payload",
     "A payload belongs to its initiator: only data of a read and the status change, until it returns."},
    {"master", "The extension that identifies the initiator travels unchanged."},
    {"concurrency", "A target that waits keeps the accesses of several callers apart."},
    {"progress", "Every access returns."},
    {"reset", "A reset ends what is under way, lowers the interrupt lines and sets registers."},
    {"power_loss",
     "Without power nothing begins and no line is high; with it, registers have their reset values."},
    {"determinism", "The same accesses have the same answers in another process."},
    {"statistics", "A report of statistics changes nothing, and names each once."},
});
inline constexpr std::size_t tlm_rule_count = tlm_rules.size();
static_assert(tlm_rule_count == static_cast<std::size_t>(TlmRule::statistics) + 1);

constexpr std::size_t index_of(TlmRule rule) { return static_cast<std::size_t>(rule); }

}  // namespace asterism
