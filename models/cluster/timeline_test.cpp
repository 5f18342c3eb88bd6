#include "cluster/timeline.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace asterism {
namespace {

TEST(TimelineTest, HappensInOrderOfTimeAndOfScheduling) {
  Timeline timeline;
  std::vector<int> done;
  timeline.at(20_ns, [&] { done.push_back(3); });
  timeline.at(10_ns, [&] { done.push_back(1); });
  timeline.at(10_ns, [&] {
    done.push_back(2);
    timeline.after(Picoseconds(), [&] { done.push_back(22); });
  });
  EXPECT_EQ(timeline.next(), 10_ns);
  EXPECT_TRUE(timeline.step());
  EXPECT_EQ(done, (std::vector{1, 2, 22}));
  EXPECT_TRUE(timeline.step());
  EXPECT_FALSE(timeline.step());
  EXPECT_EQ(done, (std::vector{1, 2, 22, 3}));
  EXPECT_EQ(timeline.events(), 4u);
}

TEST(TimelineTest, AdvancesToTheTimeAskedForAndNotBack) {
  Timeline timeline;
  int done = 0;
  timeline.at(10_ns, [&] { ++done; });
  timeline.advance(9_ns);
  EXPECT_EQ(done, 0);
  timeline.advance(10_ns);
  EXPECT_EQ(done, 1);
  timeline.advance(50_ns);
  EXPECT_EQ(timeline.now(), 50_ns);
  EXPECT_THROW(timeline.at(49_ns, [] {}), std::logic_error);
  timeline.advance(40_ns);
  EXPECT_EQ(timeline.now(), 50_ns);
  EXPECT_EQ(timeline.next(), std::nullopt);
}

}  // namespace
}  // namespace asterism
