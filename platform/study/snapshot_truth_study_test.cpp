#include <gtest/gtest.h>

#include <sstream>

#include "platform/study/study_kind.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest snapshot_truth(R"({"kind": "snapshot_truth"})");

std::string failure_of(const std::vector<std::string>& overrides) {
  return thrown<StudyFailure>([&] { snapshot_truth.run(overrides); });
}

TEST(SnapshotTruthStudyTest, RunsTrialsUntilThereAreSoManyInterleavings) {
  const Row row = snapshot_truth.run({"interleavings=70", "seed=3", "config=NB+I-FG+H+D", "gpus=1"});
  ASSERT_EQ(row.cells.size(), row.kind->columns.size());
  EXPECT_GE(row.count("trials"), 4u);
  EXPECT_GE(row.count("right_interleavings"), 70u);
  EXPECT_EQ(row.count("last_seed"), 3 + row.count("trials") - 1);
  EXPECT_GE(row.count("images"), row.count("taken_full") + row.count("taken_increments"));
}

TEST(SnapshotTruthStudyTest, WhatWasRightBeforeASignalIsKept) {
  const Study study = snapshot_truth.read({"interleavings=1000000000"});
  const PointRun run = run_interrupted(study, 1, [&] { return study.points[0].point->share_done() != 0; });
  EXPECT_TRUE(run.interrupted);
  EXPECT_EQ(run.done(), 0u);
  EXPECT_EQ(run.partly(), 1u);
  EXPECT_GE((Row{study.kind, run.rows.at(0).value()}.count("right_interleavings")), 1u);
}

TEST(SnapshotTruthStudyTest, NamesTheSeedThatFailsAndTheCommandThatReplaysIt) {
  const std::string words =
      failure_of({"interleavings=1000", "mutant=zone_not_stored", "config=mixed", "gpus=2"});
  const std::string replay = "replay: asterism study snapshot_truth ";
  const std::size_t at = words.find(replay);
  ASSERT_NE(at, std::string::npos) << words;
  std::vector<std::string> overrides;
  std::istringstream command(words.substr(at + replay.size()));
  for (std::string word; command >> word;) overrides.push_back(word);
  const std::string again = failure_of(overrides);
  ASSERT_NE(again, "none");
  const auto what = [](const std::string& text) { return text.substr(text.find('\n')); };
  EXPECT_EQ(what(again), what(words));
}

TEST(SnapshotTruthStudyTest, ConfigsAreTheNamesOfThePaper) {
  for (const char* config : {"F", "NB+I-FG+H+D", "any", "mixed"})
    EXPECT_NO_THROW(snapshot_truth.read({std::string("config=") + config})) << config;
  EXPECT_THROW(snapshot_truth.read({"config=F+H"}), ConfigError);
}

}  // namespace
}  // namespace asterism
