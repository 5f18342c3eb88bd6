#include "tlm/device_tree.h"

#include <gtest/gtest.h>

namespace asterism {
namespace {

TEST(DeviceTree, AddressesAndSizesTakeTwoCellsEach) {
  EXPECT_EQ(dt::reg({Address(0x1'4000'0000), 2_GiB}), (DeviceTreeNode::Cells{1, 0x40000000, 0, 0x80000000}));
}

TEST(DeviceTree, NodesAreNamedByTheirAddress) {
  EXPECT_EQ(dt::node_name("pl011", {Address(0x0900'0000), 4_KiB}), "pl011@9000000");
}

TEST(DeviceTree, PropertiesKeepTheirOrderAndKind) {
  DeviceTreeNode node{"timer"};
  node.set("compatible", {"a", "b"}).set("interrupts", dt::spi(3)).set("always-on");
  ASSERT_EQ(node.properties.size(), 3u);
  EXPECT_EQ(std::get<DeviceTreeNode::Strings>(*node.find("compatible")), (DeviceTreeNode::Strings{"a", "b"}));
  EXPECT_EQ(std::get<DeviceTreeNode::Cells>(*node.find("interrupts")), (DeviceTreeNode::Cells{0, 3, 4}));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(*node.find("always-on")));
  EXPECT_EQ(node.find("absent"), nullptr);
}

}  // namespace
}  // namespace asterism
