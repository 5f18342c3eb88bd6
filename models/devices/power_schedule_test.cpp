#include "devices/power_schedule.h"

#include <gtest/gtest.h>

#include <string>

namespace asterism {
namespace {

struct Story : PowerSchedule::Sink {
  std::string text;
  void lost(Picoseconds at, Picoseconds) override { text += "lost " + std::to_string(at.count()) + ";"; }
  void restored(Picoseconds at) override { text += "restored " + std::to_string(at.count()) + ";"; }
  void ignored(Picoseconds at) override { text += "ignored " + std::to_string(at.count()) + ";"; }
};

static_assert(Engine<PowerSchedule, Story>);

TEST(PowerSchedule, IsIdleWithoutLosses) { EXPECT_EQ(PowerSchedule({}).next_event(), std::nullopt); }

TEST(PowerSchedule, LossesComeInOrderOfTimeWhateverTheOrderGiven) {
  PowerSchedule power({{100_ps, 10_ps}, {20_ps, 5_ps}});
  Story story;
  EXPECT_EQ(power.next_event(), 20_ps);
  power.advance_to(19_ps, story);
  EXPECT_EQ(story.text, "");
  power.advance_to(20_ps, story);
  EXPECT_FALSE(power.on());
  EXPECT_EQ(power.next_event(), 25_ps);
  power.advance_to(1000_ps, story);
  EXPECT_EQ(story.text, "lost 20;restored 25;lost 100;restored 110;");
  EXPECT_TRUE(power.on());
}

TEST(PowerSchedule, IgnoresALossWhileThePowerIsOff) {
  PowerSchedule power({{10_ps, 10_ps}, {15_ps, 100_ps}});
  Story story;
  power.advance_to(1000_ps, story);
  EXPECT_EQ(story.text, "lost 10;ignored 15;restored 20;");
}

TEST(PowerSchedule, RestoresBeforeALossAtTheSameInstant) {
  PowerSchedule power({{10_ps, 10_ps}, {20_ps, 5_ps}});
  Story story;
  power.advance_to(1000_ps, story);
  EXPECT_EQ(story.text, "lost 10;restored 20;lost 20;restored 25;");
}

TEST(PowerSchedule, AcceptsLossesWhileItRuns) {
  PowerSchedule power({{100_ps, 10_ps}});
  Story story;
  power.advance_to(50_ps, story);
  power.add({60_ps, 5_ps});
  EXPECT_EQ(power.next_event(), 60_ps);
  power.advance_to(1000_ps, story);
  EXPECT_EQ(story.text, "lost 60;restored 65;lost 100;restored 110;");
}

TEST(PowerSchedule, OnlyAColdResetStartsItAgain) {
  PowerSchedule power({{10_ps, 10_ps}});
  Story story;
  power.advance_to(10_ps, story);
  power.reset(Reset::power_loss);
  EXPECT_EQ(power.next_event(), 20_ps);
  power.reset(Reset::cold);
  EXPECT_TRUE(power.on());
  EXPECT_EQ(power.next_event(), 10_ps);
}

}  // namespace
}  // namespace asterism
