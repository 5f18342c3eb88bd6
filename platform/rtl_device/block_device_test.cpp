#include "platform/rtl_device/block_device.h"

#include <gmock/gmock.h>

#include <fstream>

#include "base/temporary_folder.h"
#include "platform/config/diagnostics.h"
#include "platform/rtl_device/block_registers.h"
#include "tlm/test_node.h"

namespace asterism {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* target_port = R"({"role": "bus", "side": "target", "address": "a", "select": "s",
    "enable": "e", "write": "w", "write_data": "wd", "read_data": "rd", "ready": "r"})";
constexpr const char* master_port = R"({"role": "bus", "side": "master", "address": "ma", "select": "ms",
    "enable": "me", "write": "mw", "write_data": "mwd", "read_data": "mrd", "ready": "mr"})";
constexpr const char* line = R"({"role": "interrupt", "signal": "i_o"})";
constexpr const char* device = R"("device": {
    "meaning": "It counts", "size": "8KiB", "compatible": ["acme,c2", "acme,c"],
    "registers": [
      {"offset": "0x10", "name": "COUNT", "meaning": "Steps"},
      {"offset": "0x0", "name": "STATUS", "access": "write_one_to_clear", "reset_value": "0x30",
       "meaning": "State",
       "fields": [{"name": "cause", "low": 4, "width": 2, "meaning": "Why", "values": {"read": 1}}]}]},)";

struct NoFiles final : DeviceFiles {
  bool has(std::string_view, const std::string&) const override { return false; }
  void read(std::string_view, const std::string&, ObjectValue&) override {}
};

struct BlockDeviceTest : testing::Test {
  TemporaryFolder folder;
  NoFiles files;
  BlockDeviceConfig config{.block = (folder / "block.json").string()};

  // Writes the block.json with these ports, and keys that end in a comma.
  BlockConfig block(const std::vector<std::string>& ports, const std::string& keys = "",
                    const std::string& contract = "bus_device") const {
    std::string all;
    for (const std::string& port : ports) all += (all.empty() ? "" : ", ") + port;
    std::ofstream(folder / "block.json")
        << R"({"name": "counter", "contract": ")" << contract
        << R"(", "sources": ["counter.sv"], "top": "counter",)" << keys
        << R"("parameters": {"Width": 8}, "clock": "clk_i", "reset": {"port": "rst_ni"}, "ports": [)" << all
        << "]}";
    NoFiles none;
    return BlockDevice::load(config, none);
  }
  template <class Error>
  std::string refusal() {
    try {
      BlockDevice::load(config, files);
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  }
};

TEST_F(BlockDeviceTest, ItsShapeIsThatOfTheBlock) {
  const DeviceShape shape =
      BlockDevice::shape(config, block({target_port, line, master_port, line, line}, device), {});
  ASSERT_EQ(shape.targets.size(), 1u);
  EXPECT_EQ(shape.targets[0].size, 8_KiB);
  EXPECT_EQ(shape.targets[0].registers->size(), 8_KiB);
  EXPECT_EQ(shape.interrupts.size(), 3u);
  ASSERT_EQ(shape.initiators.size(), 1u);
  EXPECT_EQ(shape.initiators[0].memory, "");
}

TEST_F(BlockDeviceTest, ABlockThatSaysNothingHasARangeAlone) {
  const BlockConfig plain = block({target_port});
  const DeviceShape shape = BlockDevice::shape(config, plain, {});
  EXPECT_EQ(shape.targets.at(0).size, 4_KiB);
  EXPECT_THAT(shape.targets[0].registers->registers(), IsEmpty());
  EXPECT_THAT(shape.interrupts, IsEmpty());
  EXPECT_THAT(shape.initiators, IsEmpty());
  EXPECT_THAT(BlockDevice::device_tree(config, plain, {}), IsEmpty());
}

TEST_F(BlockDeviceTest, ItsRegistersAreThoseOfTheList) {
  const BlockRegisters bank(block({target_port}, device));
  EXPECT_EQ(bank.device(), "COUNTER");
  EXPECT_EQ(bank.meaning(), "It counts");
  const auto registers = bank.registers();
  ASSERT_EQ(registers.size(), 2u);
  EXPECT_EQ(registers[0]->name(), "STATUS");
  EXPECT_EQ(registers[0]->access(), Access::write_one_to_clear);
  EXPECT_EQ(registers[0]->reset_value(), 0x30u);
  const Field& cause = registers[0]->fields().at(0);
  EXPECT_EQ(cause.name, "cause");
  EXPECT_EQ(cause.mask(), 0x30u);
  EXPECT_EQ(cause.values.at(0).name, "read");
  EXPECT_EQ(cause.values[0].value, 1u);
  EXPECT_EQ(registers[1]->offset(), 0x10u);
  EXPECT_FALSE(registers[1]->has_fixed_reset_value());
}

TEST_F(BlockDeviceTest, SoftwareFindsItByItsNamesAndReadsItsClock) {
  config.clock = 4_MHz;
  const auto nodes = BlockDevice::device_tree(
      config, block({target_port, line, line}, device),
      {.instance = "mine", .ranges = {{Address(0x0b07'0000), 8_KiB}}, .interrupts = {22, 23}});
  ASSERT_EQ(nodes.size(), 1u);
  EXPECT_EQ(nodes[0].name, "counter@b070000");
  EXPECT_THAT(std::get<DeviceTreeNode::Strings>(*nodes[0].find("compatible")),
              ElementsAre("acme,c2", "acme,c"));
  EXPECT_THAT(std::get<DeviceTreeNode::Cells>(*nodes[0].find("interrupts")), ElementsAre(0, 22, 4, 0, 23, 4));
  EXPECT_THAT(std::get<DeviceTreeNode::Cells>(*nodes[0].find("clock-frequency")), ElementsAre(4'000'000));
}

TEST_F(BlockDeviceTest, WhatIsWrongIsReportedAtItsKey) {
  const std::string at = "command line: error: ";  // the type does not know where a key was written
  EXPECT_EQ(refusal<InputMissing>(), at + "block: there is no file \"" + config.block + "\"");
  block({target_port});
  config.parameters["Widht"] = 4;
  EXPECT_EQ(refusal<ConfigError>(),
            at + "parameters.Widht: counter has no parameter Widht in its block.json; did "
                 "you mean \"Width\"?");
  config.parameters = {};
  EXPECT_THROW(block({}, "", "arbiter"), ConfigError);
  EXPECT_EQ(refusal<ConfigError>(),
            at + "block: expected a block of the contract \"bus_device\", got \"arbiter\"");
  std::filesystem::rename(folder / "block.json", folder / "block.so");
  config.block = (folder / "block.so").string();
  EXPECT_EQ(
      refusal<ConfigError>(),
      at + "block: expected a block.json, which says what the device has, got \"" + config.block + "\"");
}

TEST_F(BlockDeviceTest, TheRtlIsItsBlockWithItsClockAndParameters) {
  config.clock = 4_MHz;
  config.parameters["Width"] = 4;
  const auto uses = BlockDevice::rtl(config, NoNode());
  ASSERT_EQ(uses.size(), 1u);
  EXPECT_EQ(uses[0].block, "");
  EXPECT_EQ(uses[0].file_key, "block");
  EXPECT_EQ(uses[0].swap.impl, Impl::rtl);
  EXPECT_EQ(uses[0].swap.variant, config.block);
  EXPECT_EQ(uses[0].swap.clock, 4_MHz);
  EXPECT_EQ(uses[0].parameters, (std::map<std::string, std::uint64_t>{{"Width", 4}}));
}

}  // namespace
}  // namespace asterism
