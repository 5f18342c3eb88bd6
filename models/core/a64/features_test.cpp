// CoreFeatures: an instruction of a feature that is left out is UNDEFINED, and one of a present feature
// executes.
#include <gtest/gtest.h>

#include <vector>

#include "core/a64/float_test.h"
#include "core/a64/soft_float.h"

namespace asterism::a64 {
namespace {

struct Instructions {
  CoreFeature feature;
  std::vector<std::uint32_t> words;
};
const std::vector<Instructions> instructions = {
    {CoreFeature::crc32, {0x9ac14c02}},  // crc32x w2, w0, x1
    // ldadd x1, x2, [x0]; swp; cas; casp x2, x3, x4, x5, [x0]
    {CoreFeature::lse, {0xf8210002, 0xf8218002, 0xc8a17c02, 0x48227c04}},
    {CoreFeature::aes, {0x4e284802, 0x4e285802, 0x4e286802, 0x4e287802}},  // aese, aesd, aesmc, aesimc
    {CoreFeature::pmull, {0x0ee1e002, 0x4ee1e002}},  // pmull v2.1q, v0.1d, v1.1d; pmull2
    {CoreFeature::sha1, {0x5e010002, 0x5e013002, 0x5e280802, 0x5e281802}},  // sha1c, sha1su0, sha1h, sha1su1
    // sha256h, sha256h2, sha256su1, sha256su0
    {CoreFeature::sha2, {0x5e014002, 0x5e015002, 0x5e016002, 0x5e282802}},
    // sqrdmlah v2.8h, v0.8h, v1.8h; sqrdmlsh s2, s0, s1; sqrdmlah by element, vector; sqrdmlsh, scalar
    {CoreFeature::rdm, {0x6e418402, 0x7e818c02, 0x6fa1d802, 0x7f71f802}},
    {CoreFeature::rcpc, {0xf8bfc002, 0x38bfc002}},  // ldapr x2, [x0]; ldaprb
    // sdot v2.4s, v0.16b, v1.16b; udot v2.2s; udot by element
    {CoreFeature::dotprod, {0x4e819402, 0x2e819402, 0x6fa1e802}},
    {CoreFeature::fp16, {0x1ee12802, 0x1fc10802,
                         0x1ee12000, 0x1ee10400,  // fadd h2, h0, h1; fmadd; fcmp; fccmp
                         0x1ee10c02, 0x1eee1002,
                         0x1ee70022, 0x9ee60002,  // fcsel; fmov h2, #1.0; fmov h2, w1; fmov x2, h0
                         0x9ef80002, 0x9ee20022,
                         0x1ed8f002, 0x1ee74002,  // fcvtzs x2, h0; scvtf h2, x1; fcvtzs w2, h0, #4; frintx
                         0x4e411402, 0x2ef9f802,
                         0x4f311802, 0x4e30c802,  // fadd v2.8h; fsqrt v2.4h; fmla by element; fmaxnmv h2
                         0x5e30d802, 0x4f1de402,
                         0x4f03fe02, 0x5ef9f802}},  // faddp h2; scvtf v2.8h, #3; fmov v2.8h, #1.0; frecpx h2
};

struct FeaturesTest : FloatTest {
  void make(CoreFeatures features) {
    core = make_native_iss(host, 0, {.features = features});
    host.core = core.get();
    core->map_direct(host.memory_range(), host.memory.bytes);
    core->write(CoreRegister::vbar, vectors);
    state = core->state();
    state.system.cpacr = 3 << 20;
    state.x[0] = data_base;
  }
};

TEST_F(FeaturesTest, InstructionsOfOmittedFeaturesAreUndefined) {
  for (const Instructions& of : instructions) {
    make(CoreFeatures::all().without(of.feature));
    for (const std::uint32_t word : of.words) expect_undefined(word);
  }
}

TEST_F(FeaturesTest, EachFeatureAloneEnablesItsInstructions) {
  for (const Instructions& of : instructions) {
    make(CoreFeatures{}.with(of.feature));
    for (const std::uint32_t word : of.words)
      EXPECT_EQ(run({word}, state).pc, code_base + 4) << std::hex << word << " of " << to_text(of.feature);
  }
}

TEST_F(FeaturesTest, SimdFeaturesAreTrappedWithSimd) {
  make(CoreFeatures::all());
  host.place(vectors + 0x200, {0x1400'0000});  // b .
  state.system.cpacr = 0;
  for (const Instructions& of : instructions) {
    if (of.feature == CoreFeature::crc32 || of.feature == CoreFeature::lse || of.feature == CoreFeature::rcpc)
      continue;
    for (const std::uint32_t word : of.words)
      EXPECT_EQ(run({word}, state, 1).system.esr, esr::make(esr::ec_fp_trap, 0x1e0'0000)) << std::hex << word;
  }
}

TEST_F(FeaturesTest, HalfPrecisionBringsFz16) {
  constexpr std::uint32_t msr_fpcr = 0xd51b4401;  // msr fpcr, x1
  state.x[1] = ~std::uint64_t{0};
  EXPECT_EQ(run({msr_fpcr}, state).fpcr, 0x07c0'0000u);
  make(CoreFeatures{}.with(CoreFeature::fp16));
  state.x[1] = ~std::uint64_t{0};
  EXPECT_EQ(run({msr_fpcr}, state).fpcr, 0x07c8'0000u);
}

TEST_F(FeaturesTest, HalvesAreComputedAndClearTheRestOfTheirRegister) {
  make(CoreFeatures::all());
  state.v[0].d = {0xffff'ffff'ffff'3c00, garbage};                  // 1.0
  state.v[1].d = {0x4248, garbage};                                 // 3.140625
  EXPECT_EQ(run({0x1ee12802}, state).v[2], (Vector{{0x4424, 0}}));  // fadd h2, h0, h1
  state.fpcr = fpcr_bit::fz16;
  state.v[0].d = {0x0001, 0};
  const State flushed = run({0x1ee12802}, state);
  EXPECT_EQ(flushed.v[2], (Vector{{0x4248, 0}}));
  EXPECT_EQ(flushed.fpsr, 0u);  // IDC is not set
}

// The expected bytes follow FIPS 197, figure 7 and 5.1.2, with a key of zeros: each row of bytes shifts by
// its number.
TEST_F(FeaturesTest, AnAesRoundSubstitutesAndMoves) {
  make(CoreFeatures::all());
  state.v[2].d = {0x0706'0504'0302'0100, 0x0f0e'0d0c'0b0a'0908};
  state.v[0].d = {0, 0};
  EXPECT_EQ(run({0x4e284802}, state).v[2], (Vector{{0x7bab'01f2'7667'6b63, 0x2b6f'7cfe'c577'd730}}));
}

}  // namespace
}  // namespace asterism::a64
