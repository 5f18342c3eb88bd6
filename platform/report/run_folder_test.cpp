#include "platform/report/run_folder.h"

#include <gmock/gmock.h>

#include "base/thrown.h"
#include "platform/config/diagnostics.h"
#include "platform/report/written_run.h"

namespace asterism {
namespace {

using testing::ElementsAre;
using testing::EndsWith;

TEST(RunFolderTest, HasWhatTheRunWrote) {
  const WrittenRun run;
  run.write("stats.json", R"({"simulated_time_ps": 5, "node": {"memory": {"reads": 7}}})");
  run.write("events.jsonl",
            R"({"time_ps":1000,"source":"node.power","kind":"power_lost","restore_after_ps":3})"
            "\n");
  run.write("files/a/result.txt", "1");
  const RunFolder folder = RunFolder::read(run.path());
  EXPECT_EQ(folder.stats["node"]["memory"]["reads"], 7);
  ASSERT_EQ(folder.events.size(), 1u);
  EXPECT_EQ(folder.events[0].at, 1_ns);
  EXPECT_EQ(folder.events[0].kind, "power_lost");
  EXPECT_EQ(folder.events[0].details.dump(), R"({"restore_after_ps":3})");
  EXPECT_THAT(folder.files_below("files"), ElementsAre("files/a/result.txt"));
  EXPECT_EQ(folder.text_of("files/a/result.txt"), "1");
  EXPECT_EQ(folder.text_of("no.log"), "");
}

TEST(RunFolderTest, WhatIsNoRunIsRefusedWithItsName) {
  const WrittenRun run;
  EXPECT_THAT(thrown<InputMissing>([&] { RunFolder::read(run.path() / "none"); }),
              EndsWith("none: error: there is no such folder, expected that of a run"));
  EXPECT_THAT(thrown<InputMissing>([&] { RunFolder::read(run.path() / "events.jsonl"); }),
              EndsWith("events.jsonl: error: is no folder, expected that of a run"));
  std::filesystem::create_directory(run.path() / "none.partial");
  EXPECT_THAT(thrown<InputMissing>([&] { RunFolder::read(run.path() / "none/"); }),
              EndsWith("none/: error: there is no such folder; a run that was interrupted has left " +
                       (run.path() / "none.partial").string()));
  std::filesystem::remove(run.path() / "events.jsonl");
  EXPECT_THAT(thrown<InputMissing>([&] { RunFolder::read(run.path()); }),
              EndsWith("error: is no folder of a run: it has no events.jsonl"));
}

TEST(RunFolderTest, ADamagedFileIsRefusedWithItsLine) {
  const WrittenRun run;
  run.write("events.jsonl", "{\"time_ps\":1,\"source\":\"a\",\"kind\":\"b\"}\n{\"time_ps\":-}\n");
  EXPECT_THAT(thrown<ConfigError>([&] { RunFolder::read(run.path()); }),
              EndsWith("events.jsonl:2:1: error: is no event, expected a JSON object"));
  run.write("events.jsonl", "{\"time_ps\":1}\n");
  EXPECT_THAT(thrown<ConfigError>([&] { RunFolder::read(run.path()); }),
              EndsWith("events.jsonl:1:1: error: is no event, expected time_ps, source and kind"));
  run.write("events.jsonl", "");
  run.write("stats.json", "[]");
  EXPECT_THAT(thrown<ConfigError>([&] { RunFolder::read(run.path()); }),
              EndsWith("stats.json: error: is no JSON object, expected what a run has written"));
  run.write("stats.json", "{");
  EXPECT_THAT(thrown<ConfigError>([&] { RunFolder::read(run.path()); }),
              EndsWith("stats.json: error: is no JSON, expected what a run has written"));
}

TEST(RunFolderTest, TheLastEventOfARunThatWasKilledMayBeIncomplete) {
  const WrittenRun run;
  run.write("events.jsonl", "{\"time_ps\":1,\"source\":\"a\",\"kind\":\"b\"}\n{\"time_ps\":1,\"sou");
  EXPECT_EQ(RunFolder::read(run.path()).events.size(), 1u);
}

TEST(RunFolderTest, ATreeIsFlattenedInItsOrder) {
  const auto tree = nlohmann::ordered_json::parse(R"({"b": {"x": [1, 2]}, "a": [{"y": null}, 3]})");
  std::vector<std::string> lines;
  for (const FlatValue& each : flattened(tree)) lines.push_back(each.path + " " + each.value.dump());
  EXPECT_THAT(lines, ElementsAre("b.x [1,2]", "a.0.y null", "a.1 3"));
}

}  // namespace
}  // namespace asterism
