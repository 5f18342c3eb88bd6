#include "platform/host/run_directory.h"

#include <gtest/gtest.h>

#include "base/temporary_folder.h"
#include "base/thrown.h"
#include "platform/config/diagnostics.h"
#include "platform/host/output_failure.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

struct RunDirectoryTest : testing::Test {
  TemporaryFolder root;
  std::string refusal(const fs::path& directory) {
    return thrown<ConfigError>([&] { RunDirectory run(directory); });
  }
};

TEST_F(RunDirectoryTest, TakesItsNameOnlyWhenItIsFinished) {
  RunDirectory run(root / "a");
  run.write("scenario.json", "{}");
  EXPECT_FALSE(fs::exists(root / "a"));
  run.finish();
  EXPECT_TRUE(fs::exists(root / "a/scenario.json"));
  EXPECT_FALSE(fs::exists(root / "a.partial"));
}

TEST_F(RunDirectoryTest, AnUnfinishedRunKeepsTheOneBefore) {
  {
    RunDirectory run(root / "a");
    run.write("scenario.json", "old");
    run.write("events.jsonl", "");
    run.finish();
  }
  { RunDirectory(root / "a").write("scenario.json", "new"); }
  EXPECT_EQ(fs::file_size(root / "a/scenario.json"), 3u);
  EXPECT_FALSE(fs::exists(root / "a.partial"));
}

TEST_F(RunDirectoryTest, WhatAKilledRunLeftIsClearedAway) {
  fs::create_directories(root / "a.partial/files");
  std::ofstream(root / "a.partial/scenario.json") << "killed";
  RunDirectory run(root / "a");
  EXPECT_FALSE(fs::exists(run.path() / "scenario.json"));
}

TEST_F(RunDirectoryTest, NeverReplacesWhatIsNoRun) {
  fs::create_directories(root / "thesis/chapters");
  EXPECT_NE(refusal(root / "thesis").find("exists and holds something else; name another with --out"),
            std::string::npos);
  EXPECT_TRUE(fs::exists(root / "thesis/chapters"));
  fs::create_directories(root / "draft.partial/chapters");
  EXPECT_NE(
      refusal(root / "draft").find("draft.partial: error: run directory exists and holds something else"),
      std::string::npos);
  EXPECT_TRUE(fs::exists(root / "draft.partial/chapters"));
  std::ofstream(root / "empty_file").close();
  EXPECT_NE(refusal(root / "empty_file").find("holds something else"), std::string::npos);
}

TEST_F(RunDirectoryTest, AFolderWithAScenarioIsNotYetARun) {
  fs::create_directories(root / "a");
  for (const char* name : {"scenario.json", "files", "events.jsonl", "notes.txt"}) {
    std::ofstream(root / "a" / name).close();
    EXPECT_EQ(refusal(root / "a") == "none", std::string(name) == "events.jsonl") << name;
  }
  EXPECT_TRUE(fs::exists(root / "a/notes.txt"));
  fs::remove(root / "a/scenario.json");
  fs::remove(root / "a/notes.txt");
  EXPECT_NE(refusal(root / "a"), "none");
}

TEST_F(RunDirectoryTest, HasANameAndIsAbsolute) {
  EXPECT_EQ(refusal(""), "--out: error: names no run directory");
  EXPECT_EQ(RunDirectory(root / "b/../a/").final_path(), root / "a");
}

TEST_F(RunDirectoryTest, ARunThatCannotTakeItsNameIsAFailure) {
  RunDirectory run(root / "a");
  fs::remove_all(run.path());
  const std::string failure = thrown<OutputFailure>([&] { run.finish(); });
  EXPECT_NE(failure.find("cannot be replaced (No such file or directory); the new run stays in"),
            std::string::npos)
      << failure;
}

TEST_F(RunDirectoryTest, TwoRunsDoNotShareOne) {
  RunDirectory run(root / "a");
  EXPECT_NE(refusal(root / "a").find("is being written by another run"), std::string::npos);
}

TEST_F(RunDirectoryTest, EventsAreLinesOfJson) {
  EventFile events(root / "events.jsonl");
  events.record(5_ns, "node.power", "power_lost");
  events.record(6_ns, "node.dimm_ssd", "restore", {{"name", std::string("c\"g")}, {"version", 5u}});
  std::ifstream in(root / "events.jsonl");
  std::string first, second;
  std::getline(in, first);
  std::getline(in, second);
  EXPECT_EQ(first, R"({"time_ps":5000,"source":"node.power","kind":"power_lost"})");
  EXPECT_EQ(second,
            R"({"time_ps":6000,"source":"node.dimm_ssd","kind":"restore","name":"c\"g","version":5})");
  EXPECT_EQ(events.count("restore"), 1u);
  EXPECT_EQ(events.count("checkpoint_commit"), 0u);
  EXPECT_EQ(events.count(), 2u);
}

TEST_F(RunDirectoryTest, EventsThatCannotBeWrittenAreAFailure) {
  EventFile complete(root / "events.jsonl");
  complete.record(5_ns, "node.power", "power_lost");
  complete.check();
  EventFile events("/dev/full");
  events.record(5_ns, "node.power", "power_lost");
  events.record(6_ns, "node.power", "power_restored");
  EXPECT_EQ(thrown<OutputFailure>([&] { events.check(); }),
            "/dev/full: error: cannot be written: No space left on device");
}

TEST_F(RunDirectoryTest, PowerReturnsWhenItsLossSays) {
  EventFile events(root / "events.jsonl");
  EXPECT_FALSE(events.power_returns());
  events.record(5_ns, "node.power", "power_lost", {{"restore_after_ps", std::uint64_t{2000}}});
  EXPECT_EQ(events.power_returns(), 7_ns);
  events.record(7_ns, "node.power", "power_restored");
  EXPECT_FALSE(events.power_returns());
}

TEST_F(RunDirectoryTest, ARecoveryIsTheFirstRestoreAfterAPowerLoss) {
  EventFile events(root / "events.jsonl");
  for (const char* kind :
       {"restore", "power_lost", "restore", "restore", "power_lost", "power_lost", "restore"})
    events.record(1_ns, "node", kind);
  EXPECT_EQ(events.recoveries(), 2u);
}

TEST_F(RunDirectoryTest, ARecoveryOfLostGpusIsOne) {
  EventFile events(root / "events.jsonl");
  for (const char* kind : {"gpu_lost", "gpu_lost", "gpu_copied_in", "recovery", "recovery"})
    events.record(1_ns, "node", kind);
  EXPECT_EQ(events.recoveries(), 1u);
}

TEST(StatisticsText, KeepsTheOrderOfItsEntries) {
  Statistics statistics;
  statistics.add("zeta", std::uint64_t{2});
  statistics.group("alpha").add("time", 3_ns);
  EXPECT_EQ(to_json(statistics), "{\n  \"zeta\": 2,\n  \"alpha\": {\n    \"time_ps\": 3000\n  }\n}\n");
}

}  // namespace
}  // namespace asterism
