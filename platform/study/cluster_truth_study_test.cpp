#include <gtest/gtest.h>

#include "platform/study/study_kind.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest cluster_truth(R"({"kind": "cluster_truth"})");

TEST(ClusterTruthStudyTest, EveryRunEndsInOneOfThreeWays) {
  const Row row = cluster_truth.run({"runs=60", "seed=3"});
  ASSERT_EQ(row.cells.size(), row.kind->columns.size());
  EXPECT_EQ(row.count("right_runs"), 60u);
  EXPECT_EQ(row.count("last_seed"), 62u);
  EXPECT_EQ(row.count("finished") + row.count("not_recoverable") + row.count("no_spare"), 60u);
  EXPECT_GT(row.count("recoveries"), 20u);
}

TEST(ClusterTruthStudyTest, NamesTheStatesThatNoRunHasReached) {
  const Row row = cluster_truth.run({"runs=5"});
  EXPECT_GT(row.count("states"), 200u);
  EXPECT_GT(row.count("states_not_reached"), 50u);
  EXPECT_NE(row.text("unreached").find("broken gpu storage"), std::string::npos) << row.text("unreached");
  const std::string words = thrown<StudyFailure>([] { cluster_truth.run({"runs=5", "all_states=true"}); });
  EXPECT_NE(words.find("states were not reached in 5 runs:\n  "), std::string::npos) << words;
}

TEST(ClusterTruthStudyTest, NamesTheSeedThatFailsAndTheCommandThatReplaysIt) {
  const auto failure_of = [](const std::vector<std::string>& overrides) {
    return thrown<StudyFailure>([&] { cluster_truth.run(overrides); });
  };
  const std::string words = failure_of({"runs=1000", "mutant=restores_older", "aim=time"});
  const std::string replay = "replay: asterism study cluster_truth runs=1 seed=";
  const std::size_t at = words.find(replay);
  ASSERT_NE(at, std::string::npos) << words;
  const std::string seed =
      words.substr(at + replay.size(), words.find(' ', at + replay.size()) - at - replay.size());
  const std::string again = failure_of({"runs=1", "seed=" + seed, "aim=time", "mutant=restores_older"});
  EXPECT_EQ(again.substr(again.find('\n')), words.substr(words.find('\n')));
}

}  // namespace
}  // namespace asterism
