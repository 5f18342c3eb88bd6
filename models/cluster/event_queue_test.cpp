#include "cluster/event_queue.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace asterism {
namespace {

TEST(EventQueueTest, ExecutesEventsInOrderOfTimeAndScheduling) {
  EventQueue event_queue;
  std::vector<int> done;
  event_queue.at(20_ns, [&] { done.push_back(3); });
  event_queue.at(10_ns, [&] { done.push_back(1); });
  event_queue.at(10_ns, [&] {
    done.push_back(2);
    event_queue.after(Picoseconds(), [&] { done.push_back(22); });
  });
  EXPECT_EQ(event_queue.next(), 10_ns);
  EXPECT_TRUE(event_queue.step());
  EXPECT_EQ(done, (std::vector{1, 2, 22}));
  EXPECT_TRUE(event_queue.step());
  EXPECT_FALSE(event_queue.step());
  EXPECT_EQ(done, (std::vector{1, 2, 22, 3}));
  EXPECT_EQ(event_queue.events(), 4u);
}

TEST(EventQueueTest, AdvancesToTheRequestedTimeAndNeverBack) {
  EventQueue event_queue;
  int done = 0;
  event_queue.at(10_ns, [&] { ++done; });
  event_queue.advance(9_ns);
  EXPECT_EQ(done, 0);
  event_queue.advance(10_ns);
  EXPECT_EQ(done, 1);
  event_queue.advance(50_ns);
  EXPECT_EQ(event_queue.now(), 50_ns);
  EXPECT_THROW(event_queue.at(49_ns, [] {}), std::logic_error);
  event_queue.advance(40_ns);
  EXPECT_EQ(event_queue.now(), 50_ns);
  EXPECT_EQ(event_queue.next(), std::nullopt);
}

}  // namespace
}  // namespace asterism
