#include "cluster/membership.h"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

#include "cluster/ring_program.h"

namespace asterism {
namespace {

using Kind = Management::Member::Kind;

struct TestMember : Management::Member {
  explicit TestMember(Kind k = Kind::traffic) : is(k) {}
  void membership(const Membership& m) override { news.push_back(m); }
  void run_ended() override { ++over; }
  Kind kind() const override { return is; }

  Kind is;
  std::vector<Membership> news;
  int over = 0;
};

// Three ranks; nodes 3 and 4 are spares, 5 is storage.
struct ManagementTest : testing::Test {
  ManagementTest() {
    for (NodeNumber i = 0; i < 6; ++i) management.attach(i, members[i]);
    management.begin();
  }
  void at(Picoseconds when, EventQueue::Action action) { event_queue.at(when, std::move(action)); }
  void run() {
    while (event_queue.step()) {
    }
  }
  std::vector<NodeNumber> nodes() const { return management.membership().node_of_rank; }

  EventQueue event_queue;
  Network network{event_queue, {}, 6, 1};
  NoEventLog events;
  Management management{event_queue, network, 3, 1_ms, events};
  TestMember members[6]{TestMember(), TestMember(), TestMember(),
                        TestMember(), TestMember(), TestMember(Kind::storage)};
};

TEST_F(ManagementTest, NotifiesEveryNodeOfTheMembership) {
  for (const TestMember& member : members) {
    ASSERT_EQ(member.news.size(), 1u);
    EXPECT_EQ(member.news[0].epoch, 1u);
    EXPECT_EQ(member.news[0].node_of_rank, (std::vector<NodeNumber>{0, 1, 2}));
  }
  const Membership& m = management.membership();
  EXPECT_EQ(m.rank_of(2), 2u);
  EXPECT_EQ(m.rank_of(3), no_rank);
  EXPECT_EQ(m.buddy_of(2), 0u);
  EXPECT_EQ(m.protected_rank_of(0), 2u);
}

TEST_F(ManagementTest, ASpareTakesTheRankOfALostNodeAtDetection) {
  at(5_ms, [&] { management.lost(1, Loss::node); });
  event_queue.advance(Picoseconds(6'000'000'000 - 1));
  EXPECT_EQ(nodes(), (std::vector<NodeNumber>{0, 1, 2}));
  EXPECT_FALSE(network.link_is_up(1));
  run();
  EXPECT_EQ(nodes(), (std::vector<NodeNumber>{0, 3, 2}));
  EXPECT_EQ(members[3].news.back().epoch, 2u);
}

TEST_F(ManagementTest, WithoutASpareTheRunIsNotRecoverable) {
  for (const NodeNumber node : {0u, 1u, 2u}) management.lost(node, Loss::node);
  run();
  ASSERT_TRUE(management.outcome());
  EXPECT_FALSE(management.outcome()->finished);
  EXPECT_EQ(management.outcome()->reason, "no traffic spare is left for rank 2");
  for (const TestMember& member : members) EXPECT_EQ(member.over, 1);
}

TEST_F(ManagementTest, WithoutASpareTheReasonNamesTheFailureOfTheNode) {
  for (const NodeNumber node : {3u, 4u}) management.lost(node, Loss::node);
  management.lost(1, Loss::node, "node1: it is out of order");
  run();
  ASSERT_TRUE(management.outcome());
  EXPECT_EQ(management.outcome()->reason, "no traffic spare is left for rank 1: node1: it is out of order");
}

TEST_F(ManagementTest, FinalResultsSurviveTheirNodes) {
  management.keep_results();
  management.finished(1, 7);
  for (const NodeNumber node : {3u, 4u, 1u}) management.lost(node, Loss::node);
  run();
  EXPECT_FALSE(management.outcome());
  EXPECT_EQ(nodes(), (std::vector<NodeNumber>{0, no_node, 2}));
  EXPECT_EQ(members[0].news.back().epoch, 2u);
  management.finished(0, 5);
  management.finished(2, 9);
  ASSERT_TRUE(management.outcome());
  EXPECT_TRUE(management.outcome()->finished);
  EXPECT_EQ(management.outcome()->result, RingProgram::fold(std::vector<std::uint64_t>{5, 7, 9}));
}

TEST_F(ManagementTest, WithFinalResultsARankWithoutOneCannotBeVacant) {
  management.keep_results();
  management.finished(0, 5);
  for (const NodeNumber node : {3u, 4u, 1u}) management.lost(node, Loss::node);
  run();
  ASSERT_TRUE(management.outcome());
  EXPECT_EQ(management.outcome()->reason, "no traffic spare is left for rank 1");
}

TEST_F(ManagementTest, ASpareTakesARankWithAFinalResultAndMayReportAnother) {
  management.keep_results();
  management.finished(1, 7);
  management.lost(1, Loss::node);
  run();
  EXPECT_EQ(nodes(), (std::vector<NodeNumber>{0, 3, 2}));
  management.finished(3, 8);
  management.finished(0, 5);
  management.finished(2, 9);
  EXPECT_EQ(management.outcome()->result, RingProgram::fold(std::vector<std::uint64_t>{5, 8, 9}));
}

TEST_F(ManagementTest, ALostSpareTakesNoRank) {
  management.lost(3, Loss::node);
  at(10_ms, [&] { management.lost(0, Loss::node); });
  run();
  EXPECT_EQ(nodes(), (std::vector<NodeNumber>{4, 1, 2}));
}

TEST_F(ManagementTest, ALostSpareIsReplacedWhenItsLossIsDetected) {
  at(10_ms, [&] { management.lost(0, Loss::node); });
  at(10500_us, [&] { management.lost(3, Loss::node); });
  event_queue.advance(11200_us);
  EXPECT_EQ(nodes(), (std::vector<NodeNumber>{3, 1, 2}));
  run();
  EXPECT_EQ(nodes(), (std::vector<NodeNumber>{4, 1, 2}));
  EXPECT_EQ(management.membership().epoch, 3u);
}

TEST_F(ManagementTest, AShortLossOfALinkMovesTheRankAndLeavesASpare) {
  at(5_ms, [&] { management.lost(0, Loss::link); });
  at(5100_us, [&] { management.returned(0); });
  at(10_ms, [&] { management.lost(3, Loss::node); });
  at(20_ms, [&] { management.lost(0, Loss::node); });
  run();
  EXPECT_EQ(nodes(), (std::vector<NodeNumber>{4, 1, 2}));
}

TEST_F(ManagementTest, AReturnedNodeTakesItsOwnRankIfNoSpareIsLeft) {
  management.lost(3, Loss::node);
  management.lost(4, Loss::node);
  at(5_ms, [&] { management.lost(1, Loss::link); });
  at(5100_us, [&] { management.returned(1); });
  run();
  EXPECT_FALSE(management.outcome());
  EXPECT_EQ(nodes(), (std::vector<NodeNumber>{0, 1, 2}));
  EXPECT_EQ(management.membership().epoch, 2u);
}

TEST_F(ManagementTest, ALostNodeDoesNotReturnWithItsLink) {
  at(5_ms, [&] { management.lost(1, Loss::link); });
  at(5100_us, [&] { management.lost(1, Loss::node); });
  at(5200_us, [&] { management.returned(1); });
  run();
  EXPECT_FALSE(network.link_is_up(1));
  EXPECT_EQ(nodes(), (std::vector<NodeNumber>{0, 3, 2}));
}

TEST_F(ManagementTest, ANodeThatLosesOnlyCopiesOrStateKeepsItsRankInANewEpoch) {
  for (const Loss loss : {Loss::memory, Loss::ssd, Loss::gpu}) management.lost(1, loss);
  management.lost(4, Loss::memory);  // the loss of a spare is not reported
  run();
  EXPECT_EQ(nodes(), (std::vector<NodeNumber>{0, 1, 2}));
  EXPECT_EQ(management.membership().epoch, 4u);
  EXPECT_TRUE(network.link_is_up(1));
}

// Without power from 5 to 8 ms: what others sent to it after the epoch of 6 ms was lost.
TEST_F(ManagementTest, ANodeThatHadNoPowerBeginsAnotherEpochWhenItWorksAgain) {
  at(5_ms, [&] { management.lost(1, Loss::memory); });
  at(8_ms, [&] { management.restarted(1); });
  at(8_ms, [&] { management.restarted(4); });  // a spare
  event_queue.advance(Picoseconds(9'000'000'000 - 1));
  EXPECT_EQ(members[0].news.back().epoch, 2u);
  run();
  EXPECT_EQ(members[0].news.back().epoch, 3u);
  EXPECT_EQ(nodes(), (std::vector<NodeNumber>{0, 1, 2}));
  EXPECT_EQ(management.losses(), 1u);
}

TEST_F(ManagementTest, ASpareReplacesOnlyNodesOfItsKind) {
  members[0].is = members[4].is = Kind::firmware;
  management.lost(0, Loss::node);
  run();
  EXPECT_EQ(nodes(), (std::vector<NodeNumber>{4, 1, 2}));
  management.lost(4, Loss::node);
  run();
  ASSERT_TRUE(management.outcome()) << "node 3 has no firmware, so it cannot replace node 0";
  EXPECT_EQ(management.outcome()->reason, "no spare with firmware is left for rank 0");
}

TEST_F(ManagementTest, TheRunEndsWhenAllRanksHaveFinishedInOneEpoch) {
  management.finished(0, 10);
  management.finished(1, 11);
  management.finished(4, 99);  // the report of a spare is ignored
  management.lost(1, Loss::node);
  run();
  management.finished(2, 12);
  management.finished(3, 11);
  EXPECT_FALSE(management.outcome()) << "rank 0 must report again";
  management.finished(0, 10);
  ASSERT_TRUE(management.outcome());
  EXPECT_TRUE(management.outcome()->finished);
  EXPECT_EQ(management.outcome()->result, RingProgram::fold(std::vector<std::uint64_t>{10, 11, 12}));
  management.lost(0, Loss::node);
  run();
  EXPECT_TRUE(management.outcome()->finished) << "the outcome is final";
  EXPECT_EQ(members[0].over, 1);
}

TEST_F(ManagementTest, ARankMayReportThatNothingCanBeRecovered) {
  management.not_recoverable(4, "the report of a spare is ignored");
  EXPECT_FALSE(management.outcome());
  management.not_recoverable(0, "ranks 1 and 2 are lost");
  EXPECT_EQ(management.outcome()->reason, "ranks 1 and 2 are lost");
}

TEST(ManagementLimitsTest, MoreRanksThanNodesAreRefused) {
  EventQueue event_queue;
  Network network(event_queue, {}, 2, 1);
  NoEventLog events;
  EXPECT_THROW(Management(event_queue, network, 3, 1_ms, events), std::invalid_argument);
  EXPECT_THROW(Management(event_queue, network, 0, 1_ms, events), std::invalid_argument);
}

}  // namespace
}  // namespace asterism
