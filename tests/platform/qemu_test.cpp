// QEMU's virt machine is the reference: the same ELF files must do the same there and here.
#include <gmock/gmock.h>

#include "tests/platform/command.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct QemuTest : CommandTest {
  // Semihosting prints to stderr and writes files to the folder.
  Ended qemu(const std::string& app, const Arguments& words = {}) const {
    std::string semihosting = "enable=on,target=native,arg=" + app;
    for (const std::string& word : words) semihosting += ",arg=" + word;
    return program("qemu-system-aarch64",
                   {"-M", "virt", "-cpu", "cortex-a57", "-smp", "4", "-nographic", "-net", "none", "-vga",
                    "none", "-semihosting-config", semihosting, "-kernel", elf(app)});
  }
};

TEST_F(QemuTest, HelloPrintsTheSame) {
  const Ended theirs = qemu("hello");
  EXPECT_EQ(theirs.status, 0);
  EXPECT_THAT(theirs.err, HasSubstr("cores started by PSCI: 4\n"));
  EXPECT_EQ(firmware("hello").status, 0);
  EXPECT_EQ(contents("run/console.log"), theirs.err);
}

TEST_F(QemuTest, APlainPicolibcProgramPrintsAndWritesTheSame) {
  const Ended theirs = qemu("picolibc_hello", {"one", "two"});
  EXPECT_EQ(theirs.status, 0);
  EXPECT_THAT(theirs.err, HasSubstr("argument: two\n"));
  EXPECT_EQ(firmware("picolibc_hello", {"args=one two"}).status, 0);
  EXPECT_EQ(contents("run/console.log"), theirs.err);
  EXPECT_EQ(contents("run/files/picolibc.txt"), contents("picolibc.txt"));
}

TEST_F(QemuTest, TheSolverComesToTheSameBits) {
  EXPECT_EQ(qemu("cg", {"nx=12"}).status, 0);
  EXPECT_EQ(firmware("cg", {"args=nx=12"}).status, 0);
  EXPECT_EQ(contents("run/files/result.txt"), contents("result.txt"));
}

TEST_F(QemuTest, ExitStatusesAndExceptionsAreTheSame) {
  EXPECT_EQ(qemu("exit_status", {"status=5"}).status, 5);
  EXPECT_EQ(qemu("exit_status", {"status=200"}).status, 200);
  const Ended theirs = qemu("jump_to_hole");
  EXPECT_EQ(theirs.status, 60);
  EXPECT_EQ(firmware("jump_to_hole", untimed).status, 60);  // MMU off, as there
  // The rest of the line is SPSR_EL1, whose BTYPE field a Cortex-A57 does not have.
  const auto until_spsr = [](const std::string& text) { return text.substr(0, text.find("  SPSR_EL1")); };
  EXPECT_EQ(until_spsr(contents("run/console.log")), until_spsr(theirs.err));
}

TEST_F(QemuTest, AtomicsAndTimersWorkTheSame) {
  for (const char* app : {"smp_atomics", "timer", "single_core"}) {
    EXPECT_EQ(qemu(app).status, 0) << app;
    EXPECT_EQ(firmware(app).status, 0) << app;
  }
}

}  // namespace
}  // namespace asterism
