// A disk behind NVMe, with firmware: what it was promised survives power failures.
#include <gmock/gmock.h>

#include "base/nightly.h"
#include "tests/platform/command.h"
#include "tests/platform/linux_script.h"

namespace asterism {
namespace {

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
