// A disk behind NVMe, with firmware: what it was promised survives power failures.
#include <gmock/gmock.h>

#include "base/nightly.h"
#include "tests/platform/command.h"
#include "tests/platform/linux_script.h"

namespace asterism {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

struct NvmeScenarioTest : CommandTest {};

TEST_F(NvmeScenarioTest, AProgramContinuesFromTheRoundThatItWasPromised) {
  const Ended ended = asterism({"run", "nvme"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("nvme_disk: rounds 11 to 24 took"));
  EXPECT_THAT(ended.out, HasSubstr("result.txt is equal, bit for bit"));
}

// The last block of a round does not fill its flash page, and stays in the cache without a flush.
TEST_F(NvmeScenarioTest, WithoutAFlushAPromiseIsBroken) {
  const Ended ended =
      asterism({"run", "nvme", "args=rounds=24 blocks=49 flush=off", "expect={}", "node.nvme.linger=1s"});
  EXPECT_EQ(ended.status, 1) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("or later\n"));
}

// The disk reaches the memory of an expander by its address. The power fails, and its data survive as before.
TEST_F(NvmeScenarioTest, TheDiskWritesFromAndReadsIntoAnExpander) {
  const Ended ended =
      asterism({"run", "nvme", "args=rounds=12 blocks=48 cxl=on", "node.use=cxl_node", "faults.0.at=12ms"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("result.txt is equal, bit for bit"));
  EXPECT_EQ(ended.err, "");
}

TEST_F(NvmeScenarioTest, APageOfFlashThatFailsIsAnErrorOfItsReadsAndInTheLog) {
  const auto run = [this](const std::string& keys) {
    return asterism({"run", "nvme", "--out", "run", "--timeline", "expect={}", "args=rounds=2 blocks=48",
                     R"(faults=[{"kind":"flash","offset":"0x3_3000",)" + keys + "}]"});
  };
  const Ended late = run(R"("at":"9ms","page_bits":60)");
  EXPECT_EQ(late.status, 1) << late.out << late.err;
  EXPECT_THAT(late.out, HasSubstr("nvme_disk: read: status 0x281"));
  EXPECT_THAT(late.err, HasSubstr("Read (02h), LBA 0x30, 1 block: unrecovered read error (0x281)"));
  EXPECT_EQ(json("run/stats.json")["node"]["nvme"]["flash_faults"], 1);
  const Ended corrected = run(R"("at":"9ms","page_bits":54)");
  EXPECT_EQ(corrected.status, 0) << corrected.out << corrected.err;
  const Ended early = run(R"("at":"1us","page_bits":60)");
  EXPECT_EQ(early.status, 0) << early.out << early.err;
  EXPECT_THAT(early.err, HasSubstr("a fault in flash at offset 0x33000 hits nothing"));
  const Ended refused = asterism({"check", "scenarios/nvme",
                                  R"(faults=[{"at":"1ms","kind":"flash","page_bits":1,)"
                                  R"("offset":"0x1000_0000_0000"}])"});
  EXPECT_EQ(refused.status, 65);
  EXPECT_THAT(refused.err, HasSubstr("faults.0.offset: expected an offset below"));
}

// The stock driver of Debian's kernel, behind PCI: its package is that of linux_test.
TEST_F(NvmeScenarioTest, LinuxWritesAndReadsTheDisk) {
  const std::string device =
      R"({"type": "nvme", "base": ["0x0b22_0000", "0x0b30_0000"], "interrupt": 14, "pcie": true})";
  const Ended ended = asterism(
      {"run", "linux", "--quiet", "--out", "run", "node.devices.nvme=" + device,
       "node.uart0.script=" +
           linux_script(
               {"dd if=/bin/busybox of=/dev/nvme0n1 bs=4k count=64 conv=fsync",
                "echo 3 >/proc/sys/vm/drop_caches; a=$(dd if=/bin/busybox bs=4k count=64 | md5sum)",
                "[ \"$a\" = \"$(dd if=/dev/nvme0n1 bs=4k count=64 | md5sum)\" ] && echo sa\"\"me"})});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(contents("run/uart0.log"), HasSubstr("\nsame"));
  const auto disk = json("run/stats.json")["node"]["nvme"];
  EXPECT_EQ(disk["written_bytes"], 64 * 4096);
  EXPECT_EQ(disk["flushes"], 1);
}

// With MSI-X: the driver sets up a queue for each core, whose interrupts are messages to the frame of the
// GICv2m.
TEST_F(NvmeScenarioTest, LinuxHasAQueueAndAMessageForEachCore) {
  const Ended ended = asterism(
      {"run", "linux", "--quiet", "--out", "run", "node.cores.count=2",
       R"(node.devices.gic={"base": ["0x0800_0000", "0x0801_0000", "0x0802_0000"], "message_interrupts": 16})",
       R"(node.devices.nvme={"type": "nvme", "base": ["0x0b22_0000", "0x0b30_0000"], "pcie": true, )"
       R"("interrupt": 14, "messages": "gic"})",
       "node.uart0.script=" +
           linux_script({"dd if=/dev/nvme0n1 of=/dev/null bs=64k count=4", "grep nvme /proc/interrupts"})});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  const std::string log = contents("run/uart0.log");
  for (const char* queue : {"nvme0q0", "nvme0q1", "nvme0q2"})
    EXPECT_THAT(log, ContainsRegex("MSI +[0-9]+ Edge +" + std::string(queue)));
}

TEST_F(NvmeScenarioTest, MessagesNeedAFrameThatTakesThem) {
  const Ended ended =
      asterism({"check", "linux",
                R"(node.devices.nvme={"type": "nvme", "base": ["0x0b22_0000", "0x0b30_0000"], "pcie": true, )"
                R"("interrupt": 14, "messages": "gic"})"});
  EXPECT_EQ(ended.status, 65) << ended.out << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("node.devices.nvme.messages: expected an interrupt controller with "
                                   "message_interrupts, got \"gic\""));
}

// Two boots, and ext4.
TEST_F(NvmeScenarioTest, FilesOfLinuxSurviveALossOfPower) {
  if (!is_nightly()) return;
  const Ended ended = asterism({"run", "linux_nvme", "--quiet", "--out", "run"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  const auto last = [log = contents("run/uart0.log")](const std::string& words) {
    const auto at = log.rfind(words);
    return at == std::string::npos ? 0 : std::stoul(log.substr(at + words.size()));
  };
  EXPECT_GT(last("promised "), 10u);
  EXPECT_GE(last("kept "), last("promised "));
}

}  // namespace
}  // namespace asterism
