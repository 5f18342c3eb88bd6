#include "core/core_config.h"

#include <gtest/gtest.h>

#include "base/fields.h"

namespace asterism {
namespace {

TEST(CoreConfigTest, DescribesEveryMember) { EXPECT_EQ(description_problem<CoreConfig>(), ""); }

TEST(CoreConfigTest, CyclesPerInstructionAreExactToAThousandth) {
  CoreConfig config;
  EXPECT_EQ(config.instruction_clock().time(1000), 1_us);
  config.cpi = 0.7;
  EXPECT_EQ(config.instruction_clock().time(1000), 700_ns);
  config.clock = 2_GHz;
  config.cpi = 1.333;
  EXPECT_EQ(config.instruction_clock().time(1'000'000), 666'500_ns);
}

}  // namespace
}  // namespace asterism
