#include "flash/crash/translation_trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "base/sanitizers.h"

namespace asterism {
namespace {

constexpr std::uint64_t trials_of_ci = is_sanitized ? 60 : 8000;
constexpr std::uint64_t power_failures_of_a_trial = 40;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

// ASTERISM_SEED=n runs that trial only, ASTERISM_TRIALS=n runs n trials.
TEST(TranslationTrial, KeepsWhatItReportedAndReachesEveryStateThatIsListed) {
  const std::uint64_t seed = from_environment("ASTERISM_SEED", 0);
  const std::uint64_t trials = seed != 0 ? 1 : from_environment("ASTERISM_TRIALS", trials_of_ci);
  TranslationStates states;
  TranslationTrialCounts all;
  for (std::uint64_t i = 0; i < trials; ++i) try {
      all += run_translation_trial((seed != 0 ? seed : 1) + i, power_failures_of_a_trial, &states);
    } catch (const TranslationFailure& failure) {
      FAIL() << "ASTERISM_SEED=" << (seed != 0 ? seed : 1) + i << ": " << failure.what();
    }
  RecordProperty("power_failures", std::to_string(all.power_failures));
  RecordProperty("recovery_power_failures", std::to_string(all.recovery_power_failures));
  RecordProperty("requests", std::to_string(all.requests));
  RecordProperty("pages_checked", std::to_string(all.checked));
  if (seed != 0) return;
  // A trial ends early if its layer becomes read-only.
  EXPECT_GT(all.power_failures, trials * power_failures_of_a_trial * 8 / 10);
  EXPECT_GT(all.recovery_power_failures, all.power_failures / 10);
  if (trials < 8000) return;  // trials under a sanitizer are too few to reach all states
  EXPECT_GT(states.listed().size(), 170u);
  EXPECT_THAT(states.not_reached(), testing::IsEmpty());
}

TEST(TranslationTrial, IsTheSameForASeed) {
  const TranslationTrialCounts first = run_translation_trial(5, 10), again = run_translation_trial(5, 10);
  EXPECT_EQ(first, again);
  EXPECT_FALSE(first == run_translation_trial(6, 10));
}

}  // namespace
}  // namespace asterism
