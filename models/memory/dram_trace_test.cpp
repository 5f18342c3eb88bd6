#include "memory/dram_trace.h"

#include <gtest/gtest.h>

#include <sstream>

#include "base/thrown.h"

namespace asterism {
namespace {

DramTraceSource trace(const std::string& text) {
  return {std::make_unique<std::istringstream>(text), "t.txt", 1_MiB};
}

std::string mistake(const std::string& text) {
  return thrown<DramTraceError>([&] {
    DramTraceSource source = trace(text);
    while (source.next()) continue;
  });
}

TEST(DramTraceTest, ReadsAccesses) {
  DramTraceSource source = trace("# a trace\n\nR 0x1f40\nW 1f80 12.5ns  # comment\r\nR 0X1fff 13000");
  auto access = source.next();
  EXPECT_EQ(access->block, 0x1f40u / 64);
  EXPECT_FALSE(access->is_write);
  EXPECT_EQ(access->earliest, 0_ps);
  access = source.next();
  EXPECT_EQ(access->block, 0x1f80u / 64);
  EXPECT_TRUE(access->is_write);
  EXPECT_EQ(access->earliest, 12'500_ps);
  access = source.next();
  EXPECT_EQ(access->block, 0x1fc0u / 64);
  EXPECT_EQ(access->earliest, 13_ns);
  EXPECT_FALSE(source.next());
}

TEST(DramTraceTest, SaysWhereAndWhatIsWrong) {
  EXPECT_EQ(mistake("R 0\nR\n"), "t.txt:2: expected 2 or 3 fields (R|W address [time]), got 1");
  EXPECT_EQ(mistake("R 0 0 0 0\n"), "t.txt:1: expected 2 or 3 fields (R|W address [time]), got 5");
  EXPECT_EQ(mistake("X 0"), "t.txt:1: expected R or W, got \"X\"");
  EXPECT_EQ(mistake("R 0x"), "t.txt:1: expected a hexadecimal address such as 0x1f40, got \"0x\"");
  EXPECT_EQ(mistake("\n\nR zz"), "t.txt:3: expected a hexadecimal address such as 0x1f40, got \"zz\"");
  EXPECT_EQ(mistake("W 100000"),
            "t.txt:1: expected an address below 0x100000, the size of the memory, got 0x100000");
  EXPECT_EQ(mistake("W 0 5parsec"),
            "t.txt:1: expected a time such as 12.5ns, got \"5parsec\": unknown unit \"parsec\" (ps, ns, us, "
            "ms, s)");
  EXPECT_EQ(mistake("W 0 5ns\nR 0 4ns"),
            "t.txt:2: expected a time of at least 5ns, that of an access before, got 4ns");
  EXPECT_EQ(mistake("W 0 9999999s"), "t.txt:1: expected a time of at most 1000000s, got 9999999s");
  EXPECT_EQ(mistake("R " + std::string(2000, '0')), "t.txt:1: expected a line of at most 1024 characters");
}

}  // namespace
}  // namespace asterism
