// Debian's kernel on the platform (docs/linux.md). Without its package and the initial file system that the
// build makes of it, these tests fail: scripts/setup test.
#include <gmock/gmock.h>

#include <cstdint>
#include <fstream>
#include <string>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::AllOf;
using testing::HasSubstr;

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

TEST_F(LinuxTest, RunsOnFourCoresWithEitherInterruptController) {
  for (const std::string gic : {R"({"type": "gic400", "base": ["0x0800_0000", "0x0801_0000"]})",
                                R"({"type": "gicv3", "base": ["0x0800_0000", "0x080a_0000"]})"}) {
    const Ended ended = linux({"node.cores.count=4", "node.devices.gic=" + gic});
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    EXPECT_THAT(contents("run/uart0.log"), HasSubstr("on 4 cores"));
  }
}

// All seeds that the kernel takes from outside follow from the scenario's.
TEST_F(LinuxTest, ExecutesTheSameInstructionsAtAnyQuantum) {
  ASSERT_EQ(linux().status, 0);
  const std::uint64_t usual = instructions();
  const std::string log = contents("run/uart0.log");
  ASSERT_EQ(linux({"node.quantum=7us"}).status, 0);
  EXPECT_EQ(instructions(), usual);
  EXPECT_EQ(contents("run/uart0.log"), log);
}

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
