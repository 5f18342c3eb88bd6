#include "devices/power_controller.h"

#include "devices/device_fuzz.h"
#include "tlm/log.h"
#include "tlm/reset_values.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"

namespace asterism {
namespace {

constexpr std::uint64_t id = 0x00, reset_cause = 0x04, boot_count = 0x08, control = 0x0C,
                        restore_delay = 0x10, checkpoint_version_low = 0x38, checkpoint_version_high = 0x3C,
                        checkpoint_location = 0x40, rank_restored = 0x44;

struct Story : PowerSequence, EventLog {
  std::vector<std::pair<Picoseconds, std::string>> steps, events;
  std::function<void(Reset)> reset;
  void power_lost() override {
    steps.emplace_back(now(), "lost");
    reset(Reset::power_loss);
  }
  void power_restored() override { steps.emplace_back(now(), "restored"); }
  void warm_reset() override {
    steps.emplace_back(now(), "warm");
    reset(Reset::warm);
  }
  void power_off() override { steps.emplace_back(now(), "off"); }
  void record(Picoseconds at, std::string_view, std::string_view kind,
              std::initializer_list<Detail> given) override {
    events.emplace_back(at, kind);
    details.assign(given);
  }
  std::vector<Detail> details;  // of the last event
};
using Steps = std::vector<std::pair<Picoseconds, std::string>>;

struct PowerControllerTest : SystemCTest {
  explicit PowerControllerTest(std::vector<PowerLoss> losses = {})
      : supply("power", std::move(losses), story, story) {
    power.control(supply);
    cpu.socket.bind(power.target);
    story.reset = [this](Reset kind) { reset(kind); };
  }
  void reset(Reset kind) {
    supply.reset(kind);
    power.reset(kind);
  }
  Story story;
  PowerSupply supply;
  PowerController power{"power", story};
  TestInitiator cpu{"cpu"};
};

SYSTEMC_TEST_F(PowerControllerTest, StartsCold) {
  EXPECT_EQ(cpu.read32(id), 0x50465200u);
  EXPECT_EQ(cpu.read32(reset_cause), 0u);
  EXPECT_EQ(cpu.read32(boot_count), 1u);
  EXPECT_EQ(cpu.read32(control), 0u);
  EXPECT_EQ(cpu.read32(restore_delay), 1000u);
}

SYSTEMC_TEST_F(PowerControllerTest, ResetsToWhatTheListSays) { expect_reset_values(cpu, PowerRegisters()); }

SYSTEMC_TEST_F(PowerControllerTest, FirmwareFailsItsOwnPower) {
  wait_until(1_ms);
  cpu.write32(restore_delay, 250);
  cpu.write32(control, 3);
  EXPECT_TRUE(story.steps.empty());  // the write returns first
  wait_for(1_s);
  EXPECT_EQ(story.steps, (Steps{{1_ms, "lost"}, {1'250_us, "restored"}}));
  EXPECT_EQ(story.events, (Steps{{1_ms, "power_lost"}, {1'250_us, "power_restored"}}));
  EXPECT_EQ(cpu.read32(reset_cause), 2u);
  EXPECT_EQ(cpu.read32(boot_count), 2u);
  EXPECT_EQ(cpu.read32(restore_delay), 1000u);
}

SYSTEMC_TEST_F(PowerControllerTest, AWarmResetIsCountedApart) {
  cpu.write32(control, 2);
  settle();
  EXPECT_EQ(story.steps, (Steps{{0_ps, "warm"}}));
  EXPECT_EQ(cpu.read32(reset_cause), 1u);
  EXPECT_EQ(cpu.read32(boot_count), 2u);
}

SYSTEMC_TEST_F(PowerControllerTest, ACoreMayAskForPowerOff) {
  supply.request(PowerOperation::power_off);
  settle();
  EXPECT_EQ(story.steps, (Steps{{0_ps, "off"}}));
}

SYSTEMC_TEST_F(PowerControllerTest, ARequestWhileOffIsIgnored) {
  cpu.write32(control, 3);
  wait_for(1_us);
  cpu.write32(control, 2);
  wait_for(1_s);
  EXPECT_EQ(story.steps, (Steps{{0_ps, "lost"}, {1_ms, "restored"}}));
}

SYSTEMC_TEST_F(PowerControllerTest, NoOperationDoesNothing) {
  set_log_levels({{"power", LogLevel::off}});
  cpu.write32(control, 4);
  wait_for(1_s);
  EXPECT_TRUE(story.steps.empty());
}

SYSTEMC_TEST_F(PowerControllerTest, RecordsWhereFirmwarePutsACheckpointAndWhy) {
  wait_until(1_ms);
  cpu.write32(checkpoint_version_low, 7);
  cpu.write32(checkpoint_version_high, 1);
  cpu.write32(checkpoint_location, 4 << 4 | 1);
  EXPECT_EQ(story.events, (Steps{{1_ms, "checkpoint_location"}}));
  EXPECT_EQ(story.details, (std::vector<EventLog::Detail>{{"version", std::uint64_t{0x1'0000'0007}},
                                                          {"location", std::string("dram")},
                                                          {"reason", std::string("loss")}}));
  EXPECT_EQ(cpu.read32(checkpoint_location), 0u);
}

SYSTEMC_TEST_F(PowerControllerTest, ALocationWithoutAReasonIsNotRecorded) {
  set_log_levels({{"power", LogLevel::off}});
  for (const std::uint32_t wrong : {0u, 2u, 1u << 4, 7u << 4 | 1}) cpu.write32(checkpoint_location, wrong);
  EXPECT_TRUE(story.events.empty());
}

SYSTEMC_TEST_F(PowerControllerTest, RecordsWhereTheStateOfARankCameFrom) {
  set_log_levels({{"power", LogLevel::off}});
  cpu.write32(rank_restored, 2 << 16 | 2 << 8 | 3);
  EXPECT_EQ(story.details,
            (std::vector<EventLog::Detail>{
                {"rank", std::uint64_t{3}}, {"from", std::string("gpu_copy")}, {"gpu", std::uint64_t{2}}}));
  cpu.write32(rank_restored, 1 << 8);
  EXPECT_EQ(story.details,
            (std::vector<EventLog::Detail>{{"rank", std::uint64_t{0}}, {"from", std::string("own_copy")}}));
  EXPECT_EQ(story.events, (Steps{{0_ps, "rank_restored"}, {0_ps, "rank_restored"}}));
  for (const std::uint32_t wrong : {0u, 3u, 4u << 8}) cpu.write32(rank_restored, wrong);
  EXPECT_EQ(story.events.size(), 2u);
}

SYSTEMC_TEST_F(PowerControllerTest, OnlyAColdResetClearsTheBootCount) {
  cpu.write32(control, 3);
  wait_for(2_ms);
  reset(Reset::power_loss);
  EXPECT_EQ(cpu.read32(boot_count), 2u);
  reset(Reset::cold);
  EXPECT_EQ(cpu.read32(boot_count), 1u);
  EXPECT_EQ(cpu.read32(reset_cause), 0u);
}

SYSTEMC_TEST_F(PowerControllerTest, AnyPayloadGetsAnAnswer) {
  set_log_levels({{"power", LogLevel::off}});
  expect_an_answer_to_any_payload(cpu, 80_B, 1);
}

SYSTEMC_TEST_F(PowerControllerTest, DescribesItself) {
  const auto nodes = PowerController::device_tree({}, {"power", {{Address(0x0B00'0000), 4_KiB}}});
  ASSERT_EQ(nodes.size(), 1u);
  EXPECT_EQ(nodes[0].name, "power-controller@b000000");
}

struct ScheduledPowerTest : PowerControllerTest {
  ScheduledPowerTest() : PowerControllerTest({{12'400'000'001_ps, 1_ms}, {13_ms, 1_ms}, {20_ms, 7_ps}}) {}
};

SYSTEMC_TEST_F(ScheduledPowerTest, LosesPowerToThePicosecondAndIgnoresALossWhileOff) {
  expect_earliest(12'400'000'001_ps, [&] { return !supply.on(); });
  expect_earliest(13'400'000'001_ps, [&] { return supply.on(); });
  expect_earliest(20_ms, [&] { return !supply.on(); });
  expect_earliest(20_ms + 7_ps, [&] { return supply.on(); });
  EXPECT_EQ(cpu.read32(boot_count), 3u);
  Statistics statistics;
  power.report(statistics);
  EXPECT_EQ(std::get<std::uint64_t>(statistics.entries()[1].second), 1u);
}

SYSTEMC_TEST_F(ScheduledPowerTest, ARequestDoesNotDelayTheSchedule) {
  wait_until(1_ms);
  cpu.write32(control, 3);
  expect_earliest(12'400'000'001_ps, [&] { return !supply.on(); });
  EXPECT_EQ(story.steps.size(), 3u);
}

}  // namespace
}  // namespace asterism
