#include "cluster/truth/cluster_trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/parameter_name.h"
#include "base/sanitizers.h"
#include "cluster/truth/cluster_states.h"

namespace asterism {
namespace {

constexpr std::uint64_t trials_of_an_aim = is_sanitized ? 60 : 500;

using Counts = ClusterTrialCounts;

struct ClusterTrial : testing::TestWithParam<ClusterAim> {};

// The six aims make 3,000 clusters.
TEST_P(ClusterTrial, EndsWithTheCorrectResultOrIsCorrectlyNotRecoverable) {
  Counts all;
  for (std::uint64_t seed = 1; seed <= trials_of_an_aim; ++seed) try {
      all += run_cluster_trial({.aim = GetParam()}, seed);
    } catch (const ClusterTrialFailure& failure) {
      FAIL() << "asterism study cluster_truth runs=1 seed=" << seed << " aim=" << to_text(GetParam()) << ": "
             << failure.what();
    }
  EXPECT_EQ(all.finished + all.not_recoverable + all.no_spare, trials_of_an_aim);
  if (trials_of_an_aim < 500) return;
  EXPECT_GT(all.finished, 100);
  EXPECT_GT(all.not_recoverable, 5);
  EXPECT_GT(all.no_spare, 10);
  EXPECT_GT(all.recoveries, 100);
  EXPECT_GT(all.from_beginning, 3);
  EXPECT_GT(all.global_commits, 100);
  for (const std::uint64_t losses : all.losses) EXPECT_GT(losses, 40);
  if (GetParam() == ClusterAim::any) {
    EXPECT_GT(all.from_storage, 5);
    EXPECT_GT(all.of_both_buddies, 60);
  }
  const auto aimed_at = GetParam() == ClusterAim::checkpoint ? &Counts::in_checkpoint
                        : GetParam() == ClusterAim::global   ? &Counts::in_global
                        : GetParam() == ClusterAim::recovery ? &Counts::in_recovery
                        : GetParam() == ClusterAim::buddies  ? &Counts::of_both_buddies
                                                             : &Counts::epochs;
  EXPECT_GT(all.*aimed_at, 100);
}
INSTANTIATE_TEST_SUITE_P(Aims, ClusterTrial,
                         testing::Values(ClusterAim::any, ClusterAim::time, ClusterAim::checkpoint,
                                         ClusterAim::global, ClusterAim::recovery, ClusterAim::buddies),
                         ParameterName());

TEST(ClusterTrialItself, IsTheSameForASeed) {
  const Counts first = run_cluster_trial({}, 5);
  EXPECT_EQ(first, run_cluster_trial({}, 5));
  EXPECT_FALSE(first == run_cluster_trial({}, 6));
}

// Whether at least three of 2,000 trials fail with this message.
bool finds(BuddyMutant mutant, const std::string& words) {
  int found = 0;
  for (const ClusterAim aim :
       {ClusterAim::checkpoint, ClusterAim::any, ClusterAim::recovery, ClusterAim::time})
    for (std::uint64_t seed = 1; seed <= 500 && found < 3; ++seed) try {
        run_cluster_trial({.aim = aim, .mutant = mutant}, seed);
      } catch (const ClusterTrialFailure& failure) {
        found += std::string(failure.what()).find(words) != std::string::npos ? 1 : 0;
      }
  return found == 3;
}

constexpr auto owed = "is owed, but", restores = "the cluster restores version", hangs = "the run hangs";

TEST(ClusterTrialItself, FindsAVersionDroppedBeforeTheNextCommit) {
  EXPECT_TRUE(finds(BuddyMutant::drops_before_commit, owed));
}
TEST(ClusterTrialItself, FindsAPartialCopyThatIsOffered) {
  EXPECT_TRUE(finds(BuddyMutant::counts_partial, ""));
}
TEST(ClusterTrialItself, FindsACopyReportedAsStoredTooEarly) {
  EXPECT_TRUE(finds(BuddyMutant::stored_too_early, owed));
}
TEST(ClusterTrialItself, FindsAnEarlyCommit) { EXPECT_TRUE(finds(BuddyMutant::commits_too_early, "")); }
TEST(ClusterTrialItself, FindsAcceptedMessagesOfOldEpochs) {
  EXPECT_TRUE(finds(BuddyMutant::accepts_old_epochs, ""));
}
TEST(ClusterTrialItself, FindsACopyThatIsNotResent) {
  EXPECT_TRUE(finds(BuddyMutant::copies_not_resent, owed));
}
TEST(ClusterTrialItself, FindsLostCopiesThatAreOffered) {
  EXPECT_TRUE(finds(BuddyMutant::keeps_what_was_lost, restores));
}
TEST(ClusterTrialItself, FindsARestoreOfAnOlderVersion) {
  EXPECT_TRUE(finds(BuddyMutant::restores_older, restores));
}
TEST(ClusterTrialItself, FindsARunThatHangs) { EXPECT_TRUE(finds(BuddyMutant::loses_a_wakeup, hangs)); }

// The trials of CI must reach every state, since they show nothing about a state that they do not reach.
TEST(ClusterTrialItself, ReachesEveryStateThatIsListed) {
  if (trials_of_an_aim < 500) GTEST_SKIP() << "too few trials under a sanitizer";
  ClusterStates states;
  for (std::uint64_t seed = 1; seed <= 10'000; ++seed) run_cluster_trial({}, seed, &states);
  EXPECT_GT(states.listed().size(), 200u);
  EXPECT_THAT(states.not_reached(), testing::IsEmpty());
}

TEST(ClusterTrialItself, ListsAStateThatIsNotReached) {
  ClusterStates states;
  EXPECT_EQ(states.not_reached().size(), states.listed().size());
  states.broken(Loss::ssd, RecoveryPath::storage);
  EXPECT_EQ(states.not_reached().size(), states.listed().size() - 1);
  EXPECT_THAT(states.not_reached(), testing::Not(testing::Contains("broken ssd storage")));
  EXPECT_THAT(states.not_reached(), testing::Contains("broken ssd copies"));
  ClusterStates more;
  more.loss(Loss::gpu, LossRole::rank, 1u << static_cast<unsigned>(BuddyPhase::buddy_copy));
  states += more;
  EXPECT_THAT(states.not_reached(), testing::Not(testing::Contains("loss gpu rank buddy_copy")));
  EXPECT_THAT(states.not_reached(), testing::Contains("loss gpu rank computing"));
}

}  // namespace
}  // namespace asterism
