#include "platform/instruments/profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "platform/firmware/kernel_symbols.h"
#include "platform/firmware/test_kallsyms.h"
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

// The rule by which speedscope reads the file (importFromBGFlameGraph), which skips any other line.
TEST(ProfileFolded, EveryLineIsAStackAndACountHoweverAFunctionIsCalled) {
  const FunctionSymbols symbols = FunctionSymbols::parse(
      TestSymbolFile({{"<[u8; 4]>::fill 2", 0x1000, 0x100}, {"operator delete(void*)", 0x1100, 0x100}})
          .bytes(),
      "f.elf");
  const ProfiledCode code{symbols, false};
  CoreProfile profile(code, [](std::uint64_t count) { return ProfileCost{.instructions = count}; });
  profile.goes({.how = Flow::start, .to = 1, .region = 1, .from = 0, .instructions = 0});
  profile.goes({.how = Flow::call, .to = 2, .region = 2, .from = 1, .instructions = 3});
  profile.finish(10);
  const std::regex line("(.*) ([0-9]+)");
  std::istringstream text(profile.folded("core0"));
  std::uint64_t sum = 0;
  for (std::string each; std::getline(text, each);) {
    std::smatch parts;
    ASSERT_TRUE(std::regex_match(each, parts, line)) << each;
    const std::string stack = parts[1];
    EXPECT_EQ(std::ranges::count(stack, ';'), sum == 0 ? 1 : 2) << stack;
    sum += std::stoull(parts[2]);
  }
  EXPECT_EQ(sum, 10u);
  EXPECT_EQ(profile.folded("core0"),
            "core0;<[u8: 4]>::fill 2 3\n"
            "core0;<[u8: 4]>::fill 2;operator delete(void*) 7\n");
}

TEST_F(ProfileTest, CodeWithoutASymbolHasANameToo) {
  after(0, Flow::start, none);
  EXPECT_EQ(folded(3), "core0;[no symbol] 3\n");
}

// ---- Linux ----

struct KernelProfileTest : testing::Test {
  static constexpr std::uint64_t placed = 0x4020'0000, mapped = 0xffff'8000'0800'0000,
                                 program = 0xaaaa'0000'1000;
  static constexpr std::uint64_t vectors = 0x1000, work = 0x1800, idle = 0x2000, boot = 0x5000;
  const std::vector<std::byte> image = TestKallsyms{}.image(
      {{vectors, 'T', "vectors"}, {work, 'T', "work"}, {idle, 'T', "idle"}, {boot, 'T', "primary_entry"}},
      boot);
  const FunctionSymbols symbols =
      FunctionSymbols::of_kernel(KernelSymbols({Address(placed), image, 64_KiB, true, true}));
  const ProfiledCode code{symbols, false};
  CoreProfile profile{code,
                      [](std::uint64_t instructions) { return ProfileCost{.instructions = instructions}; }};
  std::uint64_t count = 0;

  void after(std::uint64_t instructions, Flow how, std::uint64_t to, std::uint64_t physical,
             std::uint64_t from = 0) {
    const auto& boundaries = symbols.boundaries();
    const auto region = std::ranges::upper_bound(boundaries, physical) - boundaries.begin();
    profile.goes({.how = how,
                  .to = to,
                  .physical = physical,
                  .region = static_cast<std::size_t>(region),
                  .from = from,
                  .instructions = count += instructions});
  }
  void kernel(std::uint64_t instructions, Flow how, std::uint64_t offset, std::uint64_t from = 0) {
    after(instructions, how, mapped + offset, placed + offset, from);
  }
  std::string folded(std::uint64_t rest) {
    profile.finish(count + rest);
    return profile.folded("core0");
  }
};

TEST_F(KernelProfileTest, FunctionsHaveOneNameWhereverTheyAreMapped) {
  after(0, Flow::start, placed + boot, placed + boot);
  kernel(5, Flow::jump, boot + 4);
  after(1, Flow::jump, mapped + 0x10'0000, placed + work);  // a module, in the memory of `work`
  after(2, Flow::jump, mapped + 0x9000'0000, 0x4800'0000);  // another module
  EXPECT_EQ(folded(3), "core0;[no symbol] 5\ncore0;primary_entry 6\n");
}

TEST_F(KernelProfileTest, ProgramsAreOneFunction) {
  kernel(0, Flow::start, boot);
  after(1, Flow::exception_return, program, 0x4800'0000);
  after(10, Flow::call, program + 0x100, placed + work, program + 4);  // in memory that the kernel has freed
  after(10, Flow::ret, program + 4, 0x4800'0004);
  kernel(1, Flow::exception, vectors, program + 8);
  kernel(2, Flow::call, work, mapped + vectors + 8);
  kernel(3, Flow::ret, vectors + 8);
  after(4, Flow::exception_return, program + 8, 0x4800'0008);
  EXPECT_EQ(folded(5),
            "core0;[user] 26\ncore0;[user];vectors 6\ncore0;[user];vectors;work 3\n"
            "core0;primary_entry 1\n");
}

TEST_F(KernelProfileTest, TheVectorsOfKptiEnterTheKernelByAReturn) {
  kernel(0, Flow::start, boot);
  after(1, Flow::exception_return, program, 0x4800'0000);
  after(1, Flow::exception, 0xffff'fbff'0000'0000, placed + 0x8000, program + 8);
  after(1, Flow::call, 0xffff'fbff'0000'0008, placed + 0x8008, 0xffff'fbff'0000'0004);
  kernel(1, Flow::ret, vectors);
  after(1, Flow::exception_return, program + 8, 0x4800'0008);
  EXPECT_EQ(folded(1),
            "core0;[user] 2\ncore0;[user];[no symbol] 1\ncore0;[user];[no symbol];[no symbol] 1\n"
            "core0;[user];[no symbol];vectors 1\ncore0;primary_entry 1\n");
}

TEST_F(KernelProfileTest, ASwitchToAnotherTaskBeginsAnotherStack) {
  kernel(0, Flow::start, boot);
  after(1, Flow::exception_return, program, 0x4800'0000);
  kernel(1, Flow::exception, vectors, program + 8);
  kernel(1, Flow::call, work, mapped + vectors + 8);
  kernel(1, Flow::ret, idle + 0x10);  // to what the idle task has called
  kernel(7, Flow::call, work, mapped + idle + 0x20);
  EXPECT_EQ(folded(1),
            "core0;[user] 1\ncore0;[user];vectors 1\ncore0;[user];vectors;work 1\n"
            "core0;idle 7\ncore0;idle;work 1\ncore0;primary_entry 1\n");
}

}  // namespace
}  // namespace asterism
