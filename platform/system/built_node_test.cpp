// Nodes in a program of somebody else: two side by side, each with a module that knows nothing of them and is
// bound to its device of the type external.
#include "platform/system/built_node.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <vector>

#include "devices/external.h"
#include "platform/config/config.h"
#include "platform/firmware/test_elf.h"
#include "tlm/foreign_master.h"
#include "tlm/systemc_test.h"

namespace asterism {
namespace {

constexpr std::uint64_t elsewhere = 0x4100'0000;

PreparedNode node_with_a_place() {
  const ConfigLibrary library{std::filesystem::path(ASTERISM_SOURCE_CONFIGS)};
  ConfigDocument document = ConfigDocument::parse(R"({
      "use": "standard_map", "memory": {"size": "64MiB", "ranks": 1}, "devices": {
        "accelerator": {"type": "external", "base": "0x0b20_0000", "size": "4KiB", "interrupt": 30,
                        "masters": 1, "lines": 1, "compatible": ["acme,accelerator"]}}})",
                                                  "node.json");
  Diagnostics problems;
  NodeConfig config = read_config<NodeConfig>(document, &library, problems);
  PreparedNode node = prepare_node(std::move(config), {"node"}, library, document, "", problems);
  EXPECT_EQ(problems.text(), "");
  return node;
}

// Stores a word at the start of the module's range, then executes `last`.
Firmware program(std::uint32_t word, const std::vector<std::uint32_t>& last) {
  // movz x0, #0x0b20, lsl #16; movz w1, #word; str w1, [x0]
  std::vector<std::uint32_t> code{0xd2a1'6400, 0x5280'0001 | word << 5, 0xb900'0001};
  code.insert(code.end(), last.begin(), last.end());
  std::vector<std::byte> bytes(code.size() * 4);
  std::memcpy(bytes.data(), code.data(), bytes.size());
  return {.elf = ElfImage::parse(TestElf(bytes).bytes(), "test.elf", {Address(0x4000'0000), 64_MiB})};
}
const std::vector<std::uint32_t> loop{0x1400'0000};  // b .

// movz w0, #0x18 (SYS_EXIT); ldr x1, address; hlt #0xf000; b .; b .
// address: .quad block; block: .quad 0x20026 (ADP_Stopped_ApplicationExit), 7
const std::vector<std::uint32_t> exits{
    0x5280'0300, 0x5800'0081, 0xd45e'0000, 0x1400'0000, 0x1400'0000, 0x4020'0028, 0, 0x0002'0026, 0, 7, 0};

// A target that keeps the last word, and a line.
struct ForeignModule : sc_core::sc_module {
  tlm_utils::simple_target_socket<ForeignModule> socket{"socket"};
  sc_core::sc_out<bool> done{"done"};
  std::uint32_t word = 0;
  explicit ForeignModule(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &ForeignModule::b_transport);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    std::memcpy(&word, payload.get_data_ptr(), sizeof word);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    done.write(true);
  }
};

struct Side {
  ForeignModule module;
  ForeignMaster dma;
  Firmware firmware;
  BuiltNode node;

  Side(const std::string& name, const PreparedNode& prepared, Firmware runs, EventLog& events,
       const std::vector<FaultConfig>& faults = {})
      : module((name + "_module").c_str()),
        dma((name + "_dma").c_str()),
        firmware(std::move(runs)),
        node(name.c_str(), prepared, {.events = events, .firmware = firmware, .faults = faults}) {
    External& place = *node.devices().find_as<External>("accelerator");
    place.target.bind(module.socket);
    dma.socket.bind(place.masters[0]);
    module.done.bind(place.lines[0]);
  }
  std::uint32_t read(std::uint64_t address) {
    tlm::tlm_generic_payload payload;
    std::uint32_t word = 0;
    sc_core::sc_time delay;
    TestInitiator::fill(payload, tlm::TLM_READ_COMMAND, address, reinterpret_cast<unsigned char*>(&word), 4);
    dma.socket->b_transport(payload, delay);
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_OK_RESPONSE);
    return word;
  }
};

struct TwoNodesTest : SystemCTest {
  NoEventLog events;
  const PreparedNode prepared = node_with_a_place();
  Side left{"left", prepared, program(0x1234, loop), events},
      right{"right", prepared, program(0x5678, exits), events};
};

SYSTEMC_TEST_F(TwoNodesTest, NothingHappensBeforeANodeIsSwitchedOn) {
  wait_for(1_ms);
  EXPECT_EQ(left.node.instructions() + right.node.instructions(), 0u);
  right.node.power_on();
  wait_for(1_ms);
  EXPECT_EQ(left.node.instructions(), 0u);
  EXPECT_EQ(right.module.word, 0x5678u);
}

SYSTEMC_TEST_F(TwoNodesTest, ANodeThatIsOnRemainsAsItIs) {
  right.node.power_on();
  wait_for(1_ms);
  const std::uint64_t before = right.node.instructions();
  right.node.power_on();
  wait_for(1_ms);
  EXPECT_EQ(right.node.instructions(), before);
}

SYSTEMC_TEST_F(TwoNodesTest, ALostNodeCannotBeSwitchedOn) {
  left.node.lose();
  left.node.power_on();
  wait_for(1_ms);
  EXPECT_EQ(left.node.instructions(), 0u);
}

SYSTEMC_TEST_F(TwoNodesTest, AModuleIsADeviceOfItsNode) {
  left.node.power_on();
  right.node.power_on();
  wait_for(1_ms);
  EXPECT_EQ(left.module.word, 0x1234u);
  EXPECT_EQ(right.module.word, 0x5678u);
  constexpr std::uint64_t levels = 0x0800'0d04;  // GICD_SPISR0
  EXPECT_EQ(left.read(levels), 1u << 30);
  EXPECT_EQ(left.dma.write32(elsewhere, 0xabcd), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(left.read(elsewhere), 0xabcdu);
  EXPECT_NE(right.read(elsewhere), 0xabcdu);
}

SYSTEMC_TEST_F(TwoNodesTest, TheEndOfANodeEndsNothingElse) {
  unsigned ends = 0;
  right.node.on_end = [&] { ++ends; };
  left.node.power_on();
  right.node.power_on();
  wait_for(1_ms);
  EXPECT_EQ(ends, 1u);
  ASSERT_TRUE(right.node.end());
  EXPECT_EQ(right.node.end()->status, 7u);
  const std::uint64_t before = left.node.instructions();
  wait_for(1_ms);
  EXPECT_GT(left.node.instructions(), before);
  EXPECT_FALSE(left.node.end());
}

// A loss of power at 1 ms, from which the power returns at 2 ms.
struct LossOfPowerTest : SystemCTest {
  NoEventLog events;
  const PreparedNode prepared = node_with_a_place();
  Side side{"side", prepared, program(0x1234, loop), events, {{.at = 1_ms}}};
};

SYSTEMC_TEST_F(LossOfPowerTest, DoesNotSwitchANodeOn) {
  wait_for(3_ms);
  EXPECT_EQ(side.node.instructions(), 0u);
}

SYSTEMC_TEST_F(LossOfPowerTest, StartsTheFirmwareAgain) {
  side.node.power_on();
  wait_for(1500_us);
  side.module.word = 0;
  wait_for(1_ms);
  EXPECT_EQ(side.module.word, 0x1234u);
}

}  // namespace
}  // namespace asterism
