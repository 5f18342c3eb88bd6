#include "resilience/long_duration.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "base/thrown.h"

namespace asterism {
namespace {

TEST(LongDurationTest, IsWrittenInTheUnitsOfMachines) {
  EXPECT_EQ(parse_quantity<LongDuration>("4h"), long_duration(14'400));
  EXPECT_EQ(parse_quantity<LongDuration>("1.5d"), long_duration(129'600));
  EXPECT_EQ(parse_quantity<LongDuration>("5y"), long_duration(5 * 365 * 86'400));
  EXPECT_EQ(to_text(long_duration(90)), "90s");
  EXPECT_EQ(to_text(long_duration(300)), "5min");
  EXPECT_EQ(to_text(LongDuration(1)), "1ns");
}

TEST(LongDurationTest, IsSeconds) {
  EXPECT_EQ(seconds(long_duration(90)), Seconds(90));
  EXPECT_EQ(seconds(LongDuration(250'000'000)), Seconds(0.25));
  EXPECT_EQ(seconds(parse_quantity<LongDuration>("500y")).count(), 500 * 365 * 86'400.0);
}

TEST(LongDurationTest, HasAUnitAlways) {
  EXPECT_EQ(thrown<std::invalid_argument>([] { parse_quantity<LongDuration>("90"); }),
            "it has no unit (ns, us, ms, s, min, h, d, y)");
}

}  // namespace
}  // namespace asterism
