// Lockstep finds bugs of an emitter.
#include <gmock/gmock.h>

#include <string>

#include "core/a64/mmu_test.h"
#include "core/a64/translator/mutant.h"

namespace asterism::a64 {

Bug bug = Bug::none;

namespace {

// Up to a count, or to the first difference, which is returned.
struct MutantTest : MmuTest {
  ~MutantTest() override { bug = Bug::none; }
  std::string difference(const std::vector<std::uint32_t>& words, const State& before, std::uint64_t count) {
    try {
      run(words, before, count);
    } catch (const std::logic_error& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(MutantTest, AnInvertedCarryIsFound) {
  const std::vector<std::uint32_t> words = {
      0xeb01007f,  // loop: cmp x3, x1
      0x9a020042,  // adc x2, x2, x2
      0xf1000484,  // subs x4, x4, #1
      0x54ffffa1,  // b.ne loop
  };
  State before = with(0, 5, 1, 7);
  before.x[4] = 1000;
  EXPECT_EQ(difference(words, before, 100), "");
  bug = Bug::inverted_carry;
  EXPECT_THAT(difference(words, before, 100),
              testing::AllOf(testing::HasSubstr(" x2 is "), testing::HasSubstr("eb01007f 9a020042")));
}

TEST_F(MutantTest, ARegisterThatIsLostBeforeADeviceIsAccessedIsFound) {
  const std::vector<std::uint32_t> words = {
      0x91000442,  // loop: add x2, x2, #1
      0x91000c42,  // add x2, x2, #3
      0xf9400025,  // ldr x5, [x1]
      0xf1000484,  // subs x4, x4, #1
      0x54ffff81,  // b.ne loop
  };
  State before = with(0, device, 1, 7);
  before.x[4] = 1000;
  EXPECT_EQ(difference(words, before, 100), "");
  bug = Bug::lost_register;
  EXPECT_THAT(difference(words, before, 100), testing::HasSubstr(" x2 is "));
}

TEST_F(MutantTest, AStaleChainIsFound) {
  const std::uint64_t one = code_base + 0x3000, other = code_base + 0x4000;
  host.place(one, {
                      0x91000421,  // add x1, x1, #1
                      0x17fff400,  // b to the second word of the program
                  });
  host.place(other, {0x91000821, 0x17fff400});  // add x1, x1, #2
  for (const Bug each : {Bug::none, Bug::stale_chain}) {
    bug = each;
    map(one, one);
    core->invalidate_translations();
    State before = with_mmu();
    before.x[4] = 1000;
    EXPECT_EQ(difference(
                  {
                      0x14000c00,  // loop: b to the page
                      0xf1000484,  // subs x4, x4, #1
                      0x54ffffc1,  // b.ne loop
                  },
                  before, 100),
              "");
    map(one, other);
    core->invalidate_translations();
    core->call_at(core->instructions() + 100);
    if (each == Bug::none)
      EXPECT_EQ(core->run(), Iss::Stop::requested);
    else
      EXPECT_THAT([this] { core->run(); },
                  testing::ThrowsMessage<std::logic_error>(testing::HasSubstr(" x1 is ")));
  }
}

}  // namespace

}  // namespace asterism::a64
