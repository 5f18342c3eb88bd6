#include "platform/study/crash_study.h"

#include <gtest/gtest.h>

#include <sstream>

#include "platform/study/study.h"

namespace asterism {
namespace {

const ConfigLibrary library(ASTERISM_SOURCE_CONFIGS);

std::vector<Cell> run(const std::vector<std::string>& overrides) {
  ConfigDocument document = ConfigDocument::parse(R"({"kind": "crash"})", "s.json");
  for (const std::string& override : overrides) document.apply_override(override);
  const Study study = read_study(std::move(document), "s", library, {&crash_study, 1});
  return study.points.at(0).point->run({});
}
std::string failure_of(const std::vector<std::string>& overrides) {
  try {
    run(overrides);
  } catch (const StudyFailure& failure) {
    return failure.what();
  }
  return "";
}

TEST(CrashStudyTest, RunsTrialsUntilThereAreSoManyCuts) {
  const std::vector<Cell> row = run({"cuts=50", "seed=3", "method=late", "contents=tags"});
  ASSERT_EQ(row.size(), crash_study.columns.size());
  EXPECT_GE(std::get<std::uint64_t>(row[0]), 2u);
  EXPECT_GE(std::get<std::uint64_t>(row[1]), 50u);
}

TEST(CrashStudyTest, NamesTheSeedThatFailsAndTheCommandThatReplaysIt) {
  const std::string words = failure_of({"cuts=1000", "plant=reported_too_early", "method=late"});
  const std::size_t at = words.find("replay: asterism study crash ");
  ASSERT_NE(at, std::string::npos) << words;
  std::vector<std::string> overrides;
  std::istringstream command(words.substr(at + 29));
  for (std::string word; command >> word;) overrides.push_back(word);
  const std::string again = failure_of(overrides);
  ASSERT_FALSE(again.empty());
  const auto what = [](const std::string& text) { return text.substr(text.find('\n')); };
  EXPECT_EQ(what(again), what(words));
}

}  // namespace
}  // namespace asterism
