#include <gtest/gtest.h>

#include "platform/config/config.h"
#include "swizzle_switch/switch_technology.h"

namespace asterism {
namespace {

const ConfigLibrary library(ASTERISM_SOURCE_CONFIGS);

TEST(ShippedConfigsTest, DefaultTechnologyIsTheFiles) {
  EXPECT_EQ(load_config<SwitchTechnology>(library, "technologies", "swizzle_switch_15nm"),
            SwitchTechnology{});
}

TEST(ShippedConfigsTest, WritesEnergiesAndAreasWithTheirUnits) {
  const std::string text = expanded(SwitchTechnology{});
  EXPECT_NE(text.find("13.3pJ"), std::string::npos) << text;
  EXPECT_NE(text.find("66302um2"), std::string::npos) << text;
}

}  // namespace
}  // namespace asterism
