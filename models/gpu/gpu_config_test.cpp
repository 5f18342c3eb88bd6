#include "gpu/gpu_config.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "base/thrown.h"
#include "gpu/gpu_rig.h"

namespace asterism {
namespace {

using C = GpuConfig;

// Returns the error of building a GPU in which only this member is changed.
std::string refusal(auto C::*member, auto value) {
  C config;
  config.*member = value;
  return thrown<std::invalid_argument>([&] { GpuRig(config, MemoryContents::none); });
}

TEST(GpuConfig, OfTheDefaultsAGpuIsBuilt) {
  EXPECT_FALSE(problem_of({}));
  EXPECT_EQ(refusal(&C::memory, 32_GiB), "none");
}

TEST(GpuConfig, AZoneThatIsNoPowerOfTwoOrLargerThanAChannelIsRefused) {
  EXPECT_EQ(refusal(&C::zone, 96_KiB), "a GPU's zone: expected a value that is a power of two, got 96KiB");
  EXPECT_EQ(refusal(&C::zone, 0_B), "a GPU's zone: expected a value that is a power of two, got 0B");
  EXPECT_EQ(refusal(&C::memory, 1_MiB),
            "a GPU's zone: expected a value that is at most the memory of a channel, got 64KiB");
  EXPECT_EQ(refusal(&C::zone, 64_GiB),
            "a GPU's zone: expected a value that is at most the memory of a channel, got 64GiB");
  EXPECT_EQ(refusal(&C::zone, 256_B),
            "a GPU's interleave: expected a value that is at most a zone, got 512B");
}

TEST(GpuConfig, AScrubberNeedsACode) {
  C config;
  config.scrub = 1_s;
  EXPECT_EQ(problem_of(config)->key, "scrub");
  config.ecc = SectorCode::symbol;
  EXPECT_FALSE(problem_of(config));
  config.scrub = 1_us;
  EXPECT_EQ(problem_of(config)->rule, "is at least 1 ns for each zone of a channel");
}

TEST(GpuConfig, OnlyTheCodeOnTheDieScrubsThere) {
  C config;
  config.ecc = SectorCode::symbol;
  config.scrub_on_die = true;
  EXPECT_EQ(problem_of(config)->key, "scrub_on_die");
  EXPECT_EQ(problem_of(config)->rule, "is false unless `scrub` has an interval");
  config.scrub = 1_s;
  EXPECT_FALSE(problem_of(config));
  config.ecc = SectorCode::secded;
  EXPECT_EQ(problem_of(config)->key, "scrub_on_die");
  EXPECT_EQ(problem_of(config)->rule, "is false unless `ecc` is \"symbol\", the code on the die");
}

TEST(GpuConfig, NoMoreZonesCanBeRetiredThanThereAre) {
  C config = small_gpu();
  EXPECT_EQ(config.retirements(), 16u);
  EXPECT_EQ(C().retirements(), 512u);
  config.spare_zones = 16;
  EXPECT_FALSE(problem_of(config));
  config.spare_zones = 17;
  EXPECT_EQ(problem_of(config)->rule, "is at most the number of zones, `memory` / `zone` of all `channels`");
}

TEST(GpuConfig, MoreZonesThanAMonitorHasAreRefused) {
  C config;
  config.channels = 1;
  config.zone = 4_KiB;
  config.memory = 64_GiB;
  EXPECT_FALSE(problem_of(config));
  config.memory = 64_GiB + 4_KiB;
  EXPECT_EQ(thrown<std::invalid_argument>([&] { GpuRig(config, MemoryContents::none); }),
            "a GPU's memory: expected a value that has at most 2^24 zones in a channel, got 67108868KiB");
}

TEST(GpuConfig, ATransferBufferWithoutSpaceForTwoZonesOfAChannelIsRefused) {
  EXPECT_EQ(refusal(&C::buffer, 32_KiB),
            "a GPU's buffer: expected a value that has space for two zones of each channel, got 32KiB");
  EXPECT_EQ(refusal(&C::buffer, 4_MiB), "none");
}

TEST(GpuConfig, APartOfWhichThereIsNoneIsRefused) {
  EXPECT_EQ(refusal(&C::channels, 0u), "a GPU's channels: expected a value that is a power of two, got 0");
  EXPECT_EQ(refusal(&C::channels, 24u), "a GPU's channels: expected a value that is a power of two, got 24");
  EXPECT_EQ(refusal(&C::channel, 0_MBps), "a GPU's channel: expected a value that is more than 0, got 0B/s");
  EXPECT_EQ(refusal(&C::memory, 0_B),
            "a GPU's zone: expected a value that is at most the memory of a channel, got 64KiB");
  EXPECT_EQ(refusal(&C::interleave, 64_B),
            "a GPU's interleave: expected a value that is at least a line of the L2, 128 bytes, got 64B");
  EXPECT_EQ(
      refusal(&C::l2, 0_B),
      "a GPU's l2: expected a value that is a whole number of sets of l2_ways lines of 128 bytes in each "
      "channel, got 0B");
  EXPECT_EQ(refusal(&C::l2_ways, 17u), "a GPU's l2_ways: expected a value that is from 1 to 16, got 17");
  EXPECT_EQ(refusal(&C::pipelines, 0u), "a GPU's pipelines: expected a value that is at least 1, got 0");
  EXPECT_EQ(refusal(&C::write_queue, 0u), "a GPU's write_queue: expected a value that is at least 1, got 0");
  EXPECT_EQ(refusal(&C::transfer, 0_B), "a GPU's transfer: expected a value that is more than 0, got 0B");
}

TEST(GpuConfig, AMonitorsCacheThatIsNoneIsRefused) {
  const std::string none =
      "the cache of a zone monitor is a power of two of lines of 64 bytes, and its ways are a power of two "
      "of these";
  EXPECT_EQ(refusal(&C::monitor, ZoneMonitorConfig{.cache = 0_B}), none);
  EXPECT_EQ(refusal(&C::monitor, ZoneMonitorConfig{.cache = 32_B, .ways = 1}), none);
  EXPECT_EQ(refusal(&C::monitor, ZoneMonitorConfig{.cache = 3_KiB}), none);
  EXPECT_EQ(refusal(&C::monitor, ZoneMonitorConfig{.cache = 2_KiB, .ways = 64}), none);
}

// A sector of a table has 256 zones; numbers beyond 2^24 are not zones.
TEST(GpuConfig, AZoneMonitorWithoutZonesOrWithTooManyIsRefused) {
  const auto of = [](std::uint32_t zones) {
    return thrown<std::invalid_argument>([&] { ZoneMonitor({}, zones); });
  };
  EXPECT_EQ(of(0), "a zone monitor has 1 to 2^24 zones, got 0");
  EXPECT_EQ(of(ZoneMonitor::max_zones), "none");
  EXPECT_EQ(of(ZoneMonitor::max_zones + 1), "a zone monitor has 1 to 2^24 zones, got 16777217");
}

}  // namespace
}  // namespace asterism
