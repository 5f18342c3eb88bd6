// Compares every output of rtl/ddr5_codec with Ddr5Codec, with a block in each cycle.
//
// Errors are all those of a single symbol of RS(10,8), single bits and pins of RS(40,32), two symbols at all
// pairs of places with sampled values, and bits, pins, beats, half bursts and whole chips of up to three
// chips. Data are random throughout. Blocks with two errors are mostly uncorrectable, and some are
// miscorrected: the verdict has to be the model's, whether it is right or wrong.
#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "base/parameter_name.h"
#include "base/random.h"
#include "cosim/codec_ports.h"
#include "ecc/ddr5_coverage.h"
#include "testbenches/ddr5_codec/mutants.h"
#include "testbenches/testbench.h"

namespace asterism {
namespace {

constexpr const char* block_file = "rtl/ddr5_codec/block.json";
constexpr unsigned latency = 3;

using Kind = RankCodecOperation::Kind;

std::map<std::string, std::uint64_t> parameters_of(Ddr5Code code) {
  return {{"Code", static_cast<std::uint64_t>(code)}};
}

// What was compared.
struct Reached {
  std::array<std::uint64_t, 3> outcomes{};
  std::uint32_t chips = 0;
  std::uint64_t operations = 0, miscorrected = 0;
};

// Gives the RTL one operation in each cycle and compares its answers with the model's when they come.
class Pair {
 public:
  Pair(const std::string& file, Ddr5Code code, std::vector<std::string> overrides = {})
      : codec_(code),
        rtl_(library_of(file, overrides_of(parameters_of(code), std::move(overrides))), "codec"),
        ports_(rtl_) {
    rtl_.reset();
  }

  // These return false at the first answer that differs.
  bool run(const RankCodecOperation& operation, const Ddr5Block& truth = {}) {
    ports_.ask(operation);
    under_way_.push_back({cycle_ + latency, operation, truth});
    return cycle();
  }
  bool decode(const Ddr5Block& written, const Ddr5Block& errors) {
    RankCodecOperation operation{.kind = Kind::decode, .block = written};
    operation.block ^= errors;
    return run(operation, written);
  }
  bool pause(unsigned cycles) {
    ports_.ask_nothing();
    for (unsigned i = 0; i < cycles; ++i)
      if (!cycle()) return false;
    return true;
  }
  bool finish() { return pause(latency + 1) && under_way_.empty(); }

  Ddr5Block random_block(Random& random) const {
    Ddr5Block block;
    for (unsigned chip = 0; chip < ddr5_data_chips; ++chip) block.chips[chip] = random.next();
    codec_.encode(block);
    return block;
  }
  const Ddr5Codec& codec() const { return codec_; }
  const Reached& reached() const { return reached_; }
  RtlInstance& rtl() { return rtl_; }

 private:
  struct UnderWay {
    std::uint64_t due;
    RankCodecOperation operation;
    Ddr5Block truth;
  };
  bool cycle() {
    rtl_.settle();
    const bool due = !under_way_.empty() && under_way_.front().due == cycle_;
    bool same = ports_.answers() == due;
    if (same && due) {
      const auto& [when, operation, truth] = under_way_.front();
      const RankCodecAnswer expected = answer_of(codec_, operation);
      same = ports_.answer() == expected;
      ++reached_.operations;
      if (operation.kind == Kind::decode) {
        ++reached_.outcomes[static_cast<unsigned>(expected.result.outcome)];
        reached_.chips |= expected.result.chips;
        reached_.miscorrected +=
            expected.result.outcome == Ddr5Result::Outcome::corrected && expected.block != truth;
      }
      under_way_.pop_front();
    }
    rtl_.edge();
    ++cycle_;
    return same;
  }

  Ddr5Codec codec_;
  RtlInstance rtl_;
  RankCodecPorts ports_;
  std::deque<UnderWay> under_way_;
  std::uint64_t cycle_ = 0;
  Reached reached_;
};

// Every error of every byte of every chip: all single symbols of RS(10,8), and for the other code all errors
// of the four pins in two beats.
bool single_bytes(Pair& pair) {
  Random random(1);
  const Ddr5Block written = pair.random_block(random);
  for (unsigned chip = 0; chip < ddr5_chips; ++chip)
    for (unsigned byte = 0; byte < 8; ++byte)
      for (std::uint64_t value = 1; value < 256; ++value) {
        Ddr5Block errors;
        errors.chips[chip] = value << 8 * byte;
        if (!pair.decode(written, errors)) return false;
      }
  return pair.finish();
}

// Errors in two bytes of a block, at all pairs of places, with random values.
bool two_bytes(Pair& pair, unsigned values) {
  Random random(2);
  const Ddr5Block written = pair.random_block(random);
  constexpr unsigned bytes = 8 * ddr5_chips;
  for (unsigned a = 0; a < bytes; ++a)
    for (unsigned b = 0; b < a; ++b)
      for (unsigned i = 0; i < values; ++i) {
        Ddr5Block errors;
        errors.chips[a / 8] ^= (1 + random.below(255)) << a % 8 * 8;
        errors.chips[b / 8] ^= (1 + random.below(255)) << b % 8 * 8;
        if (!pair.decode(written, errors)) return false;
      }
  return pair.finish();
}

// The errors of a fault of a random shape, at a random place.
std::uint64_t fault(Random& random) {
  const auto masks = places(static_cast<Ddr5Fault>(random.below(6)));
  return draw_wrong_bits(masks[random.below(masks.size())], random);
}

// Encodes random blocks and decodes them with up to three faults, with occasional pauses.
bool at_random(Pair& pair, unsigned operations) {
  Random random(3);
  for (unsigned i = 0; i < operations; ++i) {
    Ddr5Block block = pair.random_block(random);
    if (random.below(4) == 0) {
      block.chips[8] = random.next();  // these are ignored
      block.chips[9] = random.next();
      if (!pair.run({.kind = Kind::encode, .block = block})) return false;
      continue;
    }
    Ddr5Block errors;
    for (std::uint64_t left = random.below(4); left != 0; --left)
      errors.chips[random.below(ddr5_chips)] ^= fault(random);
    if (!pair.decode(block, errors)) return false;
    if (random.below(16) == 0 && !pair.pause(static_cast<unsigned>(1 + random.below(5)))) return false;
  }
  return pair.finish();
}

bool everything(Pair& pair, unsigned values, unsigned operations) {
  return single_bytes(pair) && two_bytes(pair, values) && at_random(pair, operations);
}

// The RTL of the code over pins is slower in simulation.
unsigned operations_of(Ddr5Code code) { return code == Ddr5Code::rs_40_32 ? 1'000 : 5'000; }

class CodeTest : public testing::TestWithParam<Ddr5Code> {};

TEST_P(CodeTest, EveryErrorOfAByteIsAsInTheModel) {
  Pair pair(block_file, GetParam());
  EXPECT_TRUE(single_bytes(pair));
  EXPECT_EQ(pair.reached().operations, 10u * 8 * 255);
  EXPECT_EQ(pair.reached().outcomes[1], 10u * 8 * 255) << "all are corrected";
  EXPECT_EQ(pair.reached().miscorrected, 0u);
  EXPECT_EQ(pair.reached().chips, (1u << ddr5_chips) - 1);
}

TEST_P(CodeTest, AllPairsOfBytesAreAsInTheModel) {
  Pair pair(block_file, GetParam());
  EXPECT_TRUE(two_bytes(pair, 4));
  EXPECT_EQ(pair.reached().operations, 4u * 80 * 79 / 2);
  EXPECT_GT(pair.reached().outcomes[1], 1000u);
  if (GetParam() == Ddr5Code::rs_10_8) {
    EXPECT_GT(pair.reached().miscorrected, 10u) << "pairs within a codeword that look like a third symbol";
  }
}

TEST_P(CodeTest, FaultsAtRandomAreAsInTheModel) {
  Pair pair(block_file, GetParam());
  EXPECT_TRUE(at_random(pair, 20'000));
  for (const std::uint64_t blocks : pair.reached().outcomes) EXPECT_GT(blocks, 1000u);
  EXPECT_EQ(pair.reached().chips, (1u << ddr5_chips) - 1);
}

TEST_P(CodeTest, ItsPropertiesHold) {
  Pair pair(block_file, GetParam(), {"assertions=true"});
  EXPECT_TRUE(everything(pair, 1, operations_of(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(Ddr5Codec, CodeTest,
                         testing::Values(Ddr5Code::rs_10_8, Ddr5Code::rs_10_8_chip, Ddr5Code::rs_40_32),
                         ParameterName());

TEST(Ddr5CodecTest, AnAnswerComesThreeCyclesLaterAndIdleIsWhenNothingIsUnderWay) {
  Pair pair(block_file, Ddr5Code::rs_10_8);
  RtlPort idle = pair.rtl().port("idle");
  EXPECT_TRUE(pair.run({.kind = Kind::encode, .block = {}}));
  for (unsigned cycle = 0; cycle < latency; ++cycle) {
    EXPECT_FALSE(idle.is_set());
    EXPECT_TRUE(pair.pause(1));
  }
  EXPECT_TRUE(idle.is_set());
}

TEST(Ddr5CodecTest, AResetDropsWhatIsInProgress) {
  RtlInstance rtl(library_of(block_file, {}), "codec");
  RankCodecPorts ports(rtl);
  rtl.reset();
  ports.ask({.kind = Kind::encode, .block = {}});
  rtl.run(1);
  rtl.reset();
  for (unsigned cycle = 0; cycle < 2 * latency; ++cycle) {
    rtl.settle();
    EXPECT_FALSE(ports.answers());
    rtl.edge();
  }
}

// ---- mutants ----

class RtlMutantTest : public testing::TestWithParam<Mutant> {};

TEST_P(RtlMutantTest, IsFound) {
  Pair pair(mutant_of("ddr5_codec", GetParam()), Ddr5Code::rs_10_8_chip);
  EXPECT_FALSE(everything(pair, 1, 2'000));
}

INSTANTIATE_TEST_SUITE_P(Ddr5Codec, RtlMutantTest, testing::ValuesIn(ddr5_codec_mutants), ParameterName());

}  // namespace
}  // namespace asterism
