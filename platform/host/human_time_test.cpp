#include "platform/host/human_time.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace asterism {
namespace {

TEST(HumanTimeTest, HasTheLargestUnitOfWhichThereIsOne) {
  EXPECT_EQ(human_time(0_ps), "0 ps");
  EXPECT_EQ(human_time(999_ps), "999 ps");
  EXPECT_EQ(human_time(1000_ps), "1 ns");
  EXPECT_EQ(human_time(12'400'000'000_ps), "12.4 ms");
  EXPECT_EQ(human_time(3600_s), "3600 s");
}

TEST(HumanTimeTest, APersonMayWriteASpaceBeforeTheUnit) {
  EXPECT_EQ(time_of_person("12.4ms"), 12'400'000'000_ps);
  EXPECT_EQ(time_of_person(human_time(12'400'000'000_ps)), 12'400'000'000_ps);
  for (const char* wrong : {"", " ", " 1ms", "1  ms", "1 ms ", "1 2ms x", "1"})
    EXPECT_THROW(time_of_person(wrong), std::invalid_argument) << wrong;
}

TEST(HumanTimeTest, ShowsNoMoreThanTwoDigitsOfAHostsTime) {
  EXPECT_EQ(human_seconds(0), "0 s");
  EXPECT_EQ(human_seconds(99.4), "99 s");
  EXPECT_EQ(human_seconds(99.5), "2 min");
  EXPECT_EQ(human_seconds(99 * 60), "99 min");
  EXPECT_EQ(human_seconds(10'000), "3 h");
}

}  // namespace
}  // namespace asterism
