#include "platform/system/node_device_tree.h"

#include <gmock/gmock.h>

#include "platform/node/listed_node.h"

namespace asterism {
namespace {

using testing::ElementsAre;

// A type with an interrupt and nothing that answers at an address.
struct BellConfig {
  bool is_loud = false;
};
void describe(Fields& f, BellConfig& c) { f("is_loud", c.is_loud, "Whether it is loud."); }
struct Bell : sc_core::sc_module, Device {
  using Config = BellConfig;
  Bell(const sc_core::sc_module_name& name, const Config&, const DeviceContext&) : sc_module(name) {}
  static DeviceShape shape(const Config&, const NodeFacts&) { return {.interrupts = {{}}}; }
  static std::vector<DeviceTreeNode> device_tree(const Config&, const DevicePlace& place) {
    return {device_tree_node("bell", {"acme,bell"}, place)};
  }
  std::vector<tlm::tlm_target_socket<>*> targets() override { return {}; }
  void reset(Reset) override {}
};
const RegisteredDevice<Bell> bell_type{"bell", "It interrupts."};

std::vector<std::string> names_of(const DeviceTreeNode& root) {
  std::vector<std::string> names;
  for (const DeviceTreeNode& child : root.children) names.push_back(child.name);
  return names;
}

TEST(NodeDeviceTreeTest, DevicesWithoutAnAddressFollowAndHaveNoReg) {
  const ListedNode node = ListedNode::of(R"({"use": "standard_map", "devices": {
      "dimm_ssd": null, "power": null, "second": {"type": "bell", "interrupt": 8},
      "first": {"type": "bell"}}, "memory.registers": null})");
  ASSERT_EQ(node.problems, "");
  const DeviceTreeNode root = node_device_tree(node.config, node.devices);
  EXPECT_THAT(names_of(root),
              ElementsAre("chosen", "psci", "cpus", "memory@40000000", "timer", "pmu", "apb-pclk",
                          "intc@8000000", "pl011@9000000", "pl031@9010000", "bell-first", "bell-second"));
  const DeviceTreeNode& second = root.children.back();
  EXPECT_EQ(second.find("reg"), nullptr);
  ASSERT_NE(second.find("interrupts"), nullptr);
  EXPECT_EQ(std::get<DeviceTreeNode::Cells>(*second.find("interrupts")),
            (DeviceTreeNode::Cells{0, 8, dt::level_high}));
}

// Programs use the first of several devices of a type.
TEST(NodeDeviceTreeTest, ThePreferredDevicePrecedesItsLike) {
  const ListedNode node = ListedNode::of(R"({"use": "standard_map", "devices": {
      "dimm_ssd": null, "power": null, "nic0": {"type": "nic", "base": "0x0b05_0000"},
      "nic1": {"type": "nic", "base": "0x0b06_0000"}, "nic2": {"type": "nic", "base": "0x0b07_0000"}},
      "memory.registers": null})");
  ASSERT_EQ(node.problems, "");
  const auto nics_of = [&](const std::string& preferred) {
    std::vector<std::string> nics;
    for (const std::string& name :
         names_of(node_device_tree(node.config, node.devices, {.preferred = preferred})))
      if (name.starts_with("nic")) nics.push_back(name);
    return nics;
  };
  EXPECT_THAT(nics_of(""), ElementsAre("nic@b050000", "nic@b060000", "nic@b070000"));
  EXPECT_THAT(nics_of("nic0"), nics_of(""));
  EXPECT_THAT(nics_of("nic2"), ElementsAre("nic@b070000", "nic@b050000", "nic@b060000"));
}

TEST(NodeDeviceTreeTest, LinuxFindsItsFileSystemAndSeedsInChosen) {
  const DeviceTreeNode chosen{"chosen", chosen_for_linux("quiet", {Address(0x1'4000'0000), 4_KiB}, 1)};
  using Cells = DeviceTreeNode::Cells;
  const auto cells = [](const DeviceTreeNode& node, const char* name) {
    return std::get<Cells>(*node.find(name));
  };
  EXPECT_EQ(std::get<DeviceTreeNode::Strings>(*chosen.find("bootargs")), DeviceTreeNode::Strings{"quiet"});
  EXPECT_EQ(cells(chosen, "linux,initrd-start"), (Cells{1, 0x4000'0000}));
  EXPECT_EQ(cells(chosen, "linux,initrd-end"), (Cells{1, 0x4000'1000}));
  EXPECT_EQ(cells(chosen, "kaslr-seed").size(), 2u);
  EXPECT_EQ(cells(chosen, "rng-seed").size(), 8u);

  const DeviceTreeNode other{"chosen", chosen_for_linux("", {Address(0), 0_B}, 2)};
  EXPECT_EQ(other.find("bootargs"), nullptr);
  EXPECT_EQ(other.find("linux,initrd-start"), nullptr);
  EXPECT_NE(cells(other, "kaslr-seed"), cells(chosen, "kaslr-seed"));
}

}  // namespace
}  // namespace asterism
