#include "ecc/reed_solomon.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/parameter_name.h"
#include "base/random.h"

namespace asterism {
namespace {

static_assert(gf256::power(8) == 0x1D);
static_assert(gf256::multiply(0x80, 2) == 0x1D);
static_assert(gf256::divide(gf256::multiply(0x53, 0xCA), 0xCA) == 0x53);

struct NamedCode {
  const char* name;
  const ReedSolomon& code;
};
void PrintTo(const NamedCode& code, std::ostream* out) { *out << code.name; }

class ReedSolomonCodes : public testing::TestWithParam<NamedCode> {
 protected:
  const ReedSolomon& code = GetParam().code;
  Random random{1};

  std::vector<std::uint8_t> codeword() {
    std::vector<std::uint8_t> symbols(code.length());
    for (auto& symbol : symbols) symbol = static_cast<std::uint8_t>(random.next());
    code.encode(symbols);
    return symbols;
  }
  std::uint8_t error() { return static_cast<std::uint8_t>(1 + random.below(255)); }
};

TEST_P(ReedSolomonCodes, EncodesToSyndromesOfZero) {
  for (int i = 0; i < 100; ++i) EXPECT_EQ(code.syndromes(codeword()), Syndromes{});
}

TEST_P(ReedSolomonCodes, FindsEverySingleError) {
  const auto sent = codeword();
  for (unsigned i = 0; i < code.length(); ++i)
    for (unsigned e = 1; e < 256; ++e) {
      auto received = sent;
      received[i] ^= static_cast<std::uint8_t>(e);
      const SymbolFix fix = code.decode(code.syndromes(received));
      if (code.checks() == 2)
        ASSERT_EQ(fix.outcome, SymbolFix::Outcome::uncorrectable);
      else
        ASSERT_EQ(fix, (SymbolFix{SymbolFix::Outcome::corrected, i, static_cast<std::uint8_t>(e)}));
    }
}

TEST_P(ReedSolomonCodes, DetectsErrorsInAnyTwoPositions) {
  const auto sent = codeword();
  for (unsigned i = 0; i < code.length(); ++i)
    for (unsigned k = 0; k < i; ++k)
      for (int sample = 0; sample < 50; ++sample) {
        auto received = sent;
        received[i] ^= error();
        received[k] ^= error();
        ASSERT_EQ(code.decode(code.syndromes(received), Locations::any).outcome,
                  SymbolFix::Outcome::uncorrectable);
      }
}

TEST_P(ReedSolomonCodes, DecodesAnErrorPatternAlikeWhateverTheData) {
  for (int i = 0; i < 1000; ++i) {
    std::vector<std::uint8_t> pattern(code.length()), received = codeword();
    for (int k = 0; k < 3; ++k) pattern[random.below(code.length())] = error();
    for (unsigned k = 0; k < code.length(); ++k) received[k] ^= pattern[k];
    ASSERT_EQ(code.syndromes(received), code.syndromes(pattern));
  }
}

INSTANTIATE_TEST_SUITE_P(All, ReedSolomonCodes,
                         testing::Values(NamedCode{"rs_36_32", rs_36_32}, NamedCode{"rs_18_16", rs_18_16},
                                         NamedCode{"rs_19_16", rs_19_16}),
                         ParameterName());

TEST(ReedSolomon, OfNineteenEmbedsThatOfEighteen) {
  for (unsigned j = 0; j < 2; ++j)
    for (unsigned i = 0; i < 18; ++i) EXPECT_EQ(rs_19_16.check(j, i), rs_18_16.check(j, i));
  for (unsigned j = 0; j < 3; ++j) EXPECT_EQ(rs_19_16.check(j, 18), j == 2);
}

TEST(ReedSolomon, OfThirtySixDetectsErrorsInAnyThreePositions) {
  Random random(3);
  for (int sample = 0; sample < 200'000; ++sample) {
    std::array<std::uint8_t, 36> pattern{};
    for (unsigned wrong = 0; wrong < 3;) {
      auto& symbol = pattern[random.below(36)];
      if (symbol == 0) symbol = static_cast<std::uint8_t>(1 + random.below(255)), ++wrong;
    }
    ASSERT_EQ(rs_36_32.decode(rs_36_32.syndromes(pattern), Locations::any).outcome,
              SymbolFix::Outcome::uncorrectable);
  }
}

TEST(ReedSolomon, ALocationBehindTheCodeIsFoundOnlyWhereAnyCounts) {
  Syndromes s{};
  for (unsigned j = 0; j < 4; ++j) s[j] = gf256::power(36 * j);
  EXPECT_EQ(rs_36_32.decode(s).outcome, SymbolFix::Outcome::uncorrectable);
  EXPECT_EQ(rs_36_32.decode(s, Locations::any), (SymbolFix{SymbolFix::Outcome::corrected, 36, 1}));
  const Syndromes at_18{1, gf256::power(18), gf256::power(36)};  // not those of the extension symbol
  EXPECT_EQ(rs_19_16.decode(at_18).outcome, SymbolFix::Outcome::uncorrectable);
  EXPECT_EQ(rs_19_16.decode(at_18, Locations::any).position, 255u);
}

}  // namespace
}  // namespace asterism
