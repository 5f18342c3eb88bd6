// Compares every output of rtl/ddr5_codec with Ddr5Codec, with a block in each cycle.
//
// Errors are all those of a byte of a chip, which are all single symbols of RS(10,8); two bytes at all pairs
// of places with sampled values; and bits, pins, beats, half bursts and whole chips of up to three chips.
// Data are random throughout. Blocks with two errors are mostly uncorrectable, and some are miscorrected: the
// verdict has to be the model's, whether it is right or wrong.
#include "base/parameter_name.h"
#include "testbenches/ddr5_codec/mutants.h"
#include "testbenches/ddr5_codec/rank_bench.h"

namespace asterism {
namespace {

using Pair = CodecPair<RankBench>;
constexpr Bytes anywhere(0);
constexpr std::uint32_t all_chips = (1u << ddr5_chips) - 1;

// The RTL of the code over pins is slower in simulation.
unsigned operations_of(Ddr5Code code) { return code == Ddr5Code::rs_40_32 ? 1'000 : 5'000; }

class CodeTest : public testing::TestWithParam<Ddr5Code> {};

TEST_P(CodeTest, EveryErrorOfAByteIsAsInTheModel) {
  Pair pair(GetParam());
  EXPECT_TRUE(single_symbols(pair, anywhere));
  EXPECT_EQ(pair.reached().operations, 10u * 8 * 255);
  EXPECT_EQ(pair.reached().outcomes[0][1], 10u * 8 * 255) << "all are corrected";
  EXPECT_EQ(pair.reached().miscorrected, 0u);
  EXPECT_EQ(pair.reached().chips[0], all_chips);
}

TEST_P(CodeTest, AllPairsOfBytesAreAsInTheModel) {
  Pair pair(GetParam());
  EXPECT_TRUE(double_symbols(pair, anywhere, 4));
  EXPECT_EQ(pair.reached().operations, 4u * 80 * 79 / 2);
  EXPECT_GT(pair.reached().outcomes[0][1], 1000u);
  if (GetParam() == Ddr5Code::rs_10_8) {
    EXPECT_GT(pair.reached().miscorrected, 10u) << "pairs within a codeword that look like a third symbol";
  }
}

TEST_P(CodeTest, FaultsAtRandomAreAsInTheModel) {
  Pair pair(GetParam());
  EXPECT_TRUE(at_random(pair, 20'000));
  for (const std::uint64_t blocks : pair.reached().outcomes[0]) EXPECT_GT(blocks, 1000u);
  EXPECT_EQ(pair.reached().chips[0], all_chips);
}

TEST_P(CodeTest, ItsPropertiesHold) {
  Pair pair(GetParam(), {"assertions=true"});
  EXPECT_TRUE(everything(pair, 1, operations_of(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(Ddr5Codec, CodeTest,
                         testing::Values(Ddr5Code::rs_10_8, Ddr5Code::rs_10_8_chip, Ddr5Code::rs_40_32),
                         ParameterName());

TEST(Ddr5CodecTest, AnAnswerComesThreeCyclesLaterAndIdleIsWhenNothingIsUnderWay) {
  expect_answers_three_cycles_later<RankBench>(Ddr5Code::rs_10_8);
}

TEST(Ddr5CodecTest, AResetDropsWhatIsInProgress) {
  expect_reset_drops_what_is_in_progress<RankBench>(Ddr5Code::rs_10_8);
}

class RtlMutantTest : public testing::TestWithParam<Mutant> {};

TEST_P(RtlMutantTest, IsFound) {
  EXPECT_TRUE(is_found<RankBench>(GetParam(), Ddr5Code::rs_10_8_chip, 2'000));
}

INSTANTIATE_TEST_SUITE_P(Ddr5Codec, RtlMutantTest, testing::ValuesIn(ddr5_codec_mutants), ParameterName());

}  // namespace
}  // namespace asterism
