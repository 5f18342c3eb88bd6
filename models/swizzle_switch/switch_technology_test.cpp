#include "swizzle_switch/switch_technology.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "base/fields.h"

namespace asterism {
namespace {

const SwitchTechnology technology;

double gigahertz(unsigned radix) {
  return 1000.0 / static_cast<double>(technology.period(radix, 128).count());
}

TEST(SwitchTechnologyTest, IsDescribedWhole) {
  EXPECT_EQ(description_problem<SwitchTechnology>(), "");
  EXPECT_EQ(description_problem<SwitchPoint>(), "");
}

TEST(SwitchTechnologyTest, ReachesTheStatedClocksWithinOnePercent) {
  EXPECT_NEAR(gigahertz(40), 2.2, 0.022);
  EXPECT_NEAR(gigahertz(42), 2.1, 0.021);
  EXPECT_NEAR(gigahertz(52), 1.8, 0.018);
  EXPECT_NEAR(gigahertz(64), 1.5, 0.015);
}

TEST(SwitchTechnologyTest, TakesAPointAsItStands) {
  EXPECT_EQ(technology.period(5, 128), 224_ps);
  EXPECT_EQ(technology.period(36, 128), 425_ps);
  EXPECT_EQ(technology.period(64, 128), 666_ps);
  EXPECT_EQ(technology.area(5, 128), SquareMicrometres(66'302));
  EXPECT_EQ(technology.area(52, 128), SquareMicrometres(950'000));
}

TEST(SwitchTechnologyTest, DrawsLinesBetweenPointsToTheNearestPicosecond) {
  EXPECT_EQ(technology.period(18, 128), 295_ps);  // 289 + (308 - 289) / 3 = 295.3
  EXPECT_EQ(technology.period(19, 128), 302_ps);  // 301.7
  EXPECT_EQ(technology.period(60, 128), 630_ps);  // (593 + 666) / 2 = 629.5
}

TEST(SwitchTechnologyTest, CountsAnotherWidthAsProportionalRadix) {
  EXPECT_EQ(technology.period(5, 512), technology.period(20, 128));
  EXPECT_EQ(technology.period(28, 64), technology.period(14, 128));
  EXPECT_EQ(technology.area(42, 256),
            SquareMicrometres(2'148'527));  // 1963029 + (2705020 - 1963029) / 4
}

TEST(SwitchTechnologyTest, InterpolatesAWidthThatIsNoMultiple) {
  EXPECT_EQ(technology.period(24, 73), 269_ps);  // radix 13.6875: 254 + 17 * 2.6875 / 3 = 269.2
}

TEST(SwitchTechnologyTest, RefusesARouterBeyondItsTableAndSaysTheRange) {
  EXPECT_THROW(technology.period(257, 128), std::invalid_argument);
  EXPECT_THROW(technology.area(129, 256), std::invalid_argument);
  EXPECT_THROW(technology.period(1, 127), std::invalid_argument);
  try {
    technology.period(300, 64 * 4);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(
        error.what(),
        "a router of radix 300 with channels of 256 bits is beyond its technology, which knows radix 1 to "
        "256 at 128 bits");
  }
}

// abeyratne2017 Table 3.2: what the fitted topologies have, and what follows for the others. The Super-Stars' own
// area is larger than their radices explain (the README says more).
TEST(SwitchTechnologyTest, GivesTheFittedNetworkAreas) {
  const auto square_millimetres = [](unsigned routers, unsigned radix) {
    return routers * static_cast<double>(technology.area(radix, 128).count()) / 1e6;
  };
  EXPECT_NEAR(square_millimetres(576, 5), 38.19, 0.01);
  EXPECT_NEAR(square_millimetres(144, 8), 13.18, 0.01);
  EXPECT_NEAR(square_millimetres(16, 52), 15.20, 0.01);
  EXPECT_NEAR(square_millimetres(16, 42), 10.82, 0.01);
  EXPECT_NEAR(square_millimetres(36, 24) + square_millimetres(8, 36), 15.08, 0.01);  // published: 18.24
  EXPECT_NEAR(square_millimetres(36, 28) + square_millimetres(8, 36), 17.62, 0.01);  // 21.45
  EXPECT_NEAR(square_millimetres(36, 17) + square_millimetres(4, 11), 7.49, 0.01);   // 7.12
}

TEST(SwitchTechnologyTest, SpendsEnergyByWidthAndSquareOfTheRadix) {
  EXPECT_DOUBLE_EQ(technology.buffer_picojoules(128), 13.3);
  EXPECT_DOUBLE_EQ(technology.buffer_picojoules(64), 6.65);
  EXPECT_DOUBLE_EQ(technology.switch_picojoules(64, 128), 20.8);
  EXPECT_DOUBLE_EQ(technology.switch_picojoules(32, 128), 5.2);
  EXPECT_DOUBLE_EQ(technology.switch_picojoules(32, 256), 41.6);  // twice the bits through a radix of 64
  EXPECT_DOUBLE_EQ(technology.link_picojoules(1000_um, 128), 0.276 * 0.07 * 128);
}

// abeyratne2017 section 3.2.2: radix 64 at 1.5 GHz takes less than 2 W.
TEST(SwitchTechnologyTest, LoadsARadix64SwitchWithTwoWatts) {
  EXPECT_NEAR(64 * 1.5e9 * technology.switch_picojoules(64, 128) * 1e-12, 2.0, 0.01);
}

}  // namespace
}  // namespace asterism
