#include "core/psci.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace asterism {
namespace {

struct PsciTest : testing::Test, PsciPlatform {
  std::vector<bool> on = {true, false, false, false};
  std::vector<std::string> acts;
  Psci psci{*this};

  unsigned core_count() const override { return static_cast<unsigned>(on.size()); }
  bool core_is_on(unsigned core) const override { return on[core]; }
  bool is_executable(Address entry) const override { return entry >= Address(0x4000'0000); }
  void core_on(unsigned core, Address entry, std::uint64_t context) override {
    on[core] = true;
    act("on", {core, entry.value(), context});
  }
  void core_off(unsigned core) override { act("off", {core}); }
  void core_standby(unsigned core) override { act("standby", {core}); }
  void system_off() override { act("system_off", {}); }
  void system_reset() override { act("system_reset", {}); }
  void act(std::string what, const std::vector<std::uint64_t>& values) {
    for (std::uint64_t value : values) what += " " + std::to_string(value);
    acts.push_back(what);
  }
  std::int64_t call(std::uint64_t function, std::uint64_t a = 0, std::uint64_t b = 0, std::uint64_t c = 0) {
    return static_cast<std::int64_t>(psci.call(2, {function, a, b, c}));
  }
};

TEST_F(PsciTest, ReportsItsVersions) {
  EXPECT_EQ(call(Psci::version), 0x10000);
  EXPECT_EQ(call(Psci::smccc_version), 0x10001);
  EXPECT_EQ(call(Psci::migrate_info_type), 2);
}

TEST_F(PsciTest, TurnsACoreOnOnce) {
  EXPECT_EQ(call(Psci::cpu_on64, 3, 0x4000'0000, 77), Psci::success);
  EXPECT_EQ(acts, std::vector<std::string>{"on 3 1073741824 77"});
  EXPECT_EQ(call(Psci::cpu_on64, 3, 0x4000'0000, 77), Psci::already_on);
  EXPECT_EQ(acts.size(), 1u);
}

TEST_F(PsciTest, NamesCoresByTheirClusterOf16) {
  on.assign(40, false);
  EXPECT_EQ(call(Psci::cpu_on64, 0x0207, 0x4000'0000), Psci::success);
  EXPECT_EQ(acts, std::vector<std::string>{"on 39 1073741824 0"});
  EXPECT_EQ(call(Psci::cpu_on64, 0x0208, 0x4000'0000), Psci::invalid_parameters);
  EXPECT_EQ(call(Psci::cpu_on64, 39, 0x4000'0000), Psci::invalid_parameters);
  EXPECT_EQ(call(Psci::affinity_info64, 0x0207, 0), 0);
  EXPECT_EQ(call(Psci::affinity_info64, 0x0206, 0), 1);
}

TEST_F(PsciTest, RefusesCoresAndEntriesThatDoNotExist) {
  EXPECT_EQ(call(Psci::cpu_on64, 4, 0x4000'0000), Psci::invalid_parameters);
  EXPECT_EQ(call(Psci::cpu_on64, 0x100, 0x4000'0000), Psci::invalid_parameters);
  EXPECT_EQ(call(Psci::cpu_on64, 1, 0x1000), Psci::invalid_address);
  EXPECT_EQ(call(Psci::cpu_on64, 1, 0x4000'0002), Psci::invalid_address);
  EXPECT_TRUE(acts.empty());
}

TEST_F(PsciTest, Uses32BitsOfArgumentsOfThe32BitFunctions) {
  EXPECT_EQ(call(Psci::cpu_on32, 0x1'0000'0001, 0xdead'0000'4000'0000, 0x1'0000'0005), Psci::success);
  EXPECT_EQ(acts, std::vector<std::string>{"on 1 1073741824 5"});
}

TEST_F(PsciTest, ReportsWhichCoresAreOn) {
  EXPECT_EQ(call(Psci::affinity_info64, 0, 0), 0);
  EXPECT_EQ(call(Psci::affinity_info64, 1, 0), 1);
  EXPECT_EQ(call(Psci::affinity_info64, 9, 0), Psci::invalid_parameters);
  EXPECT_EQ(call(Psci::affinity_info64, 9, 1), 0);
  EXPECT_EQ(call(Psci::affinity_info64, 0, 4), Psci::invalid_parameters);
}

TEST_F(PsciTest, ActsOnTheCallingCoreAndTheSystem) {
  call(Psci::cpu_suspend64);
  call(Psci::cpu_off);
  call(Psci::system_reset);
  call(Psci::system_off);
  EXPECT_EQ(acts, (std::vector<std::string>{"standby 2", "off 2", "system_reset", "system_off"}));
}

TEST_F(PsciTest, FeaturesReportsTheImplementedFunctions) {
  EXPECT_EQ(call(Psci::features, Psci::cpu_on64), Psci::success);
  EXPECT_EQ(call(Psci::features, Psci::cpu_suspend32), Psci::success);
  EXPECT_EQ(call(Psci::features, 0x8400'0005), Psci::not_supported);  // MIGRATE
}

TEST_F(PsciTest, UnknownFunctionsAreNotSupported) {
  EXPECT_EQ(call(0x8400'0005), Psci::not_supported);
  EXPECT_EQ(call(0), Psci::not_supported);
  EXPECT_EQ(call(0xc200'0000), Psci::not_supported);
}

}  // namespace
}  // namespace asterism
