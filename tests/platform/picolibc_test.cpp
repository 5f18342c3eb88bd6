// C and C++ programs that use only picolibc (sw/picolibc) print the same under QEMU and here.
#include <gmock/gmock.h>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::HasSubstr;
using testing::Not;

struct PicolibcTest : CommandTest {
  std::string on_qemu(const std::string& app, int status) const {
    const Ended ended =
        program("qemu-system-aarch64",
                {"-M", "virt", "-cpu", "cortex-a57", "-nographic", "-net", "none", "-vga", "none",
                 "-semihosting-config", "enable=on,target=native,arg=" + app, "-kernel", elf(app)});
    EXPECT_EQ(ended.status, status) << ended.err;
    return ended.err;
  }
  void expect_the_same_here(const std::string& app, int status, const std::string& theirs) const {
    EXPECT_EQ(firmware(app).status, status);
    EXPECT_EQ(contents("run/console.log"), theirs);
  }
};

TEST_F(PicolibcTest, ACProgramPrintsAndWritesTheSame) {
  const std::string theirs = on_qemu("picolibc_library", 5);
  EXPECT_THAT(theirs, HasSubstr("constructors: abc; variables: 42 7 0\n"));
  EXPECT_THAT(theirs, HasSubstr("heap: 0 wrong bytes, a tebibyte refused\n"));
  EXPECT_THAT(theirs, HasSubstr("sorting: in order, found, middle "));
  EXPECT_THAT(theirs, HasSubstr("jumped with 17, local 2\n"));
  EXPECT_THAT(theirs, HasSubstr("registered second, called first\nregistered first, called last\n"));
  EXPECT_THAT(theirs, Not(HasSubstr("never here")));
  expect_the_same_here("picolibc_library", 5, theirs);
  EXPECT_EQ(contents("run/files/library.txt"), contents("library.txt"));
}

TEST_F(PicolibcTest, ExceptionsAndStaticConstructorsOfCxxDoTheSame) {
  const std::string theirs = on_qemu("picolibc_exceptions", 7);
  EXPECT_THAT(theirs, HasSubstr("+first +second +third +fourth | 4 alive\n+local | 5 alive\n"));
  EXPECT_THAT(
      theirs,
      HasSubstr("+even +odd +even +odd +even -even -odd -even -odd -even caught derived 77 9 | 5 alive\n"));
  EXPECT_THAT(theirs, HasSubstr("200 caught | 5 alive\n"));
  EXPECT_THAT(theirs, HasSubstr("terminated: 99\n-local -fourth -third -second -first "));
  EXPECT_THAT(theirs, Not(HasSubstr("never here")));
  expect_the_same_here("picolibc_exceptions", 7, theirs);
}

}  // namespace
}  // namespace asterism
