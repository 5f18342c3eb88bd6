#include <gtest/gtest.h>

#include <sstream>

#include "platform/study/study_kind.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest crash(R"({"kind": "crash"})");

std::string failure_of(const std::vector<std::string>& overrides) {
  return thrown<StudyFailure>([&] { crash.run(overrides); });
}

TEST(CrashStudyTest, RunsTrialsUntilPowerHasFailedThatOften) {
  const Row row = crash.run({"power_failures=50", "seed=3", "method=late", "contents=tags"});
  ASSERT_EQ(row.cells.size(), row.kind->columns.size());
  EXPECT_GE(row.count("trials"), 2u);
  EXPECT_GE(row.count("survived_power_failures"), 50u);
  EXPECT_EQ(row.count("last_seed"), 3 + row.count("trials") - 1);
  EXPECT_GE(row.count("audited"), row.count("durable"));
  EXPECT_GT(row.count("states"), row.count("states_not_reached"));
}

TEST(CrashStudyTest, AStateThatIsNotReachedIsAFailureWhereAllAreAskedFor) {
  EXPECT_NE(
      failure_of({"power_failures=20", "method=late", "all_states=true"}).find("states were not reached"),
      std::string::npos);
}

TEST(CrashStudyTest, WhatWasSurvivedBeforeASignalIsKept) {
  const Study study = crash.read({"power_failures=1000000000"});
  const PointRun run = run_interrupted(study, 1, [&] { return study.points[0].point->share_done() != 0; });
  EXPECT_TRUE(run.interrupted);
  EXPECT_EQ(run.done(), 0u);
  EXPECT_EQ(run.partly(), 1u);
  EXPECT_GE((Row{study.kind, run.rows.at(0).value()}.count("survived_power_failures")), 1u);
}

TEST(CrashStudyTest, NamesTheSeedThatFailsAndTheCommandThatReplaysIt) {
  const std::string words = failure_of({"power_failures=1000", "mutant=reported_too_early", "method=late"});
  const std::size_t at = words.find("replay: asterism study crash ");
  ASSERT_NE(at, std::string::npos) << words;
  std::vector<std::string> overrides;
  std::istringstream command(words.substr(at + 29));
  for (std::string word; command >> word;) overrides.push_back(word);
  const std::string again = failure_of(overrides);
  ASSERT_NE(again, "none");
  const auto what = [](const std::string& text) { return text.substr(text.find('\n')); };
  EXPECT_EQ(what(again), what(words));
}

}  // namespace
}  // namespace asterism
