// The firmware's buddy protocol in clusters in memory (test_cluster.h). After any loss the words of the
// result must be those of the program computed in one piece, or the run is not recoverable and no version can
// be recovered.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "test_cluster.h"

namespace {

constexpr std::uint64_t seeds = 200;  // for each kind of loss

TestClusterConfig random_config(std::uint64_t seed) {
  asterism::Random random(~seed);
  TestClusterConfig c;
  c.seed = seed;
  c.ranks = static_cast<std::uint32_t>(2 + random.below(5));
  c.spares = 3;
  const std::uint64_t words[] = {1, 7, 512, 600, 1300};
  c.words = words[random.below(std::size(words))];
  c.steps = 8 + random.below(25);
  c.buddy.protocol = random.below(2) == 0 ? buddy_blocking : buddy_semi_blocking;
  c.buddy.interval = 1 + random.below(6);
  c.buddy.protected_elsewhere = random.below(3) == 0;
  c.buddy.own_elsewhere = random.below(3) == 0;
  return c;
}

void take_steps(TestCluster& cluster, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count && !cluster.is_over(); ++i) cluster.step();
}

// Runs until all ranks run and a version is committed, which a single loss cannot destroy.
void run_until_recoverable(TestCluster& cluster) {
  const auto is_recoverable = [&] {
    for (std::uint32_t rank = 0; rank < cluster.node_of(0).buddy.membership.ranks; ++rank)
      if (cluster.node_of(rank).buddy.committed == 0) return false;
    return cluster.all_run();
  };
  while (!cluster.is_over() && !is_recoverable())
    if (!cluster.step()) return;
}

std::uint32_t any_rank(TestCluster& cluster) {
  return static_cast<std::uint32_t>(cluster.random().below(cluster.node_of(0).buddy.membership.ranks));
}

class BuddyTest : public testing::TestWithParam<BuddyProtocol> {};
INSTANTIATE_TEST_SUITE_P(Protocols, BuddyTest, testing::Values(buddy_blocking, buddy_semi_blocking),
                         [](const auto& protocol) {
                           return protocol.param == buddy_blocking ? "blocking" : "semi_blocking";
                         });

TEST_P(BuddyTest, ComputesTheResultWithoutALoss) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    TestClusterConfig config = random_config(seed);
    config.buddy.protocol = GetParam();
    TestCluster cluster(config);
    ASSERT_TRUE(cluster.run()) << "seed " << seed;
    EXPECT_EQ(cluster.result(), cluster.expected()) << "seed " << seed;
    for (std::uint32_t rank = 0; rank < config.ranks; ++rank) {
      const BuddyCounts& counts = cluster.node_of(rank).buddy.counts;
      EXPECT_EQ(counts.checkpoints, (config.steps - 1) / config.buddy.interval) << "seed " << seed;
      EXPECT_EQ(counts.recoveries, 0u);
      EXPECT_EQ(counts.dropped_messages, 0u);
    }
  }
}

TEST_P(BuddyTest, SurvivesTheLossOfOneNodeAtATime) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    TestClusterConfig config = random_config(seed);
    config.buddy.protocol = GetParam();
    TestCluster cluster(config);
    for (unsigned losses = 0; losses < config.spares; ++losses) {
      run_until_recoverable(cluster);
      take_steps(cluster, cluster.random().below(300));
      if (cluster.is_over()) break;
      cluster.lose_node(cluster.node_of(any_rank(cluster)).number);
      take_steps(cluster, cluster.random().below(100));
      cluster.detect_losses();
    }
    ASSERT_TRUE(cluster.run()) << "seed " << seed;
    EXPECT_EQ(cluster.result(), cluster.expected()) << "seed " << seed;
  }
}

// The nodes whose links were lost take other ranks afterwards, without anything of their old ones.
TEST_P(BuddyTest, SurvivesTheLossOfOneLinkAtATime) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    TestClusterConfig config = random_config(seed);
    config.buddy.protocol = GetParam();
    config.spares = 1;
    TestCluster cluster(config);
    for (unsigned losses = 0; losses < 6; ++losses) {
      run_until_recoverable(cluster);
      take_steps(cluster, cluster.random().below(200));
      if (cluster.is_over()) break;
      cluster.lose_link(cluster.node_of(any_rank(cluster)).number);
      take_steps(cluster, cluster.random().below(100));
      cluster.detect_losses();
      for (std::uint32_t node = 0; node < cluster.node_count(); ++node) {
        const Buddy& b = cluster.node(node).buddy;
        if (b.phase != buddy_spare) continue;
        for (unsigned i = 0; i < buddy_versions; ++i)
          ASSERT_EQ(b.own.versions[i].version + b.protected_copies.versions[i].version, 0u)
              << "a spare must hold nothing";
      }
    }
    ASSERT_TRUE(cluster.run()) << "seed " << seed;
    EXPECT_EQ(cluster.result(), cluster.expected()) << "seed " << seed;
  }
}

TEST_P(BuddyTest, SurvivesTheLossOfOneMemoryAtATime) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    TestClusterConfig config = random_config(seed);
    config.buddy.protocol = GetParam();
    TestCluster cluster(config);
    for (unsigned losses = 0; losses < 4; ++losses) {
      run_until_recoverable(cluster);
      take_steps(cluster, cluster.random().below(300));
      if (cluster.is_over()) break;
      cluster.lose_memory(cluster.node_of(any_rank(cluster)).number);
      take_steps(cluster, cluster.random().below(100));
      if (cluster.is_over()) break;
      cluster.detect_losses();
    }
    ASSERT_TRUE(cluster.run()) << "seed " << seed;
    EXPECT_EQ(cluster.result(), cluster.expected()) << "seed " << seed;
  }
}

// Losses occur at any instant and of any number of nodes: during checkpoints, during recoveries, of both
// buddies.
struct Tally {
  unsigned finished = 0, lost = 0, recoveries = 0;
  unsigned dropped_when_durable = 0;  // copies of which the node did not know yet
};

void run_with_random_losses(const TestClusterConfig& config, Tally& tally) {
  TestCluster cluster(config);
  const std::uint64_t losses = 1 + cluster.random().below(4);
  for (std::uint64_t i = 0; i < losses && !cluster.is_over(); ++i) {
    take_steps(cluster, cluster.random().below(i == 0 ? 3000 : 600));
    if (cluster.is_over()) break;
    const std::uint32_t node = cluster.node_of(any_rank(cluster)).number;
    const std::uint64_t kind = cluster.random().below(3);
    if (kind == 0 || !cluster.node(node).is_alive)
      cluster.lose_node(node);
    else if (kind == 1)
      cluster.lose_memory(node);
    else
      cluster.lose_link(node);
    take_steps(cluster, cluster.random().below(60));
    if (!cluster.is_over() && cluster.random().below(2) == 0) cluster.detect_losses();
  }
  ASSERT_TRUE(cluster.run()) << "seed " << config.seed << ": the run hangs";
  if (cluster.result()) {
    EXPECT_EQ(*cluster.result(), cluster.expected()) << "seed " << config.seed;
    ++tally.finished;
  } else if (!cluster.spares_ran_out()) {
    EXPECT_FALSE(config.buddy.restart_from_beginning) << "seed " << config.seed;
    EXPECT_EQ(cluster.newest_recoverable(), 0u) << "seed " << config.seed;
    EXPECT_EQ(*cluster.not_recoverable(), cluster.ranks_without_a_copy()) << "seed " << config.seed;
    ++tally.lost;
  }
  for (std::uint32_t node = 0; node < cluster.node_count(); ++node) {
    if (cluster.node(node).is_alive && cluster.node(node).buddy.counts.recoveries != 0) ++tally.recoveries;
    tally.dropped_when_durable += cluster.node(node).dropped_when_durable;
  }
}

TEST(BuddyLossesTest, EndWithTheResultOrAsNotRecoverable) {
  Tally tally;
  for (std::uint64_t seed = 0; seed < 3 * seeds; ++seed) {
    run_with_random_losses(random_config(seed), tally);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(tally.finished, 200u);
  EXPECT_GT(tally.lost, 20u);
  EXPECT_GT(tally.recoveries, 200u);
}

TEST(BuddyLossesTest, EndWithTheResultIfTheProgramMayRestart) {
  Tally tally;
  for (std::uint64_t seed = 0; seed < 2 * seeds; ++seed) {
    TestClusterConfig config = random_config(seed);
    config.buddy.restart_from_beginning = true;
    config.spares = 5;
    run_with_random_losses(config, tally);
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(tally.finished, 2 * seeds);
}

TEST(BuddyLossesTest, EndWithTheResultWithCopiesInTheGlobalStore) {
  Tally with, without;
  for (std::uint64_t seed = 0; seed < 2 * seeds; ++seed) {
    TestClusterConfig config = random_config(seed);
    run_with_random_losses(config, without);
    config.buddy.global_every = 1 + seed % 2;
    run_with_random_losses(config, with);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(with.finished, without.finished);
}

TEST(BuddyRecoveryTest, TwoLostBuddiesAreRestoredFromTheGlobalStore) {
  TestClusterConfig config;
  config.ranks = 4;
  config.buddy.global_every = 1;
  TestCluster cluster(config);
  const auto all_are_stored = [&] {
    for (std::uint32_t rank = 0; rank < config.ranks; ++rank)
      if (cluster.node_of(rank).buddy.counts.globals == 0) return false;
    return true;
  };
  while (!all_are_stored()) ASSERT_TRUE(cluster.step());
  cluster.lose_node(1);
  cluster.lose_node(2);
  cluster.detect_losses();
  ASSERT_TRUE(cluster.run());
  EXPECT_EQ(cluster.result(), cluster.expected());
  EXPECT_EQ(cluster.node_of(1).buddy.counts.from_storage, 1u);
  EXPECT_EQ(cluster.node_of(2).buddy.counts.from_storage + cluster.node_of(2).buddy.counts.from_buddy, 1u);
}

TEST(BuddyRecoveryTest, AGlobalCopyDroppedByAnEpochIsMadeAgain) {
  TestClusterConfig config;
  config.ranks = 4;
  config.steps = 8;  // so that no second version follows
  config.buddy.global_every = 1;
  TestCluster cluster(config);
  cluster.drop(message_global, 1000);
  run_until_recoverable(cluster);
  cluster.lose_node(3);
  cluster.detect_losses();
  cluster.drop(message_global, 0);
  ASSERT_TRUE(cluster.run());
  while (cluster.step()) {
  }
  EXPECT_EQ(cluster.result(), cluster.expected());
  for (std::uint32_t rank = 0; rank < config.ranks; ++rank) {
    EXPECT_EQ(cluster.node_of(rank).buddy.counts.globals, 1u) << rank;
    EXPECT_EQ(cluster.storage().copies.count({rank, 4}), 1u) << rank;
  }
}

TEST(BuddyRecoveryTest, AVersionFromTheGlobalStoreIsNotSentThereAgain) {
  TestClusterConfig config;
  config.ranks = 4;
  config.steps = 8;
  config.buddy.global_every = 1;
  TestCluster cluster(config);
  const auto all_are_stored = [&] {
    for (std::uint32_t rank = 0; rank < config.ranks; ++rank)
      if (cluster.node_of(rank).buddy.counts.globals == 0) return false;
    return true;
  };
  while (!all_are_stored()) ASSERT_TRUE(cluster.step());
  EXPECT_EQ(cluster.sent(message_global), 8u);  // 4800 bytes each
  cluster.lose_node(1);
  cluster.lose_node(2);
  cluster.detect_losses();
  ASSERT_TRUE(cluster.run());
  while (cluster.step()) {
  }
  EXPECT_EQ(cluster.result(), cluster.expected());
  EXPECT_EQ(cluster.node_of(1).buddy.counts.from_storage, 1u);
  EXPECT_EQ(cluster.node_of(1).buddy.counts.globals, 0u);
  // The other ranks do not know which copies storage holds.
  EXPECT_EQ(cluster.sent(message_global), 14u);
}

TEST(BuddyRecoveryTest, TheBeginningIsNotCopiedToTheGlobalStore) {
  TestClusterConfig config;
  config.steps = 3;
  config.buddy.global_every = 1;
  config.buddy.restart_from_beginning = true;
  TestCluster cluster(config);
  take_steps(cluster, 20);
  cluster.lose_node(1);
  cluster.detect_losses();
  ASSERT_TRUE(cluster.run());
  while (cluster.step()) {
  }
  EXPECT_EQ(cluster.node_of(0).buddy.counts.recoveries, 1u);
  EXPECT_EQ(cluster.node_of(0).buddy.global, 0u);
  EXPECT_EQ(cluster.sent(message_global), 0u);
}

TEST(BuddyRecoveryTest, TwoLostBuddiesAreReported) {
  TestClusterConfig config;
  config.ranks = 4;
  TestCluster cluster(config);
  run_until_recoverable(cluster);
  cluster.lose_node(1);
  cluster.lose_node(2);
  cluster.detect_losses();
  ASSERT_TRUE(cluster.run());
  EXPECT_FALSE(cluster.result());
  // Both copies of rank 1 are gone; one copy of rank 2 is left, at rank 3.
  EXPECT_EQ(cluster.not_recoverable(), 0b0010u);
}

// Version 4 of rank 0 is left, in its node or in the global store, and version 8 of rank 1: nothing can be
// recovered, although every rank has a copy.
TEST(BuddyRecoveryTest, ARankWithAnotherVersionIsNotReported) {
  static Coordinator coordinator;
  const auto offer = [](std::uint32_t from, std::uint64_t owner, std::uint64_t version, std::size_t count) {
    std::uint8_t pair[16];
    message_put_u64(pair, owner);
    message_put_u64(pair + 8, version);
    return coordinator_offer(&coordinator, from, pair, count);
  };
  for (const bool is_stored : {false, true}) {
    coordinator_begin(&coordinator, 2, is_stored);
    EXPECT_FALSE(offer(0, 0, 4, is_stored ? 0 : 1));
    EXPECT_EQ(offer(1, 1, 8, 1), !is_stored);
    if (is_stored) {
      EXPECT_TRUE(offer(STORAGE_RANK, 0, 4, 1));
    }
    RestorePlan plan;
    coordinator_plan(&coordinator, false, &plan);
    EXPECT_FALSE(plan.is_possible);
    EXPECT_EQ(plan.lost, 0u);
  }
}

TEST(BuddyRecoveryTest, NoRankFetchesAStateThatItHolds) {
  TestClusterConfig config;
  config.ranks = 5;
  TestCluster cluster(config);
  run_until_recoverable(cluster);
  cluster.lose_node(3);
  cluster.detect_losses();
  const std::uint64_t chunks = cluster.sent(message_chunk);
  while (!cluster.all_run()) ASSERT_TRUE(cluster.step());
  EXPECT_EQ(cluster.sent(message_fetch), 1u);
  EXPECT_EQ(cluster.sent(message_state), 2u);           // each has 4800 bytes
  EXPECT_LE(cluster.sent(message_chunk) - chunks, 4u);  // at most of rank 3 and of its protected rank
  EXPECT_EQ(cluster.node_of(3).buddy.counts.from_buddy, 1u);
  EXPECT_EQ(cluster.node_of(3).number, 5u);
}

TEST(BuddyRecoveryTest, AVersionNotHeldOfAllIsNotRestored) {
  // A rank's copy for its buddy is lost on the way, and then the next rank is lost, so that the version that
  // all others hold cannot be restored.
  TestCluster cluster(TestClusterConfig{});
  run_until_recoverable(cluster);
  ASSERT_EQ(cluster.node_of(0).buddy.committed, 4u);
  cluster.drop(message_chunk, 1);
  EXPECT_FALSE(cluster.run());  // the version is never committed, and all ranks wait with the next one
  EXPECT_EQ(cluster.node_of(0).buddy.committed, 4u);
  EXPECT_EQ(cluster.newest_recoverable(), 8u);  // the version is in the memories of the ranks themselves
  const auto buddy_holds = [&](std::uint32_t rank) {
    const BuddyCopy* const copies = cluster.node_of((rank + 1) % 3).buddy.protected_copies.versions;
    return std::any_of(copies, copies + buddy_versions,
                       [](const BuddyCopy& copy) { return copy.version == 8 && copy.held == 4800; });
  };
  std::uint32_t rank = 0;
  while (buddy_holds(rank)) ++rank;
  ASSERT_LT(rank, 3u);
  cluster.lose_node(cluster.node_of(rank).number);
  cluster.detect_losses();
  while (!cluster.all_run()) ASSERT_TRUE(cluster.step());
  EXPECT_EQ(cluster.node_of(rank).buddy.restored, 4u);
  ASSERT_TRUE(cluster.run());
  EXPECT_EQ(cluster.result(), cluster.expected());
}

TEST(BuddyProtocolTest, BlockingHoldsTheApplicationUntilTheCommit) {
  std::uint64_t ahead = 0;
  for (const BuddyProtocol protocol : {buddy_blocking, buddy_semi_blocking}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      TestClusterConfig config = random_config(seed);
      config.words = 1300;
      config.buddy.interval = 4;
      config.buddy.protocol = protocol;
      TestCluster cluster(config);
      while (!cluster.is_over()) {
        ASSERT_TRUE(cluster.step());
        for (std::uint32_t rank = 0; rank < config.ranks; ++rank) {
          const TestCluster::Node& node = cluster.node_of(rank);
          if (node.buddy.open == 0 || node.ring.step == node.buddy.open) continue;
          ASSERT_EQ(protocol, buddy_semi_blocking)
              << "stepped while version " << node.buddy.open << " was open";
          ++ahead;
        }
      }
    }
  }
  EXPECT_GT(ahead, 0u);
}

TEST(BuddyProtocolTest, OneVersionAtATimeAndTheLastOneIsKept) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    TestClusterConfig config = random_config(seed);
    config.words = 1300;
    config.buddy.interval = 1;
    TestCluster cluster(config);
    while (!cluster.is_over()) {
      ASSERT_TRUE(cluster.step());
      for (std::uint32_t rank = 0; rank < config.ranks; ++rank) {
        const Buddy& b = cluster.node_of(rank).buddy;
        ASSERT_LE(b.committed, cluster.node_of(rank).ring.step);
        ASSERT_TRUE(b.open == 0 || b.open == b.committed + 1);
        if (b.committed != 0) {
          ASSERT_TRUE(b.own.versions[0].version == b.committed || b.own.versions[1].version == b.committed);
        }
      }
    }
  }
}

struct Elsewhere : testing::TestWithParam<std::pair<bool, bool>> {  // own, protected_copies
  TestClusterConfig config(std::uint64_t seed) const {
    TestClusterConfig c = random_config(seed);
    std::tie(c.buddy.own_elsewhere, c.buddy.protected_elsewhere) = GetParam();
    return c;
  }
};
INSTANTIATE_TEST_SUITE_P(
    Copies, Elsewhere, testing::Values(std::pair(true, false), std::pair(false, true), std::pair(true, true)),
    [](const auto& p) { return std::string(p.param.first ? "Own" : "") + (p.param.second ? "Wards" : ""); });

// Each kind saves the space for one copy, and the kept copies are those that are held.
TEST_P(Elsewhere, UsesLessMemoryAndHoldsTheSameCopies) {
  TestClusterConfig c = config(3);
  c.buddy.interval = 2;
  c.buddy.global_every = 1;
  TestCluster cluster(c);
  EXPECT_EQ(buddy_copy_bytes(&cluster.node_of(0).buddy, 80),
            320u - 80u * (GetParam().first + GetParam().second));
  const auto expect_kept = [](const TestCluster::Node& node, const BuddyCopies& copies) {
    const auto& kept = node.ssd[copies.of];
    EXPECT_LE(kept.size(), copies.is_elsewhere ? 2u : 0u);
    for (const BuddyCopy& copy : copies.versions) {
      const bool is_whole = copy.version != 0 && copy.held == node.buddy.bytes;
      EXPECT_EQ(is_whole && copies.is_elsewhere, kept.count(copy.version) == 1) << copy.version;
    }
  };
  while (!cluster.is_over() && !testing::Test::HasFailure()) {
    ASSERT_TRUE(cluster.step());
    for (std::uint32_t rank = 0; rank < c.ranks; ++rank) {
      expect_kept(cluster.node_of(rank), cluster.node_of(rank).buddy.own);
      expect_kept(cluster.node_of(rank), cluster.node_of(rank).buddy.protected_copies);
    }
  }
  EXPECT_EQ(cluster.result(), cluster.expected());
}

// A copy is read back only for ranks that lack it in memory, and must be the right one.
TEST_P(Elsewhere, IsReadBackInRecovery) {
  std::uint64_t recalls[2] = {};
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    TestClusterConfig c = config(seed);
    c.buddy.global_every = seed % 2;
    TestCluster cluster(c);
    run_until_recoverable(cluster);
    take_steps(cluster, cluster.random().below(300));
    if (!cluster.is_over()) cluster.lose_node(cluster.node_of(any_rank(cluster)).number);
    ASSERT_TRUE(cluster.run()) << "seed " << seed;
    ASSERT_EQ(cluster.result(), cluster.expected()) << "seed " << seed;
    for (std::uint32_t node = 0; node < cluster.node_count(); ++node)
      for (const BuddyCopyOf of : {buddy_own, buddy_protected}) recalls[of] += cluster.node(node).recalls[of];
  }
  EXPECT_EQ(recalls[buddy_own] > 20, GetParam().first);
  EXPECT_EQ(recalls[buddy_protected] > 20, GetParam().second);
}

// ---- copies that are stored in the background, and copies that outlive the power ----

// Both copies are kept elsewhere, those of the protected rank in the background; the program's words are its
// own copy. Therefore it has to wait for the commit.
TestClusterConfig in_the_background(std::uint64_t seed) {
  TestClusterConfig c = random_config(seed);
  c.buddy.own_elsewhere = c.buddy.protected_elsewhere = c.buddy.protected_later = true;
  c.in_place = seed % 2 == 0;
  if (c.in_place) c.buddy.protocol = buddy_blocking;
  return c;
}

TEST(BuddyBackgroundTest, ACopyCountsWhenItIsStored) {
  TestClusterConfig config = in_the_background(1);
  config.ranks = 3;
  TestCluster cluster(config);
  unsigned open = 0;
  while (!cluster.is_over()) {
    ASSERT_TRUE(cluster.step());
    for (std::uint32_t rank = 0; rank < config.ranks; ++rank) {
      const TestCluster::Node& buddy = cluster.node_of((rank + 1) % config.ranks);
      if (!buddy.keeping) continue;
      ++open;
      ASSERT_LT(cluster.node_of(rank).buddy.committed, *buddy.keeping);
      ASSERT_LT(cluster.node_of(0).buddy.committed, *buddy.keeping);
    }
  }
  EXPECT_GT(open, 0u);
  EXPECT_EQ(cluster.result(), cluster.expected());
}

TEST(BuddyBackgroundTest, LossesEndWithTheResultOrAsNotRecoverable) {
  Tally tally;
  for (std::uint64_t seed = 0; seed < 3 * seeds; ++seed) {
    run_with_random_losses(in_the_background(seed), tally);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(tally.finished, 200u);
  EXPECT_GT(tally.recoveries, 200u);
  EXPECT_GT(tally.dropped_when_durable, 0u);
}

TEST(BuddyBackgroundTest, ACopyThatCouldNotBeStoredIsNotValid) {
  TestClusterConfig config = in_the_background(1);
  config.ranks = 3;
  TestCluster cluster(config);
  cluster.node_of(1).ssd_fails[buddy_protected] = true;
  EXPECT_FALSE(cluster.run());
  EXPECT_GT(cluster.node_of(1).not_kept, 0u);
  EXPECT_TRUE(cluster.node_of(1).ssd[buddy_protected].empty());
  EXPECT_FALSE(cluster.node_of(2).ssd[buddy_protected].empty()) << "the others store theirs";
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(cluster.node_of(rank).buddy.committed, 0u);
    EXPECT_GT(cluster.node_of(rank).buddy.open, 0u) << "which all wait for";
  }
}

// Without a restart from the beginning, so that only copies can have made the result.
TEST(BuddyPowerTest, AllNodesLosePowerAndReturnToTheNewestVersionOfAll) {
  unsigned finished = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    TestClusterConfig config = in_the_background(seed);
    config.buddy.restart_from_beginning = false;
    TestCluster cluster(config);
    run_until_recoverable(cluster);
    take_steps(cluster, cluster.random().below(300));
    if (cluster.is_over()) continue;
    const std::uint64_t newest = cluster.newest_recoverable();
    for (std::uint32_t rank = 0; rank < config.ranks; ++rank)
      cluster.lose_power(cluster.node_of(rank).number);
    cluster.detect_losses();
    while (!cluster.all_run()) ASSERT_TRUE(cluster.step()) << "seed " << seed;
    for (std::uint32_t rank = 0; rank < config.ranks; ++rank)
      ASSERT_EQ(cluster.node_of(rank).buddy.restored, newest) << "seed " << seed;
    ASSERT_TRUE(cluster.run()) << "seed " << seed;
    ASSERT_EQ(cluster.result(), cluster.expected()) << "seed " << seed;
    for (std::uint32_t rank = 0; rank < config.ranks; ++rank)
      EXPECT_EQ(cluster.node_of(rank).buddy.counts.from_buddy, 0u) << "each has its own";
    ++finished;
  }
  EXPECT_GT(finished, seeds / 2);
}

TEST(BuddyPowerTest, SomeNodesLosePowerAndAnotherIsLost) {
  unsigned fetched = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    TestCluster cluster(in_the_background(seed));
    run_until_recoverable(cluster);
    take_steps(cluster, cluster.random().below(300));
    if (cluster.is_over()) continue;
    cluster.lose_power(cluster.node_of(0).number);
    take_steps(cluster, cluster.random().below(40));
    if (cluster.is_over()) continue;
    cluster.lose_node(cluster.node_of(1).number);
    cluster.detect_losses();
    ASSERT_TRUE(cluster.run()) << "seed " << seed;
    ASSERT_EQ(cluster.result(), cluster.expected()) << "seed " << seed;
    fetched += static_cast<unsigned>(cluster.node_of(1).buddy.counts.from_buddy);
  }
  EXPECT_GT(fetched, seeds / 4);
}

TEST(BuddyProtocolTest, ACopyThatCouldNotBeKeptIsNotValid) {
  TestClusterConfig config;
  config.buddy.protected_elsewhere = true;
  TestCluster cluster(config);
  cluster.node_of(1).ssd_fails[buddy_protected] = true;
  EXPECT_FALSE(cluster.run());
  EXPECT_EQ(cluster.node_of(0).buddy.committed, 0u);
  EXPECT_EQ(cluster.sent(message_stored), 2u);  // for the copies that protect ranks 0 and 2
}

TEST(BuddyProtocolTest, ARankWhoseOwnCopyCannotBeKeptHasNoCheckpoint) {
  TestClusterConfig config;
  config.buddy.own_elsewhere = true;
  TestCluster cluster(config);
  cluster.node_of(1).ssd_fails[buddy_own] = true;
  take_steps(cluster, 20'000);  // it tries repeatedly
  EXPECT_FALSE(cluster.is_over());
  EXPECT_EQ(cluster.node_of(0).buddy.committed, 0u);
  const Buddy& b = cluster.node_of(1).buddy;
  EXPECT_EQ(b.counts.checkpoints, 0u);
  for (const BuddyCopy& copy : b.own.versions) EXPECT_EQ(copy.version, 0u);
}

TEST(BuddyProtocolTest, EachVersionReachesTheGlobalStore) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    TestClusterConfig config = random_config(seed);
    config.words = 30000;  // more parts than a queue can take
    config.buddy.interval = 1;
    config.buddy.global_every = 1 + seed % 2;
    TestCluster cluster(config);
    ASSERT_TRUE(cluster.run());
    while (cluster.step()) {
    }
    const std::uint64_t versions = (config.steps - 1) / config.buddy.interval / config.buddy.global_every;
    for (std::uint32_t rank = 0; rank < config.ranks; ++rank) {
      EXPECT_EQ(cluster.node_of(rank).buddy.counts.globals, versions) << "seed " << seed;
      if (versions == 0) continue;
      const std::uint64_t newest = versions * config.buddy.global_every * config.buddy.interval;
      ASSERT_EQ(cluster.storage().copies.count({rank, newest}), 1u) << "seed " << seed;
    }
  }
}

TEST(BuddyProtocolTest, RefusesARingOfOneAndOfTooMany) {
  const BuddyConfig config = {buddy_blocking, 1, false, false, 0, false, false};
  const BuddyCalls calls = {};
  Buddy buddy;
  for (const std::uint32_t ranks : {0u, 1u, 65u}) {
    buddy_initialize(&buddy, &config, &calls);
    const BuddyMembership m = {1, NO_RANK, ranks, false};
    EXPECT_EQ(buddy_set_membership(&buddy, &m), buddy_bad_argument) << ranks;
  }
}

TEST(BuddyProtocolTest, DropsMessagesForOthersAndInvalidOnes) {
  TestClusterConfig config;
  TestCluster cluster(config);
  take_steps(cluster, 50);
  Buddy& b = cluster.node_of(1).buddy;
  ASSERT_TRUE(buddy_is_running(&b));
  const auto dropped = [&](const MessageHeader& header, std::size_t bytes) {
    const std::uint64_t before = b.counts.dropped_messages;
    std::vector<std::uint8_t> frame(message_header_bytes);
    message_encode(&header, frame.data());
    buddy_receive(&b, frame.data(), bytes);
    return b.counts.dropped_messages == before + 1;
  };
  const MessageHeader good = {message_traffic, 1, 1, 0, 0, 0, 0, 0};
  MessageHeader other = good;
  EXPECT_FALSE(dropped(good, 48));
  EXPECT_TRUE(dropped(good, 47));
  other.epoch = 0;
  EXPECT_TRUE(dropped(other, 48));
  other = good;
  other.to = 2;
  EXPECT_TRUE(dropped(other, 48));
  other = good;
  other.kind = static_cast<MessageKind>(16);
  EXPECT_TRUE(dropped(other, 48));
}

TEST(BuddyProtocolTest, NoMessageWritesBeyondACopy) {
  // A copy whose size is wrong must never become valid; a sanitizer would also detect an overflow.
  TestClusterConfig config;
  config.words = 10;
  TestCluster cluster(config);
  Buddy& b = cluster.node_of(1).buddy;
  std::vector<std::uint8_t> frame(message_header_bytes + 80, 0xaa);
  const struct {
    std::uint64_t offset, total;
    std::size_t bytes;
  } wrong[] = {{0, 88, 80}, {8, 80, 80}, {0, 80, 0}, {UINT64_MAX - 7, 80, 80}, {80, 80, 8}, {16, 80, 64}};
  for (const auto& w : wrong) {
    const MessageHeader h = {message_chunk, 1, 1, 0, 4, w.offset, w.total, 0};
    message_encode(&h, frame.data());
    buddy_receive(&b, frame.data(), message_header_bytes + w.bytes);
    for (const BuddyCopy& copy : b.protected_copies.versions)
      EXPECT_NE(copy.held, 80u) << w.offset << " " << w.total;
  }
  // The number of bytes is right, but some are missing.
  for (const std::uint64_t offset : {0, 8}) {
    const MessageHeader h = {message_chunk, 1, 1, 0, 4, offset, 80, 0};
    message_encode(&h, frame.data());
    buddy_receive(&b, frame.data(), message_header_bytes + 40);
  }
  EXPECT_EQ(cluster.sent(message_stored), 0u);
  const MessageHeader right = {message_chunk, 1, 1, 0, 4, 0, 80, 0};
  message_encode(&right, frame.data());
  buddy_receive(&b, frame.data(), message_header_bytes + 80);
  EXPECT_EQ(cluster.sent(message_stored), 1u);
}

TEST(BuddyProtocolTest, RepeatsTheConfirmationOfACopy) {
  TestClusterConfig config;
  config.words = 10;
  TestCluster cluster(config);
  Buddy& b = cluster.node_of(1).buddy;
  std::vector<std::uint8_t> frame(message_header_bytes + 40, 0xaa);
  for (const std::uint64_t offset : {0, 40, 40}) {
    const MessageHeader h = {message_chunk, 1, 1, 0, 4, offset, 80, 0};
    message_encode(&h, frame.data());
    buddy_receive(&b, frame.data(), frame.size());
  }
  EXPECT_EQ(cluster.sent(message_stored), 2u);
}

}  // namespace
