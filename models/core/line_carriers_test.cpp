#include "core/line_carriers.h"

#include <vector>

#include "tlm/systemc_test.h"

namespace asterism {
namespace {

using enum LineCarriers::Kind;

struct LineCarriersTest : SystemCTest {
  struct Begun {
    std::uint64_t line;
    Picoseconds at;
    bool operator==(const Begun&) const = default;
  };
  std::vector<Begun> begun;
  LineCarriers carriers{3, [this](const LineCarriers::Access& access) {
                          begun.push_back({access.line.value(), now()});
                          wait_for(10_ns);
                        }};
  void add(std::uint64_t line, Picoseconds at, LineCarriers::Kind kind = fill) {
    carriers.add({Address(line), kind}, at);
  }
};

SYSTEMC_TEST_F(LineCarriersTest, AccessesOfOneTimeBeginInTheOrderOfTheCalls) {
  add(0x80, 7_ns);
  add(0x40, 5_ns);
  add(0xc0, 5_ns, write_back);
  wait_for(50_ns);
  EXPECT_EQ(begun, (std::vector<Begun>{{0x40, 5_ns}, {0xc0, 5_ns}, {0x80, 7_ns}}));
}

SYSTEMC_TEST_F(LineCarriersTest, AnAccessWaitsWhileAllProcessesAreAtWork) {
  for (std::uint64_t line : {0x40, 0x80, 0xc0, 0x100, 0x140}) add(line, line * 1_ps);
  wait_for(50_ns);
  ASSERT_EQ(begun.size(), 5u);
  EXPECT_EQ(begun[2].at, 192_ps);
  EXPECT_EQ(begun[3], (Begun{0x100, 64_ps + 10_ns}));
  EXPECT_EQ(begun[4], (Begun{0x140, 128_ps + 10_ns}));
}

SYSTEMC_TEST_F(LineCarriersTest, OnlyAWriteOfTheSameLineIsWaitedFor) {
  add(0x40, 1_ns, write_back);
  add(0x40, 2_ns);
  add(0x80, 2_ns);
  wait_for(50_ns);
  EXPECT_EQ(begun, (std::vector<Begun>{{0x40, 1_ns}, {0x80, 2_ns}, {0x40, 11_ns}}));
  begun.clear();
  add(0x40, 51_ns);
  add(0x40, 52_ns, prefetch);
  wait_for(50_ns);
  EXPECT_EQ(begun, (std::vector<Begun>{{0x40, 51_ns}, {0x40, 52_ns}}));
}

SYSTEMC_TEST_F(LineCarriersTest, AResetDropsWhatHasNotBegun) {
  for (std::uint64_t line : {0x40, 0x80, 0xc0, 0x100}) add(line, 1_ns);
  add(0x140, 5_ns);
  wait_for(2_ns);
  carriers.reset();
  wait_for(50_ns);
  EXPECT_EQ(begun, (std::vector<Begun>{{0x40, 1_ns}, {0x80, 1_ns}, {0xc0, 1_ns}}));
  add(0x180, 60_ns);
  wait_for(50_ns);
  EXPECT_EQ(begun.back(), (Begun{0x180, 60_ns}));
}

}  // namespace
}  // namespace asterism
