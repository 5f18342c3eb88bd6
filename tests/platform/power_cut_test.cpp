// The power is cut at every event of a run, 1 ps before and 1 ps after it, and at many times in between, so
// that every phase of a checkpoint write, a restore and an erase is hit. The firmware looks at every word that
// it gets back and ends with 0 only when all of it belongs to one version and the last version was reached.
#include <fmt/format.h>

#include <set>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using Time = std::uint64_t;  // ps

struct PowerCutTest : CommandTest {
  Arguments node;  // overrides
  std::string app = "powercut", args = "versions=3 pages=2";

  static std::string fault(Time at) {
    return fmt::format(R"({{"at":"{}ps","kind":"power_loss","restore_after":"1us"}})", at);
  }
  // One run with the power cut at these times.
  Ended run_cut(const std::vector<Time>& cuts) {
    std::string faults;
    for (const Time at : cuts) faults += (faults.empty() ? "" : ",") + fault(at);
    Arguments more{"args=" + args, "faults=[" + faults + "]", "node.log.node=off"};
    more.insert(more.end(), node.begin(), node.end());
    return firmware(app, more);
  }
  std::vector<Time> event_times() const {
    std::vector<Time> times;
    for (const auto& event : events()) times.push_back(event["time_ps"]);
    return times;
  }
  Time end() const { return json("run/stats.json")["simulated_time_ps"]; }

  static std::set<Time> around(const std::vector<Time>& times) {
    std::set<Time> cuts;
    for (const Time at : times) cuts.insert({at == 0 ? 1 : at - 1, at, at + 1});
    return cuts;
  }
  static std::set<Time> between(Time first, Time last, int count) {
    std::set<Time> cuts;
    for (int i = 0; i < count; ++i) cuts.insert(first + (last - first) * i / count);
    return cuts;
  }
  // After every start the newest checkpoint that had been committed is there, and that one is restored.
  void expect_all_that_was_committed() const {
    Time newest = 0;
    for (const auto& event : events()) {
      const std::string kind = event["kind"];
      if (kind == "checkpoint_commit") newest = event["version"];
      if (kind == "ssd_ready") {
        EXPECT_EQ(event["checkpoints"] > 0, newest > 0) << event;
      } else if (kind == "restore") {
        EXPECT_EQ(event["version"], newest) << event;
      }
    }
  }
  // Every run, with the cut added to `before`, must end with whole contents.
  void cut_at(const std::set<Time>& cuts, const std::vector<Time>& before = {}) {
    ASSERT_FALSE(cuts.empty());
    for (const Time at : cuts) {
      std::vector<Time> all = before;
      all.push_back(at);
      const Ended ended = run_cut(all);
      EXPECT_EQ(ended.status, 0) << app << " with the power cut at " << at << " ps\n"
                                 << ended.out << ended.err;
      EXPECT_EQ(json("run/stats.json")["power_losses"], all.size()) << at;
      expect_all_that_was_committed();
      if (HasFailure()) return;
    }
  }
};

TEST_F(PowerCutTest, AtEveryEvent) {
  ASSERT_EQ(run_cut({}).status, 0);
  cut_at(around(event_times()));
}

TEST_F(PowerCutTest, AtTheVeryBeginningAndTheVeryEnd) {
  ASSERT_EQ(run_cut({}).status, 0);
  const Time last = end();
  cut_at({0, 1, last - 1});
  EXPECT_EQ(run_cut({last + 1}).status, 0);
  EXPECT_EQ(json("run/stats.json")["power_losses"], 0) << "the firmware had ended before";
}

TEST_F(PowerCutTest, AnywhereInTheWritingOfACheckpoint) {
  ASSERT_EQ(run_cut({}).status, 0);
  const std::vector<Time> times = event_times();  // ready, begin 1, commit 1, begin 2, commit 2, ...
  ASSERT_GE(times.size(), 7u);
  cut_at(between(times[5], times[6], 40));
}

TEST_F(PowerCutTest, AnywhereBetweenACommitAndTheEnd) {
  ASSERT_EQ(run_cut({}).status, 0);
  cut_at(between(event_times()[6], end(), 30));
}

TEST_F(PowerCutTest, AgainAtEveryEventOfTheRecovery) {
  ASSERT_EQ(run_cut({}).status, 0);
  const std::vector<Time> whole = event_times();
  const Time first = whole[3] + (whole[4] - whole[3]) / 2;  // while version 2 is written
  ASSERT_EQ(run_cut({first}).status, 0);
  std::vector<Time> after;
  for (const Time at : event_times())
    if (at > first + 1'000'000) after.push_back(at);
  ASSERT_GE(after.size(), 5u);
  cut_at(around(after), {first});
}

TEST_F(PowerCutTest, AnywhereInARestore) {
  ASSERT_EQ(run_cut({}).status, 0);
  const std::vector<Time> whole = event_times();
  const Time first = whole[5] + (whole[6] - whole[5]) / 2;  // while version 3 is written
  ASSERT_EQ(run_cut({first}).status, 0);
  Time ready = 0, restored = 0;
  for (const auto& event : events()) {
    if (event["kind"] == "ssd_ready") ready = event["time_ps"];
    if (event["kind"] == "restore" && restored == 0) restored = event["time_ps"];
  }
  ASSERT_GT(restored, ready);
  cut_at(between(ready, restored, 25), {first});
}

// The same with every load and store on its way through a fabric as packets.
struct FabricPowerCutTest : PowerCutTest {
  FabricPowerCutTest() { node = {"node.fabric.topology=superstar", "node.fabric.fidelity=flit"}; }
};

TEST_F(FabricPowerCutTest, AtEveryEvent) {
  ASSERT_EQ(run_cut({}).status, 0);
  cut_at(around(event_times()));
}

TEST_F(FabricPowerCutTest, AnywhereInTheAccessesOf100Nanoseconds) {
  ASSERT_EQ(run_cut({}).status, 0);
  cut_at(between(end() / 3, end() / 3 + 100'000, 25));
}

// A flash of two pages a block: the log of tables changes its block at every second commit, checkpoints take
// several rows, and rows are erased and used again all the time. Only one version is kept.
struct TinyFlashPowerCutTest : PowerCutTest {
  TinyFlashPowerCutTest() {
    std::filesystem::copy(source_configs(), folder / "configs", std::filesystem::copy_options::recursive);
    environment["ASTERISM_CONFIGS"] = (folder / "configs").string();
    write("configs/flash/tiny.json",
          R"({"source": "made up", "page": "16KiB", "spare": "1536B", "pages_per_block": 2, "blocks": 16,
              "dies": 1, "planes": 1, "read": "45us", "program": "660us", "erase": "3500us", "bus": "400MB/s",
              "cache_register": true, "endurance": 0, "correctable_bits": 40})");
    node = {"node.dimm_ssd.part=tiny", "node.dimm_ssd.packages=2", "node.dimm_ssd.blocks=8",
            "node.dimm_ssd.versions=1"};
    args = "versions=5 pages=20";
  }
};

TEST_F(TinyFlashPowerCutTest, AtEveryEvent) {
  ASSERT_EQ(run_cut({}).status, 0);
  EXPECT_GE(json("run/stats.json")["node"]["dimm_ssd"]["flash"]["erase_count_max"], 1);
  cut_at(around(event_times()));
}

TEST_F(TinyFlashPowerCutTest, AnywhereOnceTheLogHasChangedItsBlock) {
  ASSERT_EQ(run_cut({}).status, 0);
  cut_at(between(event_times()[6], end(), 60));
}

TEST_F(TinyFlashPowerCutTest, AgainAndAgain) {
  ASSERT_EQ(run_cut({}).status, 0);
  const Time whole = end();
  for (Time step = whole / 9; step < whole; step += whole / 9) {
    std::vector<Time> cuts;  // ten in a row, each some progress after the one before
    for (Time at = step; cuts.size() < 10; at += step) cuts.push_back(at);
    const Ended ended = run_cut(cuts);
    EXPECT_EQ(ended.status, 0) << "every " << step << " ps\n" << ended.out;
    expect_all_that_was_committed();
  }
}

struct SolverPowerCutTest : PowerCutTest {
  SolverPowerCutTest() { app = "cg", args = "nx=5 interval=4"; }
  void expect_result_of(const std::set<Time>& cuts) {
    const std::string whole = contents("run/files/result.txt");
    for (const Time at : cuts) {
      cut_at({at});
      EXPECT_EQ(contents("run/files/result.txt"), whole) << at;
    }
  }
};

TEST_F(SolverPowerCutTest, AtEveryEventTheResultIsTheSame) {
  ASSERT_EQ(run_cut({}).status, 0);
  expect_result_of(around(event_times()));
}

TEST_F(SolverPowerCutTest, AnywhereTheResultIsTheSame) {
  ASSERT_EQ(run_cut({}).status, 0);
  expect_result_of(between(0, end(), 25));
}

}  // namespace
}  // namespace asterism
