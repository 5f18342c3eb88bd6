#include "resilience/seconds.h"

#include <gtest/gtest.h>

#include "base/units.h"

namespace asterism {
namespace {

template <class A, class B>
concept Adds = requires(A a, B b) {
  a + b;
};
template <class A, class B>
concept Compares = requires(A a, B b) {
  a < b;
};

TEST(SecondsTest, DoNotMixWithOtherQuantities) {
  static_assert(Adds<Seconds, Seconds> && Adds<Rate, Rate>);
  static_assert(!Adds<Seconds, Rate> && !Adds<Seconds, double> && !Adds<Rate, double>);
  static_assert(!Adds<Seconds, Picoseconds> && !Compares<Seconds, Picoseconds> && !Compares<Seconds, Rate>);
}

TEST(SecondsTest, RateTimesSecondsIsACount) {
  EXPECT_EQ(Rate(0.5) * Seconds(6), 3);
  EXPECT_EQ(Seconds(6) * Rate(0.5), 3);
  EXPECT_EQ(Seconds(6) / Seconds(1.5), 4);
  EXPECT_EQ((Rate(1) + Rate(3)) / Rate(2), 2);
}

}  // namespace
}  // namespace asterism
