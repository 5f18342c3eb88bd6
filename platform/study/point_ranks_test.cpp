#include "platform/study/point_ranks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <latch>

#include "platform/study/fragile_points.h"
#include "platform/study/study_report.h"

namespace asterism {
namespace {

struct Leaves {
  std::string table, csv, json, svg;
  bool operator==(const Leaves&) const = default;
};
Leaves leaves(const Study& study, const PointRun& run) {
  return {to_table(study, run), to_csv(study, run), to_json(study, run), to_svg(study, run)};
}

TEST(PointRanksTest, AnyNumberOfRanksAndWorkersLeavesTheSameBytes) {
  const Study study = fragile.read({"size=1:40:1"});
  const Leaves by_threads = leaves(study, run_all(study, 2));
  EXPECT_EQ(occurrences(by_threads.csv, "\n"), 41);
  for (const int count : {1, 2, 3})
    for (const unsigned workers : {1u, 2u}) {
      TestRanks ranks(count);
      const PointRun run = ranks.run(study, workers);
      EXPECT_TRUE(leaves(study, run) == by_threads) << count << " ranks, " << workers << " workers";
      EXPECT_EQ(run.places(),
                fmt::format("{} {}{}", count, count == 1 ? "rank" : "ranks", workers == 1 ? "" : " of 2"));
    }
}

TEST(PointRanksTest, OneRunAfterTheOther) {
  TestRanks ranks(2);
  const Study first = fragile.read({"size=1:5:1"}), second = fragile.read({"size=6:9:1"});
  EXPECT_EQ(to_csv(first, ranks.run(first)), to_csv(first, run_all(first, 1)));
  EXPECT_EQ(to_csv(second, ranks.run(second)), to_csv(second, run_all(second, 1)));
}

TEST(PointRanksTest, TheDetailOfAPointIsNotTruncated) {
  TestRanks ranks(1);
  const Study study = fragile.read({"size=3000000"});
  EXPECT_EQ(ranks.run(study).details.at(0).size(), 3'000'002u);
}

// Only the crashed point is lost, on any rank, and its worker is replaced.
TEST(PointRanksTest, APointThatCrashesIsTheOnlyOneLost) {
  for (const int count : {1, 2, 3}) {
    TestRanks ranks(count);
    const Study study = fragile.read({"ends=well,abort,segv,exit", "size=1:3:1"});
    const PointRun run = ranks.run(study);
    EXPECT_FALSE(run.interrupted);
    EXPECT_TRUE(run.has_crashed());
    EXPECT_EQ(run.done(), 3u);
    const char* expected[] = {"", "killed by SIGABRT", "killed by SIGSEGV", "ended with status 3"};
    for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(run.crashes[i], expected[i / 3]) << i;
    EXPECT_EQ(to_csv(study, run),
              "ends,size,size,third\nwell,1,1,0.3333333333333333\nwell,2,2,0.6666666666666666\nwell,3,3,1\n");
    EXPECT_NE(to_json(study, run).find(R"("crashed": [
    {
      "ends": "abort",
      "size": 1,
      "crash": "killed by SIGABRT"
    })"),
              std::string::npos);
    EXPECT_NE(to_json(study, run).find(R"("complete": false)"), std::string::npos);
  }
}

TEST(PointRanksTest, AnErrorOfAPointIsReportedAsWithThreads) {
  for (const int count : {1, 3}) {
    TestRanks ranks(count);
    const Study mistaken = fragile.read({"ends=well,mistake"}), failing = fragile.read({"ends=well,failure"});
    EXPECT_EQ(thrown<ConfigError>([&] { ranks.run(mistaken); }), "command line: error: ends: is not wanted");
    EXPECT_EQ(thrown<StudyFailure>([&] { ranks.run(failing); }), "found");
  }
}

TEST(PointRanksTest, ARankThatCannotMakeAPointSaysWhich) {
  TestRanks ranks(2, [](std::string_view) { return nullptr; });
  const Study study = fragile.read({"ends=endless,well"});  // rank 0 is busy with the first
  EXPECT_EQ(thrown<std::runtime_error>([&] { ranks.run(study); }),
            "rank 1 cannot make a point that rank 0 could: there is no kind \"fragile\"");
}

TEST(PointRanksTest, PointsWithoutAKindStayOnRank0) {
  TestRanks ranks(3, [](std::string_view) { return nullptr; });
  const Study study = fragile.read({"size=1:5:1"});
  for (const Study::Point& point : study.points) point.point->set_kind("");
  EXPECT_EQ(to_csv(study, ranks.run(study)), to_csv(study, run_all(study, 1)));
}

// After a signal to any rank the completed results are kept, and the partial result of a point that supports
// it; a point that does not stop yields nothing. As soon as each of three ranks has a point without an end,
// the two others are done.
TEST(PointRanksTest, ASignalToAnyRankEndsAllAndKeepsWhatIsDone) {
  for (const int interrupted : {0, 1, 2}) {
    begun_without_end = 0;
    TestRanks ranks(3);
    const Study study = fragile.read({"ends=well,deaf,endless", "size=1,2"});
    const pid_t process = interrupted == 0 ? getpid() : ranks.process(interrupted);
    // The run forks. A sanitizer's allocator that a thread has locked at that moment, as threads do when they
    // start, remains locked in the child.
    std::latch has_started(1);
    std::thread user([&] {
      sigset_t interrupt;
      sigemptyset(&interrupt);
      sigaddset(&interrupt, SIGTERM);
      pthread_sigmask(SIG_BLOCK, &interrupt, nullptr);
      has_started.count_down();
      for (int i = 0; i < 60'000 && begun_without_end < 3; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      kill(process, SIGTERM);
    });
    has_started.wait();
    const PointRun run = ranks.run(study);
    user.join();
    EXPECT_TRUE(run.interrupted) << interrupted;
    EXPECT_FALSE(run.has_crashed());
    std::vector<bool> kept;
    for (const auto& row : run.rows) kept.push_back(row.has_value());
    EXPECT_EQ(kept, (std::vector{true, true, false, false, true, false})) << interrupted;
    EXPECT_EQ(run.done(), 2u);
    EXPECT_EQ(run.partly(), 1u);
  }
}

}  // namespace
}  // namespace asterism
