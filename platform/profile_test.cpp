#include "platform/profile.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "platform/test_symbols.h"

namespace asterism {
namespace {

enum Function : std::size_t { none, a, b, c, d };

struct ProfileTest : testing::Test {
  const FunctionSymbols symbols = FunctionSymbols::parse(
      TestSymbolFile({{"a", 0x1000, 0x100}, {"b", 0x1100, 0x100}, {"c", 0x1200, 0x100}, {"d", 0x1300, 0}})
          .bytes(),
      "f.elf");
  CoreProfile profile;
  std::uint64_t count = 0;

  // A step after `instructions` more instructions. A call is identified by its return address.
  void after(std::uint64_t instructions, Flow how, Function to, std::uint64_t address = 0) {
    count += instructions;
    profile.goes({.how = how, .to = address, .region = to, .from = address, .instructions = count});
  }
  // The function a calls b after one instruction.
  void a_calls_b() {
    after(0, Flow::start, a);
    after(1, Flow::call, b, 1);
  }
  std::string folded(std::uint64_t rest) {
    profile.finish(count + rest);
    EXPECT_EQ(profile.instructions(), count + rest);
    return profile.folded("core0", symbols);
  }
};

TEST_F(ProfileTest, CountsInstructionsByTheFunctionsThatCalled) {
  after(0, Flow::start, a);
  after(5, Flow::call, b, 1);
  after(7, Flow::call, c, 2);
  after(11, Flow::ret, b, 2);
  after(1, Flow::ret, a, 1);
  after(2, Flow::call, c, 3);
  after(20, Flow::ret, a, 3);
  EXPECT_EQ(folded(4), "core0;a 11\ncore0;a;b 8\ncore0;a;b;c 11\ncore0;a;c 20\n");
  ProfileReport report(symbols);
  report.add("core0", profile);
  EXPECT_EQ(report.text(),
            "core0: 50 instructions\n"
            "  instructions    share   with callees    share  function\n"
            "            31   62.00%             31   62.00%  c\n"
            "            11   22.00%             50  100.00%  a\n"
            "             8   16.00%             19   38.00%  b\n");
}

TEST_F(ProfileTest, RecursionCountsOnceInWhatAFunctionCalled) {
  a_calls_b();
  after(2, Flow::call, b, 2);
  after(3, Flow::ret, b, 2);
  after(4, Flow::ret, a, 1);
  EXPECT_EQ(folded(0), "core0;a 1\ncore0;a;b 6\ncore0;a;b;b 3\n");
  const auto functions = profile.functions(symbols);
  EXPECT_EQ(functions[0].name, "b");
  EXPECT_EQ(functions[0].self, 9u);
  EXPECT_EQ(functions[0].total, 9u);
}

TEST_F(ProfileTest, ATailCallTakesThePlaceOfItsCallerAndReturnsForIt) {
  a_calls_b();
  after(2, Flow::jump, c);
  after(3, Flow::ret, a, 1);
  EXPECT_EQ(folded(4), "core0;a 5\ncore0;a;b 2\ncore0;a;c 3\n");
}

TEST_F(ProfileTest, AReturnFurtherUpEndsAllCallsBelow) {
  a_calls_b();
  after(1, Flow::call, c, 2);
  after(1, Flow::ret, a, 1);
  EXPECT_EQ(folded(7), "core0;a 8\ncore0;a;b 1\ncore0;a;b;c 1\n");
}

TEST_F(ProfileTest, AReturnToNowhereIsAJump) {
  a_calls_b();
  after(1, Flow::ret, c, 99);
  after(1, Flow::ret, a, 1);
  EXPECT_EQ(folded(1), "core0;a 2\ncore0;a;b 1\ncore0;a;c 1\n");
}

TEST_F(ProfileTest, AnInterruptIsAboveTheInterruptedFunctionUntilItsReturn) {
  a_calls_b();
  after(2, Flow::exception, d, 50);
  after(3, Flow::call, c, 3);
  after(4, Flow::ret, a, 1);  // returns to an address below the frame of the interrupt, which stays
  after(5, Flow::exception_return, b, 50);
  after(6, Flow::ret, a, 1);
  EXPECT_EQ(folded(7), "core0;a 8\ncore0;a;b 8\ncore0;a;b;d 3\ncore0;a;b;d;a 5\ncore0;a;b;d;c 4\n");
}

TEST_F(ProfileTest, AnotherStartBeginsAnotherStack) {
  a_calls_b();
  after(1, Flow::start, a);
  EXPECT_EQ(folded(1), "core0;a 2\ncore0;a;b 1\n");
}

TEST_F(ProfileTest, AStackWithoutEndCostsNoMoreAndLosesNoInstruction) {
  after(0, Flow::start, a);
  for (std::uint64_t i = 0; i < 3 * CoreProfile::deepest; ++i) after(1, Flow::call, b, i + 1);
  const std::string text = folded(0);
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(text, '\n')), CoreProfile::deepest);
  std::uint64_t self = 0;
  for (const auto& share : profile.functions(symbols)) self += share.self;
  EXPECT_EQ(self, 3 * CoreProfile::deepest);
}

TEST_F(ProfileTest, CodeWithoutASymbolHasANameToo) {
  after(0, Flow::start, none);
  EXPECT_EQ(folded(3), "core0;[no symbol] 3\n");
}

}  // namespace
}  // namespace asterism
