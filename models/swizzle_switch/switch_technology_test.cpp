#include "swizzle_switch/switch_technology.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "base/fields.h"
#include "base/thrown.h"

namespace asterism {
namespace {

const SwitchTechnology technology;

double gigahertz(unsigned radix) {
  return 1000.0 / static_cast<double>(technology.period(radix, 128).count());
}

TEST(SwitchTechnologyTest, DescriptionIsComplete) {
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
  EXPECT_EQ(technology.area(5, 128), SquareMicrometres(64'491));
  EXPECT_EQ(technology.area(52, 128), SquareMicrometres(915'425));
}

TEST(SwitchTechnologyTest, DrawsLinesBetweenPointsToTheNearestPicosecond) {
  EXPECT_EQ(technology.period(18, 128), 295_ps);  // 289 + (308 - 289) / 3 = 295.3
  EXPECT_EQ(technology.period(19, 128), 302_ps);  // 301.7
  EXPECT_EQ(technology.period(60, 128), 630_ps);  // (593 + 666) / 2 = 629.5
}

TEST(SwitchTechnologyTest, CountsAnotherWidthAsAProportionalRadixForTheArea) {
  EXPECT_EQ(technology.area(5, 512), technology.area(20, 128));
  EXPECT_EQ(technology.area(42, 256),
            SquareMicrometres(2'095'353));  // 1911958 + (2645536 - 1911958) / 4
}

// 2^(1/8) is 1.0905.
TEST(SwitchTechnologyTest, MakesThePeriodOfAWiderChannelLongerAtEachRadixAlike) {
  EXPECT_EQ(technology.period(42, 256), 516_ps);  // 473 * 1.0905 = 515.8
  EXPECT_EQ(technology.period(5, 512), 266_ps);   // 224 * 1.1892 = 266.4
  EXPECT_EQ(technology.period(28, 64), 334_ps);   // 364 / 1.0905 = 333.8
  EXPECT_EQ(technology.period(24, 73), 313_ps);   // 336 * 0.9322 = 313.2
  SwitchTechnology indifferent;
  indifferent.width_exponent = 0;
  EXPECT_EQ(indifferent.period(5, 512), 224_ps);
}

TEST(SwitchTechnologyTest, RefusesARouterBeyondItsTableAndSaysTheRange) {
  EXPECT_THROW(technology.period(257, 128), std::invalid_argument);
  EXPECT_THROW(technology.area(129, 256), std::invalid_argument);
  EXPECT_THROW(technology.area(1, 127), std::invalid_argument);
  const std::string refusal =
      "a router of radix 300 with channels of 256 bits is outside of its technology, which covers radix 1 to "
      "256 at 128 bits";
  EXPECT_EQ(thrown<std::invalid_argument>([] { technology.area(300, 256); }), refusal);
  EXPECT_EQ(thrown<std::invalid_argument>([] { technology.period(300, 256); }), refusal);
}

TEST(SwitchTechnologyTest, GivesAChannelAreaByLengthAndWidth) {
  EXPECT_EQ(technology.link_area(1000_um, 128), SquareMicrometres(527));
  EXPECT_EQ(technology.link_area(12'900_um, 128), SquareMicrometres(6'798));  // 6798.3
  EXPECT_EQ(technology.link_area(2000_um, 64), SquareMicrometres(527));
}

// The areas are those of abeyratne2017 Table 3.2. The lengths are those of the channels between routers in
// both directions, on the floor plans of models/fabric. Five areas are fitted and two are predicted.
TEST(SwitchTechnologyTest, GivesThePublishedNetworkAreas) {
  struct Routers {
    unsigned count, radix;
  };
  const auto square_millimetres = [](Routers local, Routers global, Micrometres channels) {
    const auto of = [](Routers r) { return technology.area(r.radix, 128) * r.count; };
    return static_cast<double>((of(local) + of(global) + technology.link_area(channels, 128)).count()) / 1e6;
  };
  constexpr Routers none{0, 1};
  EXPECT_NEAR(square_millimetres({576, 5}, none, 1'987'200_um), 38.19, 0.04);
  EXPECT_NEAR(square_millimetres({144, 8}, none, 950'400_um), 13.18, 0.02);
  EXPECT_NEAR(square_millimetres({16, 52}, none, 1'036'800_um), 15.20, 0.02);
  EXPECT_NEAR(square_millimetres({16, 42}, none, 864'000_um), 10.82, 0.02);
  EXPECT_NEAR(square_millimetres({36, 24}, {8, 36}, 7'430'400_um), 18.24, 0.02);
  EXPECT_NEAR(square_millimetres({36, 28}, {8, 36}, 7'862'400_um), 21.45, 0.03 * 21.45);  // predicted
  EXPECT_NEAR(square_millimetres({36, 17}, {4, 11}, 518'400_um), 7.12, 0.04 * 7.12);      // predicted
}

TEST(SwitchTechnologyTest, SpendsEnergyByWidthAndSquareOfTheRadix) {
  EXPECT_DOUBLE_EQ(technology.buffer_picojoules(128), 13.3);
  EXPECT_DOUBLE_EQ(technology.buffer_picojoules(64), 6.65);
  EXPECT_DOUBLE_EQ(technology.switch_picojoules(64, 128), 20.8);
  EXPECT_DOUBLE_EQ(technology.switch_picojoules(32, 128), 5.2);
  EXPECT_DOUBLE_EQ(technology.switch_picojoules(64, 256), 83.2);  // twice the bits, on wires twice as long
  EXPECT_DOUBLE_EQ(technology.switch_picojoules(32, 256), 20.8);  // on wires as long, with half of the loads
  EXPECT_DOUBLE_EQ(technology.link_picojoules(1000_um, 128), 0.276 * 0.07 * 128);
}

// According to abeyratne2017 section 3.2.2, radix 64 at 1.5 GHz takes less than 2 W.
TEST(SwitchTechnologyTest, LoadsARadix64SwitchWithTwoWatts) {
  EXPECT_NEAR(64 * 1.5e9 * technology.switch_picojoules(64, 128) * 1e-12, 2.0, 0.01);
}

}  // namespace
}  // namespace asterism
