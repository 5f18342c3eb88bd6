#include "platform/registers/register_lists.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "platform/node/address_map.h"

namespace asterism {
namespace {

const RegisterLists lists = register_lists(1);

// Whether the text may be used in C comments, XML and Markdown, and fits in one line of each.
bool is_plain(const std::string& text) {
  return !text.empty() && text.find("*/") == std::string::npos &&
         std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

TEST(RegisterListsTest, EveryDeviceOnTheMapHasOne) {
  const AddressMap map(2_GiB, {.gpus = true, .pcram = true, .nic = true});
  for (const MapEntry& entry : map.entries()) {
    if (entry.name == "dram") continue;
    ASSERT_TRUE(lists.contains(entry.name)) << entry.name;
    EXPECT_EQ(lists.at(entry.name)->size(), entry.range.size) << entry.name;
  }
}

TEST(RegisterListsTest, EveryDeviceRegisterAndFieldHasAMeaning) {
  for (const auto& [device, list] : lists) {
    EXPECT_TRUE(is_plain(list->meaning())) << device;
    for (const Register* reg : list->registers()) {
      EXPECT_TRUE(is_plain(reg->meaning())) << device << "." << reg->name();
      for (const Field& field : reg->fields()) {
        if (field.kind == Field::Kind::reserved) continue;
        EXPECT_TRUE(is_plain(field.meaning)) << device << "." << reg->name() << "." << field.name;
        for (const FieldValue& value : field.values)
          EXPECT_TRUE(value.meaning.empty() || is_plain(value.meaning)) << reg->name() << "." << value.name;
      }
    }
  }
}

TEST(RegisterListsTest, ResetValuesLieInTheFieldsThatThereAre) {
  for (const auto& [device, list] : lists) {
    for (const Register* reg : list->registers()) {
      std::uint32_t known = reg->fields().empty() ? ~0u : 0u;
      for (const Field& field : reg->fields()) known |= field.mask();
      EXPECT_EQ(reg->reset_value() & ~known, 0u) << device << "." << reg->name();
    }
  }
}

}  // namespace
}  // namespace asterism
