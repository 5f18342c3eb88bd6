#include "platform/host/shown_text.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace asterism {
namespace {

// Runs in a forked process, as after a snapshot was loaded: it has this process's place in the text.
template <class F>
void in_a_copy(F run) {
  const pid_t child = fork();
  if (child == 0) {
    run();
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(ShownTextTest, TextIsShownOnceInAllProcesses) {
  ShownText shown;
  EXPECT_EQ(shown.unseen("one\n"), "one\n");
  in_a_copy([&] { EXPECT_EQ(shown.unseen("two\nthr"), "two\nthr"); });
  in_a_copy([&] {
    EXPECT_EQ(shown.unseen("two\n"), "");
    EXPECT_EQ(shown.unseen("three\n"), "ee\n");
    EXPECT_EQ(shown.unseen("four\n"), "four\n");
  });
  EXPECT_EQ(shown.unseen("two\nthree\nfour\nfive\n"), "five\n");
}

TEST(ShownTextTest, AnotherTextIsShownFromTheFirstDifferenceOn) {
  ShownText shown;
  in_a_copy([&] { EXPECT_EQ(shown.unseen("one two three"), "one two three"); });
  in_a_copy([&] {
    EXPECT_EQ(shown.unseen("one 2 "), "2 ");
    EXPECT_EQ(shown.unseen("three"), "three");
  });
  EXPECT_EQ(shown.unseen("one 2 three"), "");
}

}  // namespace
}  // namespace asterism
