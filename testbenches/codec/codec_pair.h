// Compares a block of the contract `codec` or `rank_codec` with its model, with a block of memory in each
// cycle: the comparison, and the operations that suit any code. A bench describes a code:
//
//   struct RankBench : RankContract {
//     using Contract = RankContract;
//     static constexpr const char* block = "ddr5_codec";    // a folder of rtl/
//     static constexpr std::array wheres = {Bytes(0)};      // the modes, for instance
//     static constexpr unsigned symbols = 80;               // places of 8 bits in a block
//     static Block random_block(Random& random);            // with random check bits
//     static void disturb(Block& errors, unsigned symbol, std::uint8_t value);
//     static void fault(Random& random, Block& errors);     // adds the errors of a fault at a random place
//     static void encode(const Model& model, Where where, Block& block);
//     static bool special_errors(CodecPair<RankBench>& pair, Where where);  // what only this code has
//   };
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "cosim/codec_contract.h"
#include "testbenches/testbench.h"

namespace asterism {

constexpr unsigned codec_latency = 3;

// What was compared.
template <std::size_t modes>
struct CodecReached {
  std::array<std::array<std::uint64_t, 3>, modes> outcomes{};
  std::array<std::uint32_t, modes> chips{};  // that were corrected
  std::uint64_t operations = 0, miscorrected = 0, used_third = 0;
  std::uint64_t unchanged = 0;  // corrected without a change
};

// Gives the RTL one operation in each cycle and compares its answers with the model's when they come.
template <class Bench>
class CodecPair {
 public:
  using Operation = typename Bench::Operation;
  using Answer = typename Bench::Answer;
  using Block = typename Bench::Block;
  using Where = typename Bench::Where;

  // `file` is relative to the root of the source.
  CodecPair(const std::string& file, typename Bench::Code code, std::vector<std::string> overrides = {})
      : model_(code),
        rtl_(library_of(file, overrides_of({{Bench::parameter, static_cast<std::uint64_t>(code)}},
                                           std::move(overrides))),
             "codec"),
        ports_(rtl_) {
    rtl_.reset();
  }
  explicit CodecPair(typename Bench::Code code, std::vector<std::string> overrides = {})
      : CodecPair(file(), code, std::move(overrides)) {}
  static std::string file() { return "rtl/" + std::string(Bench::block) + "/block.json"; }

  // These return false at the first answer that differs.
  bool encode(Where where, const Block& block) {
    return run({.kind = CodecOperationKind::encode, .where = where, .block = block}, {});
  }
  bool decode(Where where, const Block& written, const Block& errors) {
    Operation operation{.kind = CodecOperationKind::decode, .where = where, .block = written};
    operation.block ^= errors;
    return run(operation, written);
  }
  bool pause(unsigned cycles) {
    ports_.ask_nothing();
    for (unsigned i = 0; i < cycles; ++i)
      if (!cycle()) return false;
    return true;
  }
  bool finish() { return pause(codec_latency + 1) && under_way_.empty(); }

  Block random_codeword(Random& random, Where where) const {
    Block block = Bench::random_block(random);
    Bench::encode(model_, where, block);
    return block;
  }
  const CodecReached<Bench::modes.size()>& reached() const { return reached_; }
  RtlInstance& rtl() { return rtl_; }
  typename Bench::Ports& ports() { return ports_; }

 private:
  struct UnderWay {
    std::uint64_t due;
    Operation operation;
    Block truth;
  };
  bool run(const Operation& operation, const Block& truth) {
    ports_.ask(operation);
    under_way_.push_back({cycle_ + codec_latency, operation, truth});
    return cycle();
  }
  bool cycle() {
    rtl_.settle();
    const bool due = !under_way_.empty() && under_way_.front().due == cycle_;
    bool same = ports_.answers() == due;
    if (same && due) {
      const UnderWay& first = under_way_.front();
      const Answer expected = Bench::answer(model_, first.operation);
      same = ports_.answer() == expected;
      count(first, expected);
      under_way_.pop_front();
    }
    rtl_.edge();
    ++cycle_;
    return same;
  }
  void count(const UnderWay& asked, const Answer& answer) {
    ++reached_.operations;
    if (!asked.operation.decodes()) return;
    const unsigned mode = Bench::mode_of(asked.operation.where);
    const bool is_corrected = answer.result.outcome == Bench::Result::Outcome::corrected;
    ++reached_.outcomes[mode][static_cast<unsigned>(answer.result.outcome)];
    reached_.chips[mode] |= answer.result.chips;
    reached_.miscorrected += is_corrected && answer.block != asked.truth;
    reached_.unchanged += is_corrected && answer.result.chips == 0;
    if constexpr (requires { answer.result.used_third; }) reached_.used_third += answer.result.used_third;
  }

  typename Bench::Model model_;
  RtlInstance rtl_;
  typename Bench::Ports ports_;
  std::deque<UnderWay> under_way_;
  std::uint64_t cycle_ = 0;
  CodecReached<Bench::modes.size()> reached_;
};

// ---- operations ----

inline std::uint8_t error_value(Random& random) { return static_cast<std::uint8_t>(1 + random.below(255)); }

// Tests every error in every symbol of a block, thus at all positions of all codewords.
template <class Bench>
bool single_symbols(CodecPair<Bench>& pair, typename Bench::Where where) {
  Random random(1);
  const auto written = pair.random_codeword(random, where);
  for (unsigned symbol = 0; symbol < Bench::symbols; ++symbol)
    for (unsigned value = 1; value < 256; ++value) {
      typename Bench::Block errors;
      Bench::disturb(errors, symbol, static_cast<std::uint8_t>(value));
      if (!pair.decode(where, written, errors)) return false;
    }
  return pair.finish();
}

// Tests errors in two symbols of a block, at all pairs of places, with random values for each pair.
template <class Bench>
bool double_symbols(CodecPair<Bench>& pair, typename Bench::Where where, unsigned values) {
  Random random(2);
  const auto written = pair.random_codeword(random, where);
  for (unsigned a = 0; a < Bench::symbols; ++a)
    for (unsigned b = 0; b < a; ++b)
      for (unsigned i = 0; i < values; ++i) {
        typename Bench::Block errors;
        Bench::disturb(errors, a, error_value(random));
        Bench::disturb(errors, b, error_value(random));
        if (!pair.decode(where, written, errors)) return false;
      }
  return pair.finish();
}

// Encodes random blocks, whose check bits are ignored, and decodes them with up to three faults, with
// occasional pauses.
template <class Bench>
bool at_random(CodecPair<Bench>& pair, unsigned operations) {
  Random random(3);
  for (unsigned i = 0; i < operations; ++i) {
    const auto where = Bench::wheres[random.below(Bench::wheres.size())];
    if (random.below(4) == 0) {
      if (!pair.encode(where, Bench::random_block(random))) return false;
      continue;
    }
    const auto written = pair.random_codeword(random, where);
    typename Bench::Block errors;
    for (std::uint64_t left = random.below(4); left != 0; --left) Bench::fault(random, errors);
    if (!pair.decode(where, written, errors)) return false;
    if (random.below(16) == 0 && !pair.pause(static_cast<unsigned>(1 + random.below(5)))) return false;
  }
  return pair.finish();
}

template <class Bench>
bool everything(CodecPair<Bench>& pair, unsigned values, unsigned operations) {
  for (const auto where : Bench::wheres)
    if (!single_symbols(pair, where) || !double_symbols(pair, where, values) ||
        !Bench::special_errors(pair, where))
      return false;
  return at_random(pair, operations);
}

// ---- expectations ----

template <class Bench>
void expect_answers_three_cycles_later(typename Bench::Code code) {
  CodecPair<Bench> pair(code);
  RtlPort idle = pair.rtl().port("idle");
  EXPECT_TRUE(pair.encode(Bench::wheres.back(), {}));
  for (unsigned cycle = 0; cycle < codec_latency; ++cycle) {
    EXPECT_FALSE(idle.is_set());
    EXPECT_TRUE(pair.pause(1));
  }
  EXPECT_TRUE(idle.is_set()) << "nothing is under way";
}

template <class Bench>
void expect_reset_drops_what_is_in_progress(typename Bench::Code code) {
  CodecPair<Bench> pair(code);
  EXPECT_TRUE(pair.encode(Bench::wheres.front(), {}));
  pair.rtl().reset();
  for (unsigned cycle = 0; cycle < 2 * codec_latency; ++cycle) {
    pair.rtl().settle();
    EXPECT_FALSE(pair.ports().answers());
    pair.rtl().edge();
  }
}

template <class Bench>
bool is_found(const Mutant& mutant, typename Bench::Code code, unsigned operations) {
  CodecPair<Bench> pair(mutant_of(Bench::block, mutant), code);
  return !everything(pair, 1, operations);
}

}  // namespace asterism
