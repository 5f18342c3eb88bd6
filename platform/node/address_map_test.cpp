#include "platform/node/address_map.h"

#include <gtest/gtest.h>

#include "platform/node/listed_node.h"

namespace asterism {
namespace {

TEST(AddressMapTest, DevicesAreWhereTheStandardMapHasThem) {
  const AddressMap map = ListedNode::named("every_device").map;
  const auto expect = [&](const char* name, std::uint64_t first, Bytes size, const char* interrupts) {
    const MapEntry* const entry = map.find(name);
    ASSERT_NE(entry, nullptr) << name;
    EXPECT_EQ(entry->range, (AddressRange{Address(first), size})) << name;
    EXPECT_EQ(interrupt_text(*entry), interrupts) << name;
  };
  expect("flash0", 0, 64_MiB, "");
  expect("flash1", 0x0400'0000, 64_MiB, "");
  expect("gicd", 0x0800'0000, 64_KiB, "");
  expect("gicc", 0x0801'0000, 64_KiB, "");
  expect("uart0", 0x0900'0000, 4_KiB, "SPI 1");
  expect("rtc", 0x0901'0000, 4_KiB, "SPI 2");
  expect("disk", 0x0a00'0000, 4_KiB, "SPI 26");
  expect("rng", 0x0a00'1000, 4_KiB, "SPI 27");
  expect("pmem", 0x0a00'2000, 4_KiB, "SPI 28");
  expect("net", 0x0a00'3000, 4_KiB, "SPI 30");
  expect("hvc", 0x0a00'4000, 4_KiB, "SPI 31");
  expect("power", 0x0b00'0000, 4_KiB, "");
  expect("memory_controller", 0x0b01'0000, 4_KiB, "SPI 19");
  expect("edac", 0x0b01'1000, 4_KiB, "SPI 21");
  expect("dimm_ssd", 0x0b02'0000, 4_KiB, "SPI 18");
  expect("gpu", 0x0b03'0000, 64_KiB, "SPI 17");
  expect("pcram", 0x0b04'0000, 4_KiB, "SPI 16");
  expect("nic", 0x0b05'0000, 4_KiB, "SPI 15");
  expect("apb_timer", 0x0b07'0000, 4_KiB, "SPI 22, 23");
  expect("dma_engine", 0x0b08'0000, 4_KiB, "SPI 24, 25");
  expect("outside", 0x0b20'0000, 4_KiB, "");
  expect("nvme", 0x0b22'0000, 8_KiB, "SPI 14");
  expect("files_ssd", 0x0b14'0000, 4_KiB, "SPI 29");
  expect("dram", 0x4000'0000, 2_GiB, "");
  expect("files", 0x30'0000'0000, 64_MiB, "");
  expect("store", 0x31'0000'0000, 64_MiB, "");
  expect("cxl_device", 0x0b21'0000, 4_KiB, "SPI 13");
  expect("cxl", 0x32'0000'0000, 64_MiB, "");
  expect("cxl_ssd_device", 0x0b21'1000, 4_KiB, "SPI 12");
  expect("cxl_ssd", 0x33'0000'0000, 64_MiB, "");
  EXPECT_EQ(map.entries().size(), 30u);
}

TEST(AddressMapTest, ExplainsWhatIsNotThere) {
  AddressMap map = ListedNode::named("checkpoint_node").map;
  EXPECT_EQ(map.explain_missing(Address(0x0b03'0004)), "there is no device or memory");
  map.compare_with(ListedNode::named("every_device").map);
  EXPECT_EQ(map.explain_missing(Address(0x0b03'0004)),
            "there is no device or memory; other nodes have gpu here");
  EXPECT_EQ(map.explain_missing(Address(0x0b06'0000)), "there is no device or memory");
  EXPECT_EQ(map.explain_missing(Address(0x8)), "there is no device or memory (a null pointer?)");
  EXPECT_EQ(map.explain_missing(Address(0x0901'0003)), "rtc does not accept this access");
}

}  // namespace
}  // namespace asterism
