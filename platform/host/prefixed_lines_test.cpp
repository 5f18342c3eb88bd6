#include "platform/host/prefixed_lines.h"

#include <gmock/gmock.h>

#include <vector>

namespace asterism {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct PrefixedLinesTest : testing::Test {
  std::vector<std::string> out;
  PrefixedLines lines{"uart1: "};

  void write(const char* text) {
    lines.write(text, [this](std::string_view line) { out.emplace_back(line); });
  }
  void flush() {
    lines.flush([this](std::string_view line) { out.emplace_back(line); });
  }
};

TEST_F(PrefixedLinesTest, EachCompleteLineIsPassedOnWithThePrefix) {
  write("one\ntwo\n\nthr");
  EXPECT_THAT(out, ElementsAre("uart1: one\n", "uart1: two\n", "uart1: \n"));
  EXPECT_EQ(lines.last(), "");
  write("ee\n");
  EXPECT_EQ(out.back(), "uart1: three\n");
  EXPECT_EQ(lines.last(), "three");
}

TEST_F(PrefixedLinesTest, FlushEndsALineThatHasBegun) {
  flush();
  EXPECT_THAT(out, IsEmpty());
  write("half");
  EXPECT_THAT(out, IsEmpty());
  flush();
  flush();
  EXPECT_THAT(out, ElementsAre("uart1: half\n"));
}

}  // namespace
}  // namespace asterism
