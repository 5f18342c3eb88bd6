#include <gtest/gtest.h>

#include "core/workload.h"
#include "platform/config/config.h"
#include "resilience/gpu_system.h"
#include "swizzle_switch/switch_technology.h"

namespace asterism {
namespace {

const ConfigLibrary library(ASTERISM_SOURCE_CONFIGS);

TEST(ShippedConfigsTest, DefaultTechnologyIsTheFiles) {
  EXPECT_EQ(load_config<SwitchTechnology>(library, "technologies", "swizzle_switch_15nm"),
            SwitchTechnology{});
}

TEST(ShippedConfigsTest, DefaultSystemIsTheFiles) {
  EXPECT_EQ(load_config<GpuSystemConfig>(library, "systems", "coral_summit"), GpuSystemConfig{});
}

TEST(ShippedConfigsTest, WritesEnergiesAndAreasWithTheirUnits) {
  const std::string text = expanded(SwitchTechnology{});
  EXPECT_NE(text.find("13.3pJ"), std::string::npos) << text;
  EXPECT_NE(text.find("64491um2"), std::string::npos) << text;
}

// The SPLASH rates divide evenly among the 512 cores, which shows that the published ones are sums.
TEST(ShippedConfigsTest, WorkloadsAreThoseOfTable3_4) {
  const auto workload = [](const char* name) { return load_config<Workload>(library, "workloads", name); };
  EXPECT_EQ(workload("mix1"), (Workload{552, 2543, 807}));
  EXPECT_EQ(workload("mix2"), (Workload{552, 4173, 1854}));
  EXPECT_EQ(workload("mix3"), (Workload{552, 7211, 3119}));
  EXPECT_EQ(workload("mix4"), (Workload{552, 15899, 9263}));
  EXPECT_EQ(workload("splash"), (Workload{512, 8 * 512, 11 * 128}));
}

}  // namespace
}  // namespace asterism
