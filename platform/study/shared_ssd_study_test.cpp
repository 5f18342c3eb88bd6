#include <gtest/gtest.h>

#include "platform/study/study_kind.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest shared_ssd(R"({"kind": "shared_ssd"})");

// GTC of li2010 Table I.
TEST(SharedSsdStudyTest, HasThePapersNodes) {
  const Row row = shared_ssd.run({});
  EXPECT_EQ(row.count("nodes_by_lifetime"), 21u);
  EXPECT_EQ(row.count("nodes_by_capacity"), 11u);
  EXPECT_EQ(row.count("nodes"), 11u);
  EXPECT_NEAR(row.number("written_gb_per_day"), 2.88 * 28.8, 1e-9);
}

TEST(SharedSsdStudyTest, WearAndCapacityEachBoundTheNodes) {
  // 2.1 nodes, rounded down.
  EXPECT_EQ(shared_ssd.run({"capacity=320GB", "erase_cycles=1000"}).count("nodes"), 2u);
  EXPECT_EQ(shared_ssd.run({"capacity=320GB", "erase_cycles=1000"}).count("nodes_by_capacity"), 111u);
  EXPECT_EQ(shared_ssd.run({"node_checkpoint=32GB"}).count("nodes"), 1u);
  EXPECT_EQ(shared_ssd.run({"node_checkpoint=33GB"}).count("nodes"), 0u);
}

TEST(SharedSsdStudyTest, RefusesMoreNodesThanCanBeCounted) {
  EXPECT_EQ(shared_ssd.mistake({"node_checkpoint=1B", "capacity=1000TB", "erase_cycles=1e12", "every=365d"}),
            "command line: error: node_checkpoint: more nodes than can be counted share the SSD");
  EXPECT_NE(shared_ssd.mistake({"node_checkpoint=0B"}).find("node_checkpoint: expected a size from"),
            std::string::npos);
}

}  // namespace
}  // namespace asterism
