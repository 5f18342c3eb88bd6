#include "base/quantity_text.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "base/thrown.h"

namespace asterism {
namespace {

template <class Q>
std::string complaint(std::string_view text) {
  return thrown<std::invalid_argument>([&] { parse_quantity<Q>(text); });
}

TEST(QuantityTextTest, ReadsWholeAndDecimalNumbers) {
  EXPECT_EQ(parse_quantity<Picoseconds>("12.4ms"), Picoseconds(12'400'000'000));
  EXPECT_EQ(parse_quantity<Picoseconds>("0.001ns"), 1_ps);
  EXPECT_EQ(parse_quantity<Bytes>("2GiB"), 2_GiB);
  EXPECT_EQ(parse_quantity<Bytes>("500GB"), Bytes(500'000'000'000));
  EXPECT_EQ(parse_quantity<Frequency>("1.6GHz"), 1600_MHz);
  EXPECT_EQ(parse_quantity<Bandwidth>("250MB/s"), 250_MBps);
  EXPECT_EQ(parse_quantity<Cycles>("3cycles"), 3_cycles);
  EXPECT_EQ(parse_quantity<Micrometres>("0.9mm"), 900_um);
}

TEST(QuantityTextTest, SaysWhatIsWrongWithAText) {
  EXPECT_EQ(complaint<Picoseconds>("5"), "it has no unit (ps, ns, us, ms, s)");
  EXPECT_EQ(complaint<Picoseconds>("5parsec"), "unknown unit \"parsec\" (ps, ns, us, ms, s)");
  EXPECT_EQ(complaint<Picoseconds>("5 us"), "unknown unit \" us\" (ps, ns, us, ms, s)");
  EXPECT_EQ(complaint<Picoseconds>("0.5ps"), "it is not a whole number of ps");
  EXPECT_EQ(complaint<Picoseconds>("1.us"), "a digit must follow the point");
  EXPECT_EQ(complaint<Picoseconds>("-1us"), "it must not be negative");
  EXPECT_EQ(complaint<Picoseconds>("-us"), "it does not begin with a number");
  EXPECT_EQ(complaint<Picoseconds>(""), "it does not begin with a number");
  EXPECT_EQ(complaint<Picoseconds>("18446744.073709551616s"), "it is larger than 64 bits of ps");
  EXPECT_EQ(complaint<Bytes>("10000000000000000000000000B"), "it has too many digits");
}

TEST(QuantityTextTest, TheLargestCountCanBeReadAndWritten) {
  constexpr Picoseconds most(~std::uint64_t{0});
  EXPECT_EQ(to_text(most), "18446744073709551615ps");
  EXPECT_EQ(parse_quantity<Picoseconds>("18446744.073709551615s"), most);
}

TEST(QuantityTextTest, WritesTheShortestExactText) {
  EXPECT_EQ(to_text(12'400_us), "12.4ms");
  EXPECT_EQ(to_text(1_us), "1us");
  EXPECT_EQ(to_text(500_ns), "500ns");
  EXPECT_EQ(to_text(1'333'333_ps), "1333333ps");
  EXPECT_EQ(to_text(0_ps), "0ps");
  EXPECT_EQ(to_text(1536_MiB), "1.5GiB");
  EXPECT_EQ(to_text(16_KiB), "16KiB");
  EXPECT_EQ(to_text(Bytes(500'000'000'000)), "500GB");
  EXPECT_EQ(to_text(100_B), "100B");
  EXPECT_EQ(to_text(1600_MHz), "1.6GHz");
  EXPECT_EQ(to_text(250_MBps), "250MB/s");
}

TEST(QuantityTextTest, WhatIsWrittenReadsBackTheSame) {
  for (std::uint64_t count = 1; count < 1'000'000'000'000'000'000; count = count * 7 + count % 5) {
    EXPECT_EQ(parse_quantity<Picoseconds>(to_text(Picoseconds(count))).count(), count);
    EXPECT_EQ(parse_quantity<Bytes>(to_text(Bytes(count))).count(), count);
    EXPECT_EQ(parse_quantity<Bandwidth>(to_text(Bandwidth(count))).count(), count);
    EXPECT_EQ(parse_address(to_text(Address(count))).value(), count);
  }
}

TEST(QuantityTextTest, AddressesAreHexadecimalInGroupsOfFour) {
  EXPECT_EQ(parse_address("0x0900_0000"), Address(0x0900'0000));
  EXPECT_EQ(parse_address("0xFFFFFFFFFFFFFFFF"), Address(~std::uint64_t{0}));
  EXPECT_EQ(to_text(Address(0)), "0x0000_0000");
  EXPECT_EQ(to_text(Address(0x1'0000'0000)), "0x0001_0000_0000");
  EXPECT_THROW(parse_address("09000000"), std::invalid_argument);
  EXPECT_THROW(parse_address("0x"), std::invalid_argument);
  EXPECT_THROW(parse_address("0x1__0"), std::invalid_argument);
  EXPECT_THROW(parse_address("0x1_"), std::invalid_argument);
  EXPECT_THROW(parse_address("0x1g"), std::invalid_argument);
  EXPECT_THROW(parse_address("0x1_0000_0000_0000_0000"), std::invalid_argument);
}

}  // namespace
}  // namespace asterism
