#include "cluster/event_queue_module.h"

#include <vector>

#include "tlm/systemc_test.h"

namespace asterism {
namespace {

struct EventQueueModuleTest : SystemCTest {
  EventQueue event_queue;
  EventQueueModule clock{"event_queue", event_queue};
  std::vector<std::pair<Picoseconds, Picoseconds>> happened;  // time of the event queue, time of SystemC
  void note() { happened.emplace_back(event_queue.now(), now()); }
};

SYSTEMC_TEST_F(EventQueueModuleTest, EventsHappenAtTheirTime) {
  clock.at_now([&] { event_queue.after(3_us, [&] { note(), event_queue.after(2_us, [&] { note(); }); }); });
  wait_for(10_us);
  EXPECT_EQ(happened, (decltype(happened){{3_us, 3_us}, {5_us, 5_us}}));
}

SYSTEMC_TEST_F(EventQueueModuleTest, AnActionFindsTheQueueAtTheCurrentTime) {
  clock.at_now([&] { event_queue.after(4_us, [&] { note(); }); });
  wait_for(4_us);  // at the same instant as the event, before or after it
  clock.at_now([&] { note(); });
  wait_for(3_us);
  clock.at_now([&] { note(); });
  EXPECT_EQ(happened, (decltype(happened){{4_us, 4_us}, {4_us, 4_us}, {7_us, 7_us}}));
}

SYSTEMC_TEST_F(EventQueueModuleTest, AnActionWithinAnEventIsExecutedAtOnce) {
  std::vector<int> order;
  clock.at_now([&] {
    event_queue.after(1_us, [&] {
      clock.at_now([&] { order.push_back(1); });
      order.push_back(2);
    });
    event_queue.after(1_us, [&] { order.push_back(3); });
  });
  wait_for(2_us);
  EXPECT_EQ(order, (std::vector{1, 2, 3}));
}

struct ScheduledBeforeTest : EventQueueModuleTest {
  ScheduledBeforeTest() {
    event_queue.at(2_us, [this] { note(); });
  }
};

SYSTEMC_TEST_F(ScheduledBeforeTest, EventsScheduledBeforeSimulationHappen) {
  wait_for(5_us);
  EXPECT_EQ(happened, (decltype(happened){{2_us, 2_us}}));
}

}  // namespace
}  // namespace asterism
