// The app benefactors: a store made of the DIMM-SSDs of several whole nodes, in which nodes and links fail
// and space runs out.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <sstream>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

struct BenefactorsTest : CommandTest {
  // Rank 0 is the manager, rank 1 the client, and ranks 2 to 4 are benefactors. There are no spares, faults
  // or expectations.
  Ended store(const std::string& args, const Arguments& more = {}) const {
    Arguments all{"run",       "benefactors",  "expect={}",
                  "faults=[]", "args=" + args, "cluster.firmware_spares=0",
                  "--out",     "run"};
    all.insert(all.end(), more.begin(), more.end());
    return asterism(all);
  }
  std::string result() const { return contents("run/files/result.txt"); }
  std::uint64_t of_ssd(const std::string& node, const std::string& count) const {
    return json("run/stats.json")[node]["dimm_ssd"][count];
  }
  bool has_event(const std::string& kind) const {
    const auto all = events();
    return std::ranges::any_of(all, [&](const auto& event) { return event["kind"] == kind; });
  }
};

std::string loss(const std::string& at, int node) {
  return R"(faults=[{"at": ")" + at + R"(", "kind": "node_loss", "node": )" + std::to_string(node) + "}]";
}

TEST_F(BenefactorsTest, TheScenarioLosesAClientAndABenefactorAndNothingElse) {
  const Ended ended = asterism({"run", "benefactors", "--out", "run"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, ContainsRegex("resumes from version [1-9]+ of its neighbours, which is right\n"));
  EXPECT_THAT(ended.out, HasSubstr("result.txt is equal, bit for bit"));
  EXPECT_THAT(ended.out, HasSubstr("2 losses, 1 recovery\n"));
  std::istringstream lines(ended.out);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("node")) {
      EXPECT_LE(line.size(), 90u) << line;
    }
  EXPECT_THAT(ended.out, HasSubstr("expected     all expectations are met\n"));
}

TEST_F(BenefactorsTest, TheNeighboursSsdsHoldWhatTheClientWrites) {
  const Ended ended = store("chunks=20 versions=3 copies=2");
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("3 versions, 3 writes, digest 0x"));
  EXPECT_THAT(ended.out, HasSubstr("120 chunks written, "));
  EXPECT_THAT(ended.out, HasSubstr(" 60 read, 0 of them second copies, "));
  EXPECT_EQ(of_ssd("node1", "checkpoints_committed"), 0u);
  std::uint64_t restores = 0;
  for (const char* node : {"node2", "node3", "node4"}) {
    EXPECT_EQ(of_ssd(node, "checkpoints_committed"), 3u) << node;
    restores += of_ssd(node, "restores");
  }
  EXPECT_EQ(restores, 9u);
}

// The manager places chunks at their client's own node first.
TEST_F(BenefactorsTest, AnSsdThatIsTooSmallOverflowsToTheNeighbours) {
  const auto ended_well = [&](const std::string& lends) {
    const Ended ended = store("chunks=20 versions=2 copies=1 width=1 client_lends=" + lends);
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("2 versions, 2 writes"));
    return ended.out;
  };
  EXPECT_THAT(ended_well("40"), HasSubstr("node1: benefactors: benefactor: 40 chunks stored, 40 fetched, "));
  for (const char* node : {"node2", "node3", "node4"})
    EXPECT_EQ(of_ssd(node, "checkpoints_committed"), 0u) << node;
  EXPECT_THAT(ended_well("30"), HasSubstr("node1: benefactors: benefactor: 30 chunks stored, 30 fetched, "));
  EXPECT_EQ(of_ssd("node2", "checkpoints_committed"), 1u);
}

TEST_F(BenefactorsTest, OfABenefactorThatIsLostTheSecondCopiesAreRead) {
  const std::string args = "chunks=20 versions=1 copies=2 pause_us=8000";
  ASSERT_EQ(store(args).status, 0);
  const std::string undisturbed = result();
  const Ended ended = store(args, {loss("6ms", 3)});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, Not(HasSubstr("reading version")));
  EXPECT_THAT(ended.out, HasSubstr("1 versions, 1 writes"));
  EXPECT_THAT(ended.out, ContainsRegex(" 20 read, [1-9][0-9]* of them second copies"));
  EXPECT_EQ(result(), undisturbed);
  EXPECT_TRUE(has_event("rank_vacant"));
}

TEST_F(BenefactorsTest, WithoutASecondCopyTheReadIsRefusedAndTheFileWrittenAnew) {
  const std::string args = "chunks=20 versions=1 copies=1 pause_us=8000";
  ASSERT_EQ(store(args).status, 0);
  const std::string undisturbed = result();
  const Ended ended = store(args, {loss("6ms", 3)});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("reading version 1: no answer in time, chunk 1\n"));
  EXPECT_THAT(ended.out, HasSubstr("1 versions, 2 writes"));
  EXPECT_EQ(result(), undisturbed);
}

// Node 3 is lost, but the timeout after which the manager would notice is longer than the run.
TEST_F(BenefactorsTest, AManagerThatMissesALossTooLateSendsClientsToTheDead) {
  const Ended ended =
      store("chunks=20 versions=1 copies=2 pause_us=8000 silence_us=100000", {loss("6ms", 3)});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, ContainsRegex(" 20 read, [1-9][0-9]* of them second copies"));
  EXPECT_THAT(ended.out, HasSubstr("manager: 3 benefactors known at the end"));  // including the lost one
}

TEST_F(BenefactorsTest, AManagerWithTooFewHeartbeatsKnowsNoBenefactor) {
  const Ended ended = store("chunks=20 heartbeat_us=5000 silence_us=10 retry_limit_us=3000");
  EXPECT_EQ(ended.status, 1) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("no space, node 0: 0 benefactors with space for 0 chunks\n"));
  EXPECT_THAT(ended.out, HasSubstr("gives up version 1\n"));
  EXPECT_THAT(ended.out, HasSubstr("the firmware of node1 exited with status 1 before the cluster had"));
}

TEST_F(BenefactorsTest, WithoutSpaceTheClientGivesUp) {
  const Ended ended = store("chunks=40 copies=2 lend=26 retry_limit_us=2000");
  EXPECT_EQ(ended.status, 1) << ended.out << ended.err;
  EXPECT_THAT(ended.out,
              HasSubstr("rank 1: writing version 1: no space, node 0: 3 benefactors with space for 78 "
                        "chunks\n"));
  EXPECT_THAT(ended.out, HasSubstr("rank 1: gives up version 1\n"));
}

TEST_F(BenefactorsTest, SpaceOfRemovedVersionsIsReused) {
  // There is space for three versions.
  const Ended ended = store("chunks=40 copies=1 width=3 lend=40 versions=6");
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("6 versions, 6 writes"));
}

TEST_F(BenefactorsTest, FlashThatLostItsBitsLeavesTheOtherCopy) {
  const Ended ended = store("chunks=20 versions=1 copies=2 pause_us=8000",
                            {R"(faults=[{"at": "6ms", "kind": "flash_bits", "holds": "data", "bits": 20000,)"
                             R"( "node": 3}])"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, ContainsRegex(" 20 read, [1-9][0-9]* of them second copies"));
  EXPECT_THAT(ended.out, HasSubstr("1 versions, 1 writes"));
}

TEST_F(BenefactorsTest, ALostManagerTakesTheMapsWithIt) {
  const Ended ended =
      store("chunks=20 versions=1 copies=1 pause_us=8000", {loss("6ms", 0), "cluster.firmware_spares=1"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("reading version 1: no such file, node 5\n"));
  EXPECT_THAT(ended.out, HasSubstr("node5: benefactors: manager: 3 benefactors known"));
  EXPECT_THAT(ended.out, HasSubstr("1 versions, 2 writes"));
}

TEST_F(BenefactorsTest, WithoutAManagerNothingIsKept) {
  const Ended ended = store("chunks=20 versions=1 pause_us=8000 retry_limit_us=2000", {loss("6ms", 0)});
  EXPECT_EQ(ended.status, 1) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("reading version 1: there is no manager\n"));
}

TEST_F(BenefactorsTest, AClientThatIsLostForGoodEndsTheRun) {
  const Ended ended = store("chunks=20 versions=100", {loss("4ms", 1)});
  EXPECT_EQ(ended.status, 67) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("not recoverable: no spare with firmware is left for rank 1\n"));
}

TEST_F(BenefactorsTest, ABenefactorsLinkIsDownForAWhile) {
  const Ended ended =
      store("chunks=20 versions=4 copies=2",
            {R"(faults=[{"at": "2ms", "kind": "link_loss", "node": 3, "restore_after": "700us"}])"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("verified"));
  EXPECT_THAT(ended.out, HasSubstr("manager: 3 benefactors known at the end"));
}

TEST_F(BenefactorsTest, SeveralClientsShareTheBenefactors) {
  const Ended ended =
      store("clients=2 chunks=20 versions=3 copies=2", {"cluster.nodes=6", "cluster.firmware_nodes=6"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("rank 1: 3 versions, 3 writes"));
  EXPECT_THAT(ended.out, HasSubstr("rank 2: 3 versions, 3 writes"));
}

// ---- clients that call the checkpoint library alone ----

// An auxiliary core of each node runs the chain. The node has PCRAM if the chain needs it.
struct BenefactorsChainTest : BenefactorsTest {
  Ended chained(const std::string& chain, const std::string& args, const Arguments& more = {}) const {
    Arguments all{"node.cores.count=2", "node.cores.auxiliary=1"};
    if (chain.find("pcram") != std::string::npos)
      all.push_back(
          R"(node.devices.pcram={"type": "pcram", "base": "0x0b04_0000", "interrupt": 16, "kind": "dimm",)"
          R"( "part": "dong2011_45nm_4bank"})");
    all.insert(all.end(), more.begin(), more.end());
    return store("chain=" + chain + " " + args, all);
  }
};

TEST_F(BenefactorsChainTest, ItsCheckpointsLieAtTheNeighboursAndComeBackTheSameWay) {
  const std::string args = "chunks=20 versions=3 copies=2";
  ASSERT_EQ(store(args).status, 0);
  const std::string unchained = result();
  for (const char* chain : {"benefactors", "columns,big_endian,benefactors"}) {
    const Ended ended = chained(chain, args);
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("rank 1: version 3 from benefactors is right\n"));
    EXPECT_THAT(ended.out, HasSubstr("rank 1: at benefactors: 3 written, 3 tries\n"));
    EXPECT_EQ(result(), unchained);
    EXPECT_EQ(of_ssd("node1", "checkpoints_committed"), 0u);
    for (const char* node : {"node2", "node3", "node4"})
      EXPECT_EQ(of_ssd(node, "checkpoints_committed"), 3u) << node;
  }
}

// Six of twenty chunks are equal in all versions: PCRAM stores them once, and the drain sends whole
// checkpoints.
TEST_F(BenefactorsChainTest, EqualChunksAreKeptOnceAndTheNewestCheckpointIsDrained) {
  const Ended ended = chained("dedup,pcram,drain_benefactors", "chunks=20 versions=5 copies=1 constant=6");
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("rank 1: 5 checkpoints written, 0 not, stalled "));
  EXPECT_THAT(ended.out, HasSubstr("PCRAM: 81 chunks stored, 24 duplicates\n"));  // 5 * (20 + a header) - 24
  EXPECT_THAT(ended.out, HasSubstr("rank 1: version 5 from pcram is right\n"));
  EXPECT_THAT(ended.out, HasSubstr("rank 1: version 5 from drain_benefactors is right\n"));
  std::uint64_t committed = 0;
  for (const char* node : {"node2", "node3", "node4"}) committed += of_ssd(node, "checkpoints_committed");
  EXPECT_GE(committed, 3u);
}

// The client is lost before the first version is drained, and after some are.
TEST_F(BenefactorsChainTest, AClientThatIsLostGoesOnFromWhatWasDrained) {
  const std::string chain = "dedup,pcram,drain_benefactors",
                    args = "chunks=20 versions=16 copies=2 constant=6";
  ASSERT_EQ(chained(chain, args).status, 0);
  const std::string undisturbed = result();
  const auto lost_at = [&](const char* client, const char* benefactor) {
    const std::string faults = fmt::format(R"(faults=[{{"at":"{}","kind":"node_loss","node":1}},)"
                                           R"({{"at":"{}","kind":"node_loss","node":3}}])",
                                           client, benefactor);
    const Ended ended = chained(chain, args, {faults, "cluster.firmware_spares=2"});
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    EXPECT_EQ(result(), undisturbed) << client;
    return ended.out;
  };
  EXPECT_THAT(lost_at("1ms", "2ms"), Not(HasSubstr("resumes from")));
  EXPECT_THAT(lost_at("6ms", "8ms"),
              ContainsRegex("resumes from version [1-9][0-9]* of drain_benefactors: right\n"));
}

TEST_F(BenefactorsChainTest, ACheckpointIsWrittenAnewToTheBenefactorsThatAreLeft) {
  const std::string args = "chunks=20 versions=4 copies=1";
  ASSERT_EQ(chained("benefactors", args).status, 0);
  const std::string undisturbed = result();
  const Ended ended = chained("benefactors", args, {loss("3ms", 3)});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("4 checkpoints written, 0 not, stalled "));
  EXPECT_THAT(ended.out, ContainsRegex("at benefactors: 4 written, [5-9] tries\n"));
  EXPECT_EQ(result(), undisturbed);
}

// The node is lost before the first version is stored; chunks that the others stored in the first try must
// not count in the second one.
TEST_F(BenefactorsChainTest, ATryThatFailedLeavesNothingToTheNextOne) {
  const Ended ended = chained("benefactors", "chunks=16 versions=2 copies=1 retry_limit_us=10000",
                              {R"(faults=[{"at": "654us", "kind": "node_loss", "node": 3}])"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("at benefactors: 2 written, 3 tries\n"));
}

TEST_F(BenefactorsChainTest, TheLibraryReportsWhatCannotBeKept) {
  const Ended ended = chained("benefactors", "chunks=40 versions=3 copies=2 lend=26 retry_limit_us=2000");
  EXPECT_EQ(ended.status, 1) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("rank 1: not stored by the auxiliary cores: no space\n"));
}

TEST_F(BenefactorsChainTest, RefusesAChainThatCannotWork) {
  const Ended wrong = chained("dedup,benefactors", "");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.out,
              HasSubstr("argument 'chain=dedup,benefactors' is wrong: 'dedup' needs the store 'pcram'"));
  const Ended lends = chained("benefactors", "client_lends=40");
  EXPECT_EQ(lends.status, 2);
  EXPECT_THAT(lends.out, HasSubstr("clients with a chain do not lend: client_lends=0"));
  const Ended none = store("chain=pcram,drain_benefactors");
  EXPECT_EQ(none.status, 3);
  EXPECT_THAT(none.out, HasSubstr("benefactors: this machine has no PCRAM\n"));
}

// ---- losses at random ----

struct BenefactorsRandomLossesTest : BenefactorsTest, testing::WithParamInterface<unsigned> {};

// At most three of eight nodes or links fail, and there are three spares, so everything that is lost can be
// computed again.
TEST_P(BenefactorsRandomLossesTest, EndWithTheResultWithoutLosses) {
  std::mt19937 random(GetParam());
  const auto below = [&](unsigned bound) { return static_cast<unsigned>(random() % bound); };
  nlohmann::json faults = nlohmann::json::array();
  unsigned at = below(9000);
  for (unsigned i = 0, count = 1 + below(3); i < count; ++i, at += below(6000)) {
    nlohmann::json fault{{"at", std::to_string(at) + "us"}, {"node", below(8)}, {"kind", "node_loss"}};
    if (below(3) == 0) {
      fault["kind"] = "link_loss";
      fault["restore_after"] = std::to_string(50 + below(3000)) + "us";
    }
    faults.push_back(fault);
  }
  const std::string args =
      "chunks=16 versions=3 retry_limit_us=30000 copies=" + std::to_string(1 + below(2)) +
      " clients=" + std::to_string(1 + below(2)) + " client_lends=" + std::to_string(below(2) * 40);
  ASSERT_EQ(store(args).status, 0);
  const std::string undisturbed = result();
  const Ended ended = store(args, {"faults=" + faults.dump(), "cluster.firmware_spares=3", "until=1s"});
  EXPECT_EQ(ended.status, 0) << faults << ended.out << ended.err;
  EXPECT_EQ(result(), undisturbed) << faults;
}
INSTANTIATE_TEST_SUITE_P(Seeds, BenefactorsRandomLossesTest, testing::Range(0u, 6u));

// ---- what is refused ----

TEST_F(BenefactorsTest, RefusesWrongArguments) {
  const auto refused = [&](const std::string& args, const std::string& message) {
    const Ended ended = store(args);
    EXPECT_EQ(ended.status, 2) << ended.out;
    EXPECT_THAT(ended.out, HasSubstr(message));
  };
  refused("copies=3",
          "argument 'copies=3' is wrong: copies (copies of each chunk) must be a number from 1 to 2");
  refused("chunks=1025", "argument 'chunks=1025' is wrong");
  refused("clients=5", "argument 'clients=5' is wrong");
  refused("lend=0", "argument 'lend=0' is wrong");
  refused("stripes=2", "stripes=2");
}

TEST_F(BenefactorsTest, WantsANicAManagerAndBenefactorsWithSsds) {
  const Ended without = firmware("benefactors");
  EXPECT_EQ(without.status, 3);
  EXPECT_THAT(without.out, HasSubstr("benefactors: this machine has no NIC\n"));
  const Ended alone = firmware(
      "benefactors", {R"(node.devices.nic={"type": "nic", "base": "0x0b05_0000", "interrupt": 15})"});
  EXPECT_EQ(alone.status, 3);
  EXPECT_THAT(alone.out, HasSubstr("benefactors: 0 ranks; a manager, 1 clients and a benefactor are 3\n"));
  const Ended few = store("clients=4");
  EXPECT_EQ(few.status, 3);
  EXPECT_THAT(few.out, HasSubstr("benefactors: 5 ranks; a manager, 4 clients and a benefactor are 6\n"));
}

TEST_F(BenefactorsTest, FirmwareOfItsOwnHasWholeNodesOnly) {
  const std::string of_program =
      "cluster.program: expected a value that has kind ring unless all ranks are whole nodes, with no global "
      "store";
  for (const auto& [change, error] :
       {std::pair{"cluster.firmware_nodes=4", of_program},
        {"cluster.checkpoint.global_every=1", of_program},
        {"cluster.spares=1", "cluster.spares: expected a value that is 0 unless program.kind is ring"}}) {
    const Ended ended = store("", {change});
    EXPECT_EQ(ended.status, 65) << change;
    EXPECT_THAT(ended.err, HasSubstr(error));
  }
}

TEST_F(BenefactorsTest, FirmwareThatIsDoneBeforeItsReportEndsTheRun) {
  const Ended ended = store("", {"firmware=hello"});
  EXPECT_EQ(ended.status, 67);
  EXPECT_THAT(ended.out, HasSubstr("exited with status 0 before the cluster had"));
}

}  // namespace
}  // namespace asterism
