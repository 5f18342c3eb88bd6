#include "base/uart_script.h"

#include <gtest/gtest.h>

#include <string_view>

namespace asterism {
namespace {

std::string typed_after(UartScript& script, std::string_view printed) {
  std::string typed;
  for (const char character : printed) typed += script.sees(character);
  return typed;
}

TEST(UartScriptTest, TypesALineWhenItsWordsAreThere) {
  UartScript script({{"=> ", "version\n"}, {"=> ", "reset\n"}});
  EXPECT_EQ(typed_after(script, "U-Boot\n=>"), "");
  EXPECT_EQ(typed_after(script, " "), "version\n");
  EXPECT_EQ(typed_after(script, "version\nU-Boot 2023\n=> "), "reset\n");
  EXPECT_EQ(script.waits_for(), nullptr);
  EXPECT_EQ(typed_after(script, "=> "), "");
}

TEST(UartScriptTest, WordsCountOnce) {
  UartScript script({{"ab", "1"}, {"b", "2"}});
  EXPECT_EQ(typed_after(script, "ab"), "1");
  ASSERT_TRUE(script.waits_for());
  EXPECT_EQ(script.waits_for()->after, "b");
  EXPECT_EQ(typed_after(script, "b"), "2");
}

TEST(UartScriptTest, FindsWordsThatBeginInWordsThatFailed) {
  UartScript script(std::vector<UartScriptLine>{{"aab", "x"}});
  EXPECT_EQ(typed_after(script, "aaab"), "x");
}

TEST(UartScriptTest, ALineMayOnlyWait) {
  UartScript script({{"done", ""}, {"=> ", "off"}});
  EXPECT_EQ(typed_after(script, "=> done"), "");
  EXPECT_EQ(typed_after(script, "\n=> "), "off");
}

}  // namespace
}  // namespace asterism
