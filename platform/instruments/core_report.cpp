#include "platform/instruments/core_report.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <optional>
#include <utility>

#include "core/core_module.h"
#include "core/debug_port.h"
#include "core/syndrome.h"
#include "platform/firmware/function_symbols.h"

namespace asterism {
namespace {

constexpr std::size_t deepest = 32;

// A core's registers now, or at a fault.
using Registers = TakenFault;

Registers registers_of(const Iss& iss) {
  using enum CoreRegister;
  Registers now;
  for (std::size_t i = 0; i < now.x.size(); ++i) now.x[i] = iss.read(static_cast<CoreRegister>(i));
  now.sp = iss.read(sp), now.pc = iss.read(pc), now.pstate = iss.read(pstate);
  return now;
}

// A frame record: the frame pointer and the return address of the caller.
using Frame = std::array<std::uint64_t, 2>;

std::optional<Frame> read_frame(CoreModule& core, std::uint64_t at, AddressRange dram) {
  if (at == 0 || at % 8 != 0) return std::nullopt;
  const auto physical = core.iss().debug_port().physical(at);
  Frame frame;
  if (!physical || !dram.contains(*physical, Bytes(sizeof frame))) return std::nullopt;
  if (!core.read_memory(*physical, std::as_writable_bytes(std::span(frame)))) return std::nullopt;
  return frame;
}

// The addresses of the calls that led to the registers' pc, the innermost first.
std::vector<std::uint64_t> calls_to(CoreModule& core, const Registers& at, const SymbolsOfCore& symbols,
                                    AddressRange dram) {
  constexpr std::uint64_t instruction = 4;
  std::vector<std::uint64_t> calls;
  const auto add = [&](std::uint64_t return_address) { calls.push_back(return_address - instruction); };
  const auto is_code = [](std::uint64_t address) { return address != 0 && address % instruction == 0; };
  std::uint64_t pointer = at.x[29];
  auto frame = read_frame(core, pointer, dram);
  // x30 is the return address of a function that has called nothing yet. In one that has, it is within that
  // function, and the frame has the return address; in one that has not but has its frame, both have it.
  const std::uint64_t link = at.x[30];
  const std::string function = symbols.locate(at.pc).function;
  if (is_code(link) && (!frame || (*frame)[1] != link) &&
      (function.empty() || symbols.locate(link - instruction).function != function))
    add(link);
  while (frame && is_code((*frame)[1]) && calls.size() < deepest) {
    add((*frame)[1]);
    if ((*frame)[0] <= pointer) break;
    pointer = (*frame)[0];
    frame = read_frame(core, pointer, dram);
  }
  return calls;
}

std::string short_form(const std::vector<std::uint64_t>& calls, const SymbolsOfCore& symbols) {
  constexpr std::size_t named = 4;
  std::string text;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (i == named) return text + ", ...";
    const std::string place = symbols.place_of(calls[i]);
    text += text.empty() ? "called by " : ", ";
    text += place.empty() ? fmt::format("{:#x}", calls[i]) : place;
  }
  return text;
}

std::string describe_pstate(std::uint64_t pstate) {
  const auto bit = [pstate](unsigned at) { return pstate >> at & 1; };
  std::string masked;
  for (const auto& [at, name] : {std::pair{9u, 'D'}, {8u, 'A'}, {7u, 'I'}, {6u, 'F'}})
    if (bit(at)) masked += name;
  return fmt::format("EL{}{}, N={} Z={} C={} V={}, {}{}{}", pstate >> 2 & 3, bit(0) ? "h" : "t", bit(31),
                     bit(30), bit(29), bit(28), masked.empty() ? "nothing masked" : "masked: ", masked,
                     bit(20) ? ", illegal state" : "");
}

std::string registers_in_words(const Registers& at, const SymbolsOfCore& symbols) {
  std::string text;
  constexpr std::size_t columns = 3;
  for (std::size_t i = 0; i < at.x.size(); ++i)
    text += fmt::format("{}{:>3} {:#018x}{}", i % columns == 0 ? "  " : "   ", fmt::format("x{}", i), at.x[i],
                        i % columns == columns - 1 || i + 1 == at.x.size() ? "\n" : "");
  text += fmt::format("   sp {:#018x}\n   pc {:#018x}   {}\n", at.sp, at.pc, symbols.describe(at.pc));
  text += fmt::format("  pstate {:#x}: {}\n", at.pstate, describe_pstate(at.pstate));
  return text;
}

std::string calls_in_lines(std::uint64_t pc, const std::vector<std::uint64_t>& calls,
                           const SymbolsOfCore& symbols) {
  std::string text = fmt::format("  #0  {}\n", symbols.describe(pc));
  for (std::size_t i = 0; i < calls.size(); ++i)
    text += fmt::format("  #{:<2} {}\n", i + 1, symbols.describe(calls[i]));
  if (calls.size() == deepest) text += "  further callers are not listed\n";
  return text;
}

std::string state_of(const CoreModule& core, const std::string& pc, const std::string& why_no_interrupt) {
  switch (core.state()) {
    case CoreModule::State::off:
      return core.instructions() ? "off" : "off: was never started";
    case CoreModule::State::running:
      return "running, pc " + pc;
    case CoreModule::State::waiting:
      return "waits for an interrupt" + (why_no_interrupt.empty() ? "" : ", but " + why_no_interrupt) +
             ", pc " + pc;
    case CoreModule::State::locked_up:
      return "locked up: " + core.lock_up_reason();
  }
  return "";
}

}  // namespace

CoreReport report_core(CoreModule& core, const FunctionSymbols& functions, AddressRange dram,
                       const std::string& why_no_interrupt) {
  const Iss& iss = core.iss();
  const SymbolsOfCore symbols(functions, core.iss().debug_port());
  const Registers now = registers_of(iss);
  CoreReport report;
  report.name = fmt::format("core {}", core.index());
  report.state = state_of(core, symbols.describe(now.pc), why_no_interrupt);
  std::string& details = report.details;
  details = fmt::format("{}, {} instructions\n", report.state, core.instructions());
  if (core.state() == CoreModule::State::off) return report;
  if (const auto taken = iss.fault()) {
    const auto calls = calls_to(core, *taken, symbols, dram);
    const auto refused = core.cause_of(*taken);
    auto address = taken->address;
    if (!address && refused) address = refused->address.value();
    report.fault =
        fmt::format("{}{}, pc {}", describe_syndrome(taken->syndrome, refused && refused->is_poisoned),
                    address ? fmt::format(", address {:#x}", *address) : "", symbols.describe(taken->pc));
    report.fault_callers = short_form(calls, symbols);
    details += fmt::format(
        "\nfault from which the core has not returned: {}\n  ESR_EL1 {:#x}\n{}\ncallers at the fault:\n{}",
        report.fault, taken->syndrome, registers_in_words(*taken, symbols),
        calls_in_lines(taken->pc, calls, symbols));
  }
  const auto calls = calls_to(core, now, symbols, dram);
  report.callers = short_form(calls, symbols);
  using enum CoreRegister;
  details += fmt::format(
      "\nregisters now:\n{}  ELR_EL1 {:#x}  SPSR_EL1 {:#x}  VBAR_EL1 {:#x}\n  ESR_EL1 {:#x} ({})  FAR_EL1 "
      "{:#x}\n\ncallers now:\n{}",
      registers_in_words(now, symbols), iss.read(elr), iss.read(spsr), iss.read(vbar), iss.read(esr),
      iss.read(esr) ? describe_syndrome(iss.read(esr)) : "no exception yet", iss.read(far),
      calls_in_lines(now.pc, calls, symbols));
  return report;
}

}  // namespace asterism
