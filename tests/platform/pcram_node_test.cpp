// PCRAM in a node whose firmware saves its work there: after a power failure at any instant the result has
// the same bits as that of an undisturbed run.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <vector>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using Time = std::uint64_t;  // ps

std::string loss_of_power(Time at) {
  return fmt::format(R"({{"at":"{}ps","kind":"power_loss","restore_after":"1us"}})", at);
}

struct PcramNodeTest : CommandTest {
  Arguments kind_of(bool stack) const {
    if (!stack) return {};
    return {"node.pcram={\"kind\":\"stack\",\"part\":\"dong2011_3d\"}", "node.memory.size=64MiB"};
  }
  Ended stencil(bool stack, const std::string& faults = "", const std::string& args = "",
                const Arguments& more = {}) {
    Arguments all{"run",
                  "pcram",
                  "args=columns=32 rows=24 sweeps=12 interval=2 " + args,
                  "faults=[" + faults + "]",
                  "expect={}",
                  "--out",
                  "run"};
    for (const Arguments& some : {kind_of(stack), more}) all.insert(all.end(), some.begin(), some.end());
    return asterism(all);
  }
  std::string result() const { return contents("run/files/result.txt"); }
  std::vector<Time> times_of(const std::string& kind) const {
    std::vector<Time> times;
    for (const auto& event : events())
      if (event["kind"] == kind) times.push_back(event["time_ps"]);
    return times;
  }
  // The sweep from which the program resumed; 0 if it began from the start.
  static std::uint64_t sweep_of_return(const Ended& ended) {
    const std::string words = "resumes from sweep ";
    const auto at = ended.out.find(words);
    return at == std::string::npos ? 0 : std::stoull(ended.out.substr(at + words.size()));
  }
  // The addresses of the headers of the two slots, from an undisturbed run, whose first checkpoints are four
  // saves each (the library's page, the cells, the fragments, the header).
  std::set<std::uint64_t> header_places() const {
    std::vector<std::uint64_t> places;
    for (const auto& event : events())
      if (event["kind"] == "pcram_save") places.push_back(event["place"]);
    return {places.at(3), places.at(7)};
  }
  // The times at which headers of checkpoints were saved, up to the first power failure. Every second save to
  // a slot's header clears it, and does not count.
  std::vector<Time> commits(const std::set<std::uint64_t>& headers) const {
    std::vector<Time> times;
    std::map<std::uint64_t, unsigned> saves;
    for (const auto& event : events()) {
      if (event["kind"] == "power_lost") break;
      if (event["kind"] != "pcram_save" || headers.count(event["place"]) == 0) continue;
      if (saves[event["place"]]++ % 2 == 0) times.push_back(event["time_ps"]);
    }
    return times;
  }
  std::string recovered_from() const {
    for (const auto& event : events())
      if (event["kind"] == "recovery") return event["from"];
    return "nothing";
  }
  auto counts() const { return json("run/stats.json")["node"]["pcram"]; }
};

TEST_F(PcramNodeTest, ModulesAndStackComeToTheSameResult) {
  ASSERT_EQ(stencil(false).status, 0);
  const std::string expected = result();
  EXPECT_THAT(expected, HasSubstr("sweeps 12\n"));
  ASSERT_EQ(stencil(true).status, 0);
  EXPECT_EQ(result(), expected);
}

// The power fails around the ends of saves, mostly during a save, and at random times. A save that is
// interrupted may already have written all that the checkpoint needs.
TEST_F(PcramNodeTest, ALossOfPowerAtAnyInstantEndsWithTheSameBits) {
  std::mt19937_64 random(1);
  for (const bool stack : {false, true}) {
    ASSERT_EQ(stencil(stack).status, 0);
    const std::string expected = result();
    const auto headers = header_places();
    const auto saves = times_of("pcram_save");
    ASSERT_EQ(commits(headers).size(), 5u);
    ASSERT_EQ(saves.size(), 2 * 4u + 3 * 5u) << "the last three checkpoints must clear their slots first";
    std::vector<Time> cuts;
    for (const std::size_t i : {10u, 12u})
      for (const Time before : {0u, 700'000u, 1'300'000u, 1'900'000u}) cuts.push_back(saves[i] - before);
    for (int i = 0; i < 5; ++i) cuts.push_back(saves[0] + random() % (saves.back() - saves[0]));
    std::uint64_t cut = 0, torn = 0;
    for (const Time when : cuts) {
      const Ended ended = stencil(stack, loss_of_power(when));
      ASSERT_EQ(ended.status, 0) << stack << " " << when << ended.out << ended.err;
      ASSERT_EQ(result(), expected) << stack << " " << when;
      const std::uint64_t newest = 2 * commits(headers).size();
      EXPECT_GE(sweep_of_return(ended), newest) << stack << " " << when;
      EXPECT_LE(sweep_of_return(ended), newest + 2) << stack << " " << when;
      cut += counts()["commands_interrupted"].get<std::uint64_t>();
      torn += counts()["lines_torn"].get<std::uint64_t>();
    }
    EXPECT_GT(cut, 1u) << stack;
    EXPECT_GT(torn, 10u) << stack;
  }
}

TEST_F(PcramNodeTest, GoesOnFromTheNewestSaveAndSaysSo) {
  ASSERT_EQ(stencil(false).status, 0);
  const Time second = commits(header_places()).at(1);
  const Ended ended = stencil(false, loss_of_power(second + 5'000'000));
  EXPECT_THAT(ended.out, HasSubstr("pcram: resumes from sweep 4"));
  EXPECT_EQ(std::ranges::count(kinds(events()), "recovery"), 1);
  EXPECT_EQ(recovered_from(), "pcram");
}

// The levels are tried in this order: memory, PCRAM, DIMM-SSD.
TEST_F(PcramNodeTest, TheLevelThatIsLeftGivesTheCheckpointBack) {
  for (const bool stack : {false, true}) {
    ASSERT_EQ(stencil(stack).status, 0);
    const std::string expected = result();
    const auto goes_on = [&](const Ended& ended, std::uint64_t sweep, const std::string& from) {
      EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
      EXPECT_EQ(result(), expected);
      EXPECT_EQ(sweep_of_return(ended), sweep);
      EXPECT_EQ(recovered_from(), from);
    };
    goes_on(stencil(stack, "", "reset_at=7"), 6, "pcram");
    goes_on(stencil(stack, "", "reset_at=7 memory=on"), 6, "dram");
    ASSERT_EQ(stencil(stack, "", "memory=on").status, 0);
    const Time second = commits(header_places()).at(1);
    goes_on(stencil(stack, loss_of_power(second + 5'000'000), "memory=on"), 4, "pcram");
  }
}

TEST_F(PcramNodeTest, EverySecondCheckpointGoesToTheDimmSsdToo) {
  ASSERT_EQ(stencil(false, "", "ssd_every=2").status, 0);
  EXPECT_EQ(commits(header_places()).size(), 5u);
  EXPECT_EQ(times_of("checkpoint_commit").size(), 2u);
}

TEST_F(PcramNodeTest, AnIncrementLeavesOutWhatTheLayerHas) {
  ASSERT_EQ(stencil(true, "", "incremental=off").status, 0);
  EXPECT_EQ(counts()["pages_skipped"], 0);
  const std::uint64_t full = counts()["pages_saved"];
  ASSERT_EQ(stencil(true, "", "incremental=on").status, 0);
  EXPECT_EQ(counts()["pages_saved"].get<std::uint64_t>() + counts()["pages_skipped"].get<std::uint64_t>(),
            full);
}

TEST_F(PcramNodeTest, SuppressionSavesPulses) {
  ASSERT_EQ(stencil(false, "", "", {"node.pcram.suppress=false"}).status, 0);
  const std::uint64_t all = counts()["write_energy_pj"];
  ASSERT_EQ(stencil(false).status, 0);
  EXPECT_LT(counts()["write_energy_pj"].get<std::uint64_t>(), all / 2);
}

// Dumps 64 pages to modules and all 64 MiB to a stack. The published figures are 10.8 GB/s and 25.6 nJ a
// line, and 0.8 ms and 17.92 nJ. Here the bus has 10.667 GB/s, and a mat has 2 MiB instead of 2 MB.
TEST_F(PcramNodeTest, ADumpCostsWhatThePublishedOneDoes) {
  const auto dump = [&](bool stack) {
    Arguments all{"run", "pcram_dump", "args=pages=64 dirty=25", "--out", "run"};
    for (const std::string& some : kind_of(stack)) all.push_back(some);
    const Ended ended = asterism(all);
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    return contents("run/console.log");
  };
  const auto microseconds = [](const std::string& console, const std::string& what) {
    std::smatch found;
    const std::regex line("pcram_dump: " + what + " +\\d+ pages +([0-9.]+) us");
    EXPECT_TRUE(std::regex_search(console, found, line)) << console;
    return found.empty() ? 0.0 : std::stod(found.str(1));
  };
  const auto nanojoules_a_line = [&] {
    return counts()["write_energy_pj"].get<double>() / counts()["lines_written"].get<double>() / 1000;
  };
  const std::string modules = dump(false);
  EXPECT_NEAR(microseconds(modules, "dump"), 64 * 4096 / 10.667e3, 1.0);
  EXPECT_NEAR(nanojoules_a_line(), 25.6, 0.1);
  const std::string stack = dump(true);
  EXPECT_NEAR(microseconds(stack, "dump"), 800 * 1.048576, 1.0);
  EXPECT_NEAR(nanojoules_a_line(), 17.92, 0.1);
  EXPECT_LT(microseconds(stack, "increment"), 20);
}

// Two whole nodes transfer 256 frames of a page and 24 bytes over a link of 3.5 GB/s.
TEST_F(PcramNodeTest, ACheckpointOnTheNeighboursPcramTakesTheLinksTime) {
  const double wire = 256 * 4120 / 3.5;  // ns
  for (const bool stack : {false, true}) {
    Arguments all{"run", "pcram_neighbour", "args=pages=256 to=neighbour", "--out", "run"};
    if (stack)
      all.push_back(R"(node.pcram={"kind": "stack", "part": "dong2011_3d", "layers": 2, "suppress": false})");
    const Ended ended = asterism(all);
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("the pages read back are correct\n"));
    std::map<std::string, double> took;
    std::istringstream text(contents("run/files/node0/result.txt"));
    double value = 0;
    for (std::string what; text >> what >> value;) took[what] = value;
    EXPECT_EQ(took["bytes"], 256 * 4096);
    EXPECT_LT(took["local_ns"], took["neighbour_ns"] / 3);
    for (const char* way : {"neighbour_ns", "back_ns"}) {
      EXPECT_GT(took[way], wire) << way;
      EXPECT_LT(took[way], (stack ? 1.4 : 1.2) * wire) << way;
    }
    const auto stats = json("run/stats.json");
    EXPECT_EQ(stats["node0"]["pcram"]["pages_saved"], 256u);
    EXPECT_EQ(stats["node1"]["pcram"]["pages_saved"], 256u);
    EXPECT_EQ(stats["node1"]["pcram"]["pages_loaded"], 256u);
  }
}

TEST_F(PcramNodeTest, ADumpToANeighbourWantsOne) {
  const Ended alone = asterism({"run", "pcram_dump", "args=to=neighbour", "expect={}", "--out", "run"});
  EXPECT_EQ(alone.status, 3);
  EXPECT_THAT(alone.out, HasSubstr("pcram_dump: to=neighbour needs a cluster of two ranks\n"));
  const Ended three = asterism(
      {"run", "pcram_neighbour", "cluster.nodes=3", "cluster.firmware_nodes=3", "expect={}", "--out", "run"});
  EXPECT_EQ(three.status, 3);
}

TEST_F(PcramNodeTest, RefusesAPartThatDoesNotSuit) {
  const Ended ended = stencil(false, "", "", {"node.pcram.part=dong2011_3d"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("node.pcram.part"), HasSubstr("made of a part of the form chip")));
}

TEST_F(PcramNodeTest, ANodeWithoutPcramHasNone) {
  const Ended ended = asterism({"run", "hello", "--firmware", "pcram", "expect={}", "--out", "run"});
  EXPECT_EQ(ended.status, 3);
  EXPECT_THAT(ended.out, HasSubstr("pcram: this machine has no PCRAM"));
  EXPECT_FALSE(json("run/stats.json")["node"].contains("pcram"));
}

}  // namespace
}  // namespace asterism
