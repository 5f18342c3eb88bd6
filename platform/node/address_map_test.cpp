#include "platform/node/address_map.h"

#include <gtest/gtest.h>

#include "platform/config/config_document.h"

namespace asterism {
namespace {

std::string problems_of(const std::map<std::string, Placement>& placements) {
  const ConfigDocument document = ConfigDocument::parse("{}", "node.json");
  Diagnostics problems;
  AddressMap(2_GiB, {.gpus = true}).apply(placements, document, "address_map", problems);
  return problems.text();
}

TEST(AddressMap, TheStandardMapHasNoConflicts) {
  const AddressMap map(2_GiB, {.gpus = true});
  for (const MapEntry& entry : map.entries()) EXPECT_EQ(problems_of({{entry.name, {}}}), "") << entry.name;
}

TEST(AddressMap, GpusAreOnItWhereThereAreAny) {
  EXPECT_EQ(AddressMap(2_GiB, {.gpus = true}).range("gpu"), (AddressRange{Address(0x0b03'0000), 64_KiB}));
  EXPECT_THROW(AddressMap(2_GiB).at("gpu"), std::logic_error);
}

TEST(AddressMap, PcramIsOnItWhereThereIsAny) {
  EXPECT_EQ(AddressMap(2_GiB, {.pcram = true}).range("pcram"), (AddressRange{Address(0x0b04'0000), 4_KiB}));
  EXPECT_THROW(AddressMap(2_GiB, {.gpus = true}).at("pcram"), std::logic_error);
}

TEST(AddressMap, ANicIsOnItWhereThereIsOne) {
  const AddressMap map(2_GiB, {.nic = true});
  EXPECT_EQ(map.range("nic"), (AddressRange{Address(0x0b05'0000), 4_KiB}));
  EXPECT_EQ(map.interrupt("nic"), 15u);
  EXPECT_THROW(AddressMap(2_GiB, {.gpus = true, .pcram = true}).at("nic"), std::logic_error);
}

TEST(AddressMap, NorFlashIsWhereQemuHasItOnNodesThatHaveAny) {
  const AddressMap map(2_GiB, {.nor_flash = true, .redistributors = 200});
  EXPECT_EQ(map.range("flash0"), (AddressRange{Address(0), 64_MiB}));
  EXPECT_EQ(map.range("flash1"), (AddressRange{Address(0x0400'0000), 64_MiB}));
  EXPECT_EQ(map.range("gicr").first, Address(0x080a'0000));
  EXPECT_EQ(map.range("gicr2").size, 128_KiB * 77);
  EXPECT_THROW(AddressMap(2_GiB).at("flash0"), std::logic_error);
}

TEST(AddressMap, ADeviceCanBeMoved) {
  const ConfigDocument document = ConfigDocument::parse("{}", "node.json");
  Diagnostics problems;
  AddressMap map(2_GiB);
  map.apply({{"rtc", {Address(0x0a00'0000), 7}}}, document, "address_map", problems);
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(map.range("rtc").first, Address(0x0a00'0000));
  EXPECT_EQ(map.interrupt("rtc"), 7u);
}

TEST(AddressMap, OverlapsNameBothDevices) {
  EXPECT_NE(
      problems_of({{"rtc", {Address(0x0900'0000), {}}}})
          .find("address_map.rtc.base: rtc at 0x9000000-0x9000fff overlaps uart0 at 0x9000000-0x9000fff"),
      std::string::npos);
}

TEST(AddressMap, AnUnknownDeviceIsReportedWithTheKnownOnes) {
  const std::string text = problems_of({{"network", {Address(0x0a00'0000), {}}}});
  EXPECT_NE(text.find("address_map.network: there is no such device in the address map, which has "),
            std::string::npos)
      << text;
  for (const char* name : {"uart0", "dimm_ssd", "gpu", "dram"})
    EXPECT_NE(text.find(name), std::string::npos) << text;
}

TEST(AddressMap, TwoDevicesOnOneInterruptAreNamed) {
  EXPECT_NE(problems_of({{"rtc", {{}, 18}}}).find("rtc and dimm_ssd both use interrupt 18"),
            std::string::npos);
}

TEST(AddressMap, ADeviceEndsWithinTheAddressSpace) {
  EXPECT_NE(
      problems_of({{"gicd", {Address(0xFFFF'FFFF'FFFF'F000), {}}}}).find("would exceed the address space"),
      std::string::npos);
}

TEST(AddressMap, UnknownDevicesGetTheNearestName) {
  EXPECT_NE(problems_of({{"dim_ssd", {}}}).find("did you mean \"dimm_ssd\"?"), std::string::npos);
}

}  // namespace
}  // namespace asterism
