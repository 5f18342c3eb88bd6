// Tests RtlZoneMonitor with rtl/mzm in place of the model, in lockstep with it, and with mutants of the RTL.
#include "base/random.h"
#include "cosim/rtl_zone_monitor.h"
#include "testbenches/hook_test.h"

namespace asterism {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint32_t zones = 4'000;
const ZoneMonitorConfig shape{.cache = Bytes(512), .ways = 2};

const Mutant notified_again{
    "notified_again", {{"mzm.sv", "write_next = fetched_next || !noted;", "write_next = fetched_next;"}}};
const Mutant never_begins{"never_begins",
                          {{"mzm.sv", "valid_d      = last_sector;", "valid_d      = 1'b0;"}}};
const Mutant answers_3{"answers_3", {{"mzm.sv", "noted ? Stall : FirstStall", "2'd3"}}};

struct RtlZoneMonitorTest : HookTest<RtlZoneMonitor> {
  Picoseconds time;
  ZoneMonitor monitor{shape, zones};

  RtlZoneMonitorTest()
      : HookTest("mzm", overrides_of(RtlZoneMonitor::parameters(shape, zones)),
                 {.instance = "node.gpu.monitor.0",
                  .config = shape,
                  .zones = zones,
                  .clock = 1_GHz,
                  .now = [this] { return time; }}) {}
  void on_attached() override {
    monitor.attach_hook(hook.get());
    monitor.reset(Reset::cold);
    monitor.track(true);
  }

  // Makes random writes with occasional snapshots, and returns the answers.
  std::string use(ZoneMonitor& used, unsigned operations) {
    std::string answers;
    Random random(1);
    for (unsigned i = 0; i < operations; ++i) {
      time += 10_ns;
      const auto check = used.write(static_cast<std::uint32_t>(random.below(random.below(2) ? zones : 300)));
      answers += static_cast<char>('a' + static_cast<int>(check.answer));
      answers += static_cast<char>('0' + check.sectors);
      if (i % 3 == 0)
        if (const auto zone = used.next_unpreserved(0)) used.preserve(*zone);
      if (i % 40 == 0) used.refresh();
      if (i % 200 == 150) used.complete();
      if (i % 200 == 160) used.expose(static_cast<std::uint32_t>(random.below(zones)));
      if (i % 200 == 199) answers += std::to_string(used.begin());
    }
    return answers;
  }
  std::string model_alone(unsigned operations) {
    ZoneMonitor alone(shape, zones);
    alone.track(true);
    return use(alone, operations);
  }
};

TEST_F(RtlZoneMonitorTest, AgreesInLockstepAndSaysWhatWasReached) {
  attach_hook(Impl::lockstep);
  monitor.write(3);
  monitor.begin();
  monitor.write(3);
  monitor.write(3);
  monitor.preserve(3);
  monitor.write(4);
  EXPECT_EQ(hook->operations(), 7u);
  EXPECT_FALSE(hook->mismatch());
  EXPECT_THAT(hook->summary(), ElementsAre("node.gpu.monitor.0: lockstep, 7 operations, 0 mismatches",
                                           "reached operations 4/7 (never expose, refresh, complete)",
                                           "reached writes 4/4", "reached sectors 3/4 (never 3)"));
}

TEST_F(RtlZoneMonitorTest, InLockstepTheAnswersAreTheModels) {
  attach_hook(Impl::lockstep);
  EXPECT_EQ(use(monitor, 3'000), model_alone(3'000));
  EXPECT_TRUE(mismatches.empty());
}

TEST_F(RtlZoneMonitorTest, TheRtlAloneAnswersAsTheModelWould) {
  attach_hook(Impl::rtl);
  EXPECT_EQ(use(monitor, 3'000), model_alone(3'000));
  EXPECT_TRUE(mismatches.empty());
}

TEST_F(RtlZoneMonitorTest, InPlaceOfTheModelTheRtlAnswers) {
  attach_hook(Impl::rtl, notified_again);
  monitor.expose(3);
  monitor.begin();
  monitor.write(4);
  EXPECT_EQ(monitor.write(3).answer, ZoneMonitor::Answer::first_stall);
  EXPECT_EQ(monitor.write(3).answer, ZoneMonitor::Answer::first_stall);  // the model would answer stall
  EXPECT_TRUE(mismatches.empty());
}

TEST_F(RtlZoneMonitorTest, ADifferenceIsReportedOnceWithAWindow) {
  attach_hook(Impl::lockstep, notified_again);
  monitor.expose(3);
  time = 2_us;
  monitor.begin();
  monitor.write(4);
  monitor.write(3);
  time = 3_us;
  EXPECT_EQ(monitor.write(3).answer, ZoneMonitor::Answer::stall);
  monitor.write(3);
  ASSERT_EQ(mismatches.size(), 1u);
  const Lockstep::Mismatch& mismatch = mismatches.front();
  EXPECT_EQ(mismatch.at, 3_us);
  EXPECT_EQ(mismatch.what, "answer");
  EXPECT_EQ(mismatch.asked, "write 0x3");
  EXPECT_EQ(mismatch.model, "stall, 0 sectors; open");
  EXPECT_EQ(mismatch.rtl, "first stall, 0 sectors; open");
  EXPECT_THAT(mismatch.history,
              ElementsAre("0.000000 us  track, on -> complete", "0.000000 us  expose 0x3 -> complete",
                          "2.000000 us  begin -> 0 sectors; open",
                          "2.000000 us  write 0x4 -> proceed, 2 sectors; open",
                          "2.000000 us  write 0x3 -> first stall, 0 sectors; open",
                          "3.000000 us  write 0x3 -> stall, 0 sectors; open"));
  EXPECT_EQ(mismatch.trace, (folder / "node.gpu.monitor.0.fst").string());
  EXPECT_GT(std::filesystem::file_size(mismatch.trace), 0u);
}

TEST_F(RtlZoneMonitorTest, RtlThatDoesNotAnswerHasFailedAndTheModelTakesOver) {
  attach_hook(Impl::rtl, never_begins);
  monitor.write(3);
  monitor.begin();
  ASSERT_EQ(mismatches.size(), 1u);
  EXPECT_EQ(mismatches.front().what, "RTL failed");
  EXPECT_EQ(mismatches.front().rtl, "no answer: valid_o was low for 10282 cycles");
  EXPECT_EQ(monitor.write(3).answer, ZoneMonitor::Answer::first_stall);
}

TEST_F(RtlZoneMonitorTest, AnAnswerThatThereIsNotIsAFailure) {
  attach_hook(Impl::lockstep, answers_3);
  monitor.write(3);
  monitor.begin();
  monitor.write(3);
  ASSERT_EQ(mismatches.size(), 1u);
  EXPECT_EQ(mismatches.front().rtl, "its answer is 3, which does not exist");
}

TEST_F(RtlZoneMonitorTest, SkippedCyclesChangeNothingAndIdlenessIsTrue) {
  options.check_idle = true;
  attach_hook(Impl::lockstep);
  const std::string checked = use(monitor, 300);
  options = {.skip = false, .traces = folder.path()};
  attach_hook(Impl::lockstep);
  EXPECT_EQ(use(monitor, 300), checked);
  EXPECT_TRUE(mismatches.empty());
}

TEST_F(RtlZoneMonitorTest, OperationContinuesAfterAnyReset) {
  attach_hook(Impl::lockstep);
  for (const Reset kind : {Reset::warm, Reset::power_loss, Reset::cold}) {
    use(monitor, 450);
    monitor.reset(kind);
    monitor.track(true);
  }
  EXPECT_EQ(use(monitor, 450), model_alone(450));
  EXPECT_TRUE(mismatches.empty());
}

TEST_F(RtlZoneMonitorTest, ATraceOnDemandIsWrittenUpToTheEnd) {
  options.trace = {{.instance = "node.gpu", .from = 0_ns, .to = 2_us}};
  attach_hook(Impl::lockstep);
  hook->finish(3_us);
  EXPECT_TRUE(std::filesystem::exists(folder / "node.gpu.monitor.0.fst"));
}

TEST_F(RtlZoneMonitorTest, RefusesAnotherShapeAndAnotherContract) {
  settings.zones = 300;
  EXPECT_THAT(refusal(), HasSubstr("was built with Zones=4000, the model has 300"));
  settings.zones = zones;
  settings.config.ways = 4;
  EXPECT_THAT(refusal(), HasSubstr("was built with Ways=2, the model has 4"));
  EXPECT_THAT(refusal("rtl/lrg_arbiter/block.json", {"parameters.Radix=4"}),
              HasSubstr("is a block of the contract arbiter, expected zone_monitor"));
}

}  // namespace
}  // namespace asterism
