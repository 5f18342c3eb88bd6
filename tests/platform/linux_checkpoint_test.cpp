// Checkpoints of a program of Linux (docs/linux.md, sw/user_space). What these tests need is that of
// linux_test.cpp.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/nightly.h"
#include "base/random.h"
#include "tests/platform/command.h"
#include "tests/platform/linux_script.h"

namespace asterism {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string four_pages = "echo 4 >/proc/sys/vm/nr_hugepages; ",
                  nine_pages = "echo 9 >/proc/sys/vm/nr_hugepages; ";

class LinuxCheckpointTest : public CommandTest {
 protected:
  Ended linux(const std::string& steps, const Arguments& more = {}) const {
    Arguments arguments{"run",       "linux_checkpoint",          "--quiet", "--out", "run",
                        "faults=[]", "node.uart0.script=" + steps};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return asterism(arguments);
  }

  // The words behind each of such words on a console, up to the next blank or the end of the line.
  std::vector<std::string> behind(const std::string& words, const std::string& log) const {
    const std::string text = contents(log);
    std::vector<std::string> found;
    for (auto at = text.find(words); at != std::string::npos; at = text.find(words, at + 1))
      found.push_back(text.substr(at + words.size(),
                                  text.find_first_of(" ,\r\n", at + words.size()) - at - words.size()));
    return found;
  }
  struct Event {
    std::uint64_t at;  // ps
    int version;
  };
  // The events of this kind of the DIMM-SSD.
  std::vector<Event> checkpoints(const std::string& kind) const {
    std::vector<Event> found;
    for (const auto& event : events())
      if (event.at("source") == "node.dimm_ssd" && event.at("kind") == kind)
        found.push_back({event.at("time_ps"), event.at("version")});
    return found;
  }
  // The version of the last of the events before this time.
  static int newest(const std::vector<Event>& all, std::uint64_t time) {
    const auto next = std::ranges::find_if(all, [&](const Event& event) { return event.at > time; });
    return next == all.begin() ? 0 : (next - 1)->version;
  }
  static std::string read(const std::filesystem::path& file) {
    std::ifstream in(file);
    EXPECT_TRUE(in.is_open()) << file;
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static int number(const std::string& text) { return std::stoi(text); }

  // Builds programs as docs/linux.md shows, and adds them to the initial file system; the result is own.cpio.
  void add(const std::vector<std::string>& programs) const {
    const std::filesystem::path build = std::filesystem::path(elf("hello")).parent_path().parent_path();
    std::string steps = fmt::format(
        "set -e; here=$PWD; mkdir -p own/bin asterism; '{}/platform/asterism_firmware_header' "
        ">asterism/platform.h; cd '{}'; ",
        build.string(), tree.string());
    for (const std::string& each : programs)
      steps += fmt::format(
          "aarch64-linux-gnu-gcc -O2 -ffp-contract=off \"-I$here\" \"$here/{0}.c\" "
          "@sw/user_space/options -o \"$here/own/bin/{0}\"; ",
          each);
    steps += fmt::format(
        "cd \"$here/own\"; find . | cpio -o -H newc --quiet | cat '{}/sw/busybox.cpio' - >../own.cpio",
        build.string());
    const Ended ended = program("/bin/sh", {"-c", steps});
    ASSERT_EQ(ended.status, 0) << ended.err;
  }

  const std::filesystem::path tree = source_configs().parent_path();
};

TEST_F(LinuxCheckpointTest, AScenarioShowsThatAProgramSurvivesAKillAndALossOfPower) {
  const Ended ended = asterism({"run", "linux_checkpoint", "--quiet", "--out", "cut"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  const auto resumed = behind("resumed at ", "cut/uart0.log"),
             places = behind("physical address ", "cut/uart0.log"),
             sums = behind("checksum ", "cut/uart0.log");
  ASSERT_EQ(resumed.size(), 2u);
  ASSERT_EQ(places.size(), 3u);
  EXPECT_EQ(resumed[0], "400");
  EXPECT_GT(number(resumed[1]), 400);
  EXPECT_EQ(places[1], places[0]);
  EXPECT_NE(places[2], places[0]);
  ASSERT_EQ(linux(linux_script({four_pages + "solver wave 1600 200"})).status, 0);
  EXPECT_EQ(behind("resumed at ", "run/uart0.log").size(), 0u);
  EXPECT_EQ(behind("checksum ", "run/uart0.log"), sums);
}

// Some failures are within a checkpoint, some between two. More in the nightly run.
TEST_F(LinuxCheckpointTest, AProgramGoesOnWithEqualBitsAfterAnyPowerFailure) {
  const Ended first = linux(
      linux_script({four_pages + "solver wave 1200 100; reboot -f", "", nine_pages + "solver wave 1200 100"}),
      {"--snapshot-at", "1400ms", "--snapshot", "begun"});
  ASSERT_EQ(first.status, 0) << first.out << first.err;
  const std::vector<Event> begun = checkpoints("checkpoint_begin"),
                           durable = checkpoints("checkpoint_commit");
  ASSERT_GE(durable.size(), 10u);
  Random random(2026);
  std::vector<std::uint64_t> times{durable[7].at - 1, durable[8].at + 1, begun[9].at + 1};
  for (int i = 0; is_nightly() && i < 40; ++i)
    times.push_back(begun[6].at + random.below(begun[10].at - begun[6].at));
  std::string faults;
  for (const std::uint64_t time : times)
    faults += fmt::format("{{\"kind\": \"power_loss\", \"at\": \"{}ps\"}}\n", time);
  write("faults.jsonl", faults);
  const Ended all = asterism(
      {"study", "campaign", "snapshot=begun", "faults=faults.jsonl", "until=8s", "jobs=2", "--out", "runs"});
  EXPECT_EQ(all.status, 0) << all.out << all.err;
  const std::string sum = behind("checksum ", "run/uart0.log").at(0);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const std::string log = fmt::format("runs/line{}/uart0.log", i + 1);
    const auto resumed = behind("resumed at ", log);
    ASSERT_EQ(resumed.size(), 1u) << times[i];
    EXPECT_GE(number(resumed[0]), newest(durable, times[i])) << times[i];
    EXPECT_LE(number(resumed[0]), newest(begun, times[i])) << times[i];
    EXPECT_EQ(behind("checksum ", log), std::vector<std::string>{sum}) << times[i];
  }
}

// Begins to restore a checkpoint, as long as the solver's, and kills itself.
const char* const dies_source = R"(
#include <signal.h>
#include "boot/device_address.h"
#include "user_space/user_space.h"
enum { pages = 66 };
int main(void) {
  if (user_space_open(2 * pages * page_bytes) != checkpoint_ok || checkpoint_initialize() != checkpoint_ok) return 1;
  DimmSsdRequest* const request = memory_allocate(page_bytes);
  const char* const memory = memory_allocate(pages * page_bytes);
  *request = (DimmSsdRequest){.name = "late", .version = 300, .page_count = pages};
  for (int i = 0; i < pages; ++i) ((uint64_t*)(request + 1))[i] = device_address(memory + i * page_bytes, page_bytes);
  return dimm_ssd_start(dimm_ssd_restore, request) ? raise(SIGKILL) : 1;
}
)";

// With a method that lets software continue, and few flash packages, the device has copied little when the
// process is killed: it saves the rest from memory that has no process any more. Another process is killed
// when the device has begun to restore. A program that leaves out a part of its state ends with another
// checksum.
TEST_F(LinuxCheckpointTest, AKilledProgramGoesOnWithEqualBits) {
  std::string source = read(tree / "sw/linux/solver.c");
  const std::string whole = "checkpoint_protect(1, state.before, bytes)";
  ASSERT_THAT(source, HasSubstr(whole));
  const std::string part = "checkpoint_protect(1, state.before, 4096)";
  write("forgetful.c", source.replace(source.find(whole), whole.size(), part));
  write("dies.c", dies_source);
  ASSERT_NO_FATAL_FAILURE(add({"forgetful", "dies"}));
  const auto line = [](const std::string& after, const std::string& type) {
    return fmt::format(R"({{"after": "{}", "type": "{}\n"}},)", after, type);
  };
  const Ended ended =
      linux("[" + line("login: ", "root") + line("# ", four_pages + "solver all 600 100") +
                line("# ", "solver late 600 100 late &") + line("checkpoint 300", "kill -9 $!") +
                line("# ", "dies; solver late 600 100 late") + line("# ", "forgetful some 600 100 &") +
                line("checkpoint 300", "kill -9 $!") + line("# ", "forgetful some 600 100") +
                line("# ", "poweroff -f") + R"({"after": "Power down"}])",
            {"initrd=./own.cpio", "node.dimm_ssd.packages=1"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_EQ(behind("resumed at ", "run/uart0.log"), (std::vector<std::string>{"300", "300"}));
  const auto sums = behind("checksum ", "run/uart0.log");
  ASSERT_EQ(sums.size(), 3u);
  EXPECT_EQ(sums[1], sums[0]);
  EXPECT_NE(sums[2], sums[0]);
  const auto stats = json("run/stats.json")["node"]["dimm_ssd"];
  EXPECT_GT(stats["checkpointer"]["writes_held"].get<int>(), 0);
  EXPECT_EQ(stats["restores"].get<int>(), 3);
}

// ---- what a process may not have ----

// drop user COMMAND: without root's rights; drop NUMBER COMMAND: without this capability.
const char* const drop_source = R"(
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(int count, char** words) {
  const int number = atoi(words[1]);
  if (number != 0 ? prctl(PR_CAPBSET_DROP, number, 0, 0, 0) : setuid(1000)) return 1;
  return count > 2 ? execv(words[2], words + 2) : 1;
}
)";

const char* const limits_source = R"(
#include <stdio.h>
#include <stdlib.h>
#include "user_space/user_space.h"
static void print(const char* what, CheckpointStatus status) { printf("%s: %s\n", what, checkpoint_text(status)); }
int main(void) {
  print("unopened", checkpoint_initialize());
  if (user_space_open(65536) != checkpoint_ok) return 1;
  print("again", user_space_open(65536));
  print("initialize", checkpoint_initialize());
  const CheckpointPolicy policy = {.lifetime_years = 5};
  print("memory", checkpoint_use_memory(4096, 1));
  print("ratio", checkpoint_use_ratio(2));
  print("controller", checkpoint_use_controller(&policy));
  print("pcram", checkpoint_use_pcram(0, false));
  print("second", checkpoint_select(1, memory_allocate(CHECKPOINT_OWN_BYTES)));
  checkpoint_protect(0, memory_allocate(8192), 8192);
  print("inside", checkpoint_write("limits", 1));
  checkpoint_protect(1, malloc(8192 * 2), 8192 * 2);
  print("outside", checkpoint_write("limits", 2));
  print("discard", checkpoint_discard("limits", 1));
}
)";

TEST_F(LinuxCheckpointTest, WhatAProcessMayNotUseIsNamed) {
  write("drop.c", drop_source);
  write("limits.c", limits_source);
  ASSERT_NO_FATAL_FAILURE(add({"drop", "limits"}));
  const Ended ended =
      linux(linux_script({"solver a 100 50", "drop user /bin/solver a 100 50", "drop 17 /bin/solver a 100 50",
                          four_pages + "drop 21 /bin/solver a 100 50", "limits",
                          "solver a 600 600 & sleep 0; solver b 100 50; wait",
                          "umount /dev/hugepages; solver a 100 50"}),
            {"initrd=./own.cpio"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  const std::string log = contents("run/uart0.log");
  for (const char* line : {"/proc/sys/vm/nr_hugepages: there are too few huge pages",
                           "/dev/mem: Permission denied", "/dev/mem: Operation not permitted",
                           "/proc/self/pagemap: it hides physical addresses from this process",
                           "/dev/hugepages/asterism: another process uses the DIMM-SSD",
                           "/dev/hugepages: no hugetlbfs is mounted there"})
    EXPECT_THAT(log, HasSubstr(fmt::format("\nsolver: cannot begin: {}\r\n", line)));
  EXPECT_THAT(log, HasSubstr("unopened: no DIMM-SSD\r\n"
                             "again: another checkpoint is not durable yet\r\n"
                             "initialize: ok\r\n"
                             "memory: no memory under strong ECC\r\n"
                             "ratio: no memory under strong ECC\r\n"
                             "controller: no memory under strong ECC\r\n"
                             "pcram: no PCRAM\r\n"
                             "second: no DIMM-SSD\r\n"
                             "inside: ok\r\n"
                             "outside: request refused by the device\r\n"
                             "discard: ok\r\n"));
}

TEST_F(LinuxCheckpointTest, ANodeWithoutADimmSsdIsNamed) {
  const Ended ended = asterism({"run", "linux", "--quiet", "--out", "run", "node.devices.dimm_ssd=null",
                                "node.uart0.script=" + linux_script({"solver a 100 50"})});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(contents("run/uart0.log"),
              HasSubstr("solver: cannot begin: the device tree: it has no DIMM-SSD\r\n"));
}

}  // namespace
}  // namespace asterism
