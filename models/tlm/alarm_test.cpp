#include "tlm/alarm.h"

#include <vector>

#include "tlm/systemc_test.h"

namespace asterism {
namespace {

struct AlarmTest : SystemCTest {
  std::vector<Picoseconds> rang;
  Alarm alarm{"alarm", [this](Picoseconds t) { rang.push_back(t); }};
};

SYSTEMC_TEST_F(AlarmTest, RingsOnceAtItsTime) {
  alarm.arm(5_ns);
  expect_earliest(5_ns, [&] { return rang.size() == 1; });
  wait_for(1_us);
  EXPECT_EQ(rang, (std::vector{5_ns}));
  EXPECT_EQ(alarm.armed(), std::nullopt);
}

SYSTEMC_TEST_F(AlarmTest, ArmingAgainMovesIt) {
  alarm.arm(5_ns);
  alarm.arm(7_ns);
  wait_for(1_us);
  alarm.arm(2_us);
  alarm.arm(1500_ns);
  wait_for(2_us);
  EXPECT_EQ(rang, (std::vector{7_ns, 1500_ns}));
}

SYSTEMC_TEST_F(AlarmTest, ArmingWithNothingCancels) {
  alarm.arm(5_ns);
  alarm.arm(std::nullopt);
  wait_for(1_us);
  EXPECT_TRUE(rang.empty());
}

SYSTEMC_TEST_F(AlarmTest, ATimeThatHasPassedRingsNow) {
  wait_for(10_ns);
  alarm.arm(5_ns);
  settle();
  EXPECT_EQ(rang, (std::vector{10_ns}));
}

struct ChainTest : SystemCTest {
  int rings = 0;
  Alarm alarm{"alarm", [this](Picoseconds t) {
                if (++rings < 3) alarm.arm(t + 1_ns);
              }};
};

SYSTEMC_TEST_F(ChainTest, MayBeArmedWhileItRings) {
  alarm.arm(1_ns);
  expect_earliest(3_ns, [&] { return rings == 3; });
}

}  // namespace
}  // namespace asterism
