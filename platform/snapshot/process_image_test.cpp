#include "platform/snapshot/process_image.h"

#include <gtest/gtest.h>

namespace asterism {
namespace {

TEST(ProcessImageTest, RunsOnAProcessorThatHasMore) {
  const ProcessorFeatures made_on = {0b101, 0, 0b1, 0, 0, 0b111};
  EXPECT_TRUE(has_features(made_on, made_on));
  EXPECT_TRUE(has_features({0b111, 1, 0b1, 0, 8, 0b111}, made_on));
  EXPECT_FALSE(has_features({0b100, 1, 0b1, 0, 8, 0b111}, made_on));
  EXPECT_FALSE(has_features({0b101, 0, 0b1, 0, 0, 0b011}, made_on));
}

}  // namespace
}  // namespace asterism
