#include "fabric/switch_ports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fabric/topology/test_topology.h"

namespace asterism {
namespace {

using testing::ElementsAre;

TEST(SwitchPortsTest, NodesComeFirstThenChannelsByTheRouterAtTheOtherEnd) {
  const auto ports = switch_ports(*line({1_ns, 2_ns, 1_ns}).topology);
  ASSERT_EQ(ports.size(), 3u);
  EXPECT_EQ(ports[1].name, "R1");
  EXPECT_EQ(ports[1].period, 2_ns);
  EXPECT_EQ(ports[1].radix, 4u);
  EXPECT_THAT(ports[1].inputs, ElementsAre("node1", "R0", "R2"));
  EXPECT_THAT(ports[1].outputs, ElementsAre("node1", "R0", "R2"));
}

TEST(SwitchPortsTest, ParallelChannelsAreNumbered) {
  TestTopology pair({1_ns, 1_ns});
  for (int i = 0; i < 3; ++i) pair.channel(0, 1);
  EXPECT_THAT(switch_ports(*pair.topology)[0].outputs, ElementsAre("node0", "R1", "R1.1", "R1.2"));
}

TEST(SwitchPortsTest, NodesAreCalledByWhatSitsOnThem) {
  const auto ports = switch_ports(*TestTopology({1_ns, 1_ns}).topology, {{"core0"}, {"dram", "uart0"}});
  EXPECT_THAT(ports[0].inputs, ElementsAre("core0"));
  EXPECT_THAT(ports[1].inputs, ElementsAre("dram+uart0"));
}

}  // namespace
}  // namespace asterism
