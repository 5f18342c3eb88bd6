#include "platform/node/device_list.h"

#include <gmock/gmock.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "platform/node/listed_node.h"
#include "tlm/initiator_extension.h"

namespace asterism {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A type with two of everything, which is never built.
struct PairConfig {
  std::string first = "memory", second = "memory";
};
void describe(Fields& f, PairConfig& c) {
  f("first", c.first, "The memory of its first master.");
  f("second", c.second, "The memory of its second master.");
}
struct Pair : sc_core::sc_module, Device {
  using Config = PairConfig;
  Pair(const sc_core::sc_module_name& name, const Config&, const DeviceContext&) : sc_module(name) {}
  static DeviceShape shape(const Config& config, const NodeFacts&) {
    return {
        .targets = {{.suffix = "_a"}, {.suffix = "_b", .size = 64_KiB}},
        .interrupts = {{}, {}},
        .initiators = {{.memory = config.first, .key = "first"}, {.memory = config.second, .key = "second"}}};
  }
  std::vector<tlm::tlm_target_socket<>*> targets() override { return {}; }
  void reset(Reset) override {}
};
const RegisteredDevice<Pair> pair_type{"pair", "Two of everything."};

// The standard node with these devices in addition.
ListedNode node_of(const std::string& devices, const std::vector<std::string>& overrides = {}) {
  return ListedNode::of(
      R"({"use": "standard_map")" + (devices.empty() ? "" : ", \"devices\": " + devices) + "}", overrides);
}
std::string problems_of(const std::string& devices, const std::vector<std::string>& overrides = {}) {
  std::string text = node_of(devices, overrides).problems;
  if (text.ends_with('\n')) text.pop_back();
  return text;
}
std::vector<std::string> names_of(const DeviceList& list) {
  std::vector<std::string> names;
  for (const PlacedDevice& device : list.all()) names.push_back(device.instance());
  return names;
}
std::vector<std::string> names_of(const AddressMap& map) {
  std::vector<std::string> names;
  for (const MapEntry& entry : map.entries()) names.push_back(entry.name);
  return names;
}

TEST(DeviceListTest, HasTheMainMemoryFirstAndThenRegistersByAddress) {
  const ListedNode node = node_of(R"({
    "flash":  {"type": "nor_flash", "base": "0x0"},
    "second": {"type": "memory", "base": "0x20_0000_0000", "size": "64MiB", "ranks": 1},
    "uart1":  {"type": "pl011", "base": "0x0904_0000"}})");
  ASSERT_EQ(node.problems, "");
  EXPECT_THAT(names_of(node.devices),
              ElementsAre("memory", "gic", "uart0", "rtc", "uart1", "power", "dimm_ssd", "flash", "second"));
  EXPECT_EQ(node.devices.dram(), (AddressRange{Address(0x4000'0000), 2_GiB}));
  EXPECT_EQ(node.devices.interrupt_controller()->instance(), "gic");
  EXPECT_EQ(node.devices.rom()->instance(), "flash");
  EXPECT_EQ(node.devices.device("uart1")->key, "devices.uart1");
  EXPECT_EQ(node.devices.device("uart2"), nullptr);
}

TEST(DeviceListTest, PlacesRangesAndInterruptsInTheirOrder) {
  const ListedNode node =
      node_of(R"({"p": {"type": "pair", "base": ["0x1_0000", "0x2_0000"], "interrupt": [7, 3]}})");
  ASSERT_EQ(node.problems, "");
  const DevicePlace& place = node.devices.device("p")->place;
  EXPECT_THAT(place.ranges,
              ElementsAre(AddressRange{Address(0x1'0000), 4_KiB}, AddressRange{Address(0x2'0000), 64_KiB}));
  EXPECT_THAT(place.interrupts, ElementsAre(7u, 3u));
  EXPECT_EQ(node.map.find("p_b")->range.first, Address(0x2'0000));
  EXPECT_THAT(node.map.find("p_a")->interrupts, ElementsAre(7u, 3u));
  EXPECT_THAT(node.map.find("p_b")->interrupts, IsEmpty());
}

TEST(DeviceListTest, EachMasterHasAnIdentityAndAPortOfItsMemory) {
  const ListedNode node = node_of(R"({
    "second": {"type": "memory", "base": "0x20_0000_0000", "size": "64MiB", "ranks": 1},
    "p": {"type": "pair", "base": ["0x1_0000", "0x2_0000"], "second": "second"}})");
  ASSERT_EQ(node.problems, "");
  constexpr unsigned first = InitiatorExtension::first_device_master;
  EXPECT_THAT(node.devices.device("dimm_ssd")->masters, ElementsAre(first));
  EXPECT_THAT(node.devices.device("p")->masters, ElementsAre(first + 1, first + 2));
  EXPECT_EQ(node.devices.ports_of(node.devices.memory()), 3u);  // the interconnect, p and the DIMM-SSD
  EXPECT_EQ(node.devices.ports_of(*node.devices.device("second")), 2u);
}

TEST(DeviceListTest, ANodeMayHaveNothingButItsMemory) {
  const ListedNode node = ListedNode::of(R"({"memory": {"base": "0x1000_0000"}})");
  ASSERT_EQ(node.problems, "");
  EXPECT_THAT(names_of(node.devices), ElementsAre("memory"));
  EXPECT_THAT(names_of(node.map), ElementsAre("dram"));
  EXPECT_EQ(node.devices.interrupt_controller(), nullptr);
  EXPECT_EQ(node.devices.rom(), nullptr);
}

TEST(DeviceListTest, AnEmptyObjectRemovesAllDevices) {
  const ListedNode node = node_of("{}", {"memory.registers=null"});
  ASSERT_EQ(node.problems, "");
  EXPECT_THAT(names_of(node.map), ElementsAre("dram"));
}

TEST(DeviceListTest, NullRemovesADevice) {
  const ListedNode node = node_of(R"({"dimm_ssd": null, "rtc": null})", {"memory.registers=null"});
  ASSERT_EQ(node.problems, "");
  EXPECT_THAT(names_of(node.map), ElementsAre("gicd", "gicc", "uart0", "power", "dram"));
}

TEST(DeviceListTest, NullRemovesOnlyWhatThereIs) {
  EXPECT_EQ(
      problems_of("", {"devices.rct=null"}),
      "command line: error: devices.rct: there is no device \"rct\" that null could remove; did you mean "
      "\"rtc\"?");
  EXPECT_EQ(
      problems_of(R"({"rct": null})"),
      "node.json:1:44: error: devices.rct: there is no device \"rct\" that null could remove; did you mean "
      "\"rtc\"?");
  EXPECT_EQ(problems_of(R"({"rtc": null})", {"devices.rtc=null"}), "");
  EXPECT_THAT(problems_of("", {"devices={}", "devices.rtc=null"}), HasSubstr("there is no device \"rtc\""));
}

TEST(DeviceListTest, ADeviceIsMovedByItsName) {
  const ListedNode node = node_of("", {"rtc.base=0x0a00_0000", "devices.rtc.interrupt=7"});
  ASSERT_EQ(node.problems, "");
  EXPECT_EQ(node.map.find("rtc")->range.first, Address(0x0a00'0000));
  EXPECT_THAT(node.map.find("rtc")->interrupts, ElementsAre(7u));
}

TEST(DeviceListTest, TheRedistributorsOfManyCoresContinueBehindTheFirstRegion) {
  const ListedNode node =
      node_of(R"({"gic": {"type": "gicv3", "base": ["0x0800_0000", "0x080a_0000", "0x40_0000_0000"]}})",
              {"cores.count=200"});
  ASSERT_EQ(node.problems, "");
  EXPECT_EQ(node.map.find("gicr")->range.first, Address(0x080a'0000));
  EXPECT_EQ(node.map.find("gicr2")->range, (AddressRange{Address(0x40'0000'0000), 128_KiB * 77}));
  EXPECT_THAT(names_of(node.map).at(1), "gicr");
  EXPECT_THAT(names_of(node.map).at(2), "gicr2");  // although its address is behind that of all others
}

// ---- mistakes ----

TEST(DeviceListTest, OverlapsNameBothDevices) {
  EXPECT_EQ(problems_of(R"({"rtc": {"base": "0x0900_0000"}})"),
            "node.json:1:53: error: devices.rtc.base: rtc at 0x9000000-0x9000fff overlaps uart0 at "
            "0x9000000-0x9000fff");
}

TEST(DeviceListTest, AnOverrideIsAtFaultWhereverItStands) {
  EXPECT_EQ(problems_of("", {"uart0.base=0x0901_0000"}),
            "command line: error: uart0.base: uart0 at 0x9010000-0x9010fff overlaps rtc at "
            "0x9010000-0x9010fff");
}

TEST(DeviceListTest, AnInterruptHasOneSource) {
  EXPECT_EQ(problems_of("", {"rtc.interrupt=18"}),
            "command line: error: rtc.interrupt: rtc and dimm_ssd both use interrupt 18");
  EXPECT_EQ(problems_of(R"({"p": {"type": "pair", "base": ["0x0", "0x1_0000"], "interrupt": [5, 5]}})"),
            "node.json:1:105: error: devices.p.interrupt.1: p uses interrupt 5 twice");
}

TEST(DeviceListTest, AnInterruptIsOneThatTheControllerHas) {
  EXPECT_EQ(problems_of("", {"rtc.interrupt=100"}),
            "command line: error: rtc.interrupt: gic has the interrupts 0 to 31, got 100; "
            "devices.gic.spis gives it more");
  EXPECT_EQ(problems_of("", {"rtc.interrupt=100", "gic.spis=128"}), "");
}

TEST(DeviceListTest, ALackingInterruptControllerIsOneMistake) {
  EXPECT_EQ(problems_of(R"({"gic": null, "rtc": {"interrupt": []}})", {"memory.registers.interrupt=null"}),
            std::string(ASTERISM_SOURCE_CONFIGS) +
                "/nodes/standard_map.json:5:72: error: devices.uart0.interrupt: the node has no interrupt "
                "controller for uart0 and dimm_ssd");
}

TEST(DeviceListTest, ThereIsOneInterruptController) {
  EXPECT_THAT(problems_of(R"({"gic2": {"type": "gic400", "base": ["0x0a00_0000", "0x0a01_0000"]}})"),
              HasSubstr("devices.gic2: the node has an interrupt controller already: gic"));
}

TEST(DeviceListTest, TheInterruptControllerServesAllCores) {
  EXPECT_EQ(problems_of("", {"cores.count=9"}),
            "command line: error: cores.count: gic is a gic400, which serves at most 8 cores, got 9");
}

TEST(DeviceListTest, BasesAndInterruptsAreCounted) {
  EXPECT_THAT(problems_of(R"({"p": {"type": "pair", "base": "0x0"}})"),
              HasSubstr("devices.p.base: expected 2 addresses in base (p_a and p_b), got 1"));
  EXPECT_THAT(problems_of(R"({"p": {"type": "pair"}})"),
              HasSubstr("devices.p: expected 2 addresses in base (p_a and p_b), got none"));
  EXPECT_THAT(problems_of(R"({"e": {"type": "external", "base": "0x0"}})"),
              HasSubstr("devices.e.base: expected no addresses in base, got 1; its range of addresses has no "
                        "size: the key size is missing or 0B"));
  EXPECT_EQ(problems_of("", {"rtc.base=[]"}),
            "command line: error: rtc.base: expected one address in base, got none");
  EXPECT_THAT(problems_of(R"({"p": {"type": "pair", "base": ["0x0", "0x1_0000"], "interrupt": 1}})"),
              HasSubstr("devices.p.interrupt: expected 2 numbers, got 1"));
  EXPECT_THAT(problems_of(R"({"power": {"interrupt": 3}})"),
              HasSubstr("devices.power.interrupt: power has no interrupt line"));
}

TEST(DeviceListTest, ARangeStartsAtAPageAndEndsWithinTheAddressSpace) {
  EXPECT_EQ(problems_of("", {"rtc.base=0x0900_0800"}),  // it overlaps uart0, too
            "command line: error: rtc.base: a device must start at a 4 KiB boundary");
  EXPECT_THAT(problems_of("", {"rtc.base=0xfff_ffff_f000"}), "");
  EXPECT_THAT(problems_of("", {"memory.base=0xfff_c000_0000"}),
              HasSubstr("memory.base: dram of 0x80000000 bytes would exceed the physical address space of 44 "
                        "bits"));
  EXPECT_THAT(problems_of("", {"rtc.base=0xffff_ffff_ffff_f000"}),
              HasSubstr("rtc of 0x1000 bytes would exceed the physical address space"));
}

TEST(DeviceListTest, AMasterIsWiredToAMemory) {
  EXPECT_EQ(problems_of("", {"dimm_ssd.guards=memroy"}),
            "command line: error: dimm_ssd.guards: there is no memory \"memroy\"; this node has "
            "memory; did you mean \"memory\"?");
  EXPECT_THAT(problems_of("", {"dimm_ssd.guards=uart0"}), HasSubstr("there is no memory \"uart0\""));
}

TEST(DeviceListTest, ABankOfFlashFollowsTheFirstOne) {
  const auto problem = [](const std::string& follows) {
    return problems_of(R"({"a": {"type": "nor_flash", "base": "0x0"},
                           "b": {"type": "nor_flash", "base": "0x1000_0000", "follows": "a"},
                           "c": {"type": "nor_flash", "base": "0x1400_0000"}})",
                       {"c.follows=" + follows});
  };
  EXPECT_EQ(problem("a"), "");
  for (const char* other : {"c", "d", "rtc"})
    EXPECT_EQ(problem(other), std::string("command line: error: c.follows: there is no other bank of NOR "
                                          "flash \"") +
                                  other + "\"");
  EXPECT_EQ(problem("b"),
            "command line: error: c.follows: b is not the first bank of its device, which "
            "every other bank names");
}

TEST(DeviceListTest, OnlyTheMainMemoryHasSeveralNodesOfTheFabric) {
  EXPECT_EQ(
      problems_of(R"({"fast": {"type": "memory", "base": "0x20_0000_0000", "size": "64MiB", "ranks": 1}})",
                  {"fast.fabric_nodes=each"}),
      "command line: error: fast.fabric_nodes: is one except in the main memory");
}

TEST(DeviceListTest, AnUnknownTypeHasANearestOne) {
  EXPECT_THAT(problems_of(R"({"uart1": {"type": "pl01", "base": "0x0"}})"),
              HasSubstr("devices.uart1.type: expected one of \"cxl_memory\", \"cxl_ssd\""));
  EXPECT_THAT(problems_of(R"({"uart1": {"type": "pl01", "base": "0x0"}})"),
              HasSubstr("did you mean \"pl011\"?"));
}

TEST(DeviceListTest, ANameIsOneOfADeviceAlone) {
  for (const char* name : {"core0", "core17", "console", "network", "semihosting", "caches", "dram"})
    EXPECT_THAT(
        problems_of("{\"" + std::string(name) + R"(": {"type": "pl011", "base": "0x0"}})"),
        HasSubstr(std::string("devices.") + name + ": " + name + " is the name of another part of a node"));
  for (const char* name : {"Uart", "0uart", "uart-1", ""})
    EXPECT_THAT(problems_of("{\"" + std::string(name) + R"(": {"type": "pl011", "base": "0x0"}})"),
                HasSubstr("the name of a device consists of lower-case letters"))
        << name;
  EXPECT_EQ(problems_of(R"({"core": {"type": "pl011", "base": "0x0"}})"), "");
}

// Otherwise node.KEY would be both that key and the device.
TEST(DeviceListTest, NoDeviceIsNamedAsAKeyOfTheNode) {
  const auto keys = nlohmann::json::parse(schema<NodeConfig>("node")).at("properties");
  EXPECT_GE(keys.size(), 10u);
  for (const auto& [key, unused] : keys.items()) {
    if (key.starts_with('$')) continue;
    EXPECT_THAT(problems_of("{\"" + key + R"(": {"type": "pl011", "base": "0x0"}})"),
                HasSubstr("devices." + key + ": \"" + key +
                          "\" is not one of the devices, but a key beside them: " + key))
        << key;
  }
}

TEST(DeviceListTest, RangesOfTwoDevicesHaveDifferentNames) {
  EXPECT_THAT(problems_of(R"({"gicd": {"type": "pl011", "base": "0x0a00_0000"}})"),
              HasSubstr("two ranges of addresses are named gicd"));
}

TEST(DeviceListTest, TheTerminalAndAFileOfStateBelongToOneDevice) {
  const char* const two = R"({"uart1": {"type": "pl011", "base": "0x0a00_0000"}})";
  EXPECT_EQ(problems_of(two, {"uart0.input=terminal", "uart1.input=terminal"}),
            "command line: error: uart1.input: what is typed is the input of uart0 already");
  EXPECT_EQ(problems_of(two, {"uart1.input=terminal"}), "");
  const char* const ssds = R"({"ssd1": {"type": "dimm_ssd", "base": "0x0a00_0000", "image": "./a"}})";
  EXPECT_EQ(problems_of(ssds, {"dimm_ssd.image=a"}),
            "command line: error: dimm_ssd.image: ssd1 keeps its state in this file already");
}

}  // namespace
}  // namespace asterism
