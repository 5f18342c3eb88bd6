#include "first_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace asterism::foreign {
namespace {

constexpr std::uint64_t shorter = 64;  // times, from one search to the next

std::string name_of(CoreRegister which) {
  static const char* const others[] = {"sp", "pc", "pstate", "elr", "spsr", "esr", "far", "vbar"};
  const auto index = static_cast<std::size_t>(which);
  return which <= CoreRegister::x30 ? fmt::format("x{}", index) : others[index - 31];
}

// One machine with somebody at its terminal.
struct Run {
  Run(const MakeMachine& make, const std::vector<UartScriptLine>& script)
      : machine(make()), session(*machine, script) {}
  std::unique_ptr<Machine> machine;
  Session session;
  Machine::End end = Machine::End::count;
};

// Differences of two machines that should be in the same state.
std::string compare(const Run& a, const Run& b) {
  using enum CoreRegister;
  std::string text;
  if (a.end != b.end || a.machine->instructions() != b.machine->instructions())
    text += fmt::format("count {} and {}, ended as {} and {} {}\n", a.machine->instructions(),
                        b.machine->instructions(), static_cast<int>(a.end), static_cast<int>(b.end),
                        b.machine->iss().why());
  for (int i = 0; i <= static_cast<int>(vbar); ++i) {
    const auto which = static_cast<CoreRegister>(i);
    const std::uint64_t left = a.machine->iss().read(which), right = b.machine->iss().read(which);
    if (left != right) text += fmt::format("{:6} {:#018x} {:#018x}\n", name_of(which), left, right);
  }
  if (a.session.transcript() != b.session.transcript()) text += "transcript\n";
  return text;
}

std::optional<Difference> search(const MakeMachine& reference, const MakeMachine& other,
                                 const std::vector<UartScriptLine>& script, std::uint64_t from,
                                 std::uint64_t stride, std::uint64_t limit) {
  Run a(reference, script), b(other, script);
  const auto run_to = [&](std::uint64_t count) {
    a.end = a.machine->run(count);
    b.end = b.machine->run(a.end == Machine::End::count ? a.machine->instructions() : Machine::never);
  };
  if (from != 0) run_to(from);
  Difference difference{a.machine->instructions(), 0, a.machine->iss().read(CoreRegister::pc), {}, ""};
  while (a.end == Machine::End::count && a.machine->instructions() < limit) {
    run_to(a.machine->instructions() + stride);
    difference.found = a.machine->instructions();
    difference.text = compare(a, b);
    if (!difference.text.empty()) {
      for (std::uint64_t i = 0; i < std::min(difference.found - difference.agreed, std::uint64_t{64}); ++i)
        if (const auto word = b.machine->word_at(difference.pc + 4 * i)) difference.code.push_back(*word);
      return difference;
    }
    difference.agreed = difference.found;
    difference.pc = a.machine->iss().read(CoreRegister::pc);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Difference> first_difference(const MakeMachine& reference, const MakeMachine& other,
                                           const std::vector<UartScriptLine>& script, std::uint64_t stride,
                                           std::uint64_t limit) {
  std::optional<Difference> found = search(reference, other, script, 0, stride, limit);
  while (found && stride > 1) {
    stride = std::max(stride / shorter, std::uint64_t{1});
    const auto nearer = search(reference, other, script, found->agreed, stride, found->found + 1);
    if (!nearer) return found;  // both were different only where the longer stride looked
    found = nearer;
  }
  return found;
}

}  // namespace asterism::foreign
