#include "platform/study/crash_study.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <sstream>
#include <thread>

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
  EXPECT_EQ(std::get<std::uint64_t>(row[2]), 3 + std::get<std::uint64_t>(row[0]) - 1);
}

TEST(CrashStudyTest, WhatWasSurvivedBeforeASignalIsKept) {
  ConfigDocument document = ConfigDocument::parse(R"({"kind": "crash", "cuts": 1000000000})", "s.json");
  const Study study = read_study(std::move(document), "s", library, {&crash_study, 1});
  std::thread user([&] {
    sigset_t interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    pthread_sigmask(SIG_BLOCK, &interrupt, nullptr);  // it is for the thread that runs the points
    while (study.points[0].point->share_done() == 0) std::this_thread::yield();
    kill(getpid(), SIGINT);
  });
  const PointRun run = run_study(study, {.threads = 1, .show_progress = false});
  user.join();
  EXPECT_TRUE(run.interrupted);
  EXPECT_EQ(run.done(), 0u);
  EXPECT_EQ(run.partly(), 1u);
  EXPECT_GE(std::get<std::uint64_t>(run.rows.at(0).value().at(1)), 1u);
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
