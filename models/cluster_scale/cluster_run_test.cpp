#include <gtest/gtest.h>

#include <cmath>

#include "base/thrown.h"
#include "cluster_scale/cluster_prediction.h"
#include "cluster_scale/cluster_process.h"
#include "cluster_scale/cluster_test_setup.h"

namespace asterism {
namespace {

using Kind = ClusterFailureKind;
using Recovery = ClusterRecovery;

constexpr double tolerance = 1e-4;  // seconds; allows for the latencies of a run

ClusterResult run(const ClusterSetup& setup) { return ClusterProcess(setup).next().value(); }
ClusterResult run_with(std::vector<PlacedFailure> failures) {
  ClusterSetup setup = small_cluster();
  setup.placed = std::move(failures);
  return run(setup);
}
std::uint64_t count(const ClusterResult& result, Recovery how) {
  return result.recoveries[static_cast<std::size_t>(how)];
}
void expect_times_add_up(const ClusterResult& r) {
  EXPECT_NEAR(r.time.count(),
              (r.work + r.rework + r.dump + r.blocked + r.overhead + r.detection + r.restart + r.spare_wait +
               r.check + r.slow)
                  .count(),
              1e-9 * r.time.count());
}

TEST(ClusterRunTest, WithoutFailuresTakesItsCheckpointsAndNoMore) {
  const ClusterResult r = run(small_cluster());
  EXPECT_TRUE(r.finished);
  EXPECT_EQ(r.checkpoints, 4u);
  EXPECT_NEAR(r.time.count(), 100 + 4 * (2 + 1), tolerance);
  EXPECT_NEAR(r.overlap.count(), 4 * 5, tolerance);
  EXPECT_EQ(r.network_bytes, 4 * 8e9);
  EXPECT_EQ(r.rework.count(), 0);
  expect_times_add_up(r);
}

// A failure at 53 s undoes 7 s; it is noticed after 10 s.
TEST(ClusterRunTest, AFailureOfSoftwareLosesTheWorkSinceTheCheckpointAndNoCopies) {
  ClusterSetup setup = small_cluster();
  setup.placed = {{Seconds(53), Kind::software, 5}};
  setup.detection = Seconds(10);
  const ClusterResult r = run(setup);
  EXPECT_EQ(count(r, Recovery::local), 1u);
  EXPECT_NEAR(r.detection.count(), 10, tolerance);
  EXPECT_NEAR(r.time.count(), 112 + 7 + 10 + 4, tolerance);
  EXPECT_NEAR(r.lost[static_cast<std::size_t>(Kind::software)].count(), 7 + 10 + 4, tolerance);
  EXPECT_EQ(r.repairs, 0u);
  expect_times_add_up(r);
}

TEST(ClusterRunTest, JustInTimeRepeatsTheIterationAndTakesNoCheckpoints) {
  ClusterSetup setup = small_cluster();
  setup.checkpoint = ClusterCheckpoint::just_in_time;
  setup.placed = {{Seconds(53.5), Kind::node, 5}};
  const ClusterResult r = run(setup);
  EXPECT_EQ(count(r, Recovery::buddy), 1u);
  EXPECT_EQ(r.checkpoints, 0u);
  EXPECT_NEAR(r.lost_work.count(), 0.5, tolerance);
  EXPECT_NEAR(r.time.count(), 100 + 0.5 + 2 + 4, tolerance);  // a dump and a restart
  expect_times_add_up(r);
}

// Each node of a group of four sends a third of its copy.
TEST(ClusterRunTest, AParityCostsLessOfTheNetworkAndRestoresOneNode) {
  ClusterSetup setup = small_cluster();
  setup.group = 4;
  const ClusterResult undisturbed = run(setup);
  EXPECT_NEAR(undisturbed.overlap.count(), 4 * 5 / 3., tolerance);
  EXPECT_NEAR(undisturbed.network_bytes, 4 * 8e9 / 3, 100);
  setup.placed = {{Seconds(53), Kind::node, 5}};
  const ClusterResult one = run(setup);
  EXPECT_EQ(count(one, Recovery::buddy), 1u);
  EXPECT_NEAR(one.time.count(), undisturbed.time.count() + 7 + 4, 1 + tolerance);
  setup.placed = {{Seconds(53), Kind::node, 5}, {Seconds(54), Kind::node, 7}};
  EXPECT_EQ(count(run(setup), Recovery::start), 1u);
}

// Nodes 4 and 6 are on one switch, 5 and 7 on another one.
TEST(ClusterRunTest, ABurstTakesNeighboursWhoseBuddiesAreElsewhere) {
  ClusterSetup setup = small_cluster();
  setup.placed = {{Seconds(53), Kind::burst, 4}};
  const ClusterResult two = run(setup);
  EXPECT_EQ(two.failures[static_cast<std::size_t>(Kind::burst)], 2u);
  EXPECT_EQ(count(two, Recovery::buddy), 1u);
  EXPECT_NEAR(two.lost[static_cast<std::size_t>(Kind::burst)].count(), 7 + 4, tolerance);
  expect_times_add_up(two);
  setup.burst_nodes = 4;
  setup.spares = 4;
  EXPECT_EQ(count(run(setup), Recovery::start), 1u);
}

// The six switches of two nodes hold each other's copies in groups of three: 0, 2 and 4 have those of nodes
// 0, 8 and 5.
TEST(ClusterRunTest, ThreeReplicasOutliveTwoLossesAndSendTwiceAsMuch) {
  ClusterSetup setup = small_cluster();
  setup.nodes = 12;
  setup.replicas = 3;
  setup.spares = 3;
  EXPECT_EQ(ClusterPlaces(setup).holders(0), (std::vector<std::uint32_t>{8, 5}));
  const ClusterResult undisturbed = run(setup);
  EXPECT_NEAR(undisturbed.overlap.count(), 4 * 10, tolerance);
  EXPECT_EQ(undisturbed.network_bytes, 4 * 2 * 12e9);
  setup.placed = {{Seconds(57), Kind::node, 0}, {Seconds(57), Kind::node, 8}};
  const ClusterResult two = run(setup);
  EXPECT_EQ(count(two, Recovery::buddy), 1u);
  EXPECT_EQ(two.network_bytes, 4 * 2 * 12e9 + 2e9);
  setup.placed.push_back({Seconds(57), Kind::node, 5});
  EXPECT_EQ(count(run(setup), Recovery::start), 1u);
  setup.checkpoint = ClusterCheckpoint::just_in_time;
  EXPECT_EQ(count(run(setup), Recovery::start), 1u);
  setup.placed.pop_back();
  EXPECT_EQ(count(run(setup), Recovery::buddy), 1u);
}

// A check takes a second after each 20 iterations. The one after 60 finds what is wrong since the 46th.
TEST(ClusterRunTest, ACheckFindsCorruptionAndLeadsToTheLastCheckpointThatWasChecked) {
  ClusterSetup setup = small_cluster();
  setup.check_every = 20;
  setup.check = Seconds(1);
  setup.detection = Seconds(10);  // not of what a check finds
  setup.placed = {{Seconds(53), Kind::corruption, 5}};
  const ClusterResult r = run(setup);
  EXPECT_EQ(count(r, Recovery::buddy), 1u);  // node 5 is replaced
  EXPECT_NEAR(r.lost_work.count(), 20, tolerance);
  EXPECT_NEAR(r.check.count(), 6, tolerance);
  EXPECT_NEAR(r.time.count(), 112 + 6 + 20 + 4, tolerance);
  EXPECT_NEAR(r.lost[static_cast<std::size_t>(Kind::corruption)].count(), 20 + 4, tolerance);
  EXPECT_FALSE(r.wrong);
  expect_times_add_up(r);
}

// The checks are after 50 and 100 iterations. The copies at buddies are of 80 and wrong; of those on the file
// system, that of 40 was checked.
TEST(ClusterRunTest, CopiesSinceTheLastCheckAreNotTrusted) {
  ClusterSetup setup = small_cluster();
  setup.check_every = 50;
  setup.global_every = 1;
  setup.placed = {{Seconds(70), Kind::corruption, 5}};
  const ClusterResult r = run(setup);
  EXPECT_EQ(count(r, Recovery::global), 1u);
  EXPECT_NEAR(r.lost_work.count(), 60, tolerance);
  EXPECT_FALSE(r.wrong);
  expect_times_add_up(r);
  setup.placed = {{Seconds(30), Kind::corruption, 5}};  // all is older than the check after 50
  EXPECT_EQ(count(run(setup), Recovery::start), 1u);
}

TEST(ClusterRunTest, CorruptionThatIsNotCheckedForIsInTheResultUnlessARollbackUndoesIt) {
  const ClusterResult r = run_with({{Seconds(51), Kind::corruption, 5}});
  EXPECT_TRUE(r.wrong);
  EXPECT_NEAR(r.time.count(), 112, tolerance);
  EXPECT_FALSE(run_with({{Seconds(51), Kind::corruption, 5}, {Seconds(53), Kind::gpu, 3}}).wrong);
  EXPECT_TRUE(run_with({{Seconds(42), Kind::corruption, 5}, {Seconds(53), Kind::gpu, 3}}).wrong);
}

// From 25 s on iterations take twice as long. After 11 s, in which 5.5 of them passed, a dump, copies to
// buddies and a restart take 2 + 5 + 4 s, and half an iteration is repeated.
TEST(ClusterRunTest, ASlowNodeSlowsAllUntilASpareTakesOver) {
  ClusterSetup setup = small_cluster();
  setup.slowdown = 1;
  setup.slow_found = Seconds(11);
  setup.detection = Seconds(10);  // not of what is found by the length of iterations
  setup.placed = {{Seconds(25), Kind::slow, 5}};
  const ClusterResult r = run(setup);
  EXPECT_NEAR(r.slow.count(), 5.5, tolerance);
  EXPECT_NEAR(r.restart.count(), 2 + 5 + 4, tolerance);
  EXPECT_NEAR(r.lost_work.count(), 0.5, tolerance);
  EXPECT_EQ(r.checkpoints, 5u);
  EXPECT_EQ(count(r, Recovery::buddy), 1u);
  EXPECT_NEAR(r.time.count(), 112 + 5.5 + 11 + 0.5, tolerance);
  EXPECT_NEAR(r.lost[static_cast<std::size_t>(Kind::slow)].count(), 5.5 + 11 + 0.5, tolerance);
  expect_times_add_up(r);
  setup.placed.push_back({Seconds(30), Kind::node, 5});  // it is lost before it is found
  const ClusterResult lost = run(setup);
  EXPECT_NEAR(lost.slow.count(), 2.5, tolerance);
  EXPECT_EQ(count(lost, Recovery::buddy), 1u);
  setup.placed.back() = {Seconds(37), Kind::gpu, 3};  // while the state is saved
  const ClusterResult again = run(setup);
  EXPECT_EQ(again.given_up, 0u);  // during the dump
  expect_times_add_up(again);
}

// Both replicas of a state are lost: what is left is the copy of 40 s, which was drained in 10 s.
TEST(ClusterRunTest, JustInTimeNeedsAGlobalCopyIfBothReplicasAreLost) {
  ClusterSetup setup = small_cluster();
  setup.checkpoint = ClusterCheckpoint::just_in_time;
  setup.global_every = 2;
  setup.placed = {{Seconds(53.5), Kind::gpu, 5}, {Seconds(54), Kind::node, 4}};
  const ClusterResult r = run(setup);
  EXPECT_EQ(count(r, Recovery::global), 1u);
  EXPECT_NEAR(r.lost_work.count(), 13.5, tolerance);
  expect_times_add_up(r);
  setup.global_every = 0;
  EXPECT_EQ(count(run(setup), Recovery::start), 1u);
}

TEST(ClusterRunTest, BlockingWaitsForBuddies) {
  ClusterSetup setup = small_cluster();
  setup.checkpoint = ClusterCheckpoint::blocking;
  const ClusterResult r = run(setup);
  EXPECT_NEAR(r.time.count(), 100 + 4 * (2 + 5), tolerance);
  EXPECT_NEAR(r.blocked.count(), 4 * 5, tolerance);
  EXPECT_EQ(r.overhead.count(), 0);
  expect_times_add_up(r);
}

// In every topology, with near and with far buddies, the nodes' own rate limits the copies, not the network.
TEST(ClusterRunTest, AWideNetworkAddsNothing) {
  for (const ClusterTopology topology :
       {ClusterTopology::fat_tree, ClusterTopology::dragonfly, ClusterTopology::torus})
    for (const BuddyDistance buddies : {BuddyDistance::far, BuddyDistance::near}) {
      ClusterSetup setup = small_cluster();
      setup.nodes = 64;
      setup.topology = topology;
      setup.buddies = buddies;
      EXPECT_NEAR(run(setup).overlap.count(), 4 * 5, tolerance) << to_text(topology) << to_text(buddies);
    }
}

// The two nodes of a switch could send 0.4 GB/s; the trunk carries 0.1 GB/s, then 0.08 GB/s.
TEST(ClusterRunTest, ANarrowNetworkStretchesTheOverlapAndMakesCheckpointsLate) {
  ClusterSetup setup = small_cluster();
  setup.interval = 30;
  setup.trunk = Bandwidth(100'000'000);
  const ClusterResult r = run(setup);
  EXPECT_EQ(r.checkpoints, 2u);
  EXPECT_NEAR(r.overlap.count(), 2 * 20, tolerance);
  EXPECT_EQ(r.late, 0u);
  setup.interval = 20;
  setup.trunk = Bandwidth(80'000'000);
  const ClusterResult late = run(setup);  // its checkpoints begin after 20, 46, 72 and 98 iterations
  EXPECT_EQ(late.checkpoints, 3u);
  EXPECT_NEAR(late.overlap.count(), 3 * 25, tolerance);
  EXPECT_EQ(late.late, 3u);
  EXPECT_NEAR(late.time.count(), 100 + 4 * 2 + 3 * 1, tolerance);
  EXPECT_EQ(late.given_up, 0u);
}

// The two switches of a pod share its uplink; switches 0 and 1 send to 2 and 3 in the other pod.
TEST(ClusterRunTest, APodsLinksAreShared) {
  ClusterSetup setup = small_cluster();
  setup.shape = {2, 3, 1};
  setup.trunk = Bandwidth(400'000'000);  // what two nodes send
  setup.oversubscription = 2;
  const ClusterResult far = run(setup);
  EXPECT_NEAR(far.overlap.count() / static_cast<double>(far.checkpoints), 10, tolerance);
  setup.buddies = BuddyDistance::near;
  const ClusterResult near = run(setup);
  EXPECT_NEAR(near.overlap.count() / static_cast<double>(near.checkpoints), 5, tolerance);
}

// All buddies have the second checkpoint at 50 s: its dump ends after 20 + 2 + 21 + 2 s, its copies take 5 s.
TEST(ClusterRunTest, ALostNodeComesBackFromItsBuddy) {
  for (const Kind kind : {Kind::node, Kind::link}) {
    const ClusterResult r = run_with({{Seconds(53), kind, 5}});
    EXPECT_TRUE(r.finished);
    EXPECT_EQ(r.failures[static_cast<std::size_t>(kind)], 1u);
    EXPECT_EQ(count(r, Recovery::buddy), 1u);
    EXPECT_NEAR(r.restart.count(), 4, tolerance);
    EXPECT_NEAR(r.lost_work.count(), 53 - 45 - 1, tolerance);  // one second of these was overhead
    EXPECT_EQ(r.rework, r.lost_work);
    EXPECT_NEAR(r.time.count(), 112 + 4 + 7, tolerance);
    EXPECT_EQ(r.repairs, 1u);
    EXPECT_EQ(r.network_bytes, 4 * 8e9 + 1e9 + 1e9);  // the node's state, and the copy of its buddy's
    expect_times_add_up(r);
  }
}

TEST(ClusterRunTest, ANodeThatOnlyForgetsComesBackByItself) {
  for (const Kind kind : {Kind::dram, Kind::gpu}) {
    const ClusterResult r = run_with({{Seconds(53), kind, 5}});
    EXPECT_EQ(count(r, Recovery::local), 1u);
    EXPECT_NEAR(r.time.count(), 112 + 4 + 7, tolerance);
    EXPECT_EQ(r.repairs, 0u);
    EXPECT_EQ(r.network_bytes, 4 * 8e9);
  }
}

TEST(ClusterRunTest, CopiesInMemoryAreLostWithIt) {
  ClusterSetup setup = small_cluster();
  setup.copies = CopyDevice::memory;
  setup.placed = {{Seconds(53), Kind::dram, 5}};
  EXPECT_EQ(count(run(setup), Recovery::buddy), 1u);
  setup.placed = {{Seconds(53), Kind::ssd, 5}};
  const ClusterResult r = run(setup);
  EXPECT_EQ(r.repairs, 0u);
  EXPECT_NEAR(r.time.count(), 112, tolerance);
}

TEST(ClusterRunTest, ALostSsdReceivesItsCopiesAgainBesideTheProgram) {
  const ClusterResult r = run_with({{Seconds(51), Kind::ssd, 5}});
  EXPECT_EQ(r.failures[1], 1u);
  EXPECT_EQ(r.recoveries, (std::array<std::uint64_t, cluster_recoveries>{}));
  EXPECT_EQ(r.repairs, 1u);
  EXPECT_EQ(r.network_bytes, 4 * 8e9 + 2e9);
  EXPECT_NEAR(r.time.count(), 112, tolerance);
}

// The two copies on the lost SSD are sent again at 0.2 GB/s. During these 10 s, only the buddy's node has
// copies of the two nodes.
TEST(ClusterRunTest, UntilThenTheBuddysLossIsFinal) {
  EXPECT_EQ(count(run_with({{Seconds(51), Kind::ssd, 5}, {Seconds(60), Kind::node, 4}}), Recovery::start),
            1u);
  EXPECT_EQ(count(run_with({{Seconds(51), Kind::ssd, 5}, {Seconds(62), Kind::node, 4}}), Recovery::buddy),
            1u);
}

// The checkpoint that the failure interrupts began at 43 s, after 40 iterations; the one before it holds the
// state after 20.
TEST(ClusterRunTest, AFailureBeforeAllBuddiesHaveACheckpointLeadsToTheOneBefore) {
  const ClusterResult during_dump = run_with({{Seconds(44), Kind::dram, 5}});
  EXPECT_NEAR(during_dump.lost_work.count(), 20, tolerance);
  EXPECT_EQ(during_dump.given_up, 0u);
  const ClusterResult during_overlap = run_with({{Seconds(48), Kind::dram, 5}});
  EXPECT_NEAR(during_overlap.lost_work.count(), 20 + 3, tolerance);
  EXPECT_EQ(during_overlap.given_up, 1u);
  EXPECT_NEAR(during_overlap.time.count(), 112 + 4 + 23 + 2, tolerance);  // only the dump is repeated
  expect_times_add_up(during_overlap);
}

TEST(ClusterRunTest, WithoutACheckpointTheRunBeginsAnew) {
  const ClusterResult r = run_with({{Seconds(15), Kind::gpu, 0}});
  EXPECT_EQ(count(r, Recovery::start), 1u);
  EXPECT_NEAR(r.lost_work.count(), 15, tolerance);
  EXPECT_NEAR(r.time.count(), 112 + 4 + 15, tolerance);
}

TEST(ClusterRunTest, BothBuddiesLostLeadToTheGlobalCopyOrToTheStart) {
  ClusterSetup setup = small_cluster();
  setup.placed = {{Seconds(93), Kind::node, 4}, {Seconds(93), Kind::node, 5}};
  const ClusterResult anew = run(setup);
  EXPECT_EQ(count(anew, Recovery::start), 1u);
  EXPECT_TRUE(anew.finished);
  setup.global_every = 2;  // the checkpoint after 40 iterations is copied from 50 to 60 s
  const ClusterResult global = run(setup);
  EXPECT_EQ(count(global, Recovery::global), 1u);
  EXPECT_EQ(global.global_copies, 2u);
  EXPECT_NEAR(global.restart.count(), 4, tolerance);
  EXPECT_NEAR(global.lost_work.count(), anew.lost_work.count() - 40, tolerance);
  EXPECT_EQ(global.failures[0], 2u);
  expect_times_add_up(global);
}

TEST(ClusterRunTest, BuddiesOfOthersAreNoLoss) {
  const ClusterResult r = run_with({{Seconds(93), Kind::node, 4}, {Seconds(93), Kind::node, 6}});
  EXPECT_EQ(count(r, Recovery::buddy), 1u);
  EXPECT_EQ(r.repairs, 2u);
}

// The recovery from the first loss takes from 93 to 97 s.
TEST(ClusterRunTest, ALossDuringRecoveryBeginsItAgain) {
  const ClusterResult again = run_with({{Seconds(93), Kind::node, 4}, {Seconds(95), Kind::node, 6}});
  EXPECT_EQ(count(again, Recovery::buddy), 1u);
  EXPECT_NEAR(again.restart.count(), 2 + 4, tolerance);
  const ClusterResult both = run_with({{Seconds(93), Kind::node, 4}, {Seconds(95), Kind::node, 5}});
  EXPECT_EQ(count(both, Recovery::start), 1u);
  EXPECT_NEAR(both.restart.count(), 2 + 4, tolerance);
}

// A global copy of 1 GB of each node takes 10 s at 0.1 GB/s. The loss of a node ends it, and the next
// checkpoint begins another one.
TEST(ClusterRunTest, AGlobalCopyIsGivenUpWhenCopiesAreLost) {
  ClusterSetup setup = small_cluster();
  setup.global_every = 2;
  setup.placed = {{Seconds(55), Kind::node, 1}};
  const ClusterResult r = run(setup);
  EXPECT_EQ(r.global_given_up, 1u);
  EXPECT_EQ(r.global_copies, 1u);
  setup.placed = {{Seconds(55), Kind::gpu, 1}};
  EXPECT_EQ(run(setup).global_given_up, 0u);
}

TEST(ClusterRunTest, TheFileSystemBoundsGlobalCopies) {
  ClusterSetup setup = small_cluster();
  setup.global_every = 1;
  setup.file_system = Bandwidth(200'000'000);  // 8 GB take 40 s, from 27 and from 73 s on
  const ClusterResult slow = run(setup);
  setup.file_system = Bandwidth(800'000'000);  // as fast as the nodes
  EXPECT_EQ(slow.global_copies, 1u);
  EXPECT_EQ(run(setup).global_copies, 4u);
}

TEST(ClusterRunTest, WithoutASpareItWaitsForTheRepair) {
  ClusterSetup setup = small_cluster();
  setup.spares = 1;
  setup.placed = {{Seconds(53), Kind::node, 5}, {Seconds(70), Kind::node, 2}};
  const ClusterResult r = run(setup);
  EXPECT_NEAR(r.spare_wait.count(), 53 + 1000 - 70, tolerance);
  EXPECT_EQ(count(r, Recovery::buddy), 2u);
  expect_times_add_up(r);
}

TEST(ClusterRunTest, GivesUpWhenFailuresUndoAll) {
  ClusterSetup setup = small_cluster();
  setup.placed.clear();
  setup.rates[2] = Rate(0.1);
  setup.give_up = Seconds(3000);
  const ClusterResult r = run(setup);
  EXPECT_FALSE(r.finished);
  EXPECT_GE(r.time.count(), 3000);
  EXPECT_LT(r.time.count(), 3100);
}

// The check after the last iteration finds it, and there is no spare. Without
// corruption, the run ends within the check.
TEST(ClusterRunTest, ARunThatIsGivenUpInItsLastCheckHasNotFinished) {
  ClusterSetup setup = small_cluster();
  setup.spares = 0;
  setup.check_every = 20;
  setup.check = Seconds(1);
  setup.placed = {{Seconds(110), Kind::corruption, 5}};
  setup.give_up = Seconds(500);
  const ClusterResult corrupted = run(setup);
  EXPECT_FALSE(corrupted.finished);
  EXPECT_NEAR(corrupted.time.count(), 500, tolerance);
  setup.placed = small_cluster().placed;
  EXPECT_TRUE(run(setup).finished);
  setup.give_up = Seconds(112 + 5 - 0.5);
  EXPECT_FALSE(run(setup).finished);
}

TEST(ClusterRunTest, ALongWaitForASpareEndsWhenTheRunIsGivenUp) {
  ClusterSetup setup = small_cluster();
  setup.spares = 0;
  setup.placed = {{Seconds(53), Kind::node, 5}};
  setup.spare_return = Seconds(1e6);
  const ClusterResult r = run(setup);
  EXPECT_FALSE(r.finished);
  EXPECT_NEAR(r.time.count(), setup.give_up.count(), tolerance);
}

// All iterations are done, and the replica has that state, which nobody has checked.
TEST(ClusterRunTest, ALastCheckThatAFailureInterruptsIsMadeAgain) {
  ClusterSetup setup = small_cluster();
  setup.checkpoint = ClusterCheckpoint::just_in_time;
  setup.check_every = 50;
  setup.check = Seconds(1);
  setup.placed = {{Seconds(101.5), Kind::node, 5}};
  const ClusterResult r = run(setup);
  EXPECT_TRUE(r.finished);
  EXPECT_NEAR(r.check.count(), 1 + 0.5 + 1, tolerance);
  expect_times_add_up(r);
}

ClusterSetup failing() {
  ClusterSetup setup = small_cluster();
  setup.nodes = 1000;
  setup.nodes_per_switch = 50;
  setup.spares = 50;
  setup.placed.clear();
  setup.iterations = 20'000;
  setup.global_every = 5;
  setup.rates = {Rate(1e-6), Rate(2e-7), Rate(1e-6), Rate(3e-7), Rate(2e-7)};
  setup.slowdown = 0.5;
  setup.slow_found = Seconds(300);
  setup.give_up = Seconds(1e6);
  return setup;
}

TEST(ClusterRunTest, ASeedGivesARunWhateverCameBefore) {
  ClusterSetup setup = failing();
  setup.iterations = 5000;
  setup.runs = 3;
  setup.check_every = 100;
  setup.rates[6] = setup.rates[7] = setup.rates[8] = Rate(3e-7);
  ClusterProcess process(setup);
  std::vector<ClusterResult> all;
  while (const auto result = process.next()) all.push_back(*result);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_NE(all[0].time, all[1].time);
  for (const ClusterResult& one : all) expect_times_add_up(one);
  setup.seed = 2;
  setup.runs = 1;
  EXPECT_EQ(run(setup), all[1]);
}

// The model's assumptions hold here: failures are rare, they leave all copies intact, so that nothing is
// repaired, and the network is wide. The prediction must lie within the 99.9% interval of ten simulated runs,
// which is one per cent.
void expect_agreement(ClusterCheckpoint checkpoint) {
  constexpr int runs = 10;
  constexpr double quantile = 4.781;  // of Student's t with 9 degrees of freedom, two-sided
  ClusterSetup setup = failing();
  setup.checkpoint = checkpoint;
  setup.nodes = 100;
  setup.rates = {Rate(0), Rate(0), Rate(1e-5), Rate(0), Rate(0)};  // every 1000 s
  setup.global_every = 0;
  setup.iterations = 40'000;
  setup.interval = 50;
  setup.runs = runs;
  const double predicted = predicted_time(setup).value().count();
  ClusterProcess process(setup);
  double sum = 0, squares = 0;
  while (const auto result = process.next()) {
    EXPECT_TRUE(result->finished);
    sum += result->time.count();
    squares += result->time.count() * result->time.count();
  }
  const double mean = sum / runs, error = std::sqrt((squares / runs - mean * mean) / (runs - 1));
  EXPECT_NEAR(mean, predicted, quantile * error);
  EXPECT_LT(quantile * error, 0.011 * predicted);
}

TEST(ClusterRunTest, AgreesWithTheModelOfSemiBlockingCheckpointsWhereItHolds) {
  expect_agreement(ClusterCheckpoint::semi_blocking);
}

TEST(ClusterRunTest, AgreesWithTheModelOfBlockingCheckpointsWhereItHolds) {
  expect_agreement(ClusterCheckpoint::blocking);
}

TEST(ClusterPredictionTest, TheBestIntervalIsTheModels) {
  const ClusterSetup setup = failing();
  const auto best = best_interval(setup).value().iterations;
  const auto at = [&](std::uint64_t interval) {
    ClusterSetup other = setup;
    other.interval = interval;
    return predicted_time(other).value();
  };
  EXPECT_LE(at(best), at(best + 1));
  EXPECT_LE(at(best), at(best - 1));
}

TEST(ClusterPredictionTest, HasNoAnswerForPlacedFailures) {
  EXPECT_EQ(predicted_time(small_cluster()), std::nullopt);
  EXPECT_FALSE(best_interval(small_cluster()));
}

TEST(ClusterPredictionTest, SaysWhereTheBestIntervalIsAsLongAsTheRun) {
  ClusterSetup setup = failing();
  EXPECT_FALSE(best_interval(setup).value().at_bound);
  setup.rates = {Rate(1e-12)};
  EXPECT_TRUE(best_interval(setup).value().at_bound);
  EXPECT_EQ(best_interval(setup).value().iterations, setup.iterations);
}

TEST(ClusterProcessTest, SaysWhereThereIsNoProgram) {
  EXPECT_EQ(thrown<ClusterProgramMissing>([] { ClusterProcess(small_cluster(), "/nowhere"); }),
            "asterism_cluster, the program that simulates with SimGrid, does not exist: install the package "
            "asterism-cluster, or build it with -DASTERISM_SIMGRID=ON");
}

TEST(ClusterProcessTest, SaysHowAProgramHasFailed) {
  ClusterProcess process(small_cluster(), "/bin/false");
  EXPECT_EQ(thrown<std::runtime_error>([&] { process.next(); }),
            "the simulation of a cluster ended with status 1 before its result");
}

TEST(ClusterProcessTest, EndsWhenAStopIsAskedFor) {
  ClusterSetup setup = failing();
  setup.iterations = 1'000'000'000;
  setup.give_up = Seconds(1e12);
  ClusterProcess process(setup);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(process.next(stop.get_token()), std::nullopt);
}

}  // namespace
}  // namespace asterism
