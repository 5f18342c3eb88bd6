// Devices as firmware uses them, on the whole machine.
#include <gmock/gmock.h>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using DevicesTest = CommandTest;

TEST_F(DevicesTest, TheUartGivesBackALineFromAFile) {
  write("line.txt", "the quick brown fox\nand more\n");
  const Ended ended = firmware("echo", {"node.uart0.input=file", "node.uart0.input_file=line.txt"});
  EXPECT_EQ(ended.status, 0) << ended.out;
  EXPECT_THAT(contents("run/uart0.log"), HasSubstr("the quick brown fox\n"));
  EXPECT_THAT(contents("run/uart0.log"), Not(HasSubstr("and more")));
}

TEST_F(DevicesTest, ALongerLineThanTheFifoArrivesWhole) {
  const std::string line(100, 'x');
  write("line.txt", line + "\n");
  EXPECT_EQ(firmware("echo", {"node.uart0.input=file", "node.uart0.input_file=line.txt"}).status, 0);
  EXPECT_THAT(contents("run/uart0.log"), HasSubstr("\n" + line + "\n"));
}

TEST_F(DevicesTest, ASilentUartLeavesTheFirmwareWaiting) {
  const Ended ended = firmware("echo");
  EXPECT_EQ(ended.status, 69);
  EXPECT_THAT(ended.out, HasSubstr("core 0       waits for an interrupt"));
}

TEST_F(DevicesTest, TheListOfDevicesIsATable) {
  const std::string all = asterism({"list", "devices"}).out;
  EXPECT_THAT(all, StartsWith("device            address                 interrupt\n"));
  EXPECT_THAT(all, HasSubstr("\nrtc               0x09010000-0x09010fff       SPI 2\n"
                             "power             0x0b000000-0x0b000fff           -\n"
                             "memory_controller 0x0b010000-0x0b010fff      SPI 19\n"));
}

TEST_F(DevicesTest, NoTimerInterruptComesEarly) {
  EXPECT_EQ(firmware("timer", {"args=after=1000 times=5"}).status, 0);
  const std::uint64_t took = json("run/stats.json")["simulated_time_ps"];
  EXPECT_GE(took, 5'000'000'000u);
  EXPECT_LE(took, 5'100'000'000u);
}

TEST_F(DevicesTest, AtomicsOfAllCoresAddUp) {
  for (const char* cores : {"2", "4", "8"}) {
    const Ended ended = firmware("smp_atomics", {std::string("node.cores.count=") + cores});
    EXPECT_EQ(ended.status, 0) << cores << " cores\n" << ended.out;
  }
}

TEST_F(DevicesTest, MemoryHoldsEveryPattern) {
  EXPECT_EQ(firmware("memtest", {"args=size=256KiB"}).status, 0);
  EXPECT_THAT(contents("run/console.log"), HasSubstr("memtest: 0 errors\n"));
}

TEST_F(DevicesTest, TheLastPageOfDramIsThereAndNothingBehindIt) {
  EXPECT_EQ(firmware("memtest", {"args=start=0x43fff000 size=4KiB"}).status, 0);
  EXPECT_EQ(firmware("unmapped_access", {"args=address=0x43fffff8"}).status, 1) << "it is memory";
  EXPECT_EQ(firmware("unmapped_access", {"args=address=0x44000000"}).status, 60);
}

TEST_F(DevicesTest, MovedDevicesAreFoundByTheDeviceTree) {
  const Ended ended =
      firmware("powercut", {"args=versions=2 pages=1", "node.address_map.dimm_ssd.base=0x0b10_0000",
                            "node.address_map.dimm_ssd.interrupt=7"});
  EXPECT_EQ(ended.status, 0) << ended.out;
}

TEST_F(DevicesTest, TheFirmwareCutsItsOwnPower) {
  const Ended ended = firmware("powercut", {"args=versions=3 pages=4 cut=2"});
  EXPECT_EQ(ended.status, 0) << ended.out;
  EXPECT_THAT(ended.out,
              HasSubstr("powercut: reset cause power_loss\npowercut: version 1 restored, 0 wrong words\n"));
  EXPECT_EQ(json("run/stats.json")["power_losses"], 1);
}

}  // namespace
}  // namespace asterism
