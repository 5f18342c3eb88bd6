// Debian's kernel on the platform (docs/linux.md). Without its package and the initial file system that the
// build makes of it, these tests fail: scripts/setup test.
#include <gmock/gmock.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "base/nightly.h"
#include "base/random.h"
#include "tests/platform/command.h"
#include "tests/platform/linux_script.h"

namespace asterism {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

class LinuxTest : public CommandTest {
 protected:
  Ended linux(const Arguments& more = {}) const {
    Arguments arguments{"run", "linux", "--quiet", "--out", "run"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return asterism(arguments);
  }
  std::uint64_t instructions() const {
    return json("run/stats.json")["node"]["core0"]["instructions"].get<std::uint64_t>();
  }
  static std::string script(const std::vector<std::string>& commands) { return linux_script(commands); }
  // The number after the last of such words on a console; 0 if there is none.
  unsigned last(const std::string& words, const std::string& log) const {
    const std::string text = contents(log);
    const auto at = text.rfind(words);
    return at == std::string::npos ? 0 : static_cast<unsigned>(std::stoul(text.substr(at + words.size())));
  }
  // A scenario with a kernel of the test's own.
  Ended kernel(const std::string& bytes, const Arguments& more = {}) const {
    std::ofstream(folder / "Image", std::ios::binary) << bytes;
    Arguments arguments{"run", "linux", "firmware=./Image", "initrd="};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return asterism(arguments);
  }
};

TEST_F(LinuxTest, ComesToAPromptAndSwitchesTheNodeOff) {
  const Ended ended = linux();
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(contents("run/uart0.log"), AllOf(HasSubstr("on 1 cores"), HasSubstr("aarch64\r\n")));
}

// With the other interrupt controller in the nightly run.
TEST_F(LinuxTest, RunsOnFourCoresWithEitherInterruptController) {
  const std::vector<std::string> both{R"({"type": "gicv3", "base": ["0x0800_0000", "0x080a_0000"]})",
                                      R"({"type": "gic400", "base": ["0x0800_0000", "0x0801_0000"]})"};
  for (const std::string& gic : sampled(both, 1)) {
    const Ended ended = linux({"node.cores.count=4", "node.devices.gic=" + gic});
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    EXPECT_THAT(contents("run/uart0.log"), HasSubstr("on 4 cores"));
  }
}

// All seeds that the kernel takes from outside follow from the scenario's.
TEST_F(LinuxTest, ExecutesTheSameInstructionsAtAnyQuantumAndInLockstep) {
  ASSERT_EQ(linux().status, 0);
  const std::uint64_t usual = instructions();
  const std::string log = contents("run/uart0.log");
  ASSERT_EQ(linux({"node.quantum=7us"}).status, 0);
  EXPECT_EQ(instructions(), usual);
  EXPECT_EQ(contents("run/uart0.log"), log);
  // As long as all the others together.
  if (!is_nightly()) return;
  ASSERT_EQ(linux({"node.cores.translator=lockstep"}).status, 0);
  EXPECT_EQ(instructions(), usual);
  EXPECT_EQ(contents("run/uart0.log"), log);
  EXPECT_GT(json("run/host.json")["translator"]["compared"], usual * 9 / 10);
}

TEST_F(LinuxTest, CtrlCEndsAProgramAtTheConsole) {
  const Ended ended = linux({R"(node.uart0.script=[{"after": "login: ", "type": "root\n"},
      {"after": "# ", "type": "echo $((20 + 3)); sleep 1000\n"}, {"after": "23", "type": "\u0003"},
      {"after": "# ", "type": "poweroff -f\n"}, {"after": "Power down"}])"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
}

// ---- disks ----

TEST_F(LinuxTest, ReadsAndWritesDisks) {
  std::ofstream(folder / "disk.img", std::ios::binary) << "from the host\n" << std::string(2034, '.');
  write("changed.img", std::string(4096, 'x'));
  const std::string device = R"({"type": "virtio_block", "base": "0x0a00_)";
  const Ended ended =
      linux({"node.devices.disk=" + device + R"(0000", "interrupt": 26, "image": "./disk.img"})",
             "node.devices.other=" + device +
                 R"(1000", "interrupt": 27, "image": "./changed.img", "copy_on_write": false})",
             "node.uart0.script=" + script({"head -n 1 /dev/vda; grep -c x /dev/vdb",
                                            "echo from the guest >/dev/vda; sync; head -n 1 /dev/vda",
                                            "echo from the guest >/dev/vdb; sync"})});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(contents("run/uart0.log"),
              AllOf(HasSubstr("from the host\r\n"), HasSubstr("from the guest\r\n")));
  EXPECT_THAT(contents("disk.img"), StartsWith("from the host\n"));
  EXPECT_THAT(contents("changed.img"), StartsWith("from the guest\nxxx"));
}

// Makes a root file system on it first.
TEST_F(LinuxTest, BootsFromADisk) {
  write("disk.img", "");
  std::filesystem::resize_file(folder / "disk.img", 48 << 20);
  const std::string disk =
      R"(node.devices.disk={"type": "virtio_block", "base": "0x0a00_0000", "interrupt": 26,
           "image": "./disk.img", "copy_on_write": false})";
  Ended ended = linux(
      {disk,
       "node.uart0.script=" +
           script(
               {"mke2fs -q -t ext4 /dev/vda && mount /dev/vda /mnt && cp -a /bin /lib /mnt && cd /mnt",
                "mkdir dev proc sys sbin; printf '#!/bin/sh\\nexport PATH=/bin\\nexec sh -i\\n' >sbin/init",
                "chmod +x sbin/init; cd /; umount /mnt"})});
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  ended = linux({disk, "bootargs=console=ttyAMA0 root=/dev/vda",
                 R"(node.uart0.script=[{"after": "# ", "type": "grep vda /proc/mounts; poweroff -f\n"},
                    {"after": "Power down"}])"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(contents("run/uart0.log"), HasSubstr("/dev/vda / ext4 rw"));
}

TEST_F(LinuxTest, AVirtioConsoleHasAPromptOfItsOwn) {
  const Ended ended =
      linux({"node.uart0.input=none",
             R"(node.devices.hvc={"type": "virtio_console", "base": "0x0a00_4000", "interrupt": 31,
                  "input": "script", "script": [{"after": "login: ", "type": "root\n"},
                  {"after": "# ", "type": "tty; echo $((20 + 3)); cat >there\n"}, {"after": "23", "type": "to a file\n\u0004"},
                  {"after": "# ", "type": "cat there\n"}, {"after": "to a file"}, {"after": "# ", "type": "poweroff -f\n"}]})"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(contents("run/hvc.log"),
              AllOf(HasSubstr("\r\n/dev/hvc0\r\n23\r\n"), HasSubstr("\r\nto a file\r\n")));
  EXPECT_THAT(contents("run/uart0.log"), AllOf(HasSubstr("login: "), HasSubstr("Power down")));
  EXPECT_GT(json("run/stats.json")["node"]["hvc"]["received"].get<int>(), 60);
}

// ---- files on the DIMM-SSD and in PCRAM ----

class LinuxFilesTest : public LinuxTest {
 protected:
  // Lets a program make promises, and the power fail in between.
  void lose_power_once(const Arguments& more) const {
    Arguments arguments{"run", "linux_files", "--quiet", "--out", "run"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Ended ended = asterism(arguments);
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    EXPECT_GT(promised(), 10u);
    EXPECT_LT(promised(), 1000u);
  }
  unsigned promised(const std::string& log = "run/uart0.log") const { return last("promised ", log); }
  unsigned kept(const std::string& log = "run/uart0.log") const { return last("kept ", log); }
};

TEST_F(LinuxFilesTest, AScenarioShowsThatFilesSurviveALossOfPower) {
  lose_power_once({});
  EXPECT_GE(kept(), promised());
}

TEST_F(LinuxFilesTest, FilesInPcramSurviveALossOfPower) {
  lose_power_once({"node.use=linux_pcram_node", "faults.0.at=1400ms"});
  EXPECT_GE(kept(), promised());
  const nlohmann::json store = json("run/stats.json")["node"]["pcram"];
  EXPECT_GT(store["lines_saved_at_power_loss"].get<unsigned>(), 0u);
  EXPECT_GT(store["writes_combined"].get<unsigned>(), 4 * store["lines_written"].get<unsigned>());
}

// A flush that ends before the memory is saved breaks promises.
TEST_F(LinuxFilesTest, AFlushThatEndsTooEarlyIsFound) {
  lose_power_once({"node.pmem.flush=early", "faults.0.at=1500ms"});
  EXPECT_LT(kept(), promised());
}

// So does a buffer that is lost with the power.
TEST_F(LinuxFilesTest, APcramWithoutAReserveOfEnergyIsFound) {
  lose_power_once({"node.use=linux_pcram_node", "faults.0.at=1400ms", "node.pcram.reserve=none",
                   "node.pcram.buffer=64KiB"});
  EXPECT_LT(kept(), promised());
}

// 300 power failures for each kind of memory, in parts that one command makes in time.
struct KindOfFiles {
  const char *name, *node;
  unsigned promises;
  const char* recovery;
};
class LinuxPowerFailureTest : public LinuxFilesTest,
                              public testing::WithParamInterface<std::tuple<KindOfFiles, unsigned>> {};
constexpr unsigned parts = 25, failures_of_part = 12;
// A block of PCRAM that was being stored when the power failed is partly old and partly new: e2fsck may find
// the last transaction of the journal incomplete, and corrects the file system (status 1).
constexpr const char *recovers = "e2fsck -p /dev/pmem0",
                     *recovers_or_corrects = "{ e2fsck -p /dev/pmem0 || [ $? = 1 ]; }";

TEST_P(LinuxPowerFailureTest, LeavesWhatFsyncPromised) {
  if (!is_nightly()) GTEST_SKIP() << "boots 300 times; the nightly tests make it";
  const auto& [kind, part] = GetParam();
  const std::string steps =
      script({"mke2fs -q -t ext4 /dev/pmem0 && mount /dev/pmem0 /mnt && promises write /mnt " +
                  std::to_string(kind.promises) + "; reboot -f",
              "",
              std::string(kind.recovery) +
                  " && e2fsck -fn /dev/pmem0 && mount /dev/pmem0 /mnt && promises check /mnt"});
  const Ended first = asterism({"run", "linux_files", "--quiet", std::string("node.use=") + kind.node,
                                "faults=[]", "node.uart0.script=" + steps, "--snapshot-at", "1450ms",
                                "--snapshot", "mounted", "--out", "whole"});
  EXPECT_EQ(first.status, 0) << first.out << first.err;
  Random random(2026 + part);
  std::vector<std::string> times;
  std::string faults;
  for (unsigned i = 0; i < failures_of_part; ++i) {
    times.push_back(std::to_string(1'450'000'000'000 + random.below(400'000'000'000)) + "ps");
    faults += R"({"kind": "power_loss", "at": ")" + times.back() + "\"}\n";
  }
  write("faults.jsonl", faults);
  const Ended ended = asterism({"study", "campaign", "snapshot=mounted", "faults=faults.jsonl", "until=8s",
                                "jobs=2", "--out", "runs"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, ContainsRegex("recovered +" + std::to_string(failures_of_part) + "  "));
  for (unsigned i = 0; i < failures_of_part; ++i) {
    const std::string log = "runs/line" + std::to_string(i + 1) + "/uart0.log";
    EXPECT_GE(kept(log), promised(log)) << times[i];
  }
}

INSTANTIATE_TEST_SUITE_P(
    Parts, LinuxPowerFailureTest,
    testing::Combine(testing::Values(KindOfFiles{"DimmSsd", "linux_node", 100, recovers},
                                     KindOfFiles{"Pcram", "linux_pcram_node", 2500, recovers_or_corrects}),
                     testing::Range(0u, parts)),
    [](const auto& info) { return std::get<0>(info.param).name + std::to_string(std::get<1>(info.param)); });

// ---- network ----

class LinuxClusterTest : public CommandTest {
 protected:
  Ended cluster(const Arguments& more = {}, const std::string& run = "run") const {
    Arguments arguments{"run", "linux_cluster", "--quiet", "--out", run};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return asterism(arguments);
  }
  // What a node has printed.
  std::string console(unsigned node) const {
    std::istringstream all(contents("run/uart0.log"));
    std::string own, line;
    const std::string name = "node" + std::to_string(node) + ": ";
    while (std::getline(all, line))
      if (line.starts_with(name)) own += line.substr(name.size()) + "\n";
    return own;
  }
  std::uint64_t count(unsigned node, const std::string& name) const {
    return json("run/stats.json")["node" + std::to_string(node)]["net"][name].get<std::uint64_t>();
  }
};

TEST_F(LinuxClusterTest, NodesPingEachOtherAndMoveAFile) {
  const Ended ended = cluster();
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("cluster      2 independent nodes, 0 losses\n"));
  std::set<std::string> checksums;
  for (const unsigned node : {0u, 1u}) {
    EXPECT_THAT(console(node), HasSubstr("Kernel command line: console=ttyAMA0"));
    EXPECT_THAT(console(node), HasSubstr("3 packets transmitted, 3 packets received, 0% packet loss"));
    const std::string text = console(node);
    const auto end = text.rfind("  file\r");
    ASSERT_TRUE(end != std::string::npos && end >= 64) << text;
    checksums.insert(text.substr(end - 64, 64));
  }
  EXPECT_EQ(checksums.size(), 1u);
  EXPECT_GT(count(1, "sent_bytes"), 1'000'000u);
  EXPECT_EQ(count(0, "received_bytes"), count(1, "sent_bytes"));
  EXPECT_EQ(count(1, "frames_dropped"), 0u);
}

TEST_F(LinuxClusterTest, ARunThatEndsTooEarlyNamesTheNodeWhoseScriptWaits) {
  const Ended ended = asterism({"run", "linux_cluster", "--quiet", "--out", "run", "until=1ms"});
  EXPECT_NE(ended.status, 0);
  EXPECT_THAT(ended.out, HasSubstr(R"(still waits for "login: " at uart0 of node0)"));
}

TEST_F(LinuxClusterTest, ALinkThatIsLostComesBack) {
  const std::string until = "until [ $(cat /sys/class/net/eth0/carrier) = ", sleep = "; do sleep 1; done; ";
  const std::string command = "if [ $NODE = 0 ]; then sleep 12; else " + until + "0 ]" + sleep + until +
                              "1 ]" + sleep + "until ping -c 1 10.0.0.1" + sleep + "fi\n";
  const nlohmann::json script = {{{"after", "login: "}, {"type", "root\n"}},
                                 {{"after", "# "}, {"type", command}},
                                 {{"after", "# "}, {"type", "poweroff -f\n"}}};
  const Ended ended =
      cluster({"node.uart0.script=" + script.dump(),
               R"(faults=[{"at": "4s", "kind": "link_loss", "node": 1, "restore_after": "3s"}])"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("cluster      2 independent nodes, 1 loss\n"));
  EXPECT_THAT(console(1), HasSubstr("1 packets transmitted, 1 packets received"));
}

TEST_F(LinuxClusterTest, LeavesTheSameBytesWithTwoThreads) {
  if (!is_nightly()) GTEST_SKIP() << "boots four times; the nightly tests make it";
  EXPECT_EQ(cluster().status, 0);
  EXPECT_EQ(cluster({"--threads", "2"}, "threads").status, 0);
  for (const char* file : {"stats.json", "uart0.log", "events.jsonl"})
    EXPECT_EQ(contents(std::string("run/") + file), contents(std::string("threads/") + file)) << file;
}

// ---- errors of memory ----

// Bits of rows most of which the program uses, and then the whole rows.
TEST_F(LinuxTest, ErrorsOfMemoryAreCountedAndKillTheProcessThatCannotRead) {
  std::string faults;
  const auto fault = [](const std::string& what, int row) {
    return R"({"channel": 0, "rank": 0, "chip": 3, "bank": 5, "row": )" + std::to_string(row) + ", " + what +
           "}";
  };
  for (int row = 500; row < 900; row += 10)
    faults +=
        (faults.empty() ? "" : ",") +
        fault(R"("at": "1230ms", "kind": "bit", "persistence": "transient", "column": 3, "bit": 7)", row) +
        "," + fault(R"("at": "1330ms", "kind": "row", "persistence": "stuck")", row);
  const Ended ended =
      linux({"node.memory.size=256MiB", "node.memory.ranks=1", "faults=[" + faults + "]",
             R"(node.devices.edac={"type": "qoriq_edac", "base": "0x0b01_1000", "interrupt": 21})",
             "node.uart0.script=" +
                 script({"work 65536 8; echo status $?", "cd /sys/devices/system/edac/mc/mc0",
                         "echo corrected $(cat ce_count); echo uncorrectable $(cat ue_count)"})});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(contents("run/uart0.log"),
              AllOf(HasSubstr("Faulty Data bit: 15"), HasSubstr("Bus error"), HasSubstr("status 135")));
  EXPECT_THAT(ended.err, HasSubstr("poisoned data, a data abort"));
  const nlohmann::json found = json("run/stats.json")["node"]["edac"];
  EXPECT_GT(last("corrected ", "run/uart0.log"), 20u);
  EXPECT_EQ(last("corrected ", "run/uart0.log"), found["corrected"].get<unsigned>());
  EXPECT_EQ(last("uncorrectable ", "run/uart0.log"), found["uncorrectable"].get<unsigned>());
  EXPECT_GT(found["uncorrectable"].get<unsigned>(), 0u);
}

// ---- input ----

TEST_F(LinuxTest, BadInputIsRefused) {
  Ended ended = kernel("no kernel");
  EXPECT_EQ(ended.status, 65);
  EXPECT_EQ(ended.err,
            "./Image: error: kernel is no Image: it has not the magic number \"ARM\\x64\" at offset 56\n");
  ended = kernel("", {"bootargs=" + std::string(2048, 'a')});
  EXPECT_EQ(ended.status, 65);
  EXPECT_THAT(ended.err, HasSubstr("error: bootargs: expected a value that has fewer than 2048 characters, "
                                   "as Linux for AArch64 asks for, got \"aaa"));
  std::ofstream(folder / "initrd") << "070701";
  ended = linux({"initrd=./initrd"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_EQ(ended.err, "./initrd: error: initrd is cut short\n");
  ended = linux({"node.memory.size=16MiB", "node.memory.ranks=1"});
  EXPECT_EQ(ended.status, 65);
  ended = asterism({"run", "hello", "bootargs=quiet"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_EQ(ended.err,
            "command line: error: bootargs: expected a value that is empty unless firmware_format is linux, "
            "got \"quiet\"\n");
  ended = asterism({"run", "hello", "initrd=busybox"});
  EXPECT_EQ(ended.status, 65);
  ended = linux({"args=one"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_EQ(ended.err,
            "command line: error: args: expected a value that is empty with firmware_format=linux, whose "
            "command line is bootargs, got \"one\"\n");
}

TEST_F(LinuxTest, WhatIsMissingIsNamed) {
  Ended ended = linux({"initrd=no_such"});
  EXPECT_EQ(ended.status, 66);
  EXPECT_THAT(ended.err,
              HasSubstr("no_such.cpio; `scripts/setup linux` installs what the build makes it from"));
  write("l.json", R"({"node": {"use": "checkpoint_node"}, "firmware": "/no/such/linux",
                      "firmware_format": "linux", "firmware_package": "some-package"})");
  ended = asterism({"run", "l.json"});
  EXPECT_EQ(ended.status, 66);
  EXPECT_THAT(ended.err, HasSubstr("there is no file /no/such/linux; install the package some-package"));
}

}  // namespace
}  // namespace asterism
