#include "devices/nor_flash.h"

#include <gtest/gtest.h>

namespace asterism {
namespace {

struct NorFlashTest : testing::Test {
  NorFlash flash{2 * NorFlash::block_size};
  void command(std::size_t offset, std::uint32_t command) { flash.store(offset, 4, command << 16 | command); }
  std::uint64_t word(std::size_t offset) { return flash.load(offset, 4); }
  std::uint64_t query(std::size_t number) { return word(4 * number); }
};

TEST_F(NorFlashTest, ProgramsAWordAndClearsBitsOnly) {
  command(0x100, 0x40);
  flash.store(0x100, 4, 0x1234'f0f0);
  EXPECT_EQ(word(0x100), 0x0080'0080u);  // status: ready
  command(0, 0xff);
  EXPECT_EQ(word(0x100), 0x1234'f0f0u);
  command(0x100, 0x10);
  flash.store(0x100, 4, 0xffff'0ff0);
  command(0, 0xff);
  EXPECT_EQ(word(0x100), 0x1234'00f0u);
  EXPECT_EQ(flash.load(0x103, 1), 0x12u);
  EXPECT_EQ(flash.load(0x100, 8), 0xffff'ffff'1234'00f0u);
}

TEST_F(NorFlashTest, ProgramsABufferWhenItIsConfirmed) {
  command(0x200, 0xe8);
  command(0x200, 1);  // two words
  flash.store(0x200, 4, 0x1111'1111);
  flash.store(0x204, 4, 0x2222'2222);
  command(0x200, 0xd0);
  command(0, 0xff);
  EXPECT_EQ(flash.load(0x200, 8), 0x2222'2222'1111'1111u);

  command(0x300, 0xe8);
  command(0x300, 0);
  flash.store(0x300, 4, 0);
  command(0x300, 0xff);  // not confirmed
  EXPECT_EQ(word(0), 0x00b0'00b0u);
  command(0, 0x50);
  EXPECT_EQ(word(0), 0x0080'0080u);
  command(0, 0xff);
  EXPECT_EQ(word(0x300), 0xffff'ffffu);
}

TEST_F(NorFlashTest, RefusesABufferThatIsTooLong) {
  command(0, 0xe8);
  command(0, 32);
  EXPECT_EQ(word(0), 0x00b0'00b0u);
}

TEST_F(NorFlashTest, ErasesOneBlock) {
  for (const std::size_t at : {std::size_t{0}, NorFlash::block_size}) {
    command(at, 0x40);
    flash.store(at, 4, 0);
  }
  command(0x40, 0x20);
  command(0x40, 0xd0);
  command(0, 0xff);
  EXPECT_EQ(word(0), 0xffff'ffffu);
  EXPECT_EQ(word(NorFlash::block_size), 0u);
  EXPECT_EQ(flash.counts().erased, 2u);  // one of each chip
}

// A driver that probes for narrower banks ends with a command of 8 or 16 bits.
TEST_F(NorFlashTest, ACommandOfAnyWidthAtAnyOffsetIsForBothChips) {
  command(0x100, 0x40);
  flash.store(0x100, 4, 0x1234'5678);
  for (const unsigned size : {1u, 2u, 4u, 8u})
    for (const std::size_t offset : {std::size_t{0}, std::size_t{0xa8}}) {
      flash.store(offset, size, 0x0098'0098'0098'0098);
      EXPECT_EQ(query(0x10), 0x0051'0051u) << size;
      EXPECT_EQ(flash.load(0x42, 2), 0x51u) << size;  // the upper chip's half
      flash.store(offset + (size < 4 ? 2 : 0), size, 0x00ff'00ff'00ff'00ff);
      EXPECT_TRUE(flash.reads_array()) << size;
      EXPECT_EQ(word(0x100), 0x1234'5678u) << size;
      EXPECT_EQ(flash.load(0x100, 8), 0xffff'ffff'1234'5678u) << size;
    }
}

// After commands of 32 bits, U-Boot ends with a reset of 16 bits at the bank's first byte.
TEST_F(NorFlashTest, AResetOf16BitsEndsEveryModeOfBothChips) {
  for (const std::uint32_t mode : {0x70u, 0x90u, 0x98u}) {
    command(0, mode);
    flash.store(0, 2, 0xff);
    EXPECT_EQ(word(0x200), 0xffff'ffffu) << mode;
  }
}

TEST_F(NorFlashTest, ProgramsOnlyTheBytesThatAreWritten) {
  command(0, 0x40);
  flash.store(2, 2, 0x1234);
  flash.store(0, 2, 0x40);
  flash.store(5, 1, 0x56);
  flash.store(0, 1, 0xff);
  EXPECT_EQ(flash.load(0, 8), 0xffff'56ff'1234'ffffu);
  EXPECT_EQ(flash.counts().programmed, 2u);
}

TEST_F(NorFlashTest, AStoreOf64BitsIsTwoOfTheBanksWidth) {
  flash.store(0x100, 8, 0x1111'2222'0040'0040);  // a command, followed by its data
  command(0, 0xff);
  EXPECT_EQ(flash.load(0x100, 8), 0x1111'2222'ffff'ffffu);
}

TEST_F(NorFlashTest, SaysWhatItIs) {
  command(0x154, 0x98);
  EXPECT_EQ(query(0x10), 0x0051'0051u);  // Q
  EXPECT_EQ(query(0x27), 0x0012'0012u);  // 256 KiB a chip
  EXPECT_EQ(query(0x2d), 0x0001'0001u);  // two blocks
  EXPECT_EQ(query(0x30), 0x0002'0002u);  // of 128 KiB
  EXPECT_EQ(query(0x31), 0x0050'0050u);  // P
  command(0, 0x90);
  EXPECT_EQ(word(0), 0x0089'0089u);
  EXPECT_FALSE(flash.reads_array());
  flash.reset();
  EXPECT_TRUE(flash.reads_array());
  EXPECT_EQ(word(0), 0xffff'ffffu);
}

}  // namespace
}  // namespace asterism
