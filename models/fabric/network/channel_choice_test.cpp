#include "fabric/network/channel_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace asterism {
namespace {

using testing::ElementsAre;

constexpr ChannelId ids[] = {0, 1, 2, 3};
const std::span<const ChannelId> all(ids);
const auto yes = [](ChannelId) { return true; };
const auto no = [](ChannelId) { return false; };

struct ChannelChoiceTest : testing::Test {
  ChannelChoice choice{4};
  std::vector<ChannelId> take(unsigned count, const Routing::Step& step, const auto& is_powered,
                              const auto& congested) {
    std::vector<ChannelId> taken;
    while (count-- > 0) taken.push_back(choice.choose(step, is_powered, congested).channel);
    return taken;
  }
};

TEST_F(ChannelChoiceTest, EqualChannelsAreUsedInRoundRobinOrder) {
  EXPECT_THAT(take(4, {.channels = all.first(3)}, yes, yes), ElementsAre(0, 1, 2, 0));
}

TEST_F(ChannelChoiceTest, DarkOnesArePassedOver) {
  const auto is_powered = [](ChannelId channel) { return channel != 1; };
  EXPECT_THAT(take(4, {.channels = all.first(3)}, is_powered, no), ElementsAre(0, 2, 0, 2));
}

TEST_F(ChannelChoiceTest, TheFallbackTakesWhatIsCongested) {
  const Routing::Step step{.channels = all.first(2), .fallback = all.subspan(2)};
  EXPECT_THAT(take(2, step, yes, no), ElementsAre(0, 1));
  EXPECT_THAT(take(3, step, yes, yes), ElementsAre(2, 3, 2));
  const auto preferred_are_lit = [](ChannelId channel) { return channel < 2; };
  EXPECT_THAT(take(1, step, preferred_are_lit, yes), ElementsAre(0));
}

TEST_F(ChannelChoiceTest, WithAllDarkThePacketGoesThrough) {
  EXPECT_THAT(take(2, {.channels = all.first(2)}, no, no), ElementsAre(0, 0));
  EXPECT_THAT(take(1, {.channels = all.first(2), .fallback = all.subspan(2)}, no, no), ElementsAre(0));
}

TEST_F(ChannelChoiceTest, SetsOfOtherSizesMayBeginAlike) {
  EXPECT_THAT(take(3, {.channels = all.first(4)}, yes, no), ElementsAre(0, 1, 2));
  EXPECT_THAT(take(2, {.channels = all.first(2)}, yes, no), ElementsAre(0, 1));
}

}  // namespace
}  // namespace asterism
