#include <gtest/gtest.h>

#include "base/broken_rule.h"
#include "base/fields.h"
#include "pcram/dimm_timing.h"
#include "pcram/pcram_rig.h"
#include "platform/config/config.h"

namespace asterism {
namespace {

const ConfigLibrary library(ASTERISM_SOURCE_CONFIGS);

PcramPart part(const char* name) { return load_config<PcramPart>(library, "pcram", name); }

TEST(PcramPartsTest, DescribesEveryMember) { EXPECT_EQ(description_problem<PcramPart>(), ""); }

TEST(PcramPartsTest, DefaultsAreTheChipThatThePaperChose) {
  EXPECT_EQ(part("dong2011_45nm_4bank"), PcramPart{});
}

TEST(PcramPartsTest, TheStackIsThatOfThePaper) { EXPECT_EQ(part("dong2011_3d"), stack_part()); }

// The bandwidths of a module made of the other chips of Table III: 10.0, 10.7 and 10.9 GB/s.
TEST(PcramPartsTest, OtherChipsOfTableIII) {
  const auto bandwidth = [](const char* name) {
    return DimmTiming(part(name), 1, Bandwidth(64'000'000'000)).bandwidth().count() / 1'000'000;
  };
  EXPECT_EQ(bandwidth("dong2011_65nm_4bank"), 10'017u);
  EXPECT_EQ(bandwidth("dong2011_65nm_8bank"), 10'666u);
  EXPECT_EQ(bandwidth("dong2011_45nm_8bank"), 10'867u);
}

TEST(PcramPartsTest, RefusesASetPulseShorterThanReset) {
  PcramPart short_pulse;
  short_pulse.set = 45_ns;
  EXPECT_EQ(broken_rule(short_pulse), "set is no shorter than reset");
}

TEST(PcramPartsTest, RefusesMatsThatDoNotShareTheBank) {
  PcramPart odd = stack_part();
  odd.mats = 15;
  EXPECT_EQ(broken_rule(odd), "mats share the bank in whole pages of 4 KiB");
}

}  // namespace
}  // namespace asterism
