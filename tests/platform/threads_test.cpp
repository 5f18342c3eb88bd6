// `run --threads N`: additional host threads change nothing but the speed.
#include <gmock/gmock.h>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::HasSubstr;

struct Case {
  std::string name;
  Arguments run;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class ThreadsTest : public CommandTest {
 protected:
  Ended run(const Case& c, const Arguments& more) const {
    Arguments all{"run"};
    all.insert(all.end(), c.run.begin(), c.run.end());
    all.insert(all.end(), more.begin(), more.end());
    return asterism(all);
  }
};

class ThreadsOf : public ThreadsTest, public testing::WithParamInterface<Case> {};

TEST_P(ThreadsOf, LeaveTheSameBytes) {
  const Case& c = GetParam();
  const Ended alone = run(c, {"--out", "alone"});
  const auto expected = left_by("alone");
  EXPECT_GT(expected.at("stats.json").size(), 100u);
  for (const std::string threads : {"2", "4"}) {
    const Ended ended = run(c, {"--threads", threads, "--out", "run" + threads});
    EXPECT_EQ(ended.status, alone.status) << ended.out << ended.err;
    EXPECT_EQ(left_by("run" + threads), expected) << threads;
  }
}

INSTANTIATE_TEST_SUITE_P(
    , ThreadsOf,
    testing::Values(
        Case{"Checkpoints", {"hello", "--firmware", "cg", "args=nx=10 interval=4"}},
        Case{"LongQuantum", {"hello", "--firmware", "cg", "args=nx=10 interval=4", "node.quantum=10us"}},
        Case{"PowerLoss", {"power_loss", "expect.result_equals=null"}},
        Case{"ChipFailure", {"chip_failure", "expect.result_equals=null"}},
        Case{"TrackedStores",
             {"dimm_ssd_methods", "args=nx=8 iterations=6 columns=32 rows=16 sweeps=6 interval=3"}},
        Case{"Litmus", {"litmus", "args=pause=5"}}, Case{"Gpu", {"gpu_snapshot"}}, Case{"Pcram", {"pcram"}},
        Case{"TwoNodes", {"buddy_cluster"}},
        Case{"MoreCores", {"hello", "--firmware", "cg", "args=nx=12 checkpoint=off", "node.cores.count=7"}},
        Case{"Caches", {"hello", "--firmware", "cg", "args=nx=6 interval=4", "node.cores.caches.model=tags"}},
        Case{"Timing",
             {"hello", "--firmware", "cg", "args=nx=8 interval=4", "node.cores.timing=neoverse_n1"}},
        // Its cores wait for misses in the middle of speculations, and execute loops without memory behind.
        Case{"LoadedLatency",
             {"hello", "--firmware", "memory_timing", "node.cores.caches.l2.size=256KiB",
              "args=loaded_latency size=768KiB cores=4 loads=512 delays=50,20,10"}},
        Case{"MissesInFlight",
             {"hello", "--firmware", "cg", "args=nx=5 interval=4", "node.cores.timing=neoverse_n1",
              "node.cores.caches.model=tags", "node.cores.caches.prefetch={}", "node.memory.fidelity=exact",
              "node.fabric.topology=mesh", "node.fabric.fidelity=flit"}},
        Case{"ExactMemory",
             {"hello", "--firmware", "cg", "args=nx=4 interval=4", "node.memory.fidelity=exact"}}),
    [](const auto& info) { return info.param.name; });

// This guards the cases above against runs in which nothing was speculated. A host may give the other thread
// no time at all, so the run may be repeated.
TEST_F(ThreadsTest, AreOfUse) {
  std::uint64_t speculations = 0, instructions = 0;
  for (int runs = 0; runs < 5 && instructions == 0; ++runs) {
    ASSERT_EQ(firmware("cg", {"args=nx=14 checkpoint=off", "--threads", "2"}).status, 0);
    speculations = json("run/host.json")["speculations"],
    instructions = json("run/host.json")["speculated_instructions"];
  }
  EXPECT_GT(speculations, 0u);
  EXPECT_GT(instructions, speculations);
  ASSERT_EQ(firmware("cg", {"args=nx=14 checkpoint=off"}).status, 0);
  EXPECT_FALSE(json("run/host.json").contains("speculations"));
}

TEST_F(ThreadsTest, GoOnFromASnapshot) {
  const Case c{"", {"hello", "--firmware", "cg", "args=nx=10 interval=4"}};
  ASSERT_EQ(run(c, {"--out", "alone"}).status, 0);
  const Ended first =
      run(c, {"--threads", "2", "--snapshot-at", "1ms", "--snapshot", "file", "--out", "first"});
  if (is_refused_by_sanitizers(first)) GTEST_SKIP() << first.err;
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(left_by("first"), left_by("alone"));
  const Ended second = asterism({"run", "--restore", "file", "--out", "second"});
  EXPECT_EQ(second.status, 0) << second.err;
  EXPECT_EQ(left_by("second"), left_by("alone"));
  EXPECT_TRUE(json("second/host.json").contains("speculations"));
}

TEST_F(ThreadsTest, ErrorsAreReported) {
  for (const std::string wrong : {"0", "65", "-1", "two"}) {
    const Ended ended = asterism({"run", "hello", "--threads", wrong});
    EXPECT_EQ(ended.status, 64) << wrong;
    EXPECT_THAT(ended.err, HasSubstr("--threads"));
  }
  const Ended restored = asterism({"run", "--restore", "file", "--threads", "2"});
  EXPECT_EQ(restored.status, 64);
  EXPECT_THAT(restored.err, HasSubstr("--threads"));
  EXPECT_FALSE(left_a_run());
}

}  // namespace
}  // namespace asterism
