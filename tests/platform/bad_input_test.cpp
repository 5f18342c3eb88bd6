// A user's mistake ends the command at once with one clear message, the documented exit status and no run
// directory; a guest's mistake raises an exception in the guest.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <thread>
#include <utility>

#include "tests/platform/command.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

struct BadInputTest : CommandTest {
  // `asterism run hello ARGUMENTS` refuses with exactly this line, before anything runs.
  void expect_refusal(const Arguments& arguments, int status, const std::string& message) const {
    Arguments all{"run", "hello"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Ended ended = asterism(all);
    EXPECT_EQ(ended.err, message + "\n");
    EXPECT_EQ(ended.status, status) << message;
    EXPECT_EQ(ended.out, "");
    EXPECT_FALSE(left_a_run()) << message;
  }
};

TEST_F(BadInputTest, UnknownKeysNameTheNearest) {
  expect_refusal({"node.cores.cuont=2"}, 65,
                 "command line: error: node.cores.cuont: unknown key; did you mean \"count\"?");
  write("a.json", "{\n  \"firmware\": \"hello\",\n  \"sed\": 1\n}\n");
  EXPECT_EQ(asterism({"run", "a.json"}).err, "a.json:3:3: error: sed: unknown key; did you mean \"seed\"?\n");
}

TEST_F(BadInputTest, TheOverridesOfAFileAreAtTheirPlaceInIt) {
  write("a.json", R"({ "node": { "use": "checkpoint_node", "memory.ecc": "bad" }, "firmware": "hello" })");
  EXPECT_EQ(asterism({"run", "a.json"}).err,
            "a.json:1:53: error: node.memory.ecc: expected one of \"none\", \"normal\", \"strong\", got "
            "\"bad\"\n");
  write("b.json", R"({ "firmware": "hello",
  "expect": { "result_equals": "the same scenario with node.cores.cuont=1 firmware=hallo" } })");
  const Ended ended = asterism({"run", "b.json"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_EQ(ended.err, "b.json:2:32: error: node.cores.cuont: unknown key; did you mean \"count\"?\n");
  expect_refusal({"expect.result_equals=\"the same scenario with node.cores.cuont=1\""}, 65,
                 "command line: error: node.cores.cuont: unknown key; did you mean \"count\"?");
}

TEST_F(BadInputTest, NamesOfFilesNameTheNearest) {
  expect_refusal(
      {"node.use=chekpoint_node"}, 65,
      "command line: error: node.use: expected the name of a file in configs/nodes, or a path, got "
      "\"chekpoint_node\"; did you mean \"checkpoint_node\"?");
  const Ended ended = asterism({"run", "power_los"});
  EXPECT_EQ(ended.status, 66);
  EXPECT_THAT(ended.err, HasSubstr("no file \"power_los\""));
  EXPECT_THAT(ended.err, HasSubstr("did you mean \"power_loss\"?\n"));
}

TEST_F(BadInputTest, WhatCannotBeFittedNamesTheNearestOfEveryKind) {
  for (const auto& [name, nearest] :
       {std::pair("ddr3_1600_1gb_x5", "ddr3_1600_1gb_x4"), std::pair("superstat", "superstar"),
        std::pair("small_clas", "small_clos")}) {
    const Ended ended = asterism({"fit", name});
    EXPECT_EQ(ended.status, 66);
    EXPECT_THAT(ended.err, HasSubstr(std::string("no file \"") + name + "\", no such name in "));
    EXPECT_THAT(ended.err,
                HasSubstr(std::string("and no such topology; did you mean \"") + nearest + "\"?\n"));
  }
}

TEST_F(BadInputTest, LogLevelsAreOfInstancesThatThereAre) {
  expect_refusal({R"(node.log={"nodee":"off"})"}, 65,
                 "command line: error: node.log: there is no instance \"nodee\"; did you mean \"node\"?");
  expect_refusal({"node.cores.count=2", R"(node.log={"node.core2":"off"})"}, 65,
                 "command line: error: node.log: there is no instance \"node.core2\"; did you mean "
                 "\"node.core0\"?");
  EXPECT_EQ(asterism({"check", "hello", R"(node.log={"node.core3":"off","systemc":"error"})"}).status, 0);
}

TEST_F(BadInputTest, WrongTypesAndUnitsSayWhatWasExpected) {
  expect_refusal({"node.cores.count=many"}, 65,
                 "command line: error: node.cores.count: expected an integer from 1 to 576, got \"many\"");
  expect_refusal({"until=5"}, 65,
                 "command line: error: until: expected a duration from \"1ns\" to \"10000s\", got 5; it "
                 "has no unit (ps, ns, us, ms, s)");
  expect_refusal({"node.cores=4"}, 65, "command line: error: node.cores: expected an object, got 4");
  expect_refusal(
      {"faults.0.kind=brownout", "faults.0.at=1ms"}, 65,
      "command line: error: faults.0.kind: expected one of \"power_loss\", \"bit\", \"pin\", \"column\", "
      "\"word\", \"chip\", \"row\", \"flash_bits\", \"gpu_loss\", \"gpu_memory\", \"gpu_slow\", \"poison\", "
      "\"flash\", \"node_loss\", \"link_loss\", \"memory_loss\", \"ssd_loss\", \"gpu_state_loss\", got "
      "\"brownout\"");
}

TEST_F(BadInputTest, OutOfRangeSaysTheRange) {
  expect_refusal({"node.cores.count=577"}, 65,
                 "command line: error: node.cores.count: expected an integer from 1 to 576, got 577");
  expect_refusal(
      {"node.quantum=0ns"}, 65,
      "command line: error: node.quantum: expected a duration from \"1ns\" to \"1s\", got \"0ns\"");
  expect_refusal(
      {"node.memory.size=65MiB"}, 65,
      "command line: error: node.memory.size: expected a value that is a multiple of 2 MiB, got \"65MiB\"");
}

TEST_F(BadInputTest, MemoryThatDoesNotFitTogetherIsRefused) {
  expect_refusal(
      {"node.memory.part=ddr3_1600_2gb_x8"}, 65,
      "command line: error: node.memory.part: ddr3_1600_2gb_x8 has 9 chips of 8 bits in a rank: the "
      "dual-mode codes are of 18 chips of 4 bits; choose such a part, or ecc=none");
  expect_refusal(
      {"node.memory.mapping=RoRaBaCo"}, 65,
      "command line: error: node.memory.mapping: expected a value that has each of Ro, Ra, Ba, Co and Ch "
      "once, such as RoRaBaCoCh, got \"RoRaBaCo\"");
  expect_refusal(
      {"node.memory.size=8GiB"}, 65,
      "command line: error: node.memory.size: expected at most 4GiB, all rows of all banks, got 8GiB");
  expect_refusal(
      {"node.memory.ecc=strong", "node.memory.ranks=1"}, 65,
      "command line: error: node.memory.ecc: strong ECC keeps its third parity symbol in another rank, and "
      "there is one; choose ranks=2 or more");
}

TEST_F(BadInputTest, StrongEccOnAFullMemoryIsRefusedByCheckToo) {
  const std::string message =
      "command line: error: node.memory.size: strong ECC keeps its third parity symbols in rows that the "
      "memory does not use: expected at most 3854MiB, got 4GiB";
  expect_refusal({"node.memory.ecc=strong", "node.memory.size=4GiB"}, 65, message);
  const Ended check = asterism({"check", "hello", "node.memory.ecc=strong", "node.memory.size=4GiB"});
  EXPECT_EQ(check.err, message + "\n");
  EXPECT_EQ(check.status, 65);
  EXPECT_EQ(asterism({"check", "hello", "node.memory.ecc=strong", "node.memory.size=3854MiB"}).status, 0);
}

TEST_F(BadInputTest, FaultsAreOfChipsOfFourBits) {
  const std::string problem =
      "ddr3_1600_2gb_x8 has 9 chips of 8 bits in a rank, but memory faults are modelled only for 18 chips "
      "of 4 bits, and for ranks of DDR5 with ecc_rank_code";
  const Arguments x8 = {"node.memory.part=ddr3_1600_2gb_x8", "node.memory.ecc=none"};
  const auto with = [&](Arguments more) {
    more.insert(more.begin(), x8.begin(), x8.end());
    return more;
  };
  expect_refusal(with({R"(faults=[{"at":"1ms","kind":"chip","channel":0,"rank":0,"chip":9}])"}), 65,
                 "command line: error: faults.0: " + problem);
  expect_refusal(with({"node.memory.fit_per_device=66"}), 65,
                 "command line: error: node.memory.fit_per_device: " + problem);
  EXPECT_EQ(asterism({"check", "hello", x8[0], x8[1]}).status, 0);
}

TEST_F(BadInputTest, AFaultOutsideTheDeviceIsRefused) {
  expect_refusal({R"(faults=[{"at":"1ms","kind":"chip","channel":0,"rank":2,"chip":0}])"}, 65,
                 "command line: error: faults.0: the fault lies in rank 2, of 2, counted from 0");
  expect_refusal(
      {R"(faults=[{"at":"1ms","kind":"chip","channel":0,"rank":0,"chip":0,"row":2}])"}, 65,
      "command line: error: faults.0.row: this key is valid only if kind is \"bit\" or \"word\" or "
      "\"row\", but here it is \"chip\"");
}

TEST_F(BadInputTest, APlaceOfAFaultIsGivenWhole) {
  const auto refusal = [&](const std::string& kind) {
    return asterism({"check", "hello", "faults.0.at=1ms", "faults.0.kind=" + kind}).err;
  };
  for (const auto& [kind, keys] :
       std::map<std::string, std::vector<std::string>>{{"bit", {"bank", "row", "column", "bit"}},
                                                       {"word", {"bank", "row", "column", "bit"}},
                                                       {"column", {"bank", "column", "bit"}},
                                                       {"row", {"bank", "row"}},
                                                       {"pin", {"bit"}},
                                                       {"chip", {}}}) {
    const std::string message = refusal(kind);
    for (const std::string key : {"channel", "rank", "chip"})
      EXPECT_THAT(message, HasSubstr("faults.0." + key + ":"));
    for (const std::string& key : keys) EXPECT_THAT(message, HasSubstr("faults.0." + key + ":")) << kind;
    EXPECT_EQ(std::ranges::count(message, '\n'), 3 + std::ssize(keys)) << message;
  }
}

TEST_F(BadInputTest, RandomFaultsHaveABound) {
  expect_refusal({"node.memory.fit_acceleration=1000000000001"}, 65,
                 "command line: error: node.memory.fit_acceleration: expected an integer from 1 to "
                 "1000000000000, got 1000000000001");
  expect_refusal(
      {"node.memory.fit_per_device=100001", "node.memory.fit_acceleration=1000000000000"}, 65,
      "command line: error: node.memory.fit_per_device: expected a value that is at most 10^17 when "
      "multiplied by fit_acceleration: 28 failures of a device in a simulated millisecond, got 100001");
  EXPECT_EQ(asterism({"check", "hello", "node.memory.fit_per_device=100000",
                      "node.memory.fit_acceleration=1000000000000"})
                .status,
            0);
}

TEST_F(BadInputTest, DevicesDoNotOverlap) {
  expect_refusal({"node.uart0.base=0x0901_0000"}, 65,
                 "command line: error: node.uart0.base: uart0 at 0x9010000-0x9010fff overlaps rtc at "
                 "0x9010000-0x9010fff");
  expect_refusal({"node.rtc.base=0x4000_1000"}, 65,
                 "command line: error: node.rtc.base: rtc at 0x40001000-0x40001fff overlaps dram at "
                 "0x40000000-0xbfffffff");
}

TEST_F(BadInputTest, TwoDevicesDoNotShareAnInterrupt) {
  expect_refusal({"node.uart0.interrupt=18"}, 65,
                 "command line: error: node.uart0.interrupt: uart0 and dimm_ssd both use interrupt 18");
}

TEST_F(BadInputTest, MemoryOfPcramIsNoLargerThanItsModules) {
  const std::string store = R"(node.devices.store={"type": "pcram_memory", "base": "0x31_0000_0000", )";
  expect_refusal(
      {store + R"("size": "3GiB"})"}, 65,
      "command line: error: node.devices.store.size: expected at most 2GiB, the capacity of 1 module "
      "of dong2011_45nm_4bank, got 3GiB");
  expect_refusal(
      {store + R"("kind": "stack", "part": "dong2011_3d", "size": "3MiB"})"}, 65,
      "command line: error: node.devices.store.part: dong2011_3d has banks of 32MiB: size is a whole "
      "number of them");
}

TEST_F(BadInputTest, ErrorsAreReportedOfAMemory) {
  expect_refusal({R"(node.devices.edac={"type": "qoriq_edac", "base": "0x0b01_1000", "memory": "rtc"})"}, 65,
                 "command line: error: node.devices.edac.memory: there is no memory \"rtc\"");
}

TEST_F(BadInputTest, ADeviceIsOfAKnownTypeAndHasAPlace) {
  expect_refusal({R"(node.devices.uart1={"type": "pl01", "base": "0x0904_0000"})"}, 65,
                 "command line: error: node.devices.uart1.type: expected one of \"cxl_memory\", "
                 "\"cxl_ssd\", \"dimm_ssd\", \"external\", "
                 "\"gic400\", \"gicv3\", \"gpu\", \"memory\", \"nic\", \"nor_flash\", \"nvme\", \"pcram\", "
                 "\"pcram_memory\", \"pl011\", \"pl031\", \"power_controller\", \"qoriq_edac\", \"rtl\", "
                 "\"virtio_block\", \"virtio_console\", "
                 "\"virtio_net\", \"virtio_pmem\", \"virtio_random\", got \"pl01\"; did you mean \"pl011\"?");
  expect_refusal(
      {R"(node.devices.uart1={"base": "0x0904_0000"})"}, 65,
      "command line: error: node.devices.uart1.type: this key is required: the type of the device, "
      "which chooses its other keys");
  expect_refusal({R"(node.devices.uart1={"type": "pl011"})"}, 65,
                 "command line: error: node.devices.uart1: expected one address in base, got none");
  expect_refusal({"node.dimm_ssd.guards=memroy"}, 65,
                 "command line: error: node.dimm_ssd.guards: there is no memory \"memroy\"; this node has "
                 "memory; did you mean \"memory\"?");
  expect_refusal({"node.rtc.base=0x0901_0800"}, 65,
                 "command line: error: node.rtc.base: a device must start at a 4 KiB boundary");
  expect_refusal({"node.rtc.base=0x1000_0000_0000"}, 65,
                 "command line: error: node.rtc.base: rtc of 0x1000 bytes would exceed the physical "
                 "address space of 44 bits");
  expect_refusal({R"(node.devices.core0={"type": "pl011", "base": "0x0904_0000"})"}, 65,
                 "command line: error: node.devices.core0: core0 is the name of another part of a node");
}

TEST_F(BadInputTest, AFaultNamesItsDeviceIfThereAreSeveral) {
  const std::string second = R"(node.devices.ssd1={"type": "dimm_ssd", "base": "0x0b12_0000"})";
  const std::string fault = R"(faults=[{"at": "1ms", "kind": "flash_bits", "holds": "root", "bits": 1}])";
  EXPECT_EQ(asterism({"check", "hello", fault}).status, 0);
  EXPECT_EQ(asterism({"check", "hello", second, fault, "faults.0.device=ssd1"}).status, 0);
  expect_refusal(
      {second, fault}, 65,
      "command line: error: faults.0: must name its device: the key \"device\", one of dimm_ssd, ssd1");
  expect_refusal(
      {fault, "faults.0.device=ssd"}, 65,
      "command line: error: faults.0.device: there is no device \"ssd\" in which flash_bits can occur, "
      "only dimm_ssd; did you mean \"dimm_ssd\"?");
}

TEST_F(BadInputTest, WhatNeedsADeviceIsRefusedWithoutIt) {
  const auto expect_refused_by_check = [&](const Arguments& arguments, const std::string& message) {
    expect_refusal(arguments, 65, message);
    Arguments check{"check", "hello"};
    check.insert(check.end(), arguments.begin(), arguments.end());
    EXPECT_EQ(asterism(check).err, message + "\n");
  };
  expect_refused_by_check(
      {"firmware_format=raw"},
      "command line: error: firmware_format: is elf if the node has no ROM, such as a bank of NOR "
      "flash");
  expect_refused_by_check(
      {"node.devices.power=null", "expect.recoveries=1"},
      "command line: error: expect.recoveries: is 0 if the node has no device to which firmware "
      "reports its recoveries, such as a power controller");
  expect_refused_by_check(
      {"node.devices.dimm_ssd=null",
       R"(faults=[{"at": "1ms", "kind": "flash_bits", "holds": "root", "bits": 1}])"},
      "command line: error: faults.0.kind: this node has no device in which flash_bits can occur");
  expect_refused_by_check(
      {"node.devices.dimm_ssd=null", R"(expect.coverage={"matt": {"pages": 1}})"},
      "command line: error: expect.coverage.matt: this node has no block of this name that RTL "
      "can replace, only arbiter, codec, rtc");
  expect_refusal({"node.devices.uart0=null", "--uart0", "pty"}, 65,
                 "command line: error: --uart0: the node has no serial line \"uart0\"");
  EXPECT_EQ(asterism({"check", "hello", "node.devices.power=null", "expect.recoveries=0"}).status, 0);
}

TEST_F(BadInputTest, KeysThatDevicesHaveReplacedSayWhatThereIsNow) {
  expect_refusal(
      {"node.gpu.count=2"}, 65,
      "command line: error: node.gpu: unknown key; GPUs are a device: devices.gpu={\"type\": \"gpu\", "
      "\"base\": \"0x0b03_0000\", \"interrupt\": 17}");
  expect_refusal({"node.use=gpu_node", "node.gpu.count=0"}, 65,
                 "command line: error: node.gpu.count: expected an integer from 1 to 32, got 0; "
                 "devices.gpu=null removes the GPUs");
  expect_refusal(
      {"node.nic.present=true"}, 65,
      "command line: error: node.nic: unknown key; a NIC is a device: devices.nic={\"type\": \"nic\", "
      "\"base\": \"0x0b05_0000\", \"interrupt\": 15}");
  expect_refusal({"node.use=cluster_node", "node.nic.present=true"}, 65,
                 "command line: error: node.nic.present: unknown key; a node has the NICs that its devices "
                 "name; devices.nic=null removes one");
  expect_refusal({"node.nor_flash.present=true"}, 65,
                 "command line: error: node.nor_flash: unknown key; each bank of NOR flash is a device, such "
                 "as devices.flash0");
  expect_refusal({"node.cores.gic=gicv3"}, 65,
                 "command line: error: node.cores.gic: unknown key; the interrupt controller is a device: "
                 "devices.gic={\"type\": \"gicv3\", \"base\": [\"0x0800_0000\", \"0x080a_0000\"]}");
  expect_refusal({"node.address_map.rtc.base=0x0a00_0000"}, 65,
                 "command line: error: node.address_map: unknown key; each device has its own place: "
                 "devices.NAME.base and "
                 "devices.NAME.interrupt, memory.base");
}

TEST_F(BadInputTest, MoreCoresThanTheInterruptControllerServesAreRefused) {
  expect_refusal(
      {"node.cores.count=9"}, 65,
      "command line: error: node.cores.count: gic is a gic400, which serves at most 8 cores, got 9");
  EXPECT_EQ(asterism({"check", "hello", "node.cores.count=9",
                      R"(node.gic={"type": "gicv3", "base": ["0x0800_0000", "0x080a_0000"]})"})
                .status,
            0);
}

TEST_F(BadInputTest, FeaturesOfTheCoresHaveNamesAndBelongTogether) {
  expect_refusal(
      {R"(node.cores.features=["crc32","aex"])"}, 65,
      "command line: error: node.cores.features.1: expected one of \"crc32\", \"lse\", \"aes\", "
      "\"pmull\", \"sha1\", \"sha2\", \"rdm\", \"rcpc\", \"dotprod\", \"fp16\", got \"aex\"; did you "
      "mean \"aes\"?");
  expect_refusal({R"(node.cores.features=["pmull"])"}, 65,
                 "command line: error: node.cores.features: expected a value that has aes if it has pmull: "
                 "one field of ID_AA64ISAR0_EL1 announces both, got [\"pmull\"]");
  expect_refusal({R"(node.cores.features=["sha2"])"}, 65,
                 "command line: error: node.cores.features: expected a value that has both sha1 and sha2 or "
                 "neither, as the architecture requires, got [\"sha2\"]");
  EXPECT_EQ(asterism({"check", "hello", "node.cores.features=[]"}).status, 0);
}

TEST_F(BadInputTest, AnOldNameOfAKeyIsRefusedWithItsNewName) {
  expect_refusal({"node.memory.patience=16"}, 65,
                 "command line: error: node.memory.patience: unknown key; \"patience\" is now called "
                 "\"starvation_limit\"");
}

TEST_F(BadInputTest, AllErrorsAreReportedAtOnce) {
  write("a.json", "{ \"firmware\": \"hello\",\n  \"seed\": -1,\n  \"untill\": \"1ms\" }");
  const Ended ended = asterism({"check", "a.json", "node.cores.count=0"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_EQ(ended.err,
            "command line: error: node.cores.count: expected an integer from 1 to 576, got 0\n"
            "a.json:2:11: error: seed: expected an integer of at least 0, got -1\n"
            "a.json:3:3: error: untill: unknown key; did you mean \"until\"?\n");
}

TEST_F(BadInputTest, TruncatedJsonSaysLineAndColumnAtEveryLength) {
  const std::string whole = R"({ "firmware": "hello", "faults": [ { "at": "1ms", "kind": "power_loss" } ] })";
  write("whole.json", whole);
  EXPECT_EQ(asterism({"check", "whole.json"}).status, 0);
  for (std::size_t length : {1u, 5u, 14u, 20u, 34u, 45u, 71u, 75u}) {
    write("truncated.json", whole.substr(0, length));
    const Ended ended = asterism({"check", "truncated.json"});
    EXPECT_EQ(ended.status, 65) << length;
    EXPECT_THAT(ended.err,
                StartsWith(fmt::format("truncated.json:1:{}: error: not valid JSON: ", length + 1)));
  }
}

TEST_F(BadInputTest, TheUsageOfTheCommand) {
  EXPECT_EQ(asterism({}).status, 64);
  EXPECT_EQ(asterism({"run"}).status, 64);
  EXPECT_EQ(asterism({"run", "hello", "--bogus"}).status, 64);
  EXPECT_EQ(asterism({"schema", "nodes"}).status, 64);
  const Ended list = asterism({"list"});
  EXPECT_EQ(list.status, 64);
  EXPECT_THAT(list.err, AllOf(StartsWith("asterism list: WHAT is required\n"), HasSubstr("topologies")));
  const Ended nowhere = asterism({"run", "hello", "--out"});
  EXPECT_EQ(nowhere.status, 64);
  EXPECT_THAT(nowhere.err, AllOf(StartsWith("asterism run: --out is given without DIR\n  --out DIR  "),
                                 HasSubstr("Write the results to this folder")));
  const Ended unknown = asterism({"rnu", "hello"});
  EXPECT_EQ(unknown.status, 64);
  EXPECT_THAT(unknown.err, StartsWith("asterism: there is no verb \"rnu\"; did you mean \"run\"?\n"));
  EXPECT_EQ(asterism({"--help"}).status, 0);
}

TEST_F(BadInputTest, AWordThatAssignsNothingIsUsage) {
  for (const Arguments& verb : std::vector<Arguments>{
           {"run", "hello"}, {"study", "dimm_ssd"}, {"check", "hello"}, {"rtl", "build", "block.json"}})
    for (const char* word : {"workload", "=1"}) {
      Arguments arguments = verb;
      arguments.emplace_back(word);
      const Ended ended = asterism(arguments);
      EXPECT_EQ(ended.status, 64) << verb.front();
      EXPECT_THAT(ended.err, StartsWith(fmt::format("KEY=VALUE: expected KEY=VALUE, got \"{}\"\n", word)));
    }
}

TEST_F(BadInputTest, AnOverrideIsNoFile) {
  for (const auto& [verb, what] :
       {std::pair("run", "SCENARIO"), std::pair("study", "STUDY"), std::pair("check", "FILE")}) {
    const Ended ended = asterism({verb, "node.cores.count=2"});
    EXPECT_EQ(ended.status, 64) << verb;
    EXPECT_THAT(ended.err, StartsWith(std::string(what) + ": expected a file or a name before KEY=VALUE, "
                                                          "got \"node.cores.count=2\"\n"));
  }
}

TEST_F(BadInputTest, MissingInputFiles) {
  expect_refusal({"--firmware", "./none.elf"}, 66,
                 "command line: error: firmware: there is no file ./none.elf");
  expect_refusal(
      {"--firmware", "helo"}, 66,
      fmt::format("command line: error: firmware: there is no application of this name in {}; did you mean "
                  "\"hello\"?",
                  environment.at("ASTERISM_FIRMWARE")));
  expect_refusal({"files=none"}, 66,
                 "none: error: cannot be copied to the run directory: No such file or directory");
  expect_refusal({"node.uart0.input=file", "node.uart0.input_file=none.txt"}, 66,
                 "command line: error: node.uart0.input_file: there is no file none.txt");
}

TEST_F(BadInputTest, InputFilesAreRegularFiles) {
  ASSERT_EQ(mkfifo((folder / "fifo.elf").c_str(), 0666), 0);
  for (const char* file : {"./fifo.elf", "./"}) {
    const std::string problem = fmt::format("is not a regular file: {}", file);
    expect_refusal({"--firmware", file}, 66, "command line: error: firmware: " + problem);
    expect_refusal({"node.uart0.input=file", fmt::format("node.uart0.input_file={}", file)}, 66,
                   "command line: error: node.uart0.input_file: " + problem);
  }
}

// ---- firmware files ----

struct BadFirmwareTest : BadInputTest {
  std::string hello = slurp(elf("hello"));
  static std::string slurp(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void expect_refused(const std::string& bytes, const std::string& problem) const {
    write("f.elf", bytes);
    expect_refusal({"--firmware", "f.elf"}, 65, "f.elf: error: firmware " + problem);
  }
  std::string with(std::size_t at, std::string_view bytes) const {
    return std::string(hello).replace(at, bytes.size(), bytes);
  }
};

TEST_F(BadFirmwareTest, IsNotElf) {
  const std::string words =
      "is not an ELF file; the image of a ROM asks for firmware_format=raw, "
      "a kernel of Linux for firmware_format=linux";
  expect_refused("#!/bin/sh\n", words);
  expect_refused("", words);
}

TEST_F(BadFirmwareTest, IsTooLarge) {
  write("f.elf", "");
  fs::resize_file(folder / "f.elf", (1ull << 32) + 1);
  expect_refusal({"--firmware", "f.elf"}, 65,
                 "f.elf: error: firmware has 4294967297 bytes, expected at most 4 GiB");
}

TEST_F(BadFirmwareTest, IsForAnotherMachine) {
  expect_refused(with(4, "\1"), "is a 32-bit ELF file, expected 64-bit AArch64");
  expect_refused(with(5, "\2"), "is big-endian, expected little-endian");
  expect_refused(with(18, "\x3e"), "is for another machine (ELF machine 62), expected AArch64 (183)");
  expect_refused(with(16, "\3"), "is not an executable (ELF type 3), expected 2");
}

TEST_F(BadFirmwareTest, LoadsOutsideDram) {
  std::string bytes = hello;
  std::uint64_t headers;  // e_phoff
  std::memcpy(&headers, &bytes[32], 8);
  const std::uint64_t address = 0x1000;
  std::memcpy(&bytes[headers + 24], &address, 8);  // p_paddr of the first segment
  write("f.elf", bytes);
  const Ended ended = asterism({"run", "hello", "--firmware", "f.elf"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_THAT(ended.err, StartsWith("f.elf: error: firmware loads 0x"));
  EXPECT_THAT(ended.err, HasSubstr("at 0x1000, outside DRAM (0x40000000-0xbfffffff)\n"));
}

TEST_F(BadFirmwareTest, IsTruncatedAnywhere) {
  for (std::size_t length : {5ul, 63ul, 64ul, 100ul, 4096ul, hello.find("hello from AArch64")}) {
    write("f.elf", hello.substr(0, length));
    const Ended ended = asterism({"run", "hello", "--firmware", "f.elf"});
    EXPECT_EQ(ended.status, 65) << length;
    EXPECT_THAT(ended.err, StartsWith("f.elf: error: firmware is truncated: ")) << length;
  }
}

TEST_F(BadInputTest, AFileIsOfTheKindOfTheFolderInWhichItLies) {
  fs::create_directories(folder / "configs" / "dram");
  environment["ASTERISM_CONFIGS"] = (folder / "configs").string();
  for (const char* file : {"configs/dram/mine.json", "mine.json"}) write(file, R"({"capcity": "1GiB"})");
  EXPECT_THAT(asterism({"check", "configs/dram/mine.json"}).err,
              HasSubstr("capcity: unknown key; did you mean \"capacity\"?"));
  // Elsewhere it is recognised by its keys.
  EXPECT_THAT(asterism({"check", "mine.json"}).err,
              HasSubstr("capcity: unknown key; the keys here are runs, "));
  write("mine.json", R"({"capcity": "1GiB", "timing": {}})");
  EXPECT_THAT(asterism({"check", "mine.json"}).err,
              HasSubstr("capcity: unknown key; did you mean \"capacity\"?"));
}

// ---- SSD parts, images and run directories ----

TEST_F(BadInputTest, APartWithoutWholeMemoryPagesSuitsNoDimmSsd) {
  const std::string message =
      "command line: error: node.dimm_ssd.part: micron_2006_slc_2k has pages of 2KiB, expected a "
      "multiple of 4 KiB for a DIMM-SSD";
  expect_refusal({"node.dimm_ssd.part=micron_2006_slc_2k"}, 65, message);
  EXPECT_EQ(asterism({"check", "hello", "node.dimm_ssd.part=micron_2006_slc_2k"}).err, message + "\n");
  EXPECT_EQ(asterism({"check", "micron_2006_slc_2k"}).status, 0);
}

TEST_F(BadInputTest, AnSsdImageOfAnotherGeometryIsRefusedAndKept) {
  ASSERT_EQ(firmware("power_failure", {"node.dimm_ssd.image=a.img", "args=versions=2 pages=1"}).status, 0);
  fs::remove_all(folder / "run");
  expect_refusal(
      {"node.dimm_ssd.image=a.img", "node.dimm_ssd.packages=4"}, 65,
      "command line: error: node.dimm_ssd.image: a.img: flash image has 1 channels x 8 packages x 1 "
      "dies x 1 planes x 64 blocks x 512 pages of 16384 bytes, but the node has 1 channels x 4 packages x 1 "
      "dies x 1 planes x 64 blocks x 512 pages of 16384 bytes");
  firmware("power_failure", {"node.dimm_ssd.image=a.img", "args=versions=2 pages=1"});
  EXPECT_THAT(contents("run/console.log"), HasSubstr("version 2 restored, 0 wrong words"));
}

TEST_F(BadInputTest, ATruncatedOrForeignSsdImageIsRefused) {
  ASSERT_EQ(firmware("single_core", {"node.dimm_ssd.image=a.img"}).status, 0);
  fs::remove_all(folder / "run");
  const auto whole = fs::file_size(folder / "a.img");
  fs::resize_file(folder / "a.img", 100'000);
  expect_refusal(
      {"node.dimm_ssd.image=a.img"}, 65,
      fmt::format("command line: error: node.dimm_ssd.image: a.img: flash image is truncated: 100000 "
                  "bytes, expected {}",
                  whole));
  write("thesis.tex", "\\documentclass{book}");
  // The error comes before the message that announces a comparison.
  expect_refusal({"node.dimm_ssd.image=thesis.tex", "expect.result_equals=\"the same scenario with seed=2\""},
                 65,
                 "command line: error: node.dimm_ssd.image: thesis.tex: is not a flash image of this program "
                 "(version 2)");
  EXPECT_EQ(contents("thesis.tex"), "\\documentclass{book}");
}

TEST_F(BadInputTest, AnSsdImageInUseIsRefused) {
  const Running first = start({"run", "hello", "firmware=spin", "node.dimm_ssd.image=a.img", "--out", "run"});
  while (!exists("run.partial/console.log") || fs::is_empty(folder / "run.partial/console.log"))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const Ended second = asterism({"run", "hello", "node.dimm_ssd.image=a.img", "--out", "second"});
  EXPECT_EQ(second.status, 65);
  EXPECT_EQ(second.err,
            "command line: error: node.dimm_ssd.image: a.img: flash image is in use by another run\n");
  EXPECT_FALSE(exists("second"));
  EXPECT_FALSE(exists("second.partial"));
}

TEST_F(BadInputTest, AFolderThatIsNoRunIsNeverReplaced) {
  fs::create_directory(folder / "thesis");
  write("thesis/chapter1.tex", "text");
  write("file", "text");
  fs::create_directory(folder / "draft.partial");
  write("draft.partial/chapter1.tex", "text");
  for (const auto& [out, named] :
       {std::pair{"thesis", "thesis"}, {"file", "file"}, {"draft", "draft.partial"}}) {
    const Ended ended = asterism({"run", "hello", "--out", out});
    EXPECT_EQ(ended.status, 65);
    EXPECT_EQ(ended.err,
              fmt::format("{}: error: run directory exists and holds something else; name another with "
                          "--out\n",
                          named));
  }
  EXPECT_EQ(contents("thesis/chapter1.tex") + contents("file") + contents("draft.partial/chapter1.tex"),
            "texttexttext");
}

TEST_F(BadInputTest, InputFilesAreNotCopiedIntoThemselves) {
  const std::string problem =
      "error: cannot be copied to the run directory, which is inside it; name another with --out";
  expect_refusal({"files=."}, 65, ".: " + problem);
  fs::create_directory(folder / "input");
  expect_refusal({"files=input", "--out", "input/run"}, 65, "input: " + problem);
}

TEST_F(BadInputTest, TheCurrentFolderIsNoRunDirectory) {
  const std::string problem =
      "error: run directory would replace the current folder; name another with --out";
  expect_refusal({"--out", "."}, 65, ".: " + problem);
  expect_refusal({"--out", "a/.."}, 65, ".: " + problem);
  expect_refusal({"--out", ".."}, 65, folder.parent_path().string() + ": " + problem);
}

// ---- mistakes of guests ----

using GuestMistakeTest = CommandTest;

TEST_F(GuestMistakeTest, JumpingIntoAHoleIsAnInstructionAbort) {
  const Ended ended = firmware("jump_to_hole");
  EXPECT_EQ(ended.status, 60);
  EXPECT_THAT(ended.out, HasSubstr("class 0x21, instruction abort"));
  EXPECT_THAT(ended.out, HasSubstr("ELR_EL1 0x000000000d000000  FAR_EL1 0x000000000d000000"));
}

TEST_F(GuestMistakeTest, TouchingAnUnmappedAddressIsAnSError) {
  for (const char* write : {"off", "on"}) {
    const Ended ended = firmware("unmapped_access", {std::string("args=write=") + write});
    EXPECT_EQ(ended.status, 60) << write;
    EXPECT_THAT(ended.out, HasSubstr("class 0x2f, SError"));
    EXPECT_THAT(ended.err, HasSubstr("4 bytes at 0xd000000: there is no device or memory, an SError [main+"));
    EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
  }
}

TEST_F(GuestMistakeTest, WritingAReadOnlyRegisterIsIgnoredAndLogged) {
  const Ended ended = firmware("write_readonly");
  EXPECT_EQ(ended.status, 0) << ended.out;
  EXPECT_THAT(ended.err,
              HasSubstr("warning node.dimm_ssd: guest wrote the read-only register ID (offset 0x0, value "
                        "0xbbacacbb): ignored [core0, "));
}

TEST_F(GuestMistakeTest, LoopingForEverIsEndedByTheTimeLimit) {
  EXPECT_EQ(firmware("spin", {"--until", "2ms", "args=cores=4"}).status, 69);
}

TEST_F(GuestMistakeTest, ACoreWithoutVectorsLocksUpAndTheRunEnds) {
  const Ended ended = firmware("no_vectors", untimed);  // MMU off
  EXPECT_EQ(ended.status, 69);
  EXPECT_THAT(ended.err,
              HasSubstr("error node.core0: core is locked up: exceptions recur without an instruction "
                        "between them: pc 0xd000200, ESR 0x86000010 (instruction abort: external abort), FAR "
                        "0xd000200; the code there cannot be read\n"));
  EXPECT_THAT(ended.out, HasSubstr("stopped: no event is pending, and the firmware has not ended\n"));
  EXPECT_THAT(ended.out, HasSubstr("core 0       locked up: "));
}

TEST_F(GuestMistakeTest, NotStartingTheSecondaryCoresKeepsNothingFromEnding) {
  EXPECT_EQ(firmware("single_core").status, 0);
}

TEST_F(GuestMistakeTest, SemihostingPathsDoNotClimbOut) {
  const Ended ended = firmware("path_traversal");
  EXPECT_EQ(ended.status, 0) << ended.out;
  EXPECT_THAT(ended.err,
              HasSubstr("'../../etc/passwd' is refused: the path climbs out of the directory [core0, "));
  EXPECT_THAT(ended.err, HasSubstr("'/etc/passwd' is refused: the path is absolute [core0, "));
  EXPECT_EQ(json("run/stats.json")["node"]["semihosting"]["refused_paths"], 4);
  EXPECT_FALSE(exists("climbed"));
  EXPECT_FALSE(exists("run/climbed"));
}

TEST_F(GuestMistakeTest, AWrongArgumentIsReportedByTheFirmware) {
  const Ended ended = firmware("cg", {"args=nx=two"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.out, HasSubstr("nx"));
}

TEST_F(GuestMistakeTest, AnIntervalLongerThanTheRunIsRefusedByEveryAppThatTakesCheckpoints) {
  const auto refused = [&](const std::string& app, const Arguments& more, const std::string& words) {
    const Ended ended = firmware(app, more);
    EXPECT_EQ(ended.status, 2) << ended.out;
    EXPECT_THAT(ended.out, HasSubstr(app + ": argument 'interval=1000' is wrong: longer than the run of " +
                                     words + ", which would take no checkpoint\n"));
  };
  refused("pcram", {"node.use=pcram_node", "args=interval=1000"}, "40 sweeps");
  refused("stencil", {"args=interval=1000"}, "40 sweeps");
  refused("methods", {"args=interval=1000"}, "30 sweeps");
  refused("cg", {"args=interval=1000"}, "200 iterations");
  EXPECT_EQ(firmware("cg", {"args=nx=3 interval=1000 checkpoint=off"}).status, 0);
}

TEST_F(GuestMistakeTest, ARunThatEndsBeforeItsFirstCheckpointSaysSo) {
  const std::string none = "cg: no checkpoint was taken: the first was due at iteration ";
  EXPECT_THAT(firmware("cg", {"args=nx=3 interval=150"}).out, HasSubstr(none + "150\n"));
  EXPECT_THAT(firmware("cg", {"args=nx=6 interval=2"}).out, testing::Not(HasSubstr(none)));
}

TEST_F(BadInputTest, AnUnknownOptionIsReportedBeforeTheWordBehindIt) {
  const Ended key = asterism({"study", "dimm_ssd", "--methd", "late"});
  EXPECT_EQ(key.status, 64);
  EXPECT_THAT(
      key.err,
      StartsWith(
          "asterism study: there is no option \"--methd\"; set a key of the configuration by KEY=VALUE"));
  const Ended nearly = asterism({"run", "hello", "--trce=node.rtc"});
  EXPECT_EQ(nearly.status, 64);
  EXPECT_THAT(nearly.err,
              StartsWith("asterism run: there is no option \"--trce\"; did you mean \"--trace\"?\n"));
}

}  // namespace
}  // namespace asterism
