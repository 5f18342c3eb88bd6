// Hand-written runs: which of them the oracle of clusters with firmware accepts, and which mistakes it
// reports.
#include "tests/platform/cluster_failure_oracle.h"

#include <gmock/gmock.h>

namespace asterism {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Events = std::vector<nlohmann::json>;

constexpr std::uint64_t us = 1'000'000;
const std::string right = "0x1234\n";

// Four ranks on nodes 0 to 3, the first two with firmware; spares 4 (with firmware) and 5; the store is 6.
struct WrittenRun {
  ClusterShape shape{.global_every = 1, .detection_ps = 100 * us};
  std::vector<InjectedFault> faults;
  Events events;

  void event(std::uint64_t at_us, const std::string& source, const std::string& kind, nlohmann::json more) {
    nlohmann::json all{{"time_ps", at_us * us}, {"source", source}, {"kind", kind}};
    all.update(more);
    events.push_back(all);
  }
  void held(std::uint64_t at, unsigned rank, unsigned node, unsigned version) {
    event(at, "cluster", "copy_held", {{"rank", rank}, {"node", node}, {"version", version}});
  }
  void committed(std::uint64_t at, unsigned version) {
    for (unsigned rank = 0; rank < 4; ++rank) held(at - 10, rank, rank, version);
    event(at, "cluster", "checkpoint_commit", {{"version", version}});
  }
  void lost(std::uint64_t at, unsigned node, const std::string& what = "node", std::uint64_t restore_us = 0) {
    faults.push_back({at * us, what == "gpu" ? "gpu_state_loss" : what + "_loss", node, restore_us * us});
    event(at, "management", "node_loss", {{"node", node}, {"lost", what}});
  }
  void moved(std::uint64_t at, unsigned rank, unsigned from, unsigned to) {
    event(at, "management", "rank_moved", {{"rank", rank}, {"from_node", from}, {"to_node", to}});
  }
  void back_to(std::uint64_t at, unsigned version) {
    event(at, "cluster", "rollback", {{"version", version}, {"epoch", 2}});
  }
  void recovered(std::uint64_t at, unsigned version) {
    event(at, "cluster", "recovery", {{"version", version}, {"from", "cluster"}});
  }
  void not_recoverable(std::uint64_t at, const std::string& reason) {
    event(at, "management", "not_recoverable", {{"reason", reason}});
  }

  std::vector<std::string> mistakes(ClusterEnd end) {
    return ClusterFailureOracle(shape, faults, right).judge(events, end);
  }
  std::vector<std::string> of_a_good_end() { return mistakes({0, right}); }
  std::vector<std::string> of_no_end() { return mistakes({67, ""}); }
};

struct ClusterFailureOracleTest : testing::Test, WrittenRun {};

TEST_F(ClusterFailureOracleTest, ARecoveryFromTheBuddysCopyIsRight) {
  committed(500, 6);
  lost(700, 1);
  moved(800, 1, 1, 4);
  back_to(810, 6);
  recovered(900, 6);
  EXPECT_THAT(of_a_good_end(), IsEmpty());
}

TEST_F(ClusterFailureOracleTest, AnotherResultThanThatWithoutFaultsIsWrong) {
  EXPECT_THAT(mistakes({0, "0x1235\n"}), ElementsAre(HasSubstr("the result is 0x1235")));
  EXPECT_THAT(mistakes({67, ""}), ElementsAre(HasSubstr("status 67, and no reason")));
  EXPECT_THAT(mistakes({69, ""}), ElementsAre(HasSubstr("status 69, and no reason")));
}

TEST_F(ClusterFailureOracleTest, GivingUpWhileTheBuddyHoldsTheCopyIsWrong) {
  committed(500, 6);
  lost(700, 1);
  moved(800, 1, 1, 4);
  not_recoverable(810, "no checkpoint is left of every rank: none at all of rank 1");
  EXPECT_THAT(of_no_end(), ElementsAre(HasSubstr("it is not recoverable, though version 6 is held of every"),
                                       HasSubstr("of rank 1 there is a copy")));
}

struct BothBuddies : ClusterFailureOracleTest {
  // Ranks 2 and 3 are lost at once; only the store has a copy of rank 2.
  void lose_both() {
    shape.spares = 2;  // nodes 5 and 6; the store is node 7
    committed(500, 6);
    lost(700, 2);
    lost(700, 3);
    moved(800, 2, 2, 5);
    moved(800, 3, 3, 6);
  }
};

TEST_F(BothBuddies, GivingUpIsRightAndNamesTheRankWithoutACopy) {
  lose_both();
  not_recoverable(810, "no checkpoint is left of every rank: none at all of rank 2");
  EXPECT_THAT(of_no_end(), IsEmpty());
}

TEST_F(BothBuddies, NamingOtherRanksIsWrong) {
  lose_both();
  not_recoverable(810, "no checkpoint is left of every rank: none at all of rank 3");
  EXPECT_THAT(of_no_end(), ElementsAre(HasSubstr("of rank 2 there is no copy either"),
                                       HasSubstr("of rank 3 there is a copy")));
  events.back()["reason"] = "no checkpoint is left of every rank";
  EXPECT_THAT(of_no_end(), ElementsAre(HasSubstr("of rank 2 there is no copy either")));
  events.back()["reason"] = "it was a bad day";
  EXPECT_THAT(of_no_end(), ElementsAre(HasSubstr("none that is known: it was a bad day")));
}

TEST_F(BothBuddies, GoingBackToWhatNobodyHoldsIsWrong) {
  lose_both();
  shape.global_every = 0;
  back_to(810, 6);
  recovered(900, 6);
  EXPECT_THAT(of_a_good_end(), ElementsAre(HasSubstr("though no version is the newest that can be held")));
}

TEST_F(BothBuddies, BeginningAnewIsRightWhereItIsAllowed) {
  lose_both();
  shape.restart_from_beginning = true;
  back_to(810, 0);
  recovered(900, 0);
  EXPECT_THAT(of_a_good_end(), IsEmpty());
  shape.restart_from_beginning = false;
  EXPECT_THAT(of_a_good_end(), testing::Contains(HasSubstr("it begins anew, which it may not")));
}

// The store has a copy of rank 2 only: the copies of the other ranks are still in their nodes.
TEST_F(BothBuddies, WhatTheGlobalStoreHasIsLeft) {
  shape.spares = 2;
  committed(500, 6);
  held(600, 2, 7, 6);
  lost(700, 2);
  lost(700, 3);
  moved(800, 2, 2, 5);
  moved(800, 3, 3, 6);
  Events before = events;
  not_recoverable(810, "no checkpoint is left of every rank");
  EXPECT_THAT(of_no_end(), ElementsAre(HasSubstr("though version 6 is held of every rank")));
  events = before;
  back_to(810, 6);
  recovered(900, 6);
  EXPECT_THAT(of_a_good_end(), IsEmpty());
}

TEST_F(ClusterFailureOracleTest, BeginningAnewWhileACheckpointIsHeldIsWrong) {
  shape.restart_from_beginning = true;
  committed(500, 6);
  lost(700, 2, "memory");
  back_to(810, 0);
  recovered(900, 0);
  EXPECT_THAT(of_a_good_end(), ElementsAre(HasSubstr("back to version 0, though version 6 is held")));
}

// Rank 1's copy of version 12 may have arrived at node 2 before node 1 was lost.
TEST_F(ClusterFailureOracleTest, AVersionUnderWayMayBeThereOrNot) {
  committed(500, 6);
  for (unsigned rank = 0; rank < 4; ++rank) held(900, rank, rank, 12);
  lost(905, 1);
  moved(1005, 1, 1, 4);
  for (const unsigned version : {6u, 12u}) {
    back_to(1010, version);
    recovered(1050, version);
    EXPECT_THAT(of_a_good_end(), IsEmpty()) << version;
    events.resize(events.size() - 2);
  }
  back_to(1010, 18);
  EXPECT_THAT(of_a_good_end(), ElementsAre(HasSubstr("version 12 is the newest that can be held")));
  events.pop_back();
  held(904, 1, 2, 12);  // the copy had arrived
  std::swap(events.back(), events[events.size() - 3]);
  std::swap(events.back(), events[events.size() - 2]);
  back_to(1010, 6);
  EXPECT_THAT(of_a_good_end(), ElementsAre(HasSubstr("back to version 6, though version 12 is held")));
}

TEST_F(ClusterFailureOracleTest, ALossTakesWhatLiesThere) {
  struct Case {
    const char *placement, *lost;
    bool own, protected_copies;  // whether the loss takes its own copies, and those that it holds as a buddy
  };
  for (const Case& c : {Case{"memory", "memory", true, true}, Case{"memory", "ssd", false, false},
                        Case{"half_ssd", "memory", true, false}, Case{"half_ssd", "ssd", false, true},
                        Case{"full_ssd", "memory", false, false}, Case{"full_ssd", "ssd", true, true},
                        Case{"memory", "gpu", false, false}, Case{"full_ssd", "gpu", false, false}}) {
    WrittenRun run;
    run.shape.placement = c.placement;
    run.committed(500, 6);
    run.lost(700, 2, c.lost);  // node 2 has rank 2's own copy, and rank 1's second copy
    run.lost(701, 3, "node");  // node 3 has rank 2's second copy
    run.moved(801, 3, 3, 5);
    run.not_recoverable(810, "no checkpoint is left of every rank: none at all of rank 2");
    EXPECT_EQ(run.of_no_end().empty(), c.own) << c.placement << " " << c.lost;
    run = {};
    run.shape.placement = c.placement;
    run.committed(500, 6);
    run.lost(700, 2, c.lost);
    run.lost(701, 1, "node");  // node 1 has rank 1's own copy
    run.moved(801, 1, 1, 4);
    run.not_recoverable(810, "no checkpoint is left of every rank: none at all of rank 1");
    EXPECT_EQ(run.of_no_end().empty(), c.protected_copies) << c.placement << " " << c.lost;
  }
}

TEST_F(ClusterFailureOracleTest, WithoutASpareOfItsKindARankIsLost) {
  committed(500, 6);
  lost(700, 2);
  lost(710, 5);
  not_recoverable(800, "no traffic spare is left for rank 2");
  EXPECT_THAT(of_no_end(), IsEmpty());
  events.back()["reason"] = "no traffic spare is left for rank 3";
  EXPECT_THAT(of_no_end(), ElementsAre(HasSubstr("the node of rank 3 was not lost")));
  events.back()["reason"] = "no spare with firmware is left for rank 2";
  EXPECT_THAT(of_no_end(), ElementsAre(HasSubstr("needs a spare of another kind"),
                                       HasSubstr("there is a spare for rank 2: node 4")));
}

TEST_F(ClusterFailureOracleTest, ANodeWhoseLinkIsUpAgainIsASpare) {
  committed(500, 6);
  lost(600, 5, "link", 150);
  lost(700, 2);
  not_recoverable(800, "no traffic spare is left for rank 2");
  EXPECT_THAT(of_no_end(), ElementsAre(HasSubstr("there is a spare for rank 2: node 5")));
  faults.front().restore_after_ps = 250 * us;
  EXPECT_THAT(of_no_end(), IsEmpty());
}

// No spare is left, so the node gets its rank again.
TEST_F(ClusterFailureOracleTest, OfWhatANodeHadNothingIsSureOnceItsLinkWasDown) {
  shape.global_every = 0;
  committed(500, 6);
  lost(600, 5);
  lost(700, 2, "link", 20);
  lost(700, 3, "memory");  // node 3 has rank 2's second copy
  moved(800, 2, 2, 2);
  not_recoverable(810, "no checkpoint is left of every rank: none at all of rank 2");
  EXPECT_THAT(of_no_end(), IsEmpty());
}

TEST_F(ClusterFailureOracleTest, ARankMovesOnceToAFreeNodeOfItsKind) {
  committed(500, 6);
  lost(700, 2);
  moved(800, 2, 2, 4);
  EXPECT_THAT(of_a_good_end(), ElementsAre(HasSubstr("node 4 is of another kind")));
  events.back()["to_node"] = 3;
  EXPECT_THAT(of_a_good_end(), ElementsAre(HasSubstr("node 3 has a rank already")));
  events.back() = {
      {"time_ps", 900 * us}, {"source", "cluster"}, {"kind", "checkpoint_commit"}, {"version", 12}};
  EXPECT_THAT(of_a_good_end(),
              ElementsAre(HasSubstr("node 2 was lost, and at 800000000 its rank was not moved")));
}

TEST_F(ClusterFailureOracleTest, NothingIsLostWithoutAFault) {
  event(700, "cluster", "node_failed", {{"node", 1}, {"reason", "core 0: locked up"}});
  event(700, "management", "node_loss", {{"node", 1}, {"lost", "node"}});
  EXPECT_THAT(of_a_good_end(), ElementsAre(HasSubstr("node 1 failed, though no fault had occurred in it")));
  faults = {{699 * us, "chip", 1}};
  EXPECT_THAT(of_a_good_end(), IsEmpty());
  shape.corrects_a_chip = true;
  EXPECT_THAT(of_a_good_end(), ElementsAre(HasSubstr("node 1 failed by one chip, which its code corrects")));
  events.erase(events.begin());
  EXPECT_THAT(of_a_good_end(), ElementsAre(HasSubstr("the node_loss of node 1 was not injected")));
}

// Node 1 is back before it receives the message that node 4 took its rank, and gets the rank again. It may
// have discarded its copies or not.
TEST_F(ClusterFailureOracleTest, ANodeThatGetsItsRankBackMayHaveKeptItsCopies) {
  shape.global_every = 0;
  committed(500, 6);
  lost(600, 1, "link", 50);
  moved(700, 1, 1, 4);
  lost(710, 4);
  lost(710, 2);
  moved(810, 1, 4, 1);
  moved(810, 2, 2, 5);
  const Events before = events;
  not_recoverable(820, "no checkpoint is left of every rank: none at all of rank 1");
  EXPECT_THAT(of_no_end(), IsEmpty());
  events = before;
  back_to(820, 6);
  recovered(900, 6);
  EXPECT_THAT(of_a_good_end(), IsEmpty());
}

TEST_F(ClusterFailureOracleTest, AFaultThatDoesNothingIsNoticed) {
  faults = {{400 * us, "ssd_loss", 2}};
  committed(500, 6);
  EXPECT_THAT(of_a_good_end(), ElementsAre(HasSubstr("the ssd_loss of node 2 at 400000000 did nothing")));
}

TEST_F(ClusterFailureOracleTest, ReportsTheMomentsOfALoss) {
  committed(500, 6);
  lost(510, 3, "gpu");
  back_to(620, 6);
  lost(630, 2, "gpu");
  recovered(700, 6);
  ClusterFailureOracle oracle(shape, faults, right);
  EXPECT_THAT(oracle.judge(events, {0, right}), IsEmpty());
  ASSERT_EQ(oracle.losses().size(), 2u);
  EXPECT_TRUE(oracle.losses()[0].in_global);
  EXPECT_FALSE(oracle.losses()[0].in_recovery);
  EXPECT_TRUE(oracle.losses()[1].in_recovery);
  EXPECT_EQ(oracle.decisions(), 1u);
  EXPECT_EQ(oracle.determined(), 1u);
}

}  // namespace
}  // namespace asterism
