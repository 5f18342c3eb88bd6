// PCRAM in a node whose firmware saves its work there: after a loss of power at any instant it ends with the bits of an undisturbed
// run.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
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
  // 0: from the start.
  static std::uint64_t sweep_of_return(const Ended& ended) {
    const std::string words = "goes on from sweep ";
    const auto at = ended.out.find(words);
    return at == std::string::npos ? 0 : std::stoull(ended.out.substr(at + words.size()));
  }
  // Of the checkpoints of every second sweep, the newest whose header was saved before the power went. One that was under way
  // may have got as far as it needs.
  std::uint64_t newest_saved() const {
    std::uint64_t sweep = 0;
    for (const auto& event : events()) {
      if (event["kind"] == "power_lost") break;
      if (event["kind"] == "pcram_save" && event["pages"] == 1) sweep += 2;
    }
    return sweep;
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

// Cuts around the ends of saves, many of them within one.
TEST_F(PcramNodeTest, ALossOfPowerAtAnyInstantEndsWithTheSameBits) {
  for (const bool stack : {false, true}) {
    ASSERT_EQ(stencil(stack).status, 0);
    const std::string expected = result();
    const auto saves = times_of("pcram_save");
    ASSERT_EQ(saves.size(), 10u);
    std::uint64_t cut = 0, torn = 0;
    for (const std::size_t i : {1u, 4u})
      for (const Time before : {0u, 700'000u, 1'300'000u, 1'900'000u}) {
        const Time when = saves[i] - before;
        const Ended ended = stencil(stack, loss_of_power(when));
        ASSERT_EQ(ended.status, 0) << stack << " " << when << ended.out << ended.err;
        ASSERT_EQ(result(), expected) << stack << " " << when;
        EXPECT_GE(sweep_of_return(ended), newest_saved()) << stack << " " << when;
        EXPECT_LE(sweep_of_return(ended), newest_saved() + 2) << stack << " " << when;
        cut += counts()["commands_cut"].get<std::uint64_t>();
        torn += counts()["lines_torn"].get<std::uint64_t>();
      }
    EXPECT_GT(cut, 1u) << stack;
    EXPECT_GT(torn, 10u) << stack;
  }
}

TEST_F(PcramNodeTest, GoesOnFromTheNewestSaveAndSaysSo) {
  ASSERT_EQ(stencil(false).status, 0);
  const Time fourth = times_of("pcram_save").at(3);  // the header of the second checkpoint
  const Ended ended = stencil(false, loss_of_power(fourth + 5'000'000));
  EXPECT_THAT(ended.out, HasSubstr("pcram: goes on from sweep 4"));
  const auto all = kinds(events());
  EXPECT_EQ(std::ranges::count(all, "recovery"), 1);
}

TEST_F(PcramNodeTest, AnIncrementLeavesOutWhatTheLayerHas) {
  ASSERT_EQ(stencil(true, "", "incremental=off").status, 0);
  EXPECT_EQ(counts()["pages_left_out"], 0);
  const std::uint64_t full = counts()["pages_saved"];
  ASSERT_EQ(stencil(true, "", "incremental=on").status, 0);
  EXPECT_EQ(counts()["pages_saved"].get<std::uint64_t>() + counts()["pages_left_out"].get<std::uint64_t>(),
            full);
}

TEST_F(PcramNodeTest, SuppressionSavesPulses) {
  ASSERT_EQ(stencil(false, "", "", {"node.pcram.suppress=false"}).status, 0);
  const std::uint64_t all = counts()["write_energy_pj"];
  ASSERT_EQ(stencil(false).status, 0);
  EXPECT_LT(counts()["write_energy_pj"].get<std::uint64_t>(), all / 2);
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
