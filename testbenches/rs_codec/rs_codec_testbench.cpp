// Compares every output of rtl/rs_codec with DualModeCodec, with a block in each cycle.
//
// Errors are single symbols of every position and value, two symbols at all pairs of positions of a block
// with sampled values, every location beyond the end of the codes, and random bits, pins, words, chips and
// symbols of up to three chips. Data are random throughout.
#include "base/parameter_name.h"
#include "testbenches/rs_codec/dual_mode_bench.h"
#include "testbenches/rs_codec/mutants.h"

namespace asterism {
namespace {

using Pair = CodecPair<DualModeBench>;

class ProfileTest : public testing::TestWithParam<EccProfile> {};

TEST_P(ProfileTest, EverySingleSymbolIsAsInTheModel) {
  Pair pair(GetParam());
  EXPECT_TRUE(single_symbols(pair, EccMode::normal));
  EXPECT_TRUE(single_symbols(pair, EccMode::strong));
  EXPECT_EQ(pair.reached().operations, 2u * 19 * 4 * 255);
  EXPECT_EQ(pair.reached().chips[0], (1u << 18) - 1);
  EXPECT_EQ(pair.reached().outcomes[0][1], 18u * 4 * 255);
  EXPECT_EQ(pair.reached().outcomes[1][1], 18u * 4 * 255);
  EXPECT_EQ(pair.reached().outcomes[1][0], 4u * 255);  // the third parity is not used
}

TEST_P(ProfileTest, AllPairsOfSymbolsAreAsInTheModel) {
  Pair pair(GetParam());
  EXPECT_TRUE(double_symbols(pair, EccMode::normal, 8));
  EXPECT_TRUE(double_symbols(pair, EccMode::strong, 8));
  EXPECT_EQ(pair.reached().operations, 2u * 8 * (76 * 75 / 2));
  EXPECT_EQ(pair.reached().chips[1], (1u << 19) - 1);
}

TEST_P(ProfileTest, FaultsAtRandomAreAsInTheModel) {
  Pair pair(GetParam());
  EXPECT_TRUE(at_random(pair, 30'000));
  for (const auto& outcomes : pair.reached().outcomes)
    for (const std::uint64_t blocks : outcomes) EXPECT_GT(blocks, 1000u);
  EXPECT_EQ(pair.reached().chips[0], (1u << 18) - 1);
  EXPECT_EQ(pair.reached().chips[1], (1u << 19) - 1);
  EXPECT_GT(pair.reached().used_third, 1000u);
}

TEST_P(ProfileTest, ALocationBehindTheEndIsAsInTheModel) {
  Pair pair(GetParam());
  EXPECT_TRUE(DualModeBench::special_errors(pair, EccMode::normal));
  EXPECT_TRUE(DualModeBench::special_errors(pair, EccMode::strong));
  EXPECT_EQ(pair.reached().unchanged, GetParam() == EccProfile::thesis ? 219u * 2 + 237 * 4 : 0u);
}

INSTANTIATE_TEST_SUITE_P(RsCodec, ProfileTest,
                         testing::Values(EccProfile::thesis, EccProfile::strict, EccProfile::chip),
                         ParameterName());

TEST(RsCodecTest, ItsPropertiesHoldInTheFirstProfileAndTheLast) {
  for (const EccProfile profile : {EccProfile::thesis, EccProfile::chip}) {
    Pair pair(profile, {"assertions=true"});
    EXPECT_TRUE(everything(pair, 1, 5'000));
  }
}

TEST(RsCodecTest, AnAnswerComesThreeCyclesLaterAndIdleIsWhenNothingIsUnderWay) {
  expect_answers_three_cycles_later<DualModeBench>(EccProfile::thesis);
}

TEST(RsCodecTest, AResetDropsWhatIsInProgress) {
  expect_reset_drops_what_is_in_progress<DualModeBench>(EccProfile::thesis);
}

class RtlMutantTest : public testing::TestWithParam<Mutant> {};

TEST_P(RtlMutantTest, IsFound) {
  EXPECT_TRUE(is_found<DualModeBench>(GetParam(), EccProfile::strict, 5'000));
}

INSTANTIATE_TEST_SUITE_P(RsCodec, RtlMutantTest, testing::ValuesIn(rs_codec_mutants), ParameterName());

}  // namespace
}  // namespace asterism
