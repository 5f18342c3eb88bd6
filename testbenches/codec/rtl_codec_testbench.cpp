// Tests RtlCodecOf with the block of each contract in place of the model, in lockstep with it, and with
// mutants of the RTL.
#include "cosim/rtl_codec.h"
#include "testbenches/ddr5_codec/mutants.h"
#include "testbenches/ddr5_codec/rank_bench.h"
#include "testbenches/hook_test.h"
#include "testbenches/rs_codec/dual_mode_bench.h"
#include "testbenches/rs_codec/mutants.h"

namespace asterism {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

template <class Bench>
constexpr auto tested_code = EccProfile::strict;
template <>
constexpr auto tested_code<RankBench> = Ddr5Code::rs_10_8_chip;

template <class Bench>
struct RtlCodecTest : HookTest<RtlCodecOf<typename Bench::Contract>> {
  using Base = HookTest<RtlCodecOf<typename Bench::Contract>>;
  using Where = typename Bench::Where;
  Random random{1};
  typename Bench::Model model{tested_code<Bench>};

  RtlCodecTest()
      : Base(Bench::block, overrides_of({{Bench::parameter, static_cast<std::uint64_t>(tested_code<Bench>)}}),
             {.instance = "node.memory.codec", .code = tested_code<Bench>, .clock = 1_GHz}) {}

  // Writes a block and decodes it with an error in a symbol of each of these chips, and expects the results
  // of the model alone.
  void read(Where where, const std::vector<unsigned>& chips, Picoseconds now) {
    auto stored = Bench::random_block(random);
    Bench::encode(model, where, stored);
    auto encoded = stored;
    this->hook->encode(now, where, encoded);
    EXPECT_EQ(encoded, stored);
    for (const unsigned chip : chips)
      Bench::disturb(stored, chip * (Bench::symbols / Bench::mode_chips.back()) + 1, 0x5A);
    const auto expected =
        Bench::answer(model, {.kind = CodecOperationKind::decode, .where = where, .block = stored});
    auto decoded = expected.block;
    auto result = expected.result;
    this->hook->decode(now, where, stored, decoded, result);
    EXPECT_EQ(decoded, expected.block);
    EXPECT_EQ(result, expected.result);
  }
  Where some_where() { return Bench::wheres[random.below(Bench::wheres.size())]; }
};

using Benches = testing::Types<DualModeBench, RankBench>;
TYPED_TEST_SUITE(RtlCodecTest, Benches);

TYPED_TEST(RtlCodecTest, TheRtlAloneDeliversWhatTheModelWould) {
  this->attach_hook(Impl::rtl);
  for (unsigned i = 0; i < 400; ++i) {
    std::vector<unsigned> chips;
    for (std::uint64_t left = this->random.below(3); left != 0; --left)
      chips.push_back(static_cast<unsigned>(this->random.below(TypeParam::mode_chips.front())));
    this->read(this->some_where(), chips, i * 10_ns);
  }
  EXPECT_EQ(this->hook->operations(), 800u);
  EXPECT_FALSE(this->hook->mismatch());
}

TYPED_TEST(RtlCodecTest, SkippedCyclesChangeNothingAndIdlenessIsTrue) {
  for (const bool skip : {true, false}) {
    this->options = {.skip = skip, .check_idle = skip, .traces = this->folder.path()};
    this->attach_hook(Impl::lockstep);
    for (unsigned i = 0; i < 20; ++i) this->read(this->some_where(), {i % 10}, i * 1_us);
  }
  EXPECT_TRUE(this->mismatches.empty());
}

TYPED_TEST(RtlCodecTest, OperationContinuesAfterAnyReset) {
  this->attach_hook(Impl::lockstep);
  for (const Reset kind : {Reset::warm, Reset::power_loss, Reset::cold}) {
    this->read(this->some_where(), {2}, 1_us);
    this->hook->reset(kind);
  }
  EXPECT_EQ(this->hook->operations(), 6u);
  EXPECT_FALSE(this->hook->mismatch());
}

TYPED_TEST(RtlCodecTest, ATraceOnDemandIsWrittenUpToTheEnd) {
  this->options.trace = {{.instance = "node.memory", .from = 0_ns, .to = 2_us}};
  this->attach_hook(Impl::lockstep);
  this->read(this->some_where(), {2}, 1_us);
  this->hook->finish(3_us);
  EXPECT_TRUE(std::filesystem::exists(this->folder / "node.memory.codec.fst"));
}

TYPED_TEST(RtlCodecTest, RefusesAnotherContract) {
  EXPECT_THAT(this->refusal("rtl/lrg_arbiter/block.json", {"parameters.Radix=4"}),
              HasSubstr(std::string("is a block of the contract arbiter, expected ") + TypeParam::name));
}

// ---- codec ----

using DualModeTest = RtlCodecTest<DualModeBench>;

// Encodings have no answer, and decodings have an outcome that does not exist.
const Mutant broken{
    "broken",
    {{"rs_codec.sv", "valid_o <= located_valid_q", "valid_o <= located_valid_q && located_decode_q"},
     {"rs_codec.sv", "outcome_o    <= {", "outcome_o    <= 2'd3 | {"}}};

TEST_F(DualModeTest, AgreesInLockstepAndSaysWhatWasReached) {
  attach_hook(Impl::lockstep);
  read(EccMode::normal, {}, 1_us);
  read(EccMode::normal, {3, 17}, 2_us);
  read(EccMode::strong, {5}, 3_us);
  EXPECT_FALSE(hook->mismatch());
  EXPECT_THAT(hook->summary(),
              ElementsAre("node.memory.codec: lockstep, 6 operations, 0 mismatches", "reached operations 4/4",
                          "reached outcomes 3/6 (never normal corrected and 2 more)",
                          "reached normal chips 0/18 (never 0, 1, 2, 3 and 14 more)",
                          "reached strong chips 1/19 (never 0, 1, 2, 3 and 14 more)"));
}

TEST_F(DualModeTest, WithoutACodeTheRtlIsNotUsed) {
  attach_hook(Impl::lockstep);
  MemoryBlock block;
  DecodeResult result;
  hook->encode(1_us, EccMode::none, block);
  hook->decode(1_us, EccMode::none, {}, block, result);
  EXPECT_EQ(hook->operations(), 0u);
}

TEST_F(DualModeTest, ADifferenceIsReportedOnceWithAWindow) {
  attach_hook(Impl::lockstep, mutant_named("third_ignored", rs_codec_mutants));
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

TEST_F(DualModeTest, RtlThatDoesNotAnswerHasFailedAndTheModelTakesOver) {
  settings.max_cycles = 50;
  attach_hook(Impl::rtl, broken);
  read(EccMode::normal, {3}, 1_us);
  read(EccMode::normal, {4}, 2_us);
  ASSERT_EQ(mismatches.size(), 1u);
  EXPECT_EQ(mismatches.front().what, "RTL failed");
  EXPECT_EQ(mismatches.front().model, "");
  EXPECT_EQ(mismatches.front().rtl, "no answer: valid_o was low for 50 cycles");
}

TEST_F(DualModeTest, AnOutcomeThatThereIsNotIsAFailure) {
  attach_hook(Impl::lockstep, broken);
  MemoryBlock decoded;
  DecodeResult result;
  hook->decode(1_us, EccMode::normal, {}, decoded, result);
  ASSERT_EQ(mismatches.size(), 1u);
  EXPECT_EQ(mismatches.front().rtl, "its outcome is 3, which does not exist");
}

TEST_F(DualModeTest, RefusesAnotherProfile) {
  settings.code = EccProfile::thesis;
  EXPECT_THAT(refusal(), HasSubstr("was built with Profile=1, the model has 0"));
}

// ---- rank_codec ----

using RankTest = RtlCodecTest<RankBench>;

TEST_F(RankTest, AgreesInLockstepAndSaysWhatWasReached) {
  attach_hook(Impl::lockstep);
  read(0_B, {}, 1_us);
  read(64_B, {3}, 2_us);
  read(128_B, {3, 9}, 3_us);
  EXPECT_FALSE(hook->mismatch());
  EXPECT_THAT(hook->summary(),
              ElementsAre("node.memory.codec: lockstep, 6 operations, 0 mismatches", "reached operations 2/2",
                          "reached outcomes 3/3", "reached chips 1/10 (never 0, 1, 2, 4 and 5 more)"));
}

TEST_F(RankTest, ADifferenceIsReportedWithTheAddressAndTheWords) {
  attach_hook(Impl::lockstep, mutant_named("last_chip_ignored", ddr5_codec_mutants));
  read(0x1000_B, {3}, 1_us);
  EXPECT_TRUE(mismatches.empty());
  read(0x2040_B, {9}, 2_us);
  ASSERT_EQ(mismatches.size(), 1u);
  const Lockstep::Mismatch& mismatch = mismatches.front();
  EXPECT_EQ(mismatch.at, 2_us);
  EXPECT_EQ(mismatch.what, "outcome, chips, parity");
  EXPECT_THAT(mismatch.asked, StartsWith("decode at offset 0x2040, words of chips "));
  EXPECT_THAT(mismatch.model, StartsWith("corrected {9}, check words "));
  EXPECT_THAT(mismatch.rtl, StartsWith("uncorrectable, check words "));
  EXPECT_THAT(mismatch.history, ElementsAre("1.000000 us  encode at offset 0x1000",
                                            "1.000000 us  decode at offset 0x1000 -> corrected {3}",
                                            "2.000000 us  encode at offset 0x2040",
                                            "2.000000 us  decode at offset 0x2040 -> corrected {9}"));
}

TEST_F(RankTest, RefusesAnotherCode) {
  settings.code = Ddr5Code::rs_40_32;
  EXPECT_THAT(refusal(), HasSubstr("was built with Code=1, the model has 2"));
}

}  // namespace
}  // namespace asterism
