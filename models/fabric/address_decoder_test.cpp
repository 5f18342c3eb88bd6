#include "fabric/address_decoder.h"

#include <gtest/gtest.h>

#include "base/thrown.h"

namespace asterism {
namespace {

struct AddressDecoderTest : testing::Test {
  AddressDecoder decoder;
  AddressDecoderTest() {
    decoder.add({Address(0x4000'0000), 1_GiB}, 1, "dram");
    decoder.add({Address(0x0900'0000), 4_KiB}, 0, "uart0");
    decoder.add({Address(0xFFFF'FFFF'FFFF'F000), 4_KiB}, 2, "last");
  }
};

TEST_F(AddressDecoderTest, FindsTheRangeThatHoldsTheWholeAccess) {
  EXPECT_EQ(decoder.decode(Address(0x0900'0ffc), 4_B)->name, "uart0");
  EXPECT_EQ(decoder.decode(Address(0x7FFF'FFFF), 1_B)->target, 1u);
  EXPECT_EQ(decoder.decode(Address(~0ull), 1_B)->name, "last");
}

TEST_F(AddressDecoderTest, HolesAndBordersHaveNoTarget) {
  EXPECT_EQ(decoder.decode(Address(0), 4_B), nullptr);
  EXPECT_EQ(decoder.decode(Address(0x0900'0ffe), 4_B), nullptr);
  EXPECT_EQ(decoder.decode(Address(0x8000'0000), 1_B), nullptr);
  EXPECT_EQ(decoder.decode(Address(~0ull), 2_B), nullptr);
}

TEST_F(AddressDecoderTest, OverlapsNameBothSides) {
  EXPECT_EQ(thrown<std::invalid_argument>([&] {
              decoder.add({Address(0x3FFF'F000), 8_KiB}, 3, "gpu");
            }),
            "gpu at 0x3ffff000-0x40000fff overlaps dram at 0x40000000-0x7fffffff");
}

}  // namespace
}  // namespace asterism
