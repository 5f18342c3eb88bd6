#include "platform/report/run_story.h"

#include <gmock/gmock.h>

#include "platform/report/written_run.h"

namespace asterism {
namespace {

struct RunStoryTest : testing::Test {
  const WrittenRun run;
  std::string story() const { return run_story(RunFolder::read(run.path())); }
};

TEST_F(RunStoryTest, SaysHowTheRunEnded) {
  run.write("stats.json", R"({"ended": "firmware_exit", "firmware_status": 3, "simulated_time_ps": 2000000000,
                              "instructions": 7900000})");
  EXPECT_EQ(story(),
            "The firmware exited with status 3 after 2 ms of simulated time and 7.9 million instructions.");
  run.write("stats.json", R"({"ended": "time_limit", "simulated_time_ps": 1000})");
  EXPECT_EQ(story(), "The run was stopped at its time limit after 1 ns of simulated time.");
}

TEST_F(RunStoryTest, OfARunThatWasKilledItSaysUntilWhenItIsKnown) {
  run.write("events.jsonl", R"({"time_ps":3000000000,"source":"node.power","kind":"power_lost"}
{"time_ps":4000000000,"source":"node.power","kind":"power_restored"}
)");
  EXPECT_EQ(
      run_story(RunFolder::read(run.path()), 2_ms),
      "The run has not ended, or it was killed: it has no statistics. Its last event was at 4 ms of "
      "simulated time. Its record ends at 2 ms; what came later was not written yet. There was one loss of "
      "power at 3 ms.");
}

TEST_F(RunStoryTest, NamesFailuresCheckpointsAndRecoveriesWithTheirTimes) {
  run.write("stats.json", R"({"ended": "power_off", "simulated_time_ps": 9000000000, "recoveries": 1})");
  run.write("events.jsonl",
            R"({"time_ps":500000000,"source":"node.dimm_ssd","kind":"checkpoint_begin","version":1}
{"time_ps":1000000000,"source":"node.dimm_ssd","kind":"checkpoint_commit","version":1}
{"time_ps":2000000000,"source":"node.dimm_ssd","kind":"checkpoint_commit","version":2}
{"time_ps":2500000000,"source":"node.dimm_ssd","kind":"checkpoint_begin","version":3}
{"time_ps":3000000000,"source":"node.power","kind":"power_lost","restore_after_ps":5}
{"time_ps":4000000000,"source":"node.dimm_ssd","kind":"restore","version":2}
)");
  EXPECT_EQ(
      story(),
      "The firmware switched the node off after 9 ms of simulated time. There was one loss of power at 3 ms. "
      "2 checkpoints became durable at 1 ms and 2 ms. A loss or a reset interrupted the checkpoint of "
      "version 3 at 3 ms. The DIMM-SSD restored version 2 at 4 ms. It recovered once.");
}

TEST_F(RunStoryTest, SeveralFailuresOfAKindAreInThePlural) {
  run.write("stats.json", R"({"ended": "power_off", "simulated_time_ps": 9000000000})");
  run.write("events.jsonl", R"({"time_ps":1000000000,"source":"node.gpu","kind":"gpu_memory_fault"}
{"time_ps":2000000000,"source":"node.gpu","kind":"gpu_memory_fault"}
{"time_ps":3000000000,"source":"node.power","kind":"power_lost"}
{"time_ps":4000000000,"source":"node.power","kind":"power_lost"}
)");
  EXPECT_THAT(story(),
              testing::HasSubstr("There were 2 losses of power at 3 ms and 4 ms. There were 2 faults "
                                 "in GPUs' memories at 1 ms and 2 ms."));
}

}  // namespace
}  // namespace asterism
