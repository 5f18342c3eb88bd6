#include "platform/instruments/profile.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "platform/firmware/test_symbols.h"

namespace asterism {
namespace {

enum Function : std::size_t { none, a, b, c, d };

struct ProfileTest : testing::Test {
  const FunctionSymbols symbols = FunctionSymbols::parse(
      TestSymbolFile({{"a", 0x1000, 0x100}, {"b", 0x1100, 0x100}, {"c", 0x1200, 0x100}, {"d", 0x1300, 0}})
          .bytes(),
      "f.elf");
  const ProfiledCode code{symbols, false};
  std::uint64_t count = 0;
  ProfileCost spent;  // besides the instructions
  CoreProfile profile{code, [this](std::uint64_t instructions) {
                        ProfileCost cost = spent;
                        cost.instructions = instructions;
                        return cost;
                      }};

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
    EXPECT_EQ(profile.total().instructions, count + rest);
    return profile.folded("core0");
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
  ProfileReport report(false);
  report.add("core0", profile);
  EXPECT_EQ(
      report.text(),
      "core0: 50 instructions, 0.000 us\n"
      "  instructions    share   with callees    share        time us    share   with callees  function\n"
      "            31   62.00%             31   62.00%          0.000    0.00%          0.000  c\n"
      "            11   22.00%             50  100.00%          0.000    0.00%          0.000  a\n"
      "             8   16.00%             19   38.00%          0.000    0.00%          0.000  b\n");
}

TEST_F(ProfileTest, TimeAndMissesAreOfTheFunctionInWhichTheyPass) {
  after(0, Flow::start, a);
  spent = {.instructions = 0, .time = 5_us, .l1_misses = 3, .l2_misses = 1};
  after(2, Flow::call, b, 1);
  spent = {.instructions = 0, .time = 50_us, .l1_misses = 4, .l2_misses = 1};
  after(1, Flow::ret, a, 1);
  spent.time = 90_us;
  after(0, Flow::start, a);  // the core was off for 40 us
  spent.time = 91_us;
  folded(1);
  EXPECT_EQ(profile.total(), (ProfileCost{.instructions = 4, .time = 51_us, .l1_misses = 4, .l2_misses = 1}));
  ProfileReport report(true);
  report.add("core0", profile);
  EXPECT_EQ(report.text(),
            "core0: 4 instructions, 51.000 us, 4 L1 misses, 1 L2 misses\n"
            "  instructions    share   with callees    share        time us    share   with callees    L1 "
            "misses    "
            "L2 misses  function\n"
            "             1   25.00%              1   25.00%         45.000   88.23%         45.000          "
            "  1      "
            "      0  b\n"
            "             3   75.00%              4  100.00%          6.000   11.76%         51.000          "
            "  3      "
            "      1  a\n");
}

TEST_F(ProfileTest, RecursionCountsOnceInWhatAFunctionCalled) {
  a_calls_b();
  after(2, Flow::call, b, 2);
  after(3, Flow::ret, b, 2);
  after(4, Flow::ret, a, 1);
  EXPECT_EQ(folded(0), "core0;a 1\ncore0;a;b 6\ncore0;a;b;b 3\n");
  const auto functions = profile.functions();
  EXPECT_EQ(functions[0].name, "b");
  EXPECT_EQ(functions[0].self.instructions, 9u);
  EXPECT_EQ(functions[0].total.instructions, 9u);
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
  for (const auto& share : profile.functions()) self += share.self.instructions;
  EXPECT_EQ(self, 3 * CoreProfile::deepest);
}

TEST_F(ProfileTest, CodeWithoutASymbolHasANameToo) {
  after(0, Flow::start, none);
  EXPECT_EQ(folded(3), "core0;[no symbol] 3\n");
}

}  // namespace
}  // namespace asterism
