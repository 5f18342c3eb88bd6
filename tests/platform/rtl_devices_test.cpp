// Devices that exist in RTL alone, from JSON: the scenario rtl_devices, with two timers of one block and a
// DMA engine, and the app of this name, which finds and uses them.
#include <gmock/gmock.h>
#include <gtkwave/fstapi.h>

#include <algorithm>
#include <cstdint>
#include <set>

#include "testbenches/mutant.h"
#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsSupersetOf;

struct RtlDevicesTest : CommandTest {
  Ended scenario(const Arguments& more = {}) const {
    Arguments all{"run", "rtl_devices", "--out", "run"};
    all.insert(all.end(), more.begin(), more.end());
    return asterism(all);
  }
  nlohmann::json statistics(const std::string& device) const {
    return json("run/stats.json")["node"][device];
  }
  // The names of all signals in an FST file, without their widths.
  std::set<std::string> signals(const std::string& file) const {
    std::set<std::string> names;
    void* const reader = fstReaderOpen((folder / file).c_str());
    EXPECT_NE(reader, nullptr) << file;
    if (!reader) return names;
    while (const fstHier* const entry = fstReaderIterateHier(reader))
      if (entry->htyp == FST_HT_VAR) {
        const std::string name = entry->u.var.name;
        names.insert(name.substr(0, name.find(' ')));
      }
    fstReaderClose(reader);
    return names;
  }
};

TEST_F(RtlDevicesTest, TheAppUsesAllDevicesOfTheScenario) {
  const Ended ended = scenario();
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("RTL          node.timer0: rtl, "), HasSubstr("node.timer1: rtl, "),
                               HasSubstr("node.copier: rtl, ")));
  EXPECT_THAT(
      contents("run/console.log"),
      AllOf(HasSubstr("timer 0 at 10000000 Hz: 20 interrupts in intervals of 100 us, 1 after 2050 us\n"),
            HasSubstr("timer 1 at 4000000 Hz: 20 interrupts in intervals of 100 us, 1 after 2050 us\n"),
            HasSubstr("engine 0: 224 copies of 0 to 150 bytes with all alignments, 1 that overlaps\n"),
            HasSubstr("2 timers, 1 engine, 0 wrong\n")));
}

// Each channel interrupts as often as the app counts, and each copy ends with an interrupt.
TEST_F(RtlDevicesTest, TheStatisticsHaveTheirAccessesAndInterrupts) {
  ASSERT_EQ(scenario({"args=timers=2 engines=1 checkpoint=off"}).status, 0);
  for (const char* timer : {"timer0", "timer1"}) {
    EXPECT_EQ(statistics(timer)["impl"], "rtl");
    EXPECT_GT(statistics(timer)["accesses"], 50) << timer;
    EXPECT_EQ(statistics(timer)["interrupts_raised"], 21) << timer;
    EXPECT_FALSE(statistics(timer).contains("own_accesses"));
  }
  const auto copier = statistics("copier");
  EXPECT_EQ(copier["own_errors"], 2);
  constexpr unsigned copies = 224 + 1 + 2 + 1 + 6;  // of bytes, overlapping, with errors, after them, of code
  EXPECT_EQ(copier["interrupts_raised"], copies);
  EXPECT_GT(copier["own_accesses"], 2 * copies);
}

// The app compares the checkpoints of pages that the engine writes with what they had to be.
TEST_F(RtlDevicesTest, ItsWritesAreTrackedAndWaitForACheckpoint) {
  for (const char* fidelity : {"loose", "exact"}) {
    const Ended ended =
        scenario({"args=timers=0 engines=1", std::string("node.memory.fidelity=") + fidelity});
    EXPECT_EQ(ended.status, 0) << fidelity << ended.out << contents("run/console.log");
    EXPECT_THAT(contents("run/console.log"),
                AllOf(HasSubstr("3 checkpoints of pages that it writes, for which "),
                      testing::Not(HasSubstr("for which 0 writes"))))
        << fidelity;
    EXPECT_GT(statistics("dimm_ssd")["checkpointer"]["writes_held"], 0) << fidelity;
  }
}

TEST_F(RtlDevicesTest, ItsAccessesPassThroughTheFabric) {
  ASSERT_EQ(scenario({"args=timers=0 engines=1 checkpoint=off", "--transactions"}).status, 0);
  ASSERT_EQ(asterism({"trace", "run/traces/transactions.bin", "--text", "t.txt"}).status, 0);
  EXPECT_THAT(contents("t.txt"), HasSubstr("copier"));
  const Ended ended = scenario({"args=timers=0 engines=1 checkpoint=off", "node.fabric.topology=mesh",
                                "node.fabric.nodes=16", "node.fabric.fidelity=flit"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
}

TEST_F(RtlDevicesTest, ItsSignalsAreInTheWaves) {
  const Ended ended = scenario(
      {"--trace", "node.copier", "--trace", "node.timer1", "--trace-from", "1ms", "--trace-to", "5ms"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(signals("run/traces/node.copier.fst"),
              IsSupersetOf({"m_psel_o", "m_paddr_o", "done_interrupt_o", "state_q"}));
  EXPECT_THAT(signals("run/traces/node.timer1.fst"),
              IsSupersetOf({"interrupt0_o", "interrupt1_o", "count_q"}));
  EXPECT_FALSE(exists("run/traces/node.timer0.fst"));
}

// The engine does nothing for the timers, and no run is as long as the second window.
TEST_F(RtlDevicesTest, ATraceWithoutCyclesIsReported) {
  const Ended idle = scenario({"args=timers=2 engines=0", "--trace", "node.copier", "--trace", "node.timer1",
                               "--trace-from", "1ms", "--trace-to", "2ms"});
  EXPECT_THAT(idle.err,
              testing::ContainsRegex("\nasterism: there was nothing to trace of node.copier from 1 ms "
                                     "to 2 ms; the run ended at [0-9.]+ ms of simulated time\n$"));
  const Ended late = scenario({"args=timers=2 engines=0", "--trace", "node.timer1", "--trace-from", "20s"});
  EXPECT_THAT(late.err,
              testing::ContainsRegex("\nasterism: there was nothing to trace of node.timer1 from 20 s "
                                     "to the end; the run ended at [0-9.]+ ms of simulated time\n$"));
}

TEST_F(RtlDevicesTest, ASnapshotGoesOnAsIfTheRunHadNeverStopped) {
  ASSERT_EQ(scenario().status, 0);
  const auto expected = left_by("run");
  for (const char* at : {"1ms", "5ms"}) {  // a timer's channels run; the engine copies
    const Ended first = scenario({"--snapshot-at", at, "--snapshot", "file"});
    if (is_refused_by_sanitizers(first)) GTEST_SKIP() << first.err;
    ASSERT_EQ(first.status, 0) << first.err;
    EXPECT_EQ(left_by("run"), expected) << at;
    const Ended second = asterism({"run", "--restore", "file", "--out", "second"});
    EXPECT_EQ(second.status, 0) << second.err;
    EXPECT_EQ(left_by("second"), expected) << at;
  }
}

TEST_F(RtlDevicesTest, HostThreadsAndSkippedCyclesChangeNothing) {
  ASSERT_EQ(scenario().status, 0);
  const auto expected = left_by("run");
  ASSERT_EQ(scenario({"--threads", "2"}).status, 0);
  EXPECT_EQ(left_by("run"), expected);
  const Arguments slow{"args=timers=2 engines=1 checkpoint=off", "node.copier.clock=10MHz"};
  ASSERT_EQ(scenario(slow).status, 0);
  const auto skipped = left_by("run");
  Arguments all = slow;
  all.insert(all.end(), {"--no-skip", "--check-idle"});
  const Ended ended = scenario(all);
  EXPECT_EQ(ended.status, 0) << ended.out;
  EXPECT_EQ(left_by("run"), skipped);
}

TEST_F(RtlDevicesTest, AWarmResetStopsThemAtTheirWork) {
  const Ended ended = scenario({"args=timers=2 engines=1 reset=on"});
  EXPECT_EQ(ended.status, 0) << ended.out << contents("run/console.log");
  EXPECT_THAT(kinds(events()), Contains("warm_reset"));
  EXPECT_THAT(contents("run/console.log"),
              AllOf(HasSubstr("a warm reset while 2 timers and 1 engines are at work\n"),
                    HasSubstr("2 timers, 1 engine, 0 wrong\n")));
}

TEST_F(RtlDevicesTest, TheyStartAgainAfterALossOfPowerAtAnyTime) {
  for (const char* at : {"0.5ms", "4.3ms", "5.1234567ms", "6ms", "7.7ms"}) {
    const Ended ended = scenario(
        {std::string(R"(faults=[{"kind":"power_loss","restore_after":"10us","at":")") + at + "\"}]"});
    EXPECT_EQ(ended.status, 0) << at << ended.out << contents("run/console.log");
    EXPECT_THAT(kinds(events()), Contains("power_lost"));
  }
}

// Timers and engine are at work in the last 200 us before the app resets the node.
TEST_F(RtlDevicesTest, ALossOfPowerStopsThemAtTheirWork) {
  const std::string args = "args=timers=2 engines=1 reset=on";
  ASSERT_EQ(scenario({args}).status, 0);
  const auto all = events();
  const auto reset = std::ranges::find(all, "warm_reset", [](const auto& event) { return event["kind"]; });
  ASSERT_NE(reset, all.end());
  for (const std::uint64_t before_ps : {150'000'000, 50'000'000}) {
    const std::uint64_t at = (*reset)["time_ps"].get<std::uint64_t>() - before_ps;
    const Ended ended = scenario({args, R"(faults=[{"kind":"power_loss","restore_after":"10us","at":")" +
                                            std::to_string(at) + "ps\"}]"});
    EXPECT_EQ(ended.status, 0) << before_ps << ended.out << contents("run/console.log");
    EXPECT_THAT(kinds(events()), AllOf(Contains("power_lost"), testing::Not(Contains("warm_reset"))));
  }
}

// The devices can be moved and added without the app knowing it.
TEST_F(RtlDevicesTest, AnyNumberAtAnyPlace) {
  const Ended ended = scenario(
      {"node.timer0.base=0x0c00_0000", "node.timer0.interrupt=[30, 7]", "node.devices.timer1=null",
       R"(node.devices.second={"type": "rtl", "base": "0x10_0000_0000", "interrupt": [8, 9], "impl": "rtl",
          "block": "rtl/dma_engine/block.json", "clock": "50MHz", "parameters": {"BurstWords": 4}})",
       "args=timers=1 engines=2"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err << contents("run/console.log");
  EXPECT_THAT(contents("run/console.log"), HasSubstr("1 timer, 2 engines, 0 wrong\n"));
  EXPECT_GT(statistics("second")["own_accesses"], 0);
}

// Without a connected line the app waits for its first interrupt until the end.
TEST_F(RtlDevicesTest, AnInterruptThatIsNotConnectedDoesNotCome) {
  const Ended ended = scenario({"args=timers=1 engines=0 checkpoint=off", "node.devices.timer1=null",
                                "node.timer0.interrupt=[]", "until=1ms", "expect={}"});
  EXPECT_EQ(ended.status, 69) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("core 0       waits for an interrupt"));
}

TEST_F(RtlDevicesTest, TheirRegistersAreListed) {
  const Ended ended =
      asterism({"list", "devices", "--node", "rtl_devices", "--svd", "node.svd", "--markdown", "node.md"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out,
              AllOf(HasSubstr("copier             rtl               0x0b080000-0x0b080fff  SPI 24, 25\n"),
                    HasSubstr("timer1             rtl               0x0b170000-0x0b170fff  SPI 26, 27\n")));
  EXPECT_THAT(contents("node.svd"), AllOf(HasSubstr("<name>COMPARE1</name>"), HasSubstr("0x54494d31")));
  EXPECT_THAT(contents("node.md"), HasSubstr("ERROR_ADDRESS_HIGH"));
}

TEST_F(RtlDevicesTest, TheDescriptionOfABlockIsChecked) {
  const std::string block = (source_configs().parent_path() / "rtl/apb_timer/block.json").string();
  const Ended ended = asterism({"check", block});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(nlohmann::json::parse(ended.out)["device"]["registers"].size(), 17u);
  const Ended wrong = asterism({"check", block, "device.registers.1.offset=0x22"});
  EXPECT_EQ(wrong.status, 65);
  EXPECT_EQ(wrong.err,
            "command line: error: device.registers.1.offset: expected a value that is a multiple "
            "of 4: all registers have 32 bits, got \"0x22\"\n");
}

TEST_F(RtlDevicesTest, AFailureOfTheRtlEndsTheRun) {
  make_mutant(source_configs().parent_path() / "rtl/apb_timer", folder / "mine",
              {{"apb_timer.sv", "assign pready_o     = 1'b1;", "assign pready_o     = register != 3'd2;"}});
  const Ended ended = scenario({"node.timer1.block=mine/block.json"});
  EXPECT_EQ(ended.status, 68) << ended.out << ended.err;
  EXPECT_THAT(ended.out,
              AllOf(HasSubstr("RTL failure in node.timer1 at "), HasSubstr(" hangs: pready_o was low")));
}

// Each mistake is one message, before anything runs.
TEST_F(RtlDevicesTest, MistakesEndWithAMessageAndAStatus) {
  struct Mistake {
    Arguments keys;
    int status;
    std::string message;
  };
  const std::string timer = "command line: error: node.timer0";
  const std::string searched =
      "; searched beside the file that names it, and upwards from the current folder, the program and the "
      "folders of ASTERISM_CONFIGS";
  const std::vector<Mistake> mistakes{
      {{"node.timer0.block=rtl/apb_tmer/block.json"},
       66,
       timer + ".block: there is no file \"rtl/apb_tmer/block.json\"" + searched +
           "; did you mean \"rtl/apb_timer/block.json\"?\n"},
      {{"node.timer0.block=rtl/pl031.json"},
       66,
       timer + ".block: there is no file \"rtl/pl031.json\"" + searched + "\n"},
      {{"node.timer0.block=rtl/lrg_arbiter/block.json"},
       65,
       timer + ".block: expected a block of the contract \"bus_device\", got \"arbiter\"\n"},
      {{"node.timer0.interrupt=22"}, 65, timer + ".interrupt: expected 2 numbers, got 1\n"},
      {{"node.timer0.interrupt=[22, 23, 28]"}, 65, timer + ".interrupt: expected 2 numbers, got 3\n"},
      {{"node.timer0.interrupt=[22, 24]"},
       65,
       "command line: error: node.timer0.interrupt.1: timer0 and copier both use interrupt 24\n"},
      {{R"(node.timer0.parameters={"CountBit": 8})"},
       65,
       timer + ".parameters.CountBit: apb_timer has no parameter CountBit in its block.json; did you mean "
               "\"CountBits\"?\n"},
      {{R"(node.timer0.parameters={"CountBits": -1})"},
       65,
       timer + ".parameters.CountBits: expected an integer of at least 0, got -1\n"},
      {{"node.timer0.impl=model"}, 65, timer + ".impl: expected \"rtl\", got \"model\"\n"},
      {{"node.timer0.clock=1Hz"},
       65,
       timer + ".clock: expected a frequency from \"1kHz\" to \"4GHz\", got \"1Hz\"\n"},
      {{"node.timer0.variant=x"},
       65,
       timer + ".variant: unknown key; the keys here are type, plugin, base, interrupt, impl, block, clock, "
               "parameters, trace\n"},
      {{"node.timer0.base=[\"0x0b07_0000\", \"0x0b09_0000\"]"},
       65,
       timer + ".base: expected one address in base, got 2\n"},
      {{"node.timer0.base=0x0b08_0000"},
       65,
       timer + ".base: timer0 at 0xb080000-0xb080fff overlaps copier at 0xb080000-0xb080fff\n"},
  };
  for (const Mistake& mistake : mistakes) {
    const Ended ended = scenario(mistake.keys);
    EXPECT_EQ(ended.status, mistake.status) << mistake.keys.front();
    EXPECT_EQ(ended.err, mistake.message) << mistake.keys.front();
    Arguments check{"check", "rtl_devices"};
    check.insert(check.end(), mistake.keys.begin(), mistake.keys.end());
    EXPECT_EQ(asterism(check).status, mistake.status) << mistake.keys.front();
    EXPECT_FALSE(left_a_run());
  }
}

TEST_F(RtlDevicesTest, ABlockIsFoundBesideTheFileThatNamesIt) {
  const std::filesystem::path timer = source_configs().parent_path() / "rtl/apb_timer";
  std::filesystem::create_directory(folder / "mine");
  std::filesystem::copy(timer, folder / "mine/timer", std::filesystem::copy_options::recursive);
  write("mine/node.json", R"({"use": "standard_map", "devices.mine": {"type": "rtl", "base": "0x0b07_0000",
    "interrupt": [22, 23], "block": "timer/block.json"}})");
  const Ended ended = asterism({"check", "mine/node.json"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  const auto expanded = nlohmann::json::parse(ended.out);
  EXPECT_EQ(expanded["devices"]["mine"]["block"], (folder / "mine/timer/block.json").string());
}

// Only the module itself knows which values its parameters may have.
TEST_F(RtlDevicesTest, TheModuleRefusesAValueOfAParameter) {
  const Ended ended = scenario({R"(node.timer0.parameters={"PrescaleBits": 9})"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_THAT(ended.err, HasSubstr("PrescaleBits is 1 to 4"));
  EXPECT_FALSE(left_a_run());
}

TEST_F(RtlDevicesTest, AMissingDeviceEndsTheAppWithStatus3) {
  Ended ended = firmware("rtl_devices");
  EXPECT_EQ(ended.status, 3);
  EXPECT_THAT(ended.out,
              HasSubstr("rtl_devices: 0 APB timers (asterism,apb_timer) in the device tree, 1 needed\n"));
  ended = firmware("rtl_devices", {"args=timers=0 engines=2"});
  EXPECT_EQ(ended.status, 3);
  EXPECT_THAT(ended.out,
              HasSubstr("rtl_devices: 0 DMA engines (asterism,dma_engine) in the device tree, 2 needed\n"));
  make_mutant(source_configs().parent_path() / "rtl/apb_timer", folder / "mine",
              {{"apb_timer.sv", "32'h5449_4d31", "32'h5449_4d32"}});
  ended = scenario({"node.timer1.block=mine/block.json", "expect={}"});
  EXPECT_EQ(ended.status, 3);
  EXPECT_THAT(
      contents("run/console.log"),
      HasSubstr("rtl_devices: number 1 of the APB timers (asterism,apb_timer) has the ID 0x54494d32, which "
                "the driver does not know\n"));
  ended = firmware("rtl_devices", {"args=timers=0 engines=0"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_THAT(ended.out, HasSubstr("rtl_devices: 0 timers, 0 engines, 0 wrong\n"));
}

}  // namespace
}  // namespace asterism
