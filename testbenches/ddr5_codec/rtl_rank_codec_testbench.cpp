// Tests RtlRankCodec with rtl/ddr5_codec in place of the model, in lockstep with it, and with a mutant.
#include "base/random.h"
#include "cosim/rtl_rank_codec.h"
#include "testbenches/ddr5_codec/mutants.h"
#include "testbenches/hook_test.h"

namespace asterism {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

struct RtlRankCodecTest : HookTest<RtlRankCodec> {
  Random random{1};
  Ddr5Codec codec{Ddr5Code::rs_10_8_chip};

  RtlRankCodecTest()
      : HookTest("ddr5_codec", {"parameters.Code=1"},
                 {.instance = "node.memory.codec", .code = Ddr5Code::rs_10_8_chip, .clock = 1_GHz}) {}

  // Writes a block and decodes it with errors in these chips, and expects the results of the model alone.
  Ddr5Result read(Bytes offset, const std::vector<unsigned>& chips, Picoseconds now) {
    Ddr5Block stored;
    for (unsigned chip = 0; chip < ddr5_data_chips; ++chip) stored.chips[chip] = random.next();
    codec.encode(stored);
    Ddr5Block encoded = stored;
    hook->encode(now, offset, encoded);
    EXPECT_EQ(encoded, stored);
    for (const unsigned chip : chips) stored.chips[chip] ^= 0x5A00;
    Ddr5Block decoded = stored;
    Ddr5Result result = codec.decode(decoded);
    const Ddr5Block model = decoded;
    const Ddr5Result model_result = result;
    hook->decode(now, offset, stored, decoded, result);
    EXPECT_EQ(decoded, model);
    EXPECT_EQ(result, model_result);
    return result;
  }
};

TEST_F(RtlRankCodecTest, AgreesInLockstepAndSaysWhatWasReached) {
  attach_hook(Impl::lockstep);
  read(0_B, {}, 1_us);
  read(64_B, {3}, 2_us);
  read(128_B, {3, 9}, 3_us);
  EXPECT_FALSE(hook->mismatch());
  EXPECT_THAT(hook->summary(),
              ElementsAre("node.memory.codec: lockstep, 6 operations, 0 mismatches", "reached operations 2/2",
                          "reached outcomes 3/3", "reached chips 1/10 (never 0, 1, 2, 4 and 5 more)"));
}

TEST_F(RtlRankCodecTest, TheRtlAloneDeliversWhatTheModelWould) {
  attach_hook(Impl::rtl);
  for (unsigned i = 0; i < 300; ++i) {
    std::vector<unsigned> chips;
    for (std::uint64_t left = random.below(3); left != 0; --left)
      chips.push_back(static_cast<unsigned>(random.below(ddr5_chips)));
    read(i * 64_B, chips, i * 10_ns);
  }
  EXPECT_EQ(hook->operations(), 600u);
  EXPECT_FALSE(hook->mismatch());
}

TEST_F(RtlRankCodecTest, ADifferenceIsReportedWithTheAddressAndTheWords) {
  attach_hook(Impl::lockstep, mutant_named("last_chip_ignored", ddr5_codec_mutants));
  read(0x1000_B, {3}, 1_us);
  EXPECT_TRUE(mismatches.empty());
  read(0x2040_B, {9}, 2_us);
  ASSERT_EQ(mismatches.size(), 1u);
  const Lockstep::Mismatch& mismatch = mismatches.front();
  EXPECT_EQ(mismatch.at, 2_us);
  EXPECT_EQ(mismatch.what, "outcome, chips, parity");
  EXPECT_THAT(mismatch.asked, StartsWith("decode the block at offset 0x2040, words of chips 0 to 9 "));
  EXPECT_THAT(mismatch.model, StartsWith("corrected {9}, words "));
  EXPECT_THAT(mismatch.rtl, StartsWith("uncorrectable, words "));
  EXPECT_THAT(mismatch.history,
              ElementsAre("1.000000 us  encode 0x1000", "1.000000 us  decode 0x1000 -> corrected {3}",
                          "2.000000 us  encode 0x2040", "2.000000 us  decode 0x2040 -> corrected {9}"));
}

TEST_F(RtlRankCodecTest, OperationContinuesAfterAnyReset) {
  attach_hook(Impl::lockstep);
  for (const Reset kind : {Reset::warm, Reset::power_loss, Reset::cold}) {
    read(0_B, {2}, 1_us);
    hook->reset(kind);
  }
  EXPECT_EQ(hook->operations(), 6u);
  EXPECT_FALSE(hook->mismatch());
}

TEST_F(RtlRankCodecTest, RefusesAnotherCodeAndAnotherContract) {
  settings.code = Ddr5Code::rs_40_32;
  EXPECT_THAT(refusal(), HasSubstr("was built with Code=1, the model has 2"));
  EXPECT_THAT(refusal("rtl/rs_codec/block.json", {}),
              HasSubstr("is a block of the contract codec, expected rank_codec"));
}

}  // namespace
}  // namespace asterism
