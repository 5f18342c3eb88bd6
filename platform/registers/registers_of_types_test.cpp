// The registers of the devices of every type.
#include <gmock/gmock.h>

#include <algorithm>
#include <string>

#include "platform/node/listed_node.h"
#include "tlm/plugin_abi.h"

namespace asterism {
namespace {

// Whether the text may be used in C comments, XML and Markdown, and fits in one line of each.
bool is_plain(const std::string& text) {
  return !text.empty() && text.find("*/") == std::string::npos &&
         std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

// The maps of nodes that have devices of all types.
const std::vector<AddressMap>& maps() {
  static const std::vector<AddressMap> all = [] {
    std::vector<AddressMap> maps;
    for (const char* node : {"every_device", "kilocore_a64"}) maps.push_back(ListedNode::named(node).map);
    return maps;
  }();
  return all;
}

TEST(RegistersOfTypesTest, EveryTypeIsOnAMap) {
  for (const std::string& type : DeviceTypes::names())
    EXPECT_TRUE(std::ranges::any_of(
        maps(),
        [&](const AddressMap& map) { return std::ranges::count(map.entries(), type, &MapEntry::type) != 0; }))
        << type << ": put one into configs/nodes/every_device.json";
}

TEST(RegistersOfTypesTest, NoTwoTypesHaveOneName) {
  EXPECT_THAT(types_registered_twice(), testing::IsEmpty());
}

// Each core has the registers of a redistributor.
TEST(RegistersOfTypesTest, RegistersFillTheirRange) {
  for (const AddressMap& map : maps())
    for (const MapEntry& entry : map.entries())
      if (entry.registers) {
        EXPECT_EQ(entry.range.size % entry.registers->size(), Bytes(0)) << entry.name;
        EXPECT_TRUE(entry.range.size == entry.registers->size() || entry.name.starts_with("gicr"))
            << entry.name;
      }
}

TEST(RegistersOfTypesTest, EveryDeviceRegisterAndFieldHasAMeaning) {
  for (const AddressMap& map : maps())
    for (const MapEntry& entry : map.entries()) {
      if (!entry.registers) continue;
      EXPECT_TRUE(is_plain(entry.registers->meaning())) << entry.name;
      for (const Register* reg : entry.registers->registers()) {
        EXPECT_TRUE(is_plain(reg->meaning())) << entry.name << "." << reg->name();
        for (const Field& field : reg->fields()) {
          if (field.kind == Field::Kind::reserved) continue;
          EXPECT_TRUE(is_plain(field.meaning)) << entry.name << "." << reg->name() << "." << field.name;
          for (const FieldValue& value : field.values)
            EXPECT_TRUE(value.meaning.empty() || is_plain(value.meaning)) << reg->name() << "." << value.name;
        }
      }
    }
}

TEST(RegistersOfTypesTest, ResetValuesLieInTheFieldsThatThereAre) {
  for (const AddressMap& map : maps())
    for (const MapEntry& entry : map.entries()) {
      if (!entry.registers) continue;
      for (const Register* reg : entry.registers->registers()) {
        std::uint32_t known = reg->fields().empty() ? ~0u : 0u;
        for (const Field& field : reg->fields()) known |= field.mask();
        EXPECT_EQ(reg->reset_value() & ~known, 0u) << entry.name << "." << reg->name();
      }
    }
}

}  // namespace
}  // namespace asterism
