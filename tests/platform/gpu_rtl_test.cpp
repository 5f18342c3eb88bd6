// The zone monitors of a node's GPU in RTL, while firmware takes snapshots under running kernels.
#include <gmock/gmock.h>

#include "testbenches/mutant.h"
#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct GpuRtlTest : CommandTest {
  Ended snapshots(const Arguments& more) {
    Arguments all{"run",
                  "gpu_snapshot",
                  "args=steps=4 interval=2 memory=256KiB accesses=200 checkpoint=off",
                  "faults=[]",
                  "expect={}",
                  "node.gpu.count=1",
                  "node.gpu.channels=2",
                  "node.gpu.memory=8MiB",
                  "node.gpu.l2=16KiB",
                  "--out",
                  "run"};
    all.insert(all.end(), more.begin(), more.end());
    return asterism(all);
  }
};

TEST_F(GpuRtlTest, InLockstepAndAloneTheMonitorsGiveTheModelsRun) {
  const Ended model = snapshots({});
  EXPECT_EQ(model.status, 0) << model.out << model.err;
  const auto events = contents("run/events.jsonl"), result = contents("run/files/result.txt");
  for (const std::string impl : {"lockstep", "rtl"}) {
    const Ended ended = snapshots({"node.gpu.monitor_rtl.impl=" + impl});
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    EXPECT_THAT(ended.out,
                AllOf(HasSubstr("node.gpu.*.monitor.*: " + impl), HasSubstr("reached writes 4/4")));
    EXPECT_EQ(contents("run/events.jsonl"), events) << impl;
    EXPECT_EQ(contents("run/files/result.txt"), result) << impl;
  }
}

// The mutant does not record a write that waits, so that each write appears to be the first.
TEST_F(GpuRtlTest, ABugInAMonitorEndsTheRunWithItsReport) {
  make_mutant(source_configs().parent_path() / "rtl/mzm", folder / "mine",
              {{"mzm.sv", "write_next = fetched_next || !noted;", "write_next = fetched_next;"}});
  const Ended ended =
      snapshots({"node.gpu.monitor_rtl.impl=lockstep", "node.gpu.monitor_rtl.variant=mine/block.json"});
  EXPECT_EQ(ended.status, 68) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("lockstep mismatch in node.gpu.0.monitor."));
}

TEST_F(GpuRtlTest, ABlockOfAnotherContractIsRefused) {
  const Ended ended = snapshots(
      {"node.gpu.monitor_rtl.impl=lockstep",
       "node.gpu.monitor_rtl.variant=" + (source_configs().parent_path() / "rtl/matt/block.json").string()});
  EXPECT_EQ(ended.status, 65) << ended.out << ended.err;
  EXPECT_THAT(ended.err, AllOf(HasSubstr("node.gpu.monitor_rtl.variant"), HasSubstr("\"zone_monitor\"")));
}

}  // namespace
}  // namespace asterism
