// CMakeLists.txt links this test with a mutant of the layer, which the trials must find.
#include <gtest/gtest.h>

#include "flash/crash/translation_trial.h"

namespace asterism {
namespace {

TEST(TranslationMutant, IsFound) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) try {
      run_translation_trial(seed, 40);
    } catch (const TranslationFailure& failure) {
      if (++found == 1) RecordProperty("first", failure.what());
    }
  EXPECT_GT(found, 5);
  RecordProperty("found", found);
}

}  // namespace
}  // namespace asterism
