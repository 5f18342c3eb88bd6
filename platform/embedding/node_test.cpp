// Nodes in a program of somebody else: two side by side, each with a module that knows nothing of them and is
// bound to its device of the type external.
#include "platform/embedding/node.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "platform/firmware/test_elf.h"
#include "tlm/foreign_master.h"
#include "tlm/systemc_test.h"

namespace asterism {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::uint64_t elsewhere = 0x4100'0000;

const char* const node_with_a_place = R"({
  "memory": {"base": "0x4000_0000", "size": "64MiB", "ranks": 1,
             "registers": {"base": "0x0b01_0000", "interrupt": 19}},
  "devices": {
    "gic": {"type": "gic400", "base": ["0x0800_0000", "0x0801_0000"]},
    "power": {"type": "power_controller", "base": "0x0b00_0000"},
    "accelerator": {"type": "external", "base": "0x0b20_0000", "size": "4KiB", "interrupt": 30,
                    "masters": 1, "lines": 1, "compatible": ["acme,accelerator"]}}})";

// Stores a word at the start of the module's range, then executes `last`.
NodeFirmware program(std::uint32_t word, const std::vector<std::uint32_t>& last) {
  // movz x0, #0x0b20, lsl #16; movz w1, #word; str w1, [x0]
  std::vector<std::uint32_t> code{0xd2a1'6400, 0x5280'0001 | word << 5, 0xb900'0001};
  code.insert(code.end(), last.begin(), last.end());
  std::vector<std::byte> bytes(code.size() * 4);
  std::memcpy(bytes.data(), code.data(), bytes.size());
  return {.name = "test.elf", .elf = TestElf(bytes).bytes()};
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
  Node node;

  Side(const char* name, const NodeDescription& description, const NodeContext& context)
      : module((std::string(name) + "_module").c_str()),
        dma((std::string(name) + "_dma").c_str()),
        node(name, description, context) {
    node.target("accelerator").bind(module.socket);
    dma.socket.bind(node.master("accelerator"));
    module.done.bind(node.line("accelerator"));
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
  const NodeDescription description{node_with_a_place};
  Side left{"left", description, {.firmware = program(0x1234, loop)}},
      right{"right", description, {.firmware = program(0x5678, exits)}};
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
  left.node.power_on();
  wait_for(1_ms);
  left.module.word = 0;
  left.node.power_on();
  wait_for(1_ms);
  EXPECT_EQ(left.module.word, 0u);
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

SYSTEMC_TEST_F(TwoNodesTest, ItsInterruptsCanBeObserved) {
  EXPECT_FALSE(left.node.interrupt("accelerator").read());
  left.node.power_on();
  wait_for(1_ms);
  EXPECT_TRUE(left.node.interrupt("accelerator").read());
  EXPECT_FALSE(right.node.interrupt("accelerator").read());
}

SYSTEMC_TEST_F(TwoNodesTest, ItsMemoryIsReadAndWrittenWithoutTime) {
  const std::array<std::byte, 3> written{std::byte(1), std::byte(2), std::byte(3)};
  EXPECT_EQ(left.node.write(elsewhere, written), 3u);
  std::array<std::byte, 3> read{};
  EXPECT_EQ(left.node.read(elsewhere, read), 3u);
  EXPECT_EQ(read, written);
  EXPECT_EQ(left.node.read(0x1234'5678, read), 0u);
  EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::SC_ZERO_TIME);
}

SYSTEMC_TEST_F(TwoNodesTest, ARangeCanBeReadUpToItsLastByte) {
  constexpr std::uint64_t end = 0x4400'0000;  // of DRAM
  std::array<std::byte, 8> bytes{};
  bytes[3] = std::byte(0x5a);
  EXPECT_EQ(left.node.write(end - 4, bytes), 4u);
  bytes.fill({});
  EXPECT_EQ(left.node.read(end - 4, bytes), 4u);
  EXPECT_EQ(bytes[3], std::byte(0x5a));
  EXPECT_EQ(left.node.read(end - 1, std::span(bytes).first(1)), 1u);
  EXPECT_EQ(left.node.read(end, bytes), 0u);
  EXPECT_EQ(left.node.read(end - 4, std::span(bytes).first(0)), 0u);
  EXPECT_EQ(left.node.read(~std::uint64_t{0} - 3, bytes), 0u);
}

SYSTEMC_TEST_F(TwoNodesTest, ItsRegistersAreReadAndWrittenByName) {
  EXPECT_EQ(left.node.read_register("gicd", "ITARGETSR", 8), 0u);
  left.node.write_register("gic", "CTLR", 1);
  left.node.write_register("gicd", "ISENABLER", 1 << 5, 1);
  EXPECT_EQ(left.node.read_register("gicd", "CTLR"), 1u);
  EXPECT_EQ(left.node.read_register("gicd", "ISENABLER", 1), 1u << 5);
  EXPECT_EQ(right.node.read_register("gicd", "CTLR"), 0u);
  EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::SC_ZERO_TIME);
}

SYSTEMC_TEST_F(TwoNodesTest, ItHasTheStatisticsOfItsDevices) {
  left.node.power_on();
  wait_for(1_ms);
  EXPECT_THAT(left.node.statistics(), HasSubstr("\"accelerator\": {\n    \"accesses\": 1"));
}

SYSTEMC_TEST_F(TwoNodesTest, WhatThereIsNotIsRefused) {
  EXPECT_THROW(left.node.target("power"), std::invalid_argument);
  EXPECT_THROW(left.node.master("accelerator", 1), std::invalid_argument);
  EXPECT_THROW(left.node.line("accelerator", 1), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(left.node.interrupt("accelerator", 1)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(left.node.interrupt("nothing")), std::invalid_argument);
  EXPECT_THROW(left.node.read_register("accelerator", "CTLR"), std::invalid_argument);
  EXPECT_THROW(left.node.read_register("gicd", "CTRL"), std::invalid_argument);
  EXPECT_THROW(left.node.read_register("gicd", "CTLR", 1), std::invalid_argument);
  EXPECT_THROW(left.node.write_register("gicd", "TYPER", 1), std::invalid_argument);
}

SYSTEMC_TEST_F(TwoNodesTest, NoNodeIsBuiltDuringTheSimulation) {
  wait_for(1_ms);
  EXPECT_THROW(Node("late", description), std::logic_error);
}

struct LoggingNodeTest : SystemCTest {
  Side side{"side",
            NodeDescription(node_with_a_place, {"log={\"node.power\": \"info\"}"}),
            {.firmware = program(0x1234, loop), .faults = R"([{"kind": "power_loss", "at": "1ms"}])"}};
};

SYSTEMC_TEST_F(LoggingNodeTest, TheProgramReceivesTheMessagesOfTheKeyLog) {
  std::vector<std::string> messages;
  side.node.on_log = [&](std::string_view level, const std::string& instance, std::string_view text) {
    messages.push_back(fmt::format("{} {}: {}", level, instance, text));
  };
  side.node.power_on();
  wait_for(3_ms);
  EXPECT_THAT(messages, ElementsAre("info side.power: power lost, returns after 1ms",
                                    "info side.power: power restored"));
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(NodeDescriptionTest, AMistakeNamesItsPlaceAndTheNearestKey) {
  EXPECT_THAT(error_of([] { NodeDescription(R"({"cores": {"cuont": 2}})"); }),
              AllOf(HasSubstr("node:1:"), HasSubstr("cores.cuont"), HasSubstr("count")));
  EXPECT_THAT(error_of([] { NodeDescription("{}", {"cores.count=none"}); }),
              StartsWith("override: error: cores.count: expected "));
  EXPECT_EQ(error_of([] { NodeDescription("{}", {"bogus"}); }),
            "override: error: expected an override such as \"KEY=VALUE\" or \"KEY.KEY=VALUE\", got "
            "\"bogus\"");
  EXPECT_THAT(error_of([] { NodeDescription(R"({"runs": "workload", "fabric": {"topology": "mesh"}})"); }),
              HasSubstr("runs firmware"));
  EXPECT_THAT(error_of([] { NodeDescription::of_file("nope.json"); }),
              StartsWith("node: error: no file \"nope.json\", and no such name in "));
  EXPECT_THAT(error_of([] { NodeFirmware::of_file("no_such.elf"); }), HasSubstr("no_such.elf"));
  EXPECT_THAT(error_of([] { NodeDescription("{\n  \"cores\": {\"count\": 2\n"); }), HasSubstr("node:3:"));
  EXPECT_THAT(error_of([] {
                NodeDescription(R"({"use": "checkpoint_node", "devices": {
    "mine": {"type": "external", "base": "0x0900_0000", "size": "4KiB"}}})");
              }),
              AllOf(HasSubstr("node:2:"), HasSubstr("devices.mine"), HasSubstr("uart0")));
}

TEST(NodeDescriptionTest, AFaultOfAClusterIsRefused) {
  const NodeDescription description(node_with_a_place);
  EXPECT_EQ(
      error_of([&] {
        Node("node", description, {.faults = R"([{"kind": "node_loss", "at": "1ms"},
  {"kind": "power_loss", "at": "1ms", "node": 2}])"});
      }),
      "faults:1:11: error: faults.0.kind: node_loss concerns a node of a cluster, and a node in a program "
      "of your own is in none\n"
      "faults:2:47: error: faults.1.node: is valid only in a cluster, and a node in a program of your own "
      "is in none; got 2");
  EXPECT_THAT(error_of([&] { Node("node", description, {.faults = "[}"}); }), HasSubstr("faults:1:2: error"));
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
  Side side{"side",
            NodeDescription(node_with_a_place),
            {.firmware = program(0x1234, loop), .faults = R"([{"kind": "power_loss", "at": "1ms"}])"}};
};

SYSTEMC_TEST_F(LossOfPowerTest, DoesNotSwitchANodeOn) {
  wait_for(3_ms);
  EXPECT_EQ(side.node.instructions(), 0u);
}

SYSTEMC_TEST_F(LossOfPowerTest, ResetsTheModule) {
  std::vector<bool> resets;
  side.node.on_reset("accelerator", [&](bool is_without_power) { resets.push_back(is_without_power); });
  side.node.power_on();
  wait_for(1500_us);
  EXPECT_THAT(resets, Contains(true));
}

SYSTEMC_TEST_F(LossOfPowerTest, IsAnEvent) {
  std::vector<std::string> events;
  side.node.on_event = [&](std::uint64_t at, std::string_view source, std::string_view kind) {
    events.push_back(fmt::format("{} {} {}", at, source, kind));
  };
  side.node.power_on();
  wait_for(1500_us);
  EXPECT_THAT(events, Contains("1000000000 side.power power_lost"));
}

SYSTEMC_TEST_F(LossOfPowerTest, StartsTheFirmwareAgain) {
  side.node.power_on();
  wait_for(1500_us);
  side.module.word = 0;
  wait_for(1_ms);
  EXPECT_EQ(side.module.word, 0x1234u);
}

SYSTEMC_TEST_F(LossOfPowerTest, IsSatOutByANodeThatIsSwitchedOnDuringIt) {
  wait_for(1500_us);
  side.node.power_on();
  wait_for(400_us);
  EXPECT_EQ(side.node.instructions(), 0u);
  wait_for(200_us);
  EXPECT_EQ(side.module.word, 0x1234u);
}

// Of two other nodes, one could not be built, and one is destroyed.
struct DestroyedNodesTest : SystemCTest {
  const NodeDescription description{node_with_a_place};
  const std::string error = error_of([] {
    Node("failed",
         NodeDescription(
             node_with_a_place,
             {R"(devices.ssd={"type": "dimm_ssd", "base": "0x0a00_0000", "image": "/none/image"})"}));
  });
  std::unique_ptr<Node> destroyed = std::make_unique<Node>("destroyed", description);
  Side side{"side", description, {.firmware = program(0x1234, loop)}};
  DestroyedNodesTest() { destroyed.reset(); }
};

SYSTEMC_TEST_F(DestroyedNodesTest, LeaveNothingBehind) {
  EXPECT_THAT(error, HasSubstr("/none/image"));
  side.node.power_on();
  wait_for(1_ms);
  EXPECT_EQ(side.module.word, 0x1234u);
}

struct MissingFolderTest : SystemCTest {
  const NodeDescription description{node_with_a_place};
  const std::string error = error_of([this] { Node("failed", description, {.files = "/none"}); });
  const int warnings = sc_core::sc_report_handler::get_count(sc_core::SC_WARNING);
};

SYSTEMC_TEST_F(MissingFolderTest, IsFoundBeforeAModuleIsBuilt) {
  EXPECT_EQ(error, "files: there is no folder \"/none\"");
  wait_for(1_ms);
  EXPECT_EQ(sc_core::sc_report_handler::get_count(sc_core::SC_WARNING), warnings);
}

// The firmware ends at once, and the power is lost at 1 ms.
struct EndingNodeTest : SystemCTest {
  Side side{"side",
            NodeDescription(node_with_a_place),
            {.firmware = program(0x1234, exits), .faults = R"([{"kind": "power_loss", "at": "1ms"}])"}};
  unsigned ends = 0;
  EndingNodeTest() {
    side.node.on_end = [this] { ++ends; };
    side.node.power_on();
  }
};

SYSTEMC_TEST_F(EndingNodeTest, EndsAgainAfterALossOfPower) {
  wait_for(500_us);
  const std::uint64_t once = side.node.instructions();
  ASSERT_TRUE(side.node.end());
  const std::uint64_t first = side.node.end()->at;
  wait_for(2_ms);
  EXPECT_EQ(ends, 2u);
  EXPECT_EQ(side.node.instructions(), 2 * once);
  ASSERT_TRUE(side.node.end());
  EXPECT_EQ(side.node.end()->at, first + 2'000'000'000);
}

SYSTEMC_TEST_F(EndingNodeTest, StartsAgainIfItIsSwitchedOn) {
  wait_for(500_us);
  side.node.power_on();
  wait_for(100_us);
  EXPECT_EQ(ends, 2u);
  EXPECT_EQ(side.node.end()->status, 7u);
}

}  // namespace
}  // namespace asterism
