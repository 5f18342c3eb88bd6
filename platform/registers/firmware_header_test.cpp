#include "platform/registers/firmware_header.h"

#include <gmock/gmock.h>

namespace asterism {
namespace {

using testing::HasSubstr;
using testing::Not;

struct HeaderBank : RegisterBank {
  // clang-format off
  Register control{*this, 0x4, "CONTROL", Access::read_write, 0, "What it does",
      {{"mode", 4, 2, "How", {{"off", 0}, {"on", 2}}}, {"rest", 8, 24, "", {}, Field::Kind::reserved}}};
  // clang-format on
  HeaderBank() : RegisterBank("BANK", 4_KiB, "A bank") {}
};

MapEntry entry(const std::string& name, const std::string& header_name, std::uint64_t base,
               std::vector<unsigned> interrupts = {}) {
  return {.name = name,
          .header_name = header_name,
          .range = {Address(base), 4_KiB},
          .interrupts = std::move(interrupts),
          .registers = std::make_shared<HeaderBank>()};
}

TEST(FirmwareHeaderTest, HasPlacesRegistersFieldsAndValues) {
  const std::string header = firmware_header({AddressMap({entry("nic", "NIC", 0x0b05'0000, {15, 21})})});
  EXPECT_THAT(header,
              HasSubstr("\n#define NIC_BASE 0x0b050000\n#define NIC_INTERRUPT 15\n#define NIC_INTERRUPT1 21\n"
                        "#define NIC_CONTROL 0x4  /* What it does */\n"
                        "#define NIC_CONTROL_MODE_SHIFT 4\n#define NIC_CONTROL_MODE_MASK 0x30\n"
                        "#define NIC_CONTROL_MODE_OFF 0\n#define NIC_CONTROL_MODE_ON 2\n\n#endif\n"));
  EXPECT_THAT(header, Not(HasSubstr("REST")));
}

TEST(FirmwareHeaderTest, ADeviceOfSeveralNodesIsThereOnce) {
  const AddressMap map({entry("nic", "NIC", 0x0b05'0000)});
  EXPECT_EQ(firmware_header({map, map}), firmware_header({map}));
}

TEST(FirmwareHeaderTest, ThePlacesOfTheFirstMapHold) {
  const AddressMap first({entry("nic", "NIC", 0x0b05'0000, {15})}),
      moved({entry("nic", "NIC", 0x0c00'0000, {15})});
  EXPECT_EQ(firmware_header({first, moved}), firmware_header({first}));
}

TEST(FirmwareHeaderTest, ADeviceAtDifferentPlacesInFurtherNodesHasNone) {
  const AddressMap first({entry("nic", "NIC", 0x0b05'0000)});
  const AddressMap here({entry("rtc1", "RTC1", 0x0c00'0000)}), there({entry("rtc1", "RTC1", 0x0d00'0000)}),
      other_line({entry("rtc1", "RTC1", 0x0c00'0000, {3})});
  EXPECT_THAT(firmware_header({first, here, here}), HasSubstr("#define RTC1_BASE 0x0c000000\n"));
  for (const AddressMap& other : {there, other_line}) {
    const std::string header = firmware_header({first, here, other});
    EXPECT_THAT(header, Not(HasSubstr("RTC1_BASE")));
    EXPECT_THAT(header, HasSubstr("/* Nodes have rtc1 at different places, which their device trees say. */\n"
                                  "#define RTC1_CONTROL 0x4"));
  }
}

// The distributors of two kinds of GIC have one name on the map and different registers.
TEST(FirmwareHeaderTest, RegistersOfDifferentTypesHaveDifferentPrefixes) {
  const std::string header = firmware_header(
      {AddressMap({entry("gicd", "GICD", 0x0800'0000)}), AddressMap({entry("gicd", "GICV3D", 0x0800'0000)})});
  EXPECT_THAT(header, HasSubstr("#define GICD_CONTROL 0x4"));
  EXPECT_THAT(header, HasSubstr("#define GICV3D_CONTROL 0x4"));
}

}  // namespace
}  // namespace asterism
