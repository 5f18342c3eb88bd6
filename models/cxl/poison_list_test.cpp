#include "cxl/poison_list.h"

#include <gtest/gtest.h>

namespace asterism {
namespace {

TEST(PoisonListTest, ALineIsPoisonedUntilAllOfItIsWritten) {
  PoisonList list;
  EXPECT_TRUE(list.add(Bytes(0x1048), PoisonSource::internal));
  EXPECT_FALSE(list.add(Bytes(0x1040), PoisonSource::internal));
  EXPECT_TRUE(list.touches(Bytes(0x107f), 1_B));
  EXPECT_TRUE(list.touches(Bytes(0x1000), Bytes(0x41)));
  EXPECT_FALSE(list.touches(Bytes(0x1000), Bytes(0x40)));
  EXPECT_FALSE(list.touches(Bytes(0x1080), Bytes(0x40)));
  for (unsigned i = 0; i < 7; ++i) EXPECT_FALSE(list.written(Bytes(0x1040 + 8 * i), 8_B));
  EXPECT_FALSE(list.add(Bytes(0x1040), PoisonSource::internal)) << "a partial write finds the error again";
  EXPECT_TRUE(list.written(Bytes(0x1078), 16_B));
  EXPECT_TRUE(list.empty());
}

TEST(PoisonListTest, ListsLinesInOrderWithTheirSource) {
  PoisonList list;
  list.add(Bytes(0x2000), PoisonSource::internal);
  list.add(Bytes(0x1000), PoisonSource::injected);
  ASSERT_EQ(list.listed(), 2u);
  EXPECT_EQ(list.entry(0).line, Bytes(0x1000));
  EXPECT_EQ(list.entry(0).source, PoisonSource::injected);
  EXPECT_EQ(list.entry(1).line, Bytes(0x2000));
  EXPECT_TRUE(list.clear(Bytes(0x1000)));
  EXPECT_FALSE(list.clear(Bytes(0x1000)));
  EXPECT_EQ(list.listed(), 1u);
}

TEST(PoisonListTest, LinesBeyondTheListArePoisonedAsWell) {
  PoisonList list;
  for (std::uint64_t i = 0; i <= PoisonList::limit; ++i) list.add(64_B * i, PoisonSource::internal);
  EXPECT_EQ(list.listed(), PoisonList::limit);
  EXPECT_TRUE(list.overflow());
  EXPECT_TRUE(list.touches(64_B * PoisonList::limit, 1_B));
  EXPECT_TRUE(list.written(Bytes(0), 64_B));
  EXPECT_FALSE(list.overflow());
}

TEST(PoisonListTest, GivesTheSoundPagesAroundAPage) {
  PoisonList list;
  const AddressRange all{Address(0), 64_KiB};
  EXPECT_EQ(list.sound_around(8_KiB, all), all);
  list.add(Bytes(0x3040), PoisonSource::internal);
  EXPECT_EQ(list.sound_around(Bytes(0x3000), all).size, Bytes(0));
  EXPECT_EQ(list.sound_around(Bytes(0x2000), all), (AddressRange{Address(0), Bytes(0x3000)}));
  EXPECT_EQ(list.sound_around(Bytes(0x5000), all), (AddressRange{Address(0x4000), Bytes(0xc000)}));
}

TEST(PoisonListTest, IsLostWithTheContents) {
  PoisonList list;
  list.add(Bytes(0), PoisonSource::internal);
  list.reset(Reset::warm);
  EXPECT_FALSE(list.empty());
  list.reset(Reset::power_loss);
  EXPECT_TRUE(list.empty());
}

}  // namespace
}  // namespace asterism
