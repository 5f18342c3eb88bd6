// Tests RtlCodec with rtl/rs_codec in place of the model, in lockstep with it, and with mutants of the RTL.
#include "base/random.h"
#include "cosim/rtl_codec.h"
#include "testbenches/hook_test.h"

namespace asterism {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

const Mutant third_ignored{"third_ignored", {{"rs_codec.sv", "{third[8*w+:8], symbols", "{8'h00, symbols"}}};
// Encodings have no answer, and decodings have an outcome that does not exist.
const Mutant broken{
    "broken",
    {{"rs_codec.sv", "valid_o <= located_valid_q", "valid_o <= located_valid_q && located_decode_q"},
     {"rs_codec.sv", "outcome_o    <= {", "outcome_o    <= 2'd3 | {"}}};

struct RtlCodecTest : HookTest<RtlCodec> {
  Random random{1};

  RtlCodecTest()
      : HookTest("rs_codec", {"parameters.Profile=1"},
                 {.instance = "node.memory.codec", .profile = EccProfile::strict, .clock = 1_GHz}) {}

  MemoryBlock written(EccMode mode, Picoseconds now) {
    MemoryBlock block;
    for (auto& byte : block.data) byte = static_cast<std::uint8_t>(random.next());
    DualModeCodec::encode(mode, block);
    const MemoryBlock model = block;
    hook->encode(now, mode, block);
    EXPECT_EQ(block, model);
    return block;
  }
  // Decodes a block with errors in these chips, and expects the result of the model alone.
  DecodeResult read(EccMode mode, const std::vector<unsigned>& chips, Picoseconds now) {
    MemoryBlock received = written(mode, now);
    for (const unsigned chip : chips) received.flip_symbol(chip, 1, 0x5A);
    MemoryBlock decoded = received;
    DecodeResult result = DualModeCodec(EccProfile::strict).decode(mode, decoded);
    const MemoryBlock model = decoded;
    const DecodeResult model_result = result;
    hook->decode(now, mode, received, decoded, result);
    EXPECT_EQ(decoded, model);
    EXPECT_EQ(result, model_result);
    return result;
  }
};

TEST_F(RtlCodecTest, AgreesInLockstepAndSaysWhatWasReached) {
  attach_hook(Impl::lockstep);
  read(EccMode::normal, {}, 1_us);
  read(EccMode::normal, {3, 17}, 2_us);
  read(EccMode::strong, {5}, 3_us);
  EXPECT_EQ(hook->operations(), 6u);
  EXPECT_FALSE(hook->mismatch());
  EXPECT_THAT(hook->summary(),
              ElementsAre("node.memory.codec: lockstep, 6 operations, 0 mismatches", "reached operations 4/4",
                          "reached outcomes 3/6 (never normal corrected and 2 more)",
                          "reached normal chips 0/18 (never 0, 1, 2, 3 and 14 more)",
                          "reached strong chips 1/19 (never 0, 1, 2, 3 and 14 more)"));
}

TEST_F(RtlCodecTest, TheRtlAloneDeliversWhatTheModelWould) {
  attach_hook(Impl::rtl);
  for (unsigned i = 0; i < 500; ++i) {
    std::vector<unsigned> chips;
    for (std::uint64_t left = random.below(3); left != 0; --left)
      chips.push_back(static_cast<unsigned>(random.below(block_chips)));
    read(random.below(2) ? EccMode::normal : EccMode::strong, chips, i * 10_ns);
  }
  EXPECT_EQ(hook->operations(), 1000u);
  EXPECT_FALSE(hook->mismatch());
}

TEST_F(RtlCodecTest, WithoutACodeTheRtlIsNotUsed) {
  attach_hook(Impl::lockstep);
  read(EccMode::none, {1, 2}, 1_us);
  EXPECT_EQ(hook->operations(), 0u);
}

TEST_F(RtlCodecTest, ADifferenceIsReportedOnceWithAWindow) {
  attach_hook(Impl::lockstep, third_ignored);
  read(EccMode::normal, {3}, 1_us);
  EXPECT_TRUE(mismatches.empty());
  read(EccMode::strong, {5}, 2_us);
  read(EccMode::strong, {6}, 3_us);
  ASSERT_EQ(mismatches.size(), 1u);
  const Lockstep::Mismatch& mismatch = mismatches.front();
  EXPECT_EQ(mismatch.at, 2_us);
  EXPECT_EQ(mismatch.instance, "node.memory.codec");
  EXPECT_EQ(mismatch.what, "outcome, chips, syndromes, data");
  EXPECT_THAT(mismatch.asked, StartsWith("decode strong, data "));
  EXPECT_THAT(mismatch.model, StartsWith("corrected {5}, syndromes 00000000 5a"));
  EXPECT_THAT(mismatch.rtl, StartsWith("uncorrectable, syndromes "));
  EXPECT_THAT(mismatch.history,
              ElementsAre("1.000000 us  encode normal", "1.000000 us  decode normal -> corrected {3}",
                          "2.000000 us  encode strong", "2.000000 us  decode strong -> corrected {5}"));
  EXPECT_EQ(mismatch.trace, (folder / "node.memory.codec.fst").string());
  EXPECT_GT(std::filesystem::file_size(mismatch.trace), 0u);
  EXPECT_EQ(hook->operations(), 4u);
}

TEST_F(RtlCodecTest, RtlThatDoesNotAnswerHasFailedAndTheModelTakesOver) {
  settings.max_cycles = 50;
  attach_hook(Impl::rtl, broken);
  read(EccMode::normal, {3}, 1_us);
  read(EccMode::normal, {4}, 2_us);
  ASSERT_EQ(mismatches.size(), 1u);
  EXPECT_EQ(mismatches.front().what, "RTL failed");
  EXPECT_EQ(mismatches.front().model, "");
  EXPECT_EQ(mismatches.front().rtl, "no answer: valid_o was low for 50 cycles");
}

TEST_F(RtlCodecTest, AnOutcomeThatThereIsNotIsAFailure) {
  attach_hook(Impl::lockstep, broken);
  MemoryBlock decoded;
  DecodeResult result;
  hook->decode(1_us, EccMode::normal, {}, decoded, result);
  ASSERT_EQ(mismatches.size(), 1u);
  EXPECT_EQ(mismatches.front().rtl, "its outcome is 3, which does not exist");
}

TEST_F(RtlCodecTest, SkippedCyclesChangeNothingAndIdlenessIsTrue) {
  options.check_idle = true;
  attach_hook(Impl::lockstep);
  for (unsigned i = 0; i < 20; ++i) read(EccMode::strong, {i % block_chips}, i * 1_us);
  options = {.skip = false, .traces = folder.path()};
  attach_hook(Impl::lockstep);
  for (unsigned i = 0; i < 20; ++i) read(EccMode::strong, {i % block_chips}, i * 1_us);
  EXPECT_TRUE(mismatches.empty());
}

TEST_F(RtlCodecTest, OperationContinuesAfterAnyReset) {
  attach_hook(Impl::lockstep);
  for (const Reset kind : {Reset::warm, Reset::power_loss, Reset::cold}) {
    read(EccMode::strong, {2}, 1_us);
    hook->reset(kind);
  }
  EXPECT_EQ(hook->operations(), 6u);
  EXPECT_FALSE(hook->mismatch());
}

TEST_F(RtlCodecTest, ATraceOnDemandIsWrittenUpToTheEnd) {
  options.trace = {{.instance = "node.memory", .from = 0_ns, .to = 2_us}};
  attach_hook(Impl::lockstep);
  read(EccMode::strong, {2}, 1_us);
  hook->finish(3_us);
  EXPECT_TRUE(std::filesystem::exists(folder / "node.memory.codec.fst"));
}

TEST_F(RtlCodecTest, RefusesAnotherProfileAndAnotherContract) {
  settings.profile = EccProfile::thesis;
  EXPECT_THAT(refusal(), HasSubstr("was built with Profile=1, the memory's profile is thesis (0)"));
  EXPECT_THAT(refusal("rtl/lrg_arbiter/block.json", {"parameters.Radix=4"}),
              HasSubstr("is a block of the contract arbiter, expected codec"));
}

}  // namespace
}  // namespace asterism
