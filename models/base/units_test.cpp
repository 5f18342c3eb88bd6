#include "base/units.h"

#include <gtest/gtest.h>

#include <concepts>

namespace asterism {
namespace {

template <class A, class B>
concept Adds = requires(A a, B b) {
  a + b;
};
template <class A, class B>
concept Compares = requires(A a, B b) {
  a < b;
};
template <class A, class B>
concept Multiplies = requires(A a, B b) {
  a* b;
};

static_assert(Adds<Bytes, Bytes> && Adds<Address, Bytes> && Compares<Picoseconds, Picoseconds>);
static_assert(!Adds<Bytes, Cycles> && !Adds<Picoseconds, Cycles> && !Adds<Address, Address>);
static_assert(!Adds<Bytes, int> && !Adds<Address, int> && !Compares<Bytes, Cycles> &&
              !Compares<Bytes, Address>);
static_assert(!Multiplies<Bytes, Bytes> && !Multiplies<Picoseconds, Frequency>);
static_assert(!std::convertible_to<int, Bytes> && !std::convertible_to<Bytes, std::uint64_t>);

TEST(Units, AddressesAndSizesMakeRanges) {
  const AddressRange dram{Address(0x4000'0000), 2_GiB};
  EXPECT_EQ(dram.last(), Address(0xBFFF'FFFF));
  EXPECT_TRUE(dram.contains(Address(0xBFFF'FFF8), 8_B));
  EXPECT_FALSE(dram.contains(Address(0xBFFF'FFF9), 8_B));
}

TEST(Units, RangesDoNotWrapAtTheEndOfTheAddressSpace) {
  const AddressRange last_page{Address(0xFFFF'FFFF'FFFF'F000), 4_KiB};
  EXPECT_EQ(last_page.last(), Address(~0ull));
  EXPECT_FALSE(last_page.contains(Address(~0ull), 2_B));
  EXPECT_FALSE(last_page.contains(Address(0)));
  EXPECT_FALSE(last_page.overlaps({Address(0), 4_KiB}));
}

TEST(Units, EmptyRangesOverlapNothing) {
  EXPECT_FALSE((AddressRange{Address(8), 0_B}.overlaps({Address(0), 16_B})));
}

TEST(Units, CyclesBecomeTimeRoundedUp) {
  EXPECT_EQ(duration(3_cycles, 1_GHz), 3_ns);
  EXPECT_EQ(duration(1_cycles, 3_GHz), 334_ps);
  EXPECT_EQ(cycles_in(1_ns, 3_GHz), 3_cycles);
}

TEST(Units, LongTimesDoNotOverflow) {
  EXPECT_EQ(duration(Cycles(4'000'000'000'000), 4_GHz), 1000_s);
  EXPECT_EQ(transfer_time(1_TiB, 1_GBps), Picoseconds(1'099'511'627'776'000));
}

TEST(Units, TransferOfAFlashPage) { EXPECT_EQ(transfer_time(16_KiB, 400_MBps), Picoseconds(40'960'000)); }

}  // namespace
}  // namespace asterism
