#include "ecc/hbm_codes.h"

#include <gtest/gtest.h>

#include <utility>

#include "base/random.h"

namespace asterism {
namespace {

constexpr HbmCodeConfig on_die{.code = HbmCode::on_die}, long_rs{.code = HbmCode::long_rs},
    reach{.code = HbmCode::reach};

TEST(HbmCodes, WithoutErrorsThroughputIsThatOfTheTransfers) {
  EXPECT_EQ(hbm_throughput(on_die, {}, 0), 1);
  EXPECT_DOUBLE_EQ(hbm_throughput(reach, {}, 0), 64.0 / 81);
  EXPECT_DOUBLE_EQ(hbm_throughput(long_rs, {}, 0), 64.0 / 81);
  EXPECT_DOUBLE_EQ(hbm_throughput({.parity_reads = ParityReads::on_failure}, {}, 0), 32.0 / 36);
  EXPECT_DOUBLE_EQ(hbm_throughput(reach, {.random_reads = 1}, 0), 0.5);
  EXPECT_DOUBLE_EQ(hbm_throughput(reach, {.random_writes = 1}, 0), 1.0 / 22);
  EXPECT_DOUBLE_EQ(hbm_throughput(long_rs, {.random_reads = 1}, 0), 1.0 / 81);
}

TEST(HbmCodes, FailuresOfTheDieAreTwoWrongSymbols) {
  const double wrong = 16e-6, pairs = 19 * 18 / 2;
  EXPECT_NEAR(hbm_failures(on_die, 1e-6).uncorrectable, pairs * wrong * wrong, 3e-11);
}

// Below the distance there is none, and with many wrong symbols a word is as good as any.
TEST(HbmCodes, SharesOfWrongCorrectionsFollowFromTheDistance) {
  EXPECT_EQ(miscorrected_share(36, 4, 255, 1, 3), 0);
  EXPECT_DOUBLE_EQ(miscorrected_share(19, 2, 65535, 1, 2), 17.0 / 65535);
  EXPECT_NEAR(miscorrected_share(19, 2, 65535, 1, 12), 19 * 65535.0 / 65536 / 65536, 1e-7);
}

TEST(HbmCodes, DecodingWordsWithUniformErrorsFindsTheShare) {
  const LongReedSolomon code(GaloisField::of_bytes(), 36, 4);
  Random random(4);
  const unsigned trials = 20'000;
  unsigned taken = 0;
  for (unsigned trial = 0; trial < trials; ++trial) {
    std::vector<LongReedSolomon::Symbol> word(36);
    for (unsigned place = 0; place < 12; ++place)
      word[3 * place] = static_cast<LongReedSolomon::Symbol>(1 + random.below(255));
    taken += code.decode(word, {.max_errors = 2}) == LongReedSolomon::Outcome::corrected ? 1 : 0;
  }
  EXPECT_NEAR(taken / double{trials}, miscorrected_share(36, 4, 255, 2, 12), 0.003);
}

TEST(HbmCodes, TrialsAgreeWithTheSums) {
  for (const HbmCodeConfig& config : {on_die, reach}) {
    const double wrong = 2e-3;
    const HbmFailures expected = hbm_failures(config, wrong);
    const HbmTrials trials = try_hbm_code(config, wrong, 1500, 1);
    EXPECT_EQ(trials.correct + trials.uncorrectable + trials.silent, trials.trials);
    EXPECT_NEAR(static_cast<double>(trials.uncorrectable) / 1500, expected.uncorrectable, 0.03);
    if (config.code == HbmCode::on_die) continue;
    EXPECT_NEAR(static_cast<double>(trials.rebuilt) / 1500, expected.flagged - expected.uncorrectable, 0.03);
  }
  EXPECT_EQ(try_hbm_code(long_rs, 1e-3, 3, 1).correct, 3u);
  EXPECT_EQ(try_hbm_code(long_rs, 2e-2, 3, 1).uncorrectable, 3u);
}

TEST(HbmCodes, ToleratesErrorsUpToTheGivenFailures) {
  for (const HbmCodeConfig& config : {on_die, long_rs, reach}) {
    const double wrong = tolerated_bit_errors(config, 1e-9);
    const HbmFailures failures = hbm_failures(config, wrong);
    EXPECT_NEAR((failures.uncorrectable + failures.silent) / 1e-9, 1, 1e-6);
  }
  EXPECT_LT(tolerated_bit_errors(on_die, 1e-9), tolerated_bit_errors(reach, 1e-9) / 1000);
  EXPECT_LT(tolerated_bit_errors(reach, 1e-9), tolerated_bit_errors(long_rs, 1e-9));
}

// The probability of no failure is then too small for a double, and so are the first terms of the sums.
TEST(HbmCodes, SureFailuresAreNotLost) {
  for (const double wrong : {0.05, 0.1, 0.3, 0.5}) {
    EXPECT_NEAR(hbm_failures(long_rs, wrong).uncorrectable, 1, 1e-9) << wrong;
    const HbmFailures failures = hbm_failures(reach, wrong);
    EXPECT_NEAR(failures.uncorrectable + failures.silent, 1, 1e-2) << wrong;
  }
  EXPECT_EQ(hbm_failures(long_rs, 1).uncorrectable, 1);
  const HbmCodeConfig larger{.code = HbmCode::reach, .span = {.data_chunks = 256, .parity_chunks = 32}};
  EXPECT_NEAR(hbm_failures(larger, 0.01).uncorrectable, hbm_failures(larger, 0.01).flagged, 1e-9);
}

// About half of the check bytes, by 16 bits, may be wrong.
TEST(HbmCodes, ALongCodeToleratesWhatItsDistanceAllows) {
  for (const auto& [data, parity] : {std::pair{512u, 64u}, {1024u, 128u}, {1024u, 8u}}) {
    const HbmCodeConfig config{.code = HbmCode::long_rs,
                               .span = {.data_chunks = data, .parity_chunks = parity}};
    const double symbols = 18.0 * (data + parity), checks = symbols - 16.0 * data;
    const double wrong = tolerated_bit_errors(config, 1e-9);
    EXPECT_GT(wrong, 0.7 * checks / 2 / symbols / 16) << data;
    EXPECT_LT(wrong, 1.1 * checks / 2 / symbols / 16) << data;
    EXPECT_LT(hbm_failures(config, 0.99 * wrong).uncorrectable, 1e-9);
    EXPECT_GT(hbm_failures(config, 1.5 * wrong).uncorrectable, 0.99);
    EXPECT_NEAR(hbm_failures(config, 0.05).uncorrectable, 1, 1e-9);
  }
}

}  // namespace
}  // namespace asterism
