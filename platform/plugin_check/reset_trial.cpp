#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <map>
#include <memory>
#include <string>

#include "platform/plugin_check/device_trials.h"
#include "platform/plugin_check/stimulus.h"
#include "tlm/time.h"

namespace asterism {
namespace {

std::uint64_t high_lines(const CheckBench& bench) {
  std::uint64_t count = 0;
  for (std::size_t line = 0; line < bench.lines(); ++line) count += bench.level(line);
  return count;
}

void expect_low_lines(CheckBench& bench, TlmRule rule, const std::string& when) {
  for (std::size_t line = 0; line < bench.lines(); ++line)
    if (bench.level(line))
      bench.record.broken(rule, bench.line_name(line), "", fmt::format("is high {}", when));
}

struct RegisterPlace {
  std::size_t target;
  std::uint64_t offset;
  friend auto operator<=>(const RegisterPlace&, const RegisterPlace&) = default;
};
struct WrongValue {
  std::uint32_t value, expected;
};
// The registers that do not have their reset values, as far as a debugger can read them.
std::map<RegisterPlace, WrongValue> wrong_registers(CheckBench& bench, TlmRule rule) {
  std::map<RegisterPlace, WrongValue> wrong;
  for (std::size_t target = 0; target < bench.targets(); ++target) {
    const auto& bank = bench.target(target).registers;
    if (!bank) continue;
    for (const Register* reg : bank->registers()) {
      if (!reg->has_fixed_reset_value() || reg->access() == asterism::Access::write_only) continue;
      for (unsigned i = 0; i < reg->count(); ++i) {
        const std::uint64_t offset = reg->offset() + std::uint64_t{i} * reg->stride();
        const auto value = bench.peek(target, offset);
        if (!value) continue;
        bench.record.cover(rule);
        if (const std::uint32_t expected = reg->peek(i, first_core); *value != expected)
          wrong[{target, offset}] = {*value, expected};
      }
    }
  }
  return wrong;
}

// A register that counts has its reset value only at the time of the reset, and one that is reset by a signal
// only later: a finding is what was wrong at both times.
void expect_reset_values(CheckBench& bench, TlmRule rule, const std::string& when,
                         const std::map<RegisterPlace, WrongValue>& earlier) {
  for (const auto& [place, wrong] : wrong_registers(bench, rule))
    if (earlier.contains(place))
      bench.record.broken(
          rule, BenchAccess::read(place.target, place.offset).place(bench.placed()), "",
          fmt::format("has the value {:#x} {} instead of {:#x}", wrong.value, when, wrong.expected));
}

struct ResetTrial {
  CheckBench& bench;
  const Reset kind;
  const TlmRule rule;
  const std::string name;  // "a cold reset"
  Stimulus stimulus;

  // Returns false if an access never returns.
  bool round(unsigned number) {
    stimulus.run(60 + number);  // also an odd number, after which a line may have another level
    // It is shared, since the access may return when this round has ended.
    const auto has_returned = std::make_shared<bool>(bench.targets() == 0);
    if (!*has_returned)
      sc_core::sc_spawn([&bench = bench, has_returned, access = stimulus.next()]() mutable {
        access.delay = 400_ns;
        bench.call(access);
        *has_returned = true;
      });
    bench.wait(Picoseconds(100'001));
    cover(!*has_returned);
    const std::size_t begun = bench.begun().size();
    const Picoseconds at = now();
    bench.record.begin(bench.placed().instance(), name, rule);
    bench.reset(kind);
    bench.record.end();
    bench.wait(Picoseconds(1));
    const auto wrong = wrong_registers(bench, rule);
    bench.wait(1_us);
    expect_low_lines(bench, rule, "after " + name);
    bench.wait(100_us);
    if (!*has_returned) broken("an access that was under way has not returned after 100 us");
    expect_nothing_begun(begun, at);
    expect_low_lines(bench, rule, "100 us after " + name);
    bench.record.begin(bench.placed().instance(), "power-up after " + name, rule);
    bench.power_up();
    bench.record.end();
    expect_reset_values(bench, rule, "after " + name, wrong);
    return *has_returned;
  }

 private:
  // What the reset has to end.
  void cover(bool has_access_under_way) {
    bench.record.cover(rule, high_lines(bench) + has_access_under_way + !bench.begun().empty());
  }
  // An access at the very time of the reset may have been begun before it.
  void expect_nothing_begun(std::size_t before, Picoseconds at) {
    const auto first =
        std::find_if(bench.begun().begin() + static_cast<std::ptrdiff_t>(before), bench.begun().end(),
                     [&](const CheckBench::Begun& begun) { return begun.called > at; });
    if (first != bench.begun().end())
      broken("it then began an access by itself, before there was power: " + first->access);
  }
  void broken(const std::string& seen) { bench.record.broken(rule, bench.placed().instance(), name, seen); }
};

}  // namespace

void try_reset(CheckBench& bench, std::uint64_t seed, Reset kind, TlmRule rule) {
  const auto wrong = wrong_registers(bench, rule);
  bench.wait(1_us);
  expect_reset_values(bench, rule, "at the start", wrong);
  ResetTrial trial{bench, kind, rule,
                   kind == Reset::cold   ? "a cold reset"
                   : kind == Reset::warm ? "a warm reset"
                                         : "a loss of power",
                   Stimulus(bench, seed, {})};
  for (unsigned round = 0; round < 8; ++round)
    if (!trial.round(round)) return;
}

}  // namespace asterism
