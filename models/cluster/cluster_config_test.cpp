#include "cluster/cluster_config.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/fields.h"

namespace asterism {
namespace {

ClusterConfig small() {
  ClusterConfig config;
  config.nodes = 4;
  return config;
}

std::string key_of_problem(const ClusterConfig& config) {
  const auto problem = find_problem(config);
  return problem ? std::string(problem->key) : "none";
}

TEST(ClusterConfigTest, IsDescribedCompletely) {
  EXPECT_EQ(description_problem<ClusterConfig>(), "");
  EXPECT_EQ(description_problem<ClusterCheckpointConfig>(), "");
  EXPECT_EQ(description_problem<ClusterProgramConfig>(), "");
  EXPECT_EQ(description_problem<ClusterStorageConfig>(), "");
}

TEST(ClusterConfigTest, RefusesARingOfOneRank) {
  EXPECT_EQ(key_of_problem(small()), "none");
  EXPECT_EQ(key_of_problem({}), "none");  // no cluster
  ClusterConfig config = small();
  config.nodes = 1;
  EXPECT_EQ(key_of_problem(config), "nodes");
  config.nodes = 65;
  EXPECT_EQ(key_of_problem(config), "nodes");
}

TEST(ClusterConfigTest, AFirmwareProgramRequiresWholeNodes) {
  ClusterConfig config = small();
  config.program.kind = ClusterProgramKind::firmware;
  EXPECT_EQ(key_of_problem(config), "program");
  config.firmware_nodes = config.nodes;
  EXPECT_EQ(key_of_problem(config), "spares");
  config.spares = 0;
  config.firmware_spares = 2;
  EXPECT_EQ(key_of_problem(config), "none");
  config.checkpoint.global_every = 1;
  EXPECT_EQ(key_of_problem(config), "program");
}

TEST(ClusterConfigTest, IndependentNodesHaveNoSpares) {
  ClusterConfig config = small();
  config.program.kind = ClusterProgramKind::independent;
  config.spares = 0;
  EXPECT_EQ(key_of_problem(config), "program");  // traffic nodes
  config.firmware_nodes = config.nodes;
  EXPECT_EQ(key_of_problem(config), "none");
  config.firmware_spares = 1;
  EXPECT_EQ(key_of_problem(config), "firmware_spares");
}

TEST(ClusterConfigTest, RefusesNodesThatCannotBeReached) {
  ClusterConfig config = small();
  config.network.bandwidth = Bandwidth(0);
  EXPECT_EQ(key_of_problem(config), "network");
  config = small();
  config.storage.bandwidth = Bandwidth(0);
  EXPECT_EQ(key_of_problem(config), "none");  // there is no store
  config.checkpoint.global_every = 1;
  EXPECT_EQ(key_of_problem(config), "storage");
}

TEST(ClusterConfigTest, RefusesAnIntervalLongerThanTheRun) {
  ClusterConfig config = small();
  config.checkpoint.interval = config.program.steps;
  EXPECT_EQ(key_of_problem(config), "none");
  config.checkpoint.interval = config.program.steps + 1;
  EXPECT_EQ(key_of_problem(config), "checkpoint.interval");
  config.checkpoint.interval = 0;
  EXPECT_EQ(key_of_problem(config), "checkpoint.interval");
}

TEST(ClusterConfigTest, RefusesMoreFirmwareThanRanks) {
  ClusterConfig config = small();
  config.firmware_spares = 1;
  EXPECT_EQ(key_of_problem(config), "firmware_spares");
  config.firmware_nodes = 4;
  EXPECT_EQ(key_of_problem(config), "none");
  config.firmware_nodes = 5;
  EXPECT_EQ(key_of_problem(config), "firmware_nodes");
}

TEST(ClusterConfigTest, RequiresSpaceForTheCopiesInTheirPlaces) {
  using enum CopyPlacement;
  struct Size {
    CopyPlacement placement;
    std::uint64_t memory, ssd;  // times the state
  };
  for (const Size& size : {Size{memory, 5, 0}, Size{half_ssd, 3, 2}, Size{full_ssd, 1, 4}}) {
    ClusterConfig config = small();
    config.checkpoint.placement = size.placement;
    config.program.memory = config.program.state() * size.memory;
    config.program.ssd = config.program.state() * size.ssd;
    EXPECT_EQ(key_of_problem(config), "none") << to_text(size.placement);
    config.program.memory -= Bytes(1);
    EXPECT_EQ(key_of_problem(config), "program.memory") << to_text(size.placement);
    config.program.memory += Bytes(1);
    if (size.ssd == 0) continue;
    config.program.ssd -= Bytes(1);
    EXPECT_EQ(key_of_problem(config), "program.ssd") << to_text(size.placement);
  }
}

TEST(ClusterConfigTest, AnOverlapNeedsTheLottery) {
  ClusterConfig config = small();
  config.checkpoint.overlap = Picoseconds(1);
  EXPECT_EQ(key_of_problem(config), "checkpoint.overlap");
  config.network.policy = SendPolicy::lottery;
  EXPECT_EQ(key_of_problem(config), "none");
}

TEST(ClusterConfigTest, NumbersRanksThenSparesThenStorage) {
  ClusterConfig config = small();
  config.firmware_nodes = 2;
  config.firmware_spares = 1;
  config.spares = 3;
  config.checkpoint.global_every = 2;
  std::string kinds;
  for (NodeNumber node = 0; node < config.node_count(); ++node)
    kinds += config.is_firmware(node) ? 'f' : node == config.storage_node() ? 's' : 't';
  EXPECT_EQ(kinds, "ffttfttts");
}

TEST(ClusterConfigTest, SelectsTheGlobalVersions) {
  ClusterConfig config = small();
  EXPECT_FALSE(config.is_global(20));
  config.checkpoint.global_every = 2;
  std::vector<std::uint64_t> global;
  for (std::uint64_t version = 0; version <= 60; version += config.checkpoint.interval)
    if (config.is_global(version)) global.push_back(version);
  EXPECT_EQ(global, (std::vector<std::uint64_t>{20, 40, 60}));
}

}  // namespace
}  // namespace asterism
