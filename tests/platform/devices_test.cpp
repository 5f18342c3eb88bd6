// Devices as firmware uses them, on the whole machine.
#include <gmock/gmock.h>

#include <optional>

#include "platform/registers/svd_schema.h"
#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using DevicesTest = CommandTest;

std::optional<std::uint64_t> svd_address(const SvdDocument& document, const std::string& peripheral,
                                         const std::string& name) {
  for (const SvdRegister& one : document.registers)
    if (one.peripheral == peripheral && one.name == name) return one.address;
  return std::nullopt;
}

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
  EXPECT_THAT(all, StartsWith("device             type              address                    interrupt\n"));
  EXPECT_THAT(all, HasSubstr("\npmem               virtio_pmem       0x0a002000-0x0a002fff      SPI 28\n"
                             "net                virtio_net        0x0a003000-0x0a003fff      SPI 30\n"
                             "hvc                virtio_console    0x0a004000-0x0a004fff      SPI 31\n"
                             "power              power_controller  0x0b000000-0x0b000fff      -\n"
                             "memory_controller  memory            0x0b010000-0x0b010fff      SPI 19\n"));
}

TEST_F(DevicesTest, RegistersAreWrittenForDebuggersAndReaders) {
  const Ended ended = asterism({"list", "devices", "--svd", "all.svd", "--markdown", "all.md"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.out, asterism({"list", "devices"}).out);
  EXPECT_EQ(contents("all.svd"), asterism({"list", "devices", "--svd", "-"}).out);
  EXPECT_EQ(contents("all.md"), asterism({"list", "devices", "--markdown", "-"}).out);
  const SvdDocument document = read_svd(contents("all.svd"));
  EXPECT_THAT(document.problems, testing::IsEmpty());
  EXPECT_EQ(svd_address(document, "GPU31", "STATUS"), 0x0b03'f80cu);
  EXPECT_THAT(contents("all.md"), StartsWith("# Registers\n"));
}

TEST_F(DevicesTest, TheRegistersOfANodeAreWhereItHasThem) {
  const auto registers_of = [&](const Arguments& node) {
    Arguments all{"list", "devices", "--svd", "-", "--node"};
    all.insert(all.end(), node.begin(), node.end());
    const SvdDocument document = read_svd(asterism(all).out);
    EXPECT_THAT(document.problems, testing::IsEmpty());
    return document;
  };
  const SvdDocument node = registers_of({"gpu_node", "gpu.count=4", "rtc.base=0x0a00_0000"});
  EXPECT_EQ(svd_address(node, "RTC", "MR"), 0x0a00'0004u);
  EXPECT_EQ(svd_address(node, "GPU3", "STATUS"), 0x0b03'180cu);
  EXPECT_EQ(svd_address(node, "GPU4", "STATUS"), std::nullopt);
  EXPECT_EQ(svd_address(node, "PCRAM", "STATUS"), std::nullopt);
  const SvdDocument scenario = registers_of({"pcram", "node.pcram.base=0x0b10_0000"});
  EXPECT_EQ(svd_address(scenario, "PCRAM", "STATUS"), 0x0b10'0008u);
  EXPECT_EQ(svd_address(scenario, "GPU0", "STATUS"), std::nullopt);
}

TEST_F(DevicesTest, AFileOfRegistersThatCannotBeIsRefusedAndNothingIsLeft) {
  write("old.svd", "old");
  const auto expect_refusal = [&](const Arguments& arguments, int status, const std::string& message) {
    Arguments all{"list"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Ended ended = asterism(all);
    EXPECT_EQ(ended.status, status) << message;
    EXPECT_THAT(ended.err, HasSubstr(message));
    EXPECT_EQ(ended.out, "");
  };
  expect_refusal({"devices", "--svd", "no/a.svd"}, 65,
                 "command line: error: --svd: no/a.svd cannot be written: No such file or directory\n");
  expect_refusal({"devices", "--svd", "old.svd", "--markdown", "no/a.md"}, 65,
                 "command line: error: --markdown: no/a.md cannot be written: No such file or directory\n");
  expect_refusal({"devices", "--svd", "a", "--markdown", "a"}, 65,
                 "command line: error: --markdown: a is already used by --svd\n");
  expect_refusal({"devices", "--svd", "-", "--markdown", "-"}, 65,
                 "command line: error: --markdown: - is already used by --svd\n");
  expect_refusal({"devices", "--svd", "old.svd", "--node", "kilocore"}, 65,
                 "command line: error: --node: kilocore runs a workload and has no devices\n");
  expect_refusal({"devices", "--svd", "old.svd", "--node", "gpu_nod"}, 66, "did you mean \"gpu_node\"?\n");
  expect_refusal({"devices", "--node", "gpu_node", "gpu.cuont=4"}, 65,
                 "command line: error: gpu.cuont: unknown key; did you mean \"count\"?\n");
  expect_refusal({"devices", "--svd", "a", "--svd", "b"}, 64, "--svd: ");
  expect_refusal({"devices", "gpu.count=4"}, 64,
                 "KEY=VALUE overrides keys of a node; name the node by --node\n");
  expect_refusal({"nodes", "--svd", "a"}, 64,
                 "--svd is valid only for devices: asterism list devices --svd ...\n");
  EXPECT_EQ(contents("old.svd"), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1) << "only old.svd may be there";
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
  EXPECT_EQ(firmware("unmapped_access", {"args=address=0x43fffff8"}).status, 1) << "the address is in DRAM";
  EXPECT_EQ(firmware("unmapped_access", {"args=address=0x44000000"}).status, 60);
}

TEST_F(DevicesTest, MovedDevicesAreFoundByTheDeviceTree) {
  const Ended ended = firmware("power_failure", {"args=versions=2 pages=1", "node.dimm_ssd.base=0x0b10_0000",
                                                 "node.dimm_ssd.interrupt=7"});
  EXPECT_EQ(ended.status, 0) << ended.out;
}

TEST_F(DevicesTest, TheFirmwareRemovesItsOwnPower) {
  const Ended ended = firmware("power_failure", {"args=versions=3 pages=4 fail_in=2"});
  EXPECT_EQ(ended.status, 0) << ended.out;
  EXPECT_THAT(
      ended.out,
      HasSubstr("power_failure: reset cause power_loss\npower_failure: version 1 restored, 0 wrong words\n"));
  EXPECT_EQ(json("run/stats.json")["power_losses"], 1);
}

}  // namespace
}  // namespace asterism
