// The registers on which instructions depend (dependences.h), found by experiment: an instruction is executed
// from random states, and again with each register changed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/a64/dependences.h"
#include "core/a64/oracle/machine.h"
#include "core/a64/oracle/program.h"

namespace asterism::a64::oracle {
namespace {

constexpr unsigned words = 1500, states = 4, flags_bit = 31, registers = 64;
constexpr std::uint64_t bit(unsigned which) { return std::uint64_t{1} << which; }

struct Result {
  Outcome outcome;
  std::vector<std::uint8_t> data;  // of the memory, if the instruction has changed it
};

// As in Dependences: X0 to X30, the flags, V0 to V31.
void change(Registers& of, unsigned which) {
  if (which < flags_bit)
    of.x[which] = ~std::rotl(of.x[which], 8);
  else if (which == flags_bit)
    of.nzcv ^= 0xf;
  else
    for (std::uint64_t& half : of.v[which - 32].d) half = ~std::rotl(half, 8);
}
bool is_equal(const Registers& a, const Registers& b, unsigned which) {
  if (which < flags_bit) return a.x[which] == b.x[which];
  if (which == flags_bit) return a.nzcv == b.nzcv;
  return a.v[which - 32] == b.v[which - 32];
}
void copy(Registers& to, const Registers& from, unsigned which) {
  if (which < flags_bit)
    to.x[which] = from.x[which];
  else if (which == flags_bit)
    to.nzcv = from.nzcv;
  else
    to.v[which - 32] = from.v[which - 32];
}

class Experiment {
 public:
  Experiment() : machine_(make_native_machine({.features = CoreFeatures::all()})), before_(data_size) {}

  void fill(Generator& generator) {
    generator.fill(before_);
    std::ranges::copy(before_, machine_->data().begin());
  }
  void place(std::uint32_t word) { machine_->place(std::array{word}); }
  Result run(const Registers& from) {
    Result result{machine_->run(from), {}};
    const std::span<std::uint8_t> data = machine_->data();
    if (std::memcmp(data.data(), before_.data(), before_.size()) == 0) return result;
    result.data.assign(data.begin(), data.end());
    std::ranges::copy(before_, data.begin());
    return result;
  }
  // Adds what an execution from this state shows.
  void observe(const Registers& from, Dependences& seen) {
    const Result plain = run(from);
    if (plain.outcome.exception || plain.outcome.left_memory) return;
    ++executed;
    for (unsigned r = 0; r < registers; ++r)
      if (!is_equal(plain.outcome.registers, from, r)) seen.to |= bit(r);
    for (unsigned r = 0; r < registers; ++r) {
      Registers changed = from;
      change(changed, r);
      Result result = run(changed);
      // A register that keeps its value, or gets the same one, shows nothing.
      if (is_equal(result.outcome.registers, changed, r) && is_equal(plain.outcome.registers, from, r))
        copy(result.outcome.registers, plain.outcome.registers, r);
      else
        seen.to |= bit(r);
      if (!(result.outcome == plain.outcome) || result.data != plain.data) seen.from |= bit(r);
    }
  }
  std::uint64_t executed = 0;

 private:
  std::unique_ptr<Machine> machine_;
  std::vector<std::uint8_t> before_;
};

std::string names(std::uint64_t which) {
  std::string all;
  for (unsigned r = 0; r < registers; ++r)
    if (which & bit(r))
      all += r < flags_bit ? fmt::format(" x{}", r) : r == flags_bit ? " flags" : fmt::format(" v{}", r - 32);
  return all;
}

class DependencesOf : public testing::TestWithParam<std::string> {};

// A register that some instructions of a kind depend on is not seen for all of them and in all states: a
// division by zero, a selection. Of a kind, it has to be seen for one. This is not so where compared and
// exclusive stores never succeed, where system registers show little of what is written to them, and where
// branches lead to the next instruction.
TEST_P(DependencesOf, AreThoseOfExperiments) {
  const Options options{.features = CoreFeatures::all()};
  Generator generator(GetParam(), "", options, 1);
  Experiment experiment;
  experiment.fill(generator);
  std::set<std::string> wrong;
  std::map<std::string, std::set<std::string>> surplus;  // by kind
  std::set<std::string> confirmed;
  for (unsigned i = 0; i < words; ++i) {
    const Program program = generator.program(1);
    if (program.words.size() != 1) continue;
    const std::uint32_t word = program.words[0];
    experiment.place(word);
    Dependences seen;
    const std::uint64_t executed = experiment.executed;
    for (unsigned state = 0; state < states; ++state) {
      Registers from = generator.registers();
      if (state < 2) from.v.fill(state == 0 ? from.v[0] : Vector{});  // for comparisons
      experiment.observe(from, seen);
    }
    const Dependences said = dependences(word);
    const std::string kind = describe(word, options), text = fmt::format("{:#x} {}", word, kind);
    const auto expect_none = [&](std::uint64_t which, const char* how) {
      if (which != 0) wrong.insert(text + how + names(which));
    };
    expect_none(seen.from & ~said.from, " reads");
    expect_none(seen.to & ~said.to, " writes");
    expect_none(said.base & ~said.to, " does not update");
    if (executed == experiment.executed || said.is == InstructionClass::branch) continue;
    const std::uint64_t unseen = (said.from & ~seen.from) | (said.to & ~seen.to);
    if (unseen == 0)
      confirmed.insert(kind);
    else
      surplus[kind].insert(text + " does not read or write" + names(unseen));
  }
  EXPECT_GT(experiment.executed, words);
  for (const std::string& each : wrong) ADD_FAILURE() << each;
  if (GetParam() == "exclusive" || GetParam() == "system" || GetParam() == "branches") return;
  for (const auto& [kind, texts] : surplus)
    if (!confirmed.contains(kind)) ADD_FAILURE() << *texts.begin();
}

INSTANTIATE_TEST_SUITE_P(Instructions, DependencesOf, testing::ValuesIn(Generator::classes()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace asterism::a64::oracle
