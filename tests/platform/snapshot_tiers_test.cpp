// The app snapshot_tiers: checkpoints of GPU and cores through all tiers (a buffer in memory, PCRAM, the
// neighbour's DIMM-SSD) while the program runs, and their recovery, bit for bit.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <regex>

#include "base/nightly.h"
#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using Json = nlohmann::json;

constexpr std::uint64_t microsecond_ps = 1'000'000;

// A checkpoint holds 32 zones of 16 KiB and 4096 words, whose pages PCRAM saves together with a header; a
// slot's header is cleared first if the slot was in use. At a commit the older version is cleared, too.
constexpr std::uint64_t image_pages = 32 * 4 + 8;

struct SnapshotTiersTest : CommandTest {
  Ended tiers(const Arguments& more = {}) const {
    Arguments all{"run", "snapshot_tiers", "--out", "run"};
    all.insert(all.end(), more.begin(), more.end());
    return asterism(all);
  }
  // Without faults and expectations.
  Ended undisturbed(const Arguments& more = {}) const {
    Arguments all{"faults=[]", "expect={}"};
    all.insert(all.end(), more.begin(), more.end());
    return tiers(all);
  }
  std::string result() const { return contents("run/files/result.txt"); }
  std::uint64_t count(const std::string& node, const std::string& device, const std::string& what) const {
    return json("run/stats.json")[node][device][what];
  }
  // The times of a kind of event of a DIMM-SSD for a version.
  std::vector<std::uint64_t> times(const std::string& source, const std::string& kind,
                                   std::uint64_t version) const {
    std::vector<std::uint64_t> all;
    for (const Json& event : events())
      if (event["source"] == source && event["kind"] == kind && event["version"] == version)
        all.push_back(event["time_ps"]);
    return all;
  }
};

std::string fault(const std::string& kind, int node, std::uint64_t at_ps) {
  return fmt::format(R"({{"at": "{}ps", "kind": "{}", "node": {}{}}})", at_ps, kind, node,
                     kind == "power_loss" ? R"(, "restore_after": "2ms")" : "");
}
std::string power_loss_of_all(std::uint64_t at) {
  return fmt::format("faults=[{}, {}, {}]", fault("power_loss", 0, at), fault("power_loss", 1, at),
                     fault("power_loss", 2, at));
}

// The figure after some words in a line of a rank.
std::uint64_t figure(const std::string& out, unsigned rank, const std::string& words) {
  std::smatch found;
  const std::regex line(fmt::format("rank {}: {}([0-9]+)", rank, words));
  return std::regex_search(out, found, line) ? std::stoull(found[1]) : ~std::uint64_t{0};
}

// Node 1 is lost while node 2 writes version 24 of rank 1 to its SSD, and node 1 version 24 of rank 0. Nobody
// has anything of rank 1 but version 16 on the SSD of node 2.
TEST_F(SnapshotTiersTest, ANodeIsLostWhileItsImageDrains) {
  const Ended ended = tiers();
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("result.txt is equal, bit for bit"));
  EXPECT_THAT(ended.out, HasSubstr("rank 1 resumes from version 16, from its neighbour's DIMM-SSD\n"));
  EXPECT_THAT(ended.out, HasSubstr("rank 0 resumes from version 16, from its PCRAM\n"));
  EXPECT_THAT(ended.out, HasSubstr("rank 2 resumes from version 16, from its PCRAM\n"));
  const std::uint64_t loss = 25'000 * microsecond_ps;
  for (const char* ssd : {"node1.dimm_ssd", "node2.dimm_ssd"}) {
    ASSERT_FALSE(times(ssd, "checkpoint_begin", 24).empty()) << ssd;
    EXPECT_LT(times(ssd, "checkpoint_begin", 24).front(), loss) << ssd;
    for (const std::uint64_t commit : times(ssd, "checkpoint_commit", 24)) EXPECT_GT(commit, loss) << ssd;
  }
  EXPECT_EQ(times("node2.dimm_ssd", "restore", 16).size(), 1u);
  // The spare gets version 16 of rank 0 again, whose second copy was lost, before the program goes on.
  EXPECT_EQ(times("node3.dimm_ssd", "checkpoint_commit", 16).size(), 1u);
  EXPECT_EQ(count("node0", "pcram", "pages_loaded"), image_pages + 2) << "and both headers at the start";
}

// Version 24 is in the PCRAM of all nodes, so that nothing is lost but the copies for neighbours, which are
// made again before the program goes on.
TEST_F(SnapshotTiersTest, AllNodesLosePowerWhileTheirImagesDrain) {
  const std::uint64_t loss = 25'000 * microsecond_ps;
  const Ended ended = tiers({power_loss_of_all(loss)});
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("result.txt is equal, bit for bit"));
  for (int rank = 0; rank < 3; ++rank)
    EXPECT_THAT(ended.out, ContainsRegex(fmt::format(
                               "epoch [0-9]+: rank {} resumes from version 24, from its PCRAM\n", rank)));
  for (const char* ssd : {"node0.dimm_ssd", "node1.dimm_ssd", "node2.dimm_ssd"}) {
    EXPECT_LT(times(ssd, "checkpoint_begin", 24).front(), loss) << ssd;
    ASSERT_EQ(times(ssd, "checkpoint_commit", 24).size(), 1u) << ssd;
    EXPECT_GT(times(ssd, "checkpoint_commit", 24).front(), loss) << ssd;
  }
  EXPECT_EQ(json("run/stats.json")["power_losses"], 3);
}

TEST_F(SnapshotTiersTest, ANodeIsLostAndTheOthersLosePower) {
  const std::uint64_t at = 25'000 * microsecond_ps;
  const Ended ended = tiers({fmt::format("faults=[{}, {}, {}]", fault("power_loss", 0, at),
                                         fault("node_loss", 1, at), fault("power_loss", 2, at))});
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("result.txt is equal, bit for bit"));
  EXPECT_THAT(ended.out, HasSubstr("rank 1 resumes from version 16, from its neighbour's DIMM-SSD\n"));
}

// The image of rank 1 is still on its way.
TEST_F(SnapshotTiersTest, BeforeTheNeighbourHasTheFirstImageALostNodeMeansTheBeginning) {
  ASSERT_EQ(undisturbed().status, 0);
  const std::string whole = result();
  const std::uint64_t received = times("node2.dimm_ssd", "checkpoint_begin", 8).front();
  const Ended ended =
      tiers({fmt::format("faults=[{}]", fault("node_loss", 1, received - 100 * microsecond_ps)),
             "expect.result_equals=null", "expect.recoveries=0"});
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("rank 1 resumes from version 0, the beginning\n"));
  EXPECT_EQ(result(), whole);
}

// A small program, at instants that lie in all tiers.
TEST_F(SnapshotTiersTest, AnyInstantOfALossEndsWithTheSameBits) {
  const std::string small = "args=steps=20 interval=5 memory=128KiB words=600 accesses=300";
  ASSERT_EQ(undisturbed({small}).status, 0);
  const std::string whole = result();
  const std::uint64_t begin = 3'500 * microsecond_ps, end = json("run/stats.json")["simulated_time_ps"];
  const std::uint64_t instants = repetitions(5, 60);
  unsigned recoveries = 0;
  for (std::uint64_t i = 0; i < instants; ++i) {
    const std::uint64_t at = begin + (end - begin - 1'000 * microsecond_ps) * i / instants;
    for (const bool is_power : {false, true}) {
      const std::string faults =
          is_power ? power_loss_of_all(at)
                   : fmt::format("faults=[{}]", fault("node_loss", static_cast<int>(i % 3), at));
      const Ended ended = tiers({small, faults, "expect={}"});
      ASSERT_EQ(ended.status, 0) << at << (is_power ? " power" : " node") << "\n" << ended.out << ended.err;
      ASSERT_EQ(result(), whole) << at << (is_power ? " power" : " node");
      recoveries += json("run/stats.json")["recoveries"].get<unsigned>();
    }
  }
  EXPECT_GE(recoveries, instants);
}

// Each of three nodes takes four checkpoints: 8, 16, 24 and 32 of 40 steps.
TEST_F(SnapshotTiersTest, EachTierMovesTheWholeImage) {
  const Ended ended = undisturbed();
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  for (const std::string node : {"node0", "node1", "node2"}) {
    EXPECT_EQ(count(node, "dimm_ssd", "checkpoints_committed"), 4u) << node;
    EXPECT_EQ(count(node, "dimm_ssd", "checkpoints_held"), 2u) << node;
    EXPECT_GE(count(node, "pcram", "pages_saved"), 4 * (image_pages + 1)) << node;
    EXPECT_LE(count(node, "pcram", "pages_saved"), 4 * (image_pages + 3)) << node;
    // A part of an image in each frame, with a header of 48 bytes.
    const Json sent = json("run/stats.json")[node]["nic"]["checkpoint"];
    EXPECT_EQ(sent["frames_sent"], 4 * image_pages) << node;
    EXPECT_EQ(sent["sent_bytes"], 4 * image_pages * (4096 + 48)) << node;
  }
  // Version 8 is full. Kernels of the next eight steps write to half of memory: version 16 is an increment.
  // The buffer has space for two full snapshots: a further increment might not fit, and 24 is full again.
  for (unsigned rank = 0; rank < 3; ++rank)
    EXPECT_THAT(ended.out, HasSubstr(fmt::format("rank {}: GPU: 4 snapshots, 2 full, {} KiB, ", rank,
                                                 2 * 512 + 2 * 256)));
}

TEST_F(SnapshotTiersTest, TheProgramHardlyStopsForTheTiers) {
  const Ended with = undisturbed(), without = undisturbed({"args=steps=40 interval=8 checkpoint=off"});
  ASSERT_EQ(with.status, 0) << with.out << with.err;
  ASSERT_EQ(without.status, 0) << without.out << without.err;
  EXPECT_THAT(without.out, HasSubstr("GPU: 0 snapshots"));
  for (unsigned rank = 0; rank < 3; ++rank) {
    const double slow = static_cast<double>(figure(with.out, rank, "40 steps in ")),
                 fast = static_cast<double>(figure(without.out, rank, "40 steps in "));
    EXPECT_LT(slow, 1.02 * fast) << rank;
    EXPECT_EQ(figure(with.out, rank, "stopped to begin [0-9]+ us, for GPU "), 0u);
    EXPECT_EQ(figure(with.out, rank, "stopped to begin .* for service "), 0u);
    EXPECT_GT(figure(with.out, rank, "DIMM-SSD: 4 images of a neighbour, "), 10'000u)
        << "so that a program that waited for it would take much longer";
  }
}

TEST_F(SnapshotTiersTest, AnIntervalShorterThanTheDrainStopsTheProgram) {
  const Ended ended = undisturbed({"args=steps=24 interval=3"});
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_GT(figure(ended.out, 0, "stopped to begin .* for service "), 1'000u);
}

TEST_F(SnapshotTiersTest, WithoutCheckpointsOrOnACrossbarTheResultIsTheSame) {
  ASSERT_EQ(undisturbed().status, 0);
  const std::string whole = result();
  for (const std::string change :
       {"args=steps=40 interval=8 checkpoint=off", "args=steps=40 interval=5 offloader=device",
        "node.dimm_ssd.method=stop_and_copy", R"(node.fabric={"topology": "crossbar"})",
        "node.pcram.suppress=false"}) {
    const Ended ended = undisturbed({change});
    EXPECT_EQ(ended.status, 0) << change << ended.out << ended.err;
    EXPECT_EQ(result(), whole) << change;
  }
}

TEST_F(SnapshotTiersTest, SaysWhatANodeLacks) {
  const std::pair<const char*, const char*> changes[] = {
      {"node.devices.gpu=null", "this machine has no GPU"},
      {"node.devices.pcram=null", "this machine has no PCRAM"},
      {"node.cores.auxiliary=0", "this machine has no auxiliary core"},
      {"args=memory=128MiB", "argument 'memory=134217728' is wrong"}};
  for (const auto& [change, words] : changes) {
    const Ended ended = undisturbed({change});
    EXPECT_THAT(ended.out, HasSubstr(words));
    EXPECT_EQ(ended.status, std::string(words).starts_with("argument") ? 2 : 3) << change << ended.out;
  }
}

}  // namespace
}  // namespace asterism
