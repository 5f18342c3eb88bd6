#include "platform/debug/reexecution.h"

#include <gtest/gtest.h>

namespace asterism {
namespace {

TEST(Reexecution, ATaskIsReadAsItWasWritten) {
  const DebugPlace at{.kind = DebugPlace::Kind::core, .core = 3, .count = 1'000, .pc = 0xffff'ffff'4020'0000};
  const Reexecution task{
      .goal = Reexecution::Goal::search,
      .end = {.kind = DebugPlace::Kind::pause, .count = 77},
      .inputs = {{at, {1, 2}, std::string("X1000,2:\x00\xff", 10)}},
      .end_time = 5_us,
      .steps = true,
      .core = 2,
      .from = 999,
      .end_counts = true,
      .stop = {.why = DebugStop::Why::stored, .core = 1, .address = 0x1008, .text = "text\n"},
      .stops = {{{0x1000, true}}, {{.range = {Address(0x2000), Bytes(8)}, .loads = false, .stores = true}}},
      .events = {"power_lost"},
      .log_levels = {"core0=trace"},
      .unread = "\x03"};
  const Reexecution read = Reexecution::from_text(task.to_text());
  EXPECT_EQ(read.goal, task.goal);
  EXPECT_EQ(read.end, task.end);
  ASSERT_EQ(read.inputs.size(), 1u);
  EXPECT_EQ(read.inputs[0].at, at);
  EXPECT_EQ(read.inputs[0].selection.for_resume, 2u);
  EXPECT_EQ(read.inputs[0].packet, task.inputs[0].packet);
  EXPECT_EQ(read.end_time, 5_us);
  EXPECT_TRUE(read.steps && read.end_counts);
  EXPECT_EQ(read.core, 2u);
  EXPECT_EQ(read.from, 999u);
  EXPECT_EQ(read.stop.why, task.stop.why);
  EXPECT_EQ(read.stop.address, 0x1008u);
  EXPECT_EQ(read.stop.text, "text\n");
  EXPECT_EQ(read.stops.breakpoints, task.stops.breakpoints);
  EXPECT_EQ(read.stops.watchpoints, task.stops.watchpoints);
  EXPECT_EQ(read.events, task.events);
  EXPECT_EQ(read.log_levels, task.log_levels);
  EXPECT_EQ(read.unread, "\x03");
}

}  // namespace
}  // namespace asterism
