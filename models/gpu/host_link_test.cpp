#include "gpu/host_link.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "base/activity_lines.h"
#include "base/thrown.h"

namespace asterism {
namespace {

// The processor has 8 GB/s, each GPU has 4 GB/s, and the overhead is 1 us, so that 4000 bytes alone take 2
// us.
constexpr HostLinkConfig four_gpus{.lanes = 4, .gpu_lanes = 2, .lane = 2_GBps, .overhead = 1_us};

using Gpus = std::vector<std::uint32_t>;

// Returns the ends of all transfers.
std::vector<std::pair<Picoseconds, Gpus>> ends(HostLink& link) {
  std::vector<std::pair<Picoseconds, Gpus>> all;
  while (const auto next = link.next_event()) {
    const Gpus& gpus = link.advance_to(*next);
    if (!gpus.empty()) all.emplace_back(*next, gpus);
  }
  return all;
}

TEST(HostLink, ATransferAloneTakesItsOverheadAndTheLink) {
  HostLink link(four_gpus, 4);
  link.start(5_us, 1, 4000_B);
  EXPECT_TRUE(link.busy(1));
  EXPECT_TRUE(link.advance_to(7_us - 1_ps).empty());
  EXPECT_EQ(link.advance_to(7_us), Gpus{1});
  EXPECT_FALSE(link.busy(1));
}

TEST(HostLink, TransfersAreRecordedByTheirGpu) {
  ActivityLines activity;
  HostLink link(four_gpus, 4);
  link.record_in(activity, "node.gpu");
  link.start(5_us, 1, 4000_B, 1000_B, "copy out");
  link.start(5_us, 2, 4000_B);
  link.cancel(6_us, 2);
  ends(link);
  EXPECT_EQ(activity.lines, std::vector<std::string>{"node.gpu.1.link copy out 5000-7000 bytes=4000"});
}

TEST(HostLink, FourShareTheProcessorsLinkEvenly) {
  HostLink link(four_gpus, 4);
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu) link.start(0_us, gpu, 4000_B);
  EXPECT_EQ(ends(link), (std::vector<std::pair<Picoseconds, Gpus>>{{3_us, {0, 1, 2, 3}}}));
}

TEST(HostLink, SharesChangeWithTheActiveTransfers) {
  HostLink link(four_gpus, 4);
  // From 1 us, two transfers have 4 GB/s each. From 1.5 us, four have 2 GB/s each, and the first two have
  // 2000 bytes left.
  link.start(0_us, 0, 4000_B);
  link.start(0_us, 1, 4000_B);
  link.start(500_ns, 2, 4000_B);
  link.start(500_ns, 3, 4000_B);
  EXPECT_EQ(ends(link), (std::vector<std::pair<Picoseconds, Gpus>>{{2'500_ns, {0, 1}}, {3_us, {2, 3}}}));
}

TEST(HostLink, ACancelledTransferLeavesItsShare) {
  HostLink link(four_gpus, 4);
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu) link.start(0_us, gpu, 4000_B);
  link.cancel(2_us, 0);
  link.cancel(2_us, 2);
  EXPECT_FALSE(link.busy(0));
  EXPECT_EQ(ends(link), (std::vector<std::pair<Picoseconds, Gpus>>{{2'500_ns, {1, 3}}}));
}

TEST(HostLink, APieceIsReportedWhenItHasBeenMoved) {
  HostLink link(four_gpus, 4);
  link.start(0_us, 1, 4000_B, 1500_B);
  EXPECT_EQ(ends(link),
            (std::vector<std::pair<Picoseconds, Gpus>>{{1'375_ns, {1}}, {1'750_ns, {1}}, {2_us, {1}}}));
  EXPECT_FALSE(link.busy(1));
}

TEST(HostLink, ALateCallReportsEveryPiece) {
  HostLink link(four_gpus, 4);
  link.start(0_us, 1, 4000_B, 2000_B);
  link.start(0_us, 2, 2000_B);
  EXPECT_EQ(link.advance_to(9_us), (Gpus{1, 2, 1}));
}

TEST(HostLink, AHeldTransferMovesNothingAndLeavesItsShare) {
  HostLink link(four_gpus, 4);
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu) link.start(0_us, gpu, 4000_B, 2000_B);
  EXPECT_EQ(link.advance_to(2_us), (Gpus{0, 1, 2, 3}));
  link.hold(2_us, 0);
  link.hold(2_us, 2);
  link.hold(2_us, 2);
  EXPECT_EQ(link.advance_to(2'500_ns), (Gpus{1, 3}));
  EXPECT_EQ(link.next_event(), std::nullopt);
  EXPECT_TRUE(link.busy(0));
  link.resume(5_us, 0);
  EXPECT_EQ(ends(link), (std::vector<std::pair<Picoseconds, Gpus>>{{5'500_ns, {0}}}));
  link.cancel(6_us, 2);
  EXPECT_FALSE(link.busy(2));
  link.start(6_us, 2, 4000_B);
  EXPECT_EQ(ends(link), (std::vector<std::pair<Picoseconds, Gpus>>{{8_us, {2}}}));
}

TEST(HostLink, OthersAlwaysMove) {
  HostLink link(four_gpus, 1);
  link.set_others(7);
  link.start(0_us, 0, 4000_B);
  EXPECT_EQ(link.next_event(), 1_us);
  EXPECT_EQ(ends(link), (std::vector<std::pair<Picoseconds, Gpus>>{{5_us, {0}}}));
}

TEST(HostLink, ABusyGpuStartsNothing) {
  HostLink link(four_gpus, 2);
  link.start(0_us, 1, 32_B);
  EXPECT_THROW(link.start(0_us, 1, 32_B), std::logic_error);
}

TEST(HostLink, WithoutLanesItIsRefused) {
  const auto refusal = [](const HostLinkConfig& config) {
    return thrown<std::invalid_argument>([&] { HostLink(config, 4); });
  };
  const std::string none =
      "a host link needs lanes of the processor and of each GPU, and a bandwidth per lane";
  EXPECT_EQ(refusal(four_gpus), "none");
  EXPECT_EQ(refusal({.lanes = 0}), none);
  EXPECT_EQ(refusal({.gpu_lanes = 0}), none);
  EXPECT_EQ(refusal({.lane = 0_MBps}), none);
}

// According to lee2019 section 4.3.1, eight lanes of PCIe 3.0 reach 62 % with transfers of 64 KiB.
TEST(HostLink, SmallTransfersUseTheLinkLessWell) {
  const HostLinkConfig pcie3{.lanes = 8, .gpu_lanes = 8, .lane = 985_MBps};
  const auto percent = [&](Bytes size) {
    return HostLink::effective(pcie3, 1, size).count() * 100 / HostLink::share(pcie3, 1).count();
  };
  EXPECT_EQ(percent(64_KiB), 62u);
  EXPECT_EQ(percent(4_KiB), 9u);
  EXPECT_EQ(percent(2_MiB), 98u);
}

}  // namespace
}  // namespace asterism
