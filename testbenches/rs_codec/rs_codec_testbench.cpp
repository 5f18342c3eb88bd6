// Compares every output of rtl/rs_codec with DualModeCodec, with a block in each cycle.
//
// Errors are single symbols of every position and value, two symbols at all pairs of positions of a block
// with sampled values, every location beyond the end of the codes, and random bits, pins, words, chips and
// symbols of up to three chips. Data are random throughout.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <vector>

#include "base/parameter_name.h"
#include "base/random.h"
#include "cosim/codec_ports.h"
#include "ecc/gf256.h"
#include "testbenches/rs_codec/mutants.h"
#include "testbenches/testbench.h"

namespace asterism {
namespace {

constexpr const char* codec = "rtl/rs_codec/block.json";
constexpr unsigned latency = 3;
constexpr unsigned chips_with_third = block_chips + 1;

using Outcome = DecodeResult::Outcome;
using Kind = CodecOperation::Kind;

std::vector<std::string> profile_of(EccProfile profile) {
  return {"parameters.Profile=" + std::to_string(static_cast<int>(profile))};
}

CodecAnswer answer_of_model(EccProfile profile, const CodecOperation& operation) {
  CodecAnswer answer{.block = operation.block};
  if (operation.kind == Kind::encode)
    DualModeCodec::encode(operation.mode, answer.block);
  else
    answer.result = DualModeCodec(profile).decode(operation.mode, answer.block);
  return answer;
}

// The coverage of the answers.
struct Reached {
  std::array<std::array<std::uint64_t, 3>, 2> outcomes{};  // by mode
  std::array<std::uint32_t, 2> chips{};
  std::uint64_t operations = 0, used_third = 0, unchanged = 0;

  void count(const CodecOperation& operation, const CodecAnswer& answer) {
    ++operations;
    if (operation.kind == Kind::encode) return;
    const bool strong = operation.mode == EccMode::strong;
    ++outcomes[strong][static_cast<unsigned>(answer.result.outcome)];
    chips[strong] |= answer.result.chips;
    used_third += answer.result.used_third;
    unchanged += answer.result.outcome == Outcome::corrected && answer.result.chips == 0;
  }
};

// Gives the RTL one operation in each cycle and compares its answers with the model's when they come.
class Pair {
 public:
  Pair(const std::string& block, EccProfile profile, std::vector<std::string> overrides = {})
      : profile_(profile),
        rtl_(library_of(block, with_profile(std::move(overrides), profile)), "codec"),
        ports_(rtl_) {
    rtl_.reset();
  }

  // Returns false at the first answer that differs.
  bool run(const CodecOperation& operation) {
    ports_.ask(operation);
    under_way_.push_back({cycle_ + latency, operation});
    return cycle();
  }
  bool pause(unsigned cycles) {
    ports_.ask_nothing();
    for (unsigned i = 0; i < cycles; ++i)
      if (!cycle()) return false;
    return true;
  }
  bool finish() { return pause(latency + 1) && under_way_.empty(); }

  EccProfile profile() const { return profile_; }
  const Reached& reached() const { return reached_; }
  RtlInstance& rtl() { return rtl_; }

 private:
  struct UnderWay {
    std::uint64_t due;
    CodecOperation operation;
  };
  static std::vector<std::string> with_profile(std::vector<std::string> overrides, EccProfile profile) {
    std::ranges::copy(profile_of(profile), std::back_inserter(overrides));
    return overrides;
  }
  bool cycle() {
    rtl_.settle();
    const bool due = !under_way_.empty() && under_way_.front().due == cycle_;
    bool same = ports_.answers() == due;
    if (same && due) {
      const CodecOperation& operation = under_way_.front().operation;
      const CodecAnswer expected = answer_of_model(profile_, operation);
      same = ports_.answer() == expected;
      reached_.count(operation, expected);
      under_way_.pop_front();
    }
    rtl_.edge();
    ++cycle_;
    return same;
  }

  EccProfile profile_;
  RtlInstance rtl_;
  CodecPorts ports_;
  std::deque<UnderWay> under_way_;
  std::uint64_t cycle_ = 0;
  Reached reached_;
};

MemoryBlock random_block(Random& random) {
  MemoryBlock block;
  for (auto& byte : block.data) byte = static_cast<std::uint8_t>(random.next());
  return block;
}
CodecOperation decoding(EccMode mode, const MemoryBlock& written, const MemoryBlock& errors) {
  CodecOperation operation{.kind = Kind::decode, .mode = mode, .block = written};
  operation.block ^= errors;
  return operation;
}
std::uint8_t error_value(Random& random) { return static_cast<std::uint8_t>(1 + random.below(255)); }
// Changes symbol p of a chip, or of the third parity, which comes after the last chip.
void disturb(MemoryBlock& errors, unsigned chip, unsigned p, std::uint8_t value) {
  if (chip == block_chips)
    errors.third[p] ^= value;
  else
    errors.flip_symbol(chip, p, value);
}

// Tests every error in every symbol of a block, thus at all positions of all codewords including the third
// parity.
bool single_symbols(Pair& pair, EccMode mode) {
  Random random(1);
  MemoryBlock written = random_block(random);
  DualModeCodec::encode(mode, written);
  for (unsigned chip = 0; chip < chips_with_third; ++chip)
    for (unsigned p = 0; p < chip_symbols; ++p)
      for (unsigned value = 1; value < 256; ++value) {
        MemoryBlock errors;
        disturb(errors, chip, p, static_cast<std::uint8_t>(value));
        if (!pair.run(decoding(mode, written, errors))) return false;
      }
  return pair.finish();
}

// Tests errors in two symbols of a block, at all pairs of positions, with random values for each pair.
bool double_symbols(Pair& pair, EccMode mode, unsigned values) {
  Random random(2);
  MemoryBlock written = random_block(random);
  DualModeCodec::encode(mode, written);
  constexpr unsigned symbols = chips_with_third * chip_symbols;
  for (unsigned a = 0; a < symbols; ++a)
    for (unsigned b = 0; b < a; ++b)
      for (unsigned i = 0; i < values; ++i) {
        MemoryBlock errors;
        disturb(errors, a / chip_symbols, a % chip_symbols, error_value(random));
        disturb(errors, b / chip_symbols, b % chip_symbols, error_value(random));
        if (!pair.run(decoding(mode, written, errors))) return false;
      }
  return pair.finish();
}

// Adds the effect of a fault in a random chip (a bit, a pin, a word, the whole chip, a symbol) or in third
// parity symbols.
void fault(Random& random, MemoryBlock& errors) {
  const auto chip = static_cast<unsigned>(random.below(chips_with_third));
  if (chip == block_chips)
    return disturb(errors, chip, static_cast<unsigned>(random.below(chip_symbols)), error_value(random));
  const auto beat = static_cast<unsigned>(random.below(block_beats));
  const auto pin = static_cast<std::uint8_t>(1 << random.below(4));
  switch (random.below(5)) {
    case 0:
      return errors.flip_nibble(chip, beat, pin);
    case 1:
      for (unsigned b = 0; b < block_beats; ++b)
        if (random.below(2)) errors.flip_nibble(chip, b, pin);
      return;
    case 2:
      return errors.flip_nibble(chip, beat, static_cast<std::uint8_t>(1 + random.below(15)));
    case 3:
      for (unsigned p = 0; p < chip_symbols; ++p)
        errors.flip_symbol(chip, p, static_cast<std::uint8_t>(random.next()));
      return;
    default:
      return errors.flip_symbol(chip, beat / 2, error_value(random));
  }
}

// Encodes random blocks in both modes, and decodes them with up to three faults, with occasional pauses.
bool at_random(Pair& pair, unsigned operations) {
  Random random(3);
  for (unsigned i = 0; i < operations; ++i) {
    const EccMode mode = random.below(2) ? EccMode::normal : EccMode::strong;
    MemoryBlock block = random_block(random);
    if (random.below(4) == 0) {
      for (auto& byte : block.parity) byte = static_cast<std::uint8_t>(random.next());  // it is ignored
      for (auto& byte : block.third) byte = static_cast<std::uint8_t>(random.next());
      if (!pair.run({.kind = Kind::encode, .mode = mode, .block = block})) return false;
      continue;
    }
    DualModeCodec::encode(mode, block);
    MemoryBlock errors;
    for (std::uint64_t left = random.below(4); left != 0; --left) fault(random, errors);
    if (!pair.run(decoding(mode, block, errors))) return false;
    if (random.below(16) == 0 && !pair.pause(static_cast<unsigned>(1 + random.below(5)))) return false;
  }
  return pair.finish();
}

// Adds errors in the parity of codeword w that look like one faulty symbol at a location beyond the end of
// the shortened code. They come from Lagrange's polynomials, which are 1 at the locator of one parity symbol
// and 0 at those of the others.
void look_like(MemoryBlock& errors, EccMode mode, unsigned w, unsigned location, std::uint8_t value) {
  using namespace gf256;
  const bool normal = mode == EccMode::normal;
  const unsigned first = normal ? 32 : 16, count = normal ? 4 : 2;
  std::uint8_t third = multiply(value, power(2 * location));
  for (unsigned k = 0; k < count; ++k) {
    std::uint8_t error = value;
    for (unsigned m = 0; m < count; ++m)
      if (m != k)
        error =
            multiply(error, divide(power(location) ^ power(first + m), power(first + k) ^ power(first + m)));
    third ^= multiply(error, power(2 * (first + k)));
    if (normal)
      errors.flip_symbol(16 + k / 2, 2 * w + k % 2, error);
    else
      errors.flip_symbol(16 + k, w, error);
  }
  if (!normal) errors.third[w] ^= third;
}

// Tests each of those locations in each codeword, alone and with a faulty symbol in another codeword.
bool beyond_the_end(Pair& pair, EccMode mode) {
  Random random(4);
  MemoryBlock written = random_block(random);
  DualModeCodec::encode(mode, written);
  const bool normal = mode == EccMode::normal;
  for (unsigned location = normal ? 36 : 18; location < 255; ++location)
    for (unsigned w = 0; w < (normal ? 2u : 4u); ++w) {
      MemoryBlock errors;
      look_like(errors, mode, w, location, error_value(random));
      if (!pair.run(decoding(mode, written, errors))) return false;
      disturb(errors, location % data_chips, normal ? 2 * (1 - w) : (w + 1) % 4, error_value(random));
      if (!pair.run(decoding(mode, written, errors))) return false;
    }
  return pair.finish();
}

bool everything(Pair& pair, unsigned values, unsigned random) {
  for (const EccMode mode : {EccMode::normal, EccMode::strong})
    if (!single_symbols(pair, mode) || !double_symbols(pair, mode, values) || !beyond_the_end(pair, mode))
      return false;
  return at_random(pair, random);
}

class ProfileTest : public testing::TestWithParam<EccProfile> {};

TEST_P(ProfileTest, EverySingleSymbolIsAsInTheModel) {
  Pair pair(codec, GetParam());
  EXPECT_TRUE(single_symbols(pair, EccMode::normal));
  EXPECT_TRUE(single_symbols(pair, EccMode::strong));
  EXPECT_EQ(pair.reached().operations, 2u * 19 * 4 * 255);
  EXPECT_EQ(pair.reached().chips[0], (1u << 18) - 1);
  EXPECT_EQ(pair.reached().outcomes[0][1], 18u * 4 * 255);
  EXPECT_EQ(pair.reached().outcomes[1][1], 18u * 4 * 255);
  EXPECT_EQ(pair.reached().outcomes[1][0], 4u * 255);  // the third parity is not used
}

TEST_P(ProfileTest, AllPairsOfSymbolsAreAsInTheModel) {
  Pair pair(codec, GetParam());
  EXPECT_TRUE(double_symbols(pair, EccMode::normal, 8));
  EXPECT_TRUE(double_symbols(pair, EccMode::strong, 8));
  EXPECT_EQ(pair.reached().operations, 2u * 8 * (76 * 75 / 2));
  EXPECT_EQ(pair.reached().chips[1], (1u << 19) - 1);
}

TEST_P(ProfileTest, FaultsAtRandomAreAsInTheModel) {
  Pair pair(codec, GetParam());
  EXPECT_TRUE(at_random(pair, 30'000));
  for (const auto& outcomes : pair.reached().outcomes)
    for (const std::uint64_t blocks : outcomes) EXPECT_GT(blocks, 1000u);
  EXPECT_EQ(pair.reached().chips[0], (1u << 18) - 1);
  EXPECT_EQ(pair.reached().chips[1], (1u << 19) - 1);
  EXPECT_GT(pair.reached().used_third, 1000u);
}

TEST_P(ProfileTest, ALocationBehindTheEndIsAsInTheModel) {
  Pair pair(codec, GetParam());
  EXPECT_TRUE(beyond_the_end(pair, EccMode::normal));
  EXPECT_TRUE(beyond_the_end(pair, EccMode::strong));
  EXPECT_EQ(pair.reached().unchanged, GetParam() == EccProfile::thesis ? 219u * 2 + 237 * 4 : 0u);
}

INSTANTIATE_TEST_SUITE_P(RsCodec, ProfileTest,
                         testing::Values(EccProfile::thesis, EccProfile::strict, EccProfile::chip),
                         ParameterName());

TEST(RsCodecTest, ItsPropertiesHoldInTheFirstProfileAndTheLast) {
  for (const EccProfile profile : {EccProfile::thesis, EccProfile::chip}) {
    Pair pair(codec, profile, {"assertions=true"});
    EXPECT_TRUE(everything(pair, 1, 5'000));
  }
}

TEST(RsCodecTest, AnAnswerComesThreeCyclesLaterAndIdleIsWhenNothingIsUnderWay) {
  Pair pair(codec, EccProfile::thesis);
  RtlPort idle = pair.rtl().port("idle");
  EXPECT_TRUE(pair.run({.kind = Kind::encode, .mode = EccMode::strong, .block = {}}));
  for (unsigned cycle = 0; cycle < latency; ++cycle) {
    EXPECT_FALSE(idle.is_set());
    EXPECT_TRUE(pair.pause(1));
  }
  EXPECT_TRUE(idle.is_set());
}

TEST(RsCodecTest, AResetDropsWhatIsInProgress) {
  RtlInstance rtl(library_of(codec, {}), "codec");
  CodecPorts ports(rtl);
  rtl.reset();
  ports.ask({.kind = Kind::encode, .mode = EccMode::normal, .block = {}});
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
  Pair pair(mutant_of("rs_codec", GetParam()), EccProfile::strict);
  EXPECT_FALSE(everything(pair, 1, 5'000));
}

INSTANTIATE_TEST_SUITE_P(RsCodec, RtlMutantTest, testing::ValuesIn(rs_codec_mutants), ParameterName());

}  // namespace
}  // namespace asterism
