#include <gtest/gtest.h>

#include "platform/study/study_kind.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

// Few checkpoints with small copies: a link of 1 GB/s transfers 256 KiB in 0.27 ms.
const StudyUnderTest overlap(R"({"kind": "buddy_overlap", "state": "256KiB", "checkpoints": 2, "interval": 20,
                                 "nodes": 3})");

TEST(BuddyOverlapStudyTest, WithoutCommunicationACopyTakesTheLinksTimeAndCostsNothing) {
  const Row row = overlap.run({"ratio=0"});
  ASSERT_EQ(row.cells.size(), row.kind->columns.size());
  EXPECT_LT(row.number("busy_percent"), 1);
  EXPECT_DOUBLE_EQ(row.number("dump_ms"), 0.0262144);     // 256 KiB at 10 GB/s
  EXPECT_NEAR(row.number("overlap_ms"), 0.2715, 0.0100);  // 64 parts of 4168 B, and the answer
  EXPECT_NEAR(row.number("c_ms"), 0.2977, 0.0150);        // dump and overlap, and the commit
  EXPECT_NEAR(row.number("overhead_c"), 0, 0.05);
  EXPECT_GT(row.number("saved_percent"), 80);
  EXPECT_EQ(row.text("state"), "ok");
}

// ni2012, Table 4.1: a copy uses the bandwidth that the program leaves on the link.
TEST(BuddyOverlapStudyTest, TheMoreAProgramCommunicatesTheLongerIsAnOverlap) {
  const Row little = overlap.run({"ratio=1.4"}), much = overlap.run({"ratio=3.4"});
  EXPECT_NEAR(little.number("busy_percent"), 100 * 1.4 / 2.4, 3);
  EXPECT_NEAR(much.number("busy_percent"), 100 * 3.4 / 4.4, 3);
  EXPECT_GT(much.number("overlap_c"), 1.4 * little.number("overlap_c"));
  EXPECT_LT(much.number("overhead_c"), 0.1);
}

TEST(BuddyOverlapStudyTest, OpportunisticSendingCostsLeastAndTakesLongest) {
  const Row opportunistic = overlap.run({"policy=opportunistic", "ratio=2.9"}),
            lottery = overlap.run({"policy=lottery", "ratio=2.9"}),
            shared = overlap.run({"policy=shared", "ratio=2.9"});
  EXPECT_LT(opportunistic.number("overhead_c"), lottery.number("overhead_c"));
  EXPECT_LT(lottery.number("overhead_c"), shared.number("overhead_c"));
  EXPECT_GT(opportunistic.number("overlap_c"), lottery.number("overlap_c"));
  EXPECT_GT(lottery.number("overlap_c"), shared.number("overlap_c"));
}

// ni2012, Figure 4.3: a shorter overlap costs more.
TEST(BuddyOverlapStudyTest, TheLotteryMakesTheOverlapThatIsWanted) {
  const Row brief = overlap.run({"policy=lottery", "overlap=1.5"}),
            lasting = overlap.run({"policy=lottery", "overlap=2.2"});
  EXPECT_LT(brief.number("overlap_c"), lasting.number("overlap_c"));
  EXPECT_GT(brief.number("overhead_c"), lasting.number("overhead_c"));
}

// The thread of a node has each frame of a copy twice: it sends one and receives one.
TEST(BuddyOverlapStudyTest, AHostThreadIsNeverIdleWhileACopyIsSent) {
  const Row row = overlap.run({"host_thread=100MB/s", "burst=4", "compute=2ms", "pause=0.6", "ratio=2.9"});
  const double c = 2 * 64 * 4168 / 100e3;  // ms
  EXPECT_NEAR(row.number("c_ms"), c, 0.03 * c);
  const double ratio = row.number("measured_ratio"), share = row.number("busy_percent") / 100;
  EXPECT_NEAR(ratio, 2.9, 0.2);
  EXPECT_NEAR(share, (ratio - 0.6) / (1 + ratio), 0.02);
  const double overhead = row.number("overhead_c");
  EXPECT_GT(overhead, 0);
  EXPECT_NEAR(row.number("overlap_c"), (1 - share * overhead) / (1 - share), 0.15);
}

// A node that waits for a slower one has time for its copy, which the slower one then has to receive.
TEST(BuddyOverlapStudyTest, ACopyDelaysAnUnevenProgramMore) {
  const std::vector<std::string> even{"host_thread=100MB/s", "burst=8", "compute=4ms", "ratio=1"};
  std::vector<std::string> uneven = even;
  uneven.push_back("jitter=0.2");
  const Row in_step = overlap.run(even), not_in_step = overlap.run(uneven);
  EXPECT_NEAR(in_step.number("busy_percent"), not_in_step.number("busy_percent"), 5);
  EXPECT_LT(in_step.number("overhead_c"), not_in_step.number("overhead_c"));
}

TEST(BuddyOverlapStudyTest, SaysWhenTheProgramWaitsForACopy) {
  EXPECT_EQ(overlap.run({"interval=1", "ratio=2.9"}).text("state"), "waits");
}

TEST(BuddyOverlapStudyTest, IsTheSameForASeed) {
  const std::vector<std::string> keys{"policy=lottery", "seed=3"};
  EXPECT_EQ(overlap.run(keys).cells, overlap.run(keys).cells);
}

TEST(BuddyOverlapStudyTest, RefusesWhatIsNoCluster) {
  EXPECT_NE(overlap.mistake({"nodes=1"}).find("nodes"), std::string::npos);
  EXPECT_NE(overlap.mistake({"state=9B"}).find("is a whole number of words of 8 bytes"), std::string::npos);
  EXPECT_NE(overlap.mistake({"overlap=2"}).find("is given with policy lottery only"), std::string::npos);
  EXPECT_NE(overlap.mistake({"jitter=0.1"}).find("is given with burst only"), std::string::npos);
  EXPECT_NE(overlap.mistake({"pause=2"}).find("is a part of ratio"), std::string::npos);
  EXPECT_NE(overlap.mistake({"ratio=100", "compute=1s"}).find("more than 100,000 messages"),
            std::string::npos);
}

}  // namespace
}  // namespace asterism
