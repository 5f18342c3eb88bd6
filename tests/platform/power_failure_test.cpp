// The power fails at every event of a run, 1 ps before and 1 ps after it, and at many times in between, so
// that every phase of a checkpoint write, a restore, a recovery, a merge and an erase is interrupted. The
// firmware checks every word that is restored, and exits with 0 only when all of them belong to one version
// and the last version was reached.
#include <fmt/format.h>

#include <set>

#include "base/nightly.h"
#include "tests/platform/command.h"

namespace asterism {
namespace {

using Time = std::uint64_t;  // ps

struct PowerFailureTest : CommandTest {
  Arguments node;  // overrides of the node's keys
  std::string app = "power_failure", args = "versions=3 pages=2";

  static constexpr std::size_t sample = 24;  // of the power failures of a test (base/nightly.h)

  static std::string fault(Time at) {
    return fmt::format(R"({{"at":"{}ps","kind":"power_loss","restore_after":"1us"}})", at);
  }
  // Runs once, with power failures at these times.
  Ended run_with_failures(const std::vector<Time>& failures) {
    std::string faults;
    for (const Time at : failures) faults += (faults.empty() ? "" : ",") + fault(at);
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
    std::set<Time> failures;
    for (const Time at : times) failures.insert({at == 0 ? 1 : at - 1, at, at + 1});
    return failures;
  }
  static std::set<Time> between(Time first, Time last, int count) {
    std::set<Time> failures;
    for (int i = 0; i < count; ++i) failures.insert(first + (last - first) * i / count);
    return failures;
  }
  // The version of the first restore after this time; 0 if there is none.
  Time restored_after(Time at) const {
    for (const auto& event : events())
      if (event["kind"] == "restore" && event["time_ps"] > at) return event["version"];
    return 0;
  }
  Time first_ready_after(Time at) const {
    for (const auto& event : events())
      if (event["kind"] == "ssd_ready" && event["time_ps"] > at) return event["time_ps"];
    return 0;
  }
  // After every start the newest checkpoint that was reported durable must exist, or a newer one that was
  // complete before it could be reported. The firmware restores it, and from then on it is the newest.
  void expect_all_that_was_committed() const {
    Time durable = 0, begun = 0;
    for (const auto& event : events()) {
      const std::string kind = event["kind"];
      if (kind == "checkpoint_begin") {
        begun = event["version"];
        EXPECT_GT(begun, durable) << "it begins with a version that is not newer than the durable one: "
                                  << event;
      } else if (kind == "checkpoint_commit") {
        durable = event["version"];
      } else if (kind == "ssd_ready") {
        EXPECT_TRUE(event["checkpoints"] > 0 || durable == 0) << event;
        if (event["checkpoints"] == 0) begun = 0;
        EXPECT_TRUE(event["checkpoints"] == 0 || begun > 0) << event;
      } else if (kind == "restore") {
        EXPECT_GE(event["version"], durable) << event;
        EXPECT_LE(event["version"], begun) << event;
        durable = begun = event["version"];
      }
    }
  }
  // Every run, with the power failure added to `before`, must restore complete versions only.
  void fail_power_at(const std::set<Time>& failures, const std::vector<Time>& before = {}) {
    ASSERT_FALSE(failures.empty());
    for (const Time at : sampled(failures, sample)) {
      std::vector<Time> all = before;
      all.push_back(at);
      const Ended ended = run_with_failures(all);
      EXPECT_EQ(ended.status, 0) << app << " with a power failure at " << at << " ps\n"
                                 << ended.out << ended.err;
      EXPECT_EQ(json("run/stats.json")["power_losses"], all.size()) << at;
      expect_all_that_was_committed();
      if (HasFailure()) return;
    }
  }
  // Additionally, the result must be that of the run before.
  void expect_result_of(const std::set<Time>& failures) {
    const std::string whole = contents("run/files/result.txt");
    for (const Time at : sampled(failures, sample)) {
      fail_power_at({at});
      EXPECT_EQ(contents("run/files/result.txt"), whole) << at;
      if (HasFailure()) return;
    }
  }
};

TEST_F(PowerFailureTest, AtEveryEvent) {
  ASSERT_EQ(run_with_failures({}).status, 0);
  fail_power_at(around(event_times()));
}

TEST_F(PowerFailureTest, AtTheVeryBeginningAndTheVeryEnd) {
  ASSERT_EQ(run_with_failures({}).status, 0);
  const Time last = end();
  fail_power_at({0, 1, last - 1});
  EXPECT_EQ(run_with_failures({last + 1}).status, 0);
  EXPECT_EQ(json("run/stats.json")["power_losses"], 0)
      << "the firmware must have ended before the power failure";
}

TEST_F(PowerFailureTest, AnywhereInTheWritingOfACheckpoint) {
  ASSERT_EQ(run_with_failures({}).status, 0);
  const std::vector<Time> times = event_times();  // ready, begin 1, commit 1, begin 2, commit 2, ...
  ASSERT_GE(times.size(), 7u);
  fail_power_at(between(times[5], times[6], 40));
}

// The root is written twice, by two consecutive transfers of 16 KiB at 400 MB/s, and the version is reported
// when both are durable.
TEST_F(PowerFailureTest, AVersionIsThereFromTheFirstOfItsTwoRootsOn) {
  ASSERT_EQ(run_with_failures({}).status, 0);
  const Time second_root = event_times()[6], first_root = second_root - 40'960'000;
  for (const auto& [at, version] : {std::pair<Time, Time>{first_root - 1, 2},
                                    {first_root + 1, 3},
                                    {second_root - 1, 3},
                                    {second_root + 1, 3}}) {
    fail_power_at({at});
    EXPECT_EQ(restored_after(at), version) << at;
  }
}

TEST_F(PowerFailureTest, OnceAVersionIsDurableItSurvivesAnyPowerFailure) {
  ASSERT_EQ(run_with_failures({}).status, 0);
  const std::vector<Time> times = event_times();
  Time newest = 2;
  for (const Time at : between(times[6] - 200'000'000, times[6], 40)) {
    fail_power_at({at});
    EXPECT_GE(restored_after(at), newest) << at;
    newest = restored_after(at);
  }
  EXPECT_EQ(newest, 3);
}

// The core is ahead of simulated time: a request that it has not made yet at the power failure must not reach
// the device after it.
TEST_F(PowerFailureTest, AnywhereInTheRequestBehindACommit) {
  ASSERT_EQ(run_with_failures({}).status, 0);
  const Time commit = event_times()[6];
  fail_power_at(between(commit + 10'000'000, commit + 20'000'000, 50));
}

// The power failure tears the second root of version 3, so that the recovery writes both roots.
TEST_F(PowerFailureTest, AnywhereInARecoveryThatWritesTheRoots) {
  ASSERT_EQ(run_with_failures({}).status, 0);
  const Time first = event_times()[6] - 1, on = first + 1'000'000;
  ASSERT_EQ(run_with_failures({first}).status, 0);
  const Time ready = first_ready_after(first);
  ASSERT_GT(ready, on);
  for (const Time at : between(on, ready, 40)) {
    fail_power_at({at}, {first});
    EXPECT_EQ(restored_after(at), 3) << at;
  }
}

TEST_F(PowerFailureTest, AnywhereBetweenACommitAndTheEnd) {
  ASSERT_EQ(run_with_failures({}).status, 0);
  fail_power_at(between(event_times()[6], end(), 30));
}

TEST_F(PowerFailureTest, AgainAtEveryEventOfTheRecovery) {
  ASSERT_EQ(run_with_failures({}).status, 0);
  const std::vector<Time> whole = event_times();
  const Time first = whole[3] + (whole[4] - whole[3]) / 2;  // while version 2 is written
  ASSERT_EQ(run_with_failures({first}).status, 0);
  std::vector<Time> after;
  for (const Time at : event_times())
    if (at > first + 1'000'000) after.push_back(at);
  ASSERT_GE(after.size(), 5u);
  fail_power_at(around(after), {first});
}

TEST_F(PowerFailureTest, AnywhereInARestore) {
  ASSERT_EQ(run_with_failures({}).status, 0);
  const std::vector<Time> whole = event_times();
  const Time first = whole[5] + (whole[6] - whole[5]) / 2;  // while version 3 is written
  ASSERT_EQ(run_with_failures({first}).status, 0);
  Time ready = 0, restored = 0;
  for (const auto& event : events()) {
    if (event["kind"] == "ssd_ready") ready = event["time_ps"];
    if (event["kind"] == "restore" && restored == 0) restored = event["time_ps"];
  }
  ASSERT_GT(restored, ready);
  fail_power_at(between(ready, restored, 25), {first});
}

// The same tests with a fabric that transports every load and store as packets.
struct FabricPowerFailureTest : PowerFailureTest {
  FabricPowerFailureTest() { node = {"node.fabric.topology=superstar", "node.fabric.fidelity=flit"}; }
};

TEST_F(FabricPowerFailureTest, AtEveryEvent) {
  ASSERT_EQ(run_with_failures({}).status, 0);
  fail_power_at(around(event_times()));
}

TEST_F(FabricPowerFailureTest, AnywhereInTheAccessesOf100Nanoseconds) {
  ASSERT_EQ(run_with_failures({}).status, 0);
  const Time copying = event_times()[3] + 1'000'000;  // while version 2 is copied
  fail_power_at(between(copying, copying + 100'000, 25));
}

// A flash of 64 pages, of which 24 are offered and the fourth of each block lists the other three:
// checkpoints take several blocks, older ones are merged, and blocks are collected and used again all the
// time. Only one version is kept.
struct TinyFlashPowerFailureTest : PowerFailureTest {
  TinyFlashPowerFailureTest() {
    std::filesystem::copy(source_configs(), folder / "configs", std::filesystem::copy_options::recursive);
    environment["ASTERISM_CONFIGS"] = (folder / "configs").string();
    write("configs/flash/tiny.json",
          R"({"source": "made up", "page": "16KiB", "spare": "1536B", "pages_per_block": 4, "blocks": 16,
              "dies": 1, "planes": 1, "read": "45us", "program": "660us", "erase": "3500us", "bus": "400MB/s",
              "cache_register": true, "endurance": 0, "correctable_bits": 40})");
    node = {"node.dimm_ssd.part=tiny", "node.dimm_ssd.packages=2", "node.dimm_ssd.blocks=8",
            "node.dimm_ssd.versions=1"};
    args = "versions=5 pages=20";
  }
  nlohmann::json log() const { return json("run/stats.json")["node"]["dimm_ssd"]["checkpointer"]["log"]; }
  void run_whole() {
    ASSERT_EQ(run_with_failures({}).status, 0);
    EXPECT_GE(log()["merges"], 2);
    EXPECT_GE(log()["translation"]["collections"], 6);
    EXPECT_GE(log()["translation"]["flash"]["erase_count_max"], 1);
  }
};

TEST_F(TinyFlashPowerFailureTest, AtEveryEvent) {
  run_whole();
  fail_power_at(around(event_times()));
}

TEST_F(TinyFlashPowerFailureTest, AnywhereOnceBlocksAreUsedAgain) {
  run_whole();
  fail_power_at(between(event_times()[5], end(), 100));
}

TEST_F(TinyFlashPowerFailureTest, AgainAndAgain) {
  ASSERT_EQ(run_with_failures({}).status, 0);
  const Time whole = end();
  for (Time step = whole / 9; step < whole; step += whole / 9) {
    std::vector<Time> failures;  // ten in a row, each of which lets the program make some progress
    for (Time at = step; failures.size() < 10; at += step) failures.push_back(at);
    const Ended ended = run_with_failures(failures);
    EXPECT_EQ(ended.status, 0) << "a power failure every " << step << " ps\n" << ended.out;
    expect_all_that_was_committed();
  }
}

// Only dirty lines are saved, so that an image is spread over several checkpoints, and a collection must move
// pages.
TEST_F(TinyFlashPowerFailureTest, AnywhereTheResultOfIncrementsIsTheSame) {
  app = "stencil";
  for (const std::string method : {"consolidate", "early_late+consolidate async=on"}) {
    args = "columns=32 rows=32 sweeps=24 interval=3 method=" + method;
    run_whole();
    EXPECT_GE(log()["translation"]["pages_moved"], 5);
    expect_result_of(between(event_times()[3], end(), 40));
  }
}

// Two versions are kept, so that a page with dead lines may also have live ones.
TEST_F(TinyFlashPowerFailureTest, AnywhereInMergesAndCompactions) {
  node.emplace_back("node.dimm_ssd.versions=2");
  args = "versions=6 pages=16 method=consolidate";
  run_whole();
  EXPECT_GE(log()["compactions"], 1);
  EXPECT_GE(log()["translation"]["pages_moved"], 5);
  fail_power_at(between(event_times()[5], end(), 60));
}

struct SolverPowerFailureTest : PowerFailureTest {
  SolverPowerFailureTest() { app = "cg", args = "nx=5 interval=4"; }
};

TEST_F(SolverPowerFailureTest, AtEveryEventTheResultIsTheSame) {
  ASSERT_EQ(run_with_failures({}).status, 0);
  expect_result_of(around(event_times()));
}

TEST_F(SolverPowerFailureTest, AnywhereTheResultIsTheSame) {
  ASSERT_EQ(run_with_failures({}).status, 0);
  expect_result_of(between(0, end(), 25));
}

}  // namespace
}  // namespace asterism
