#include "base/wrapped_text.h"

#include <gtest/gtest.h>

namespace asterism {
namespace {

TEST(WrappedTextTest, LinesHaveAtMostEightyColumns) {
  const std::string word(20, 'a');
  const std::string text = word + " " + word + " " + word + " " + word;
  EXPECT_EQ(wrapped(text, 0), word + " " + word + " " + word + "\n" + word + "\n");
  EXPECT_EQ(wrapped(word + " " + word + " " + word, 18),
            std::string(18, ' ') + word + " " + word + " " + word + "\n");
  EXPECT_EQ(wrapped(word + " " + word + " " + word, 19),
            std::string(19, ' ') + word + " " + word + "\n" + std::string(19, ' ') + word + "\n");
}

TEST(WrappedTextTest, AWordThatIsTooLongHasALineOfItsOwn) {
  const std::string word(100, 'a');
  EXPECT_EQ(wrapped("b " + word + " b", 2), "  b\n  " + word + "\n  b\n");
}

TEST(WrappedTextTest, AHeadingIsBesideTheTextOrAboveIt) {
  EXPECT_EQ(wrapped("name", "what it is", 6), "name  what it is\n");
  EXPECT_EQ(wrapped("a longer name", "what it is", 6), "a longer name\n      what it is\n");
  EXPECT_EQ(wrapped("name", "", 6), "name  \n");
}

}  // namespace
}  // namespace asterism
