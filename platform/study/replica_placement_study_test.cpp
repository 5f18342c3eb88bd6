#include <gtest/gtest.h>

#include "platform/study/study_kind.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest replica_placement(R"({"kind": "replica_placement"})");

TEST(ReplicaPlacementStudyTest, HasGeminisProbability) {
  EXPECT_DOUBLE_EQ(replica_placement.run({}).number("survives_percent"), 100 * (1 - 8. / 120));
  EXPECT_DOUBLE_EQ(replica_placement.run({"placement=ring"}).number("survives_percent"),
                   100 * (1 - 16. / 120));
  EXPECT_DOUBLE_EQ(replica_placement.run({"group=8", "parity=2"}).number("lost_percent"), 0);
}

// 16 nodes are two groups of 5 and a ring of 6.
TEST(ReplicaPlacementStudyTest, SaysHowManyNodesRemainOfGroups) {
  EXPECT_EQ(replica_placement.run({"group=5"}).count("ring_nodes"), 6u);
  EXPECT_EQ(replica_placement.run({"group=4"}).count("ring_nodes"), 0u);
  EXPECT_EQ(replica_placement.run({"placement=ring"}).count("ring_nodes"), 16u);
}

TEST(ReplicaPlacementStudyTest, RefusesGroupsThatDoNotFit) {
  EXPECT_EQ(replica_placement.mistake({"nodes=15", "placement=group"}),
            "command line: error: nodes: expected a multiple of the 2 nodes of a group, got 15");
  EXPECT_EQ(replica_placement.mistake({"lost=17"}),
            "command line: error: lost: expected at most 16 lost nodes, got 17");
  EXPECT_EQ(replica_placement.mistake({"parity=2"}),
            "command line: error: parity: expected fewer losses than the 2 nodes of a group, got 2");
}

}  // namespace
}  // namespace asterism
