// `asterism plugin check` (docs/plugin_check.md).
#include <gmock/gmock.h>

#include <fstream>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::HasSubstr;

struct PluginCheckCommandTest : CommandTest {};

TEST_F(PluginCheckCommandTest, SaysHowEachRuleWasCovered) {
  const Ended ended =
      asterism({"plugin", "check", "--type", "pl011", "--accesses", "300", "--json", "report.json"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("pl011, seed 1: in 300 accesses"));
  EXPECT_THAT(ended.out,
              HasSubstr("\n  dmi             not applicable  the device grants no direct memory\n"));
  EXPECT_THAT(ended.out, HasSubstr("All 16 rules that were checked hold.\nChecked in "));
  const auto report = nlohmann::json::parse(std::ifstream(folder / "report.json")).at(0);
  EXPECT_EQ(report.at("type"), "pl011");
  EXPECT_EQ(report.at("rules").size(), 17u);
  for (const auto& rule : report.at("rules"))
    EXPECT_EQ(rule.at("observations").get<unsigned>() > 0, rule.at("verdict") == "holds") << rule;
}

TEST_F(PluginCheckCommandTest, SaysWhereAPlugInBreaksWhichRule) {
  const std::filesystem::path plugin = std::filesystem::path(ASTERISM_TESTED_PLUGINS) / "libtested.so";
  const Ended ended = asterism({"plugin", "check", plugin.string(), "fails_in=access", "--accesses", "50"});
  EXPECT_EQ(ended.status, 67) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("  status          broken"));
  EXPECT_THAT(ended.out, HasSubstr("at        device.COUNT\n      access    read 4 bytes at 0x4"));
  EXPECT_THAT(ended.out, HasSubstr("threw: node.device (libtested.so) has thrown in an access"));
}

TEST_F(PluginCheckCommandTest, APlugInThatFailsInItsShapeIsOneMessage) {
  const std::string plugin = (std::filesystem::path(ASTERISM_TESTED_PLUGINS) / "libtested.so").string();
  const auto check = [&](const char* how) {
    return asterism({"plugin", "check", plugin, "fails_in=shape", std::string("how=") + how});
  };
  const Ended crashed = check("crashes"), thrown = check("throws");
  EXPECT_EQ(crashed.status, 65);
  EXPECT_THAT(crashed.err, HasSubstr(plugin + ": error: the plug-in has crashed in shape(): SIG"));
  EXPECT_EQ(thrown.status, 65);
  EXPECT_THAT(thrown.err, HasSubstr(plugin + ": error: the plug-in has thrown in shape(): "));
}

TEST_F(PluginCheckCommandTest, TakesKeysOfTheDevice) {
  EXPECT_EQ(asterism({"plugin", "check", "--type", "external", "size=8KiB", "--accesses", "50"}).status, 0);
  const Ended ended = asterism({"plugin", "check", "--type", "external", "sise=8KiB"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_THAT(ended.err, HasSubstr("did you mean \"size\"?"));
}

TEST_F(PluginCheckCommandTest, ChecksADeviceOfANode) {
  const Arguments node{"plugin", "check", "--node", "standard_map", "--accesses", "50", "--device"};
  const auto with = [&](const std::string& device) {
    Arguments all = node;
    all.push_back(device);
    return asterism(all);
  };
  const Ended ended = with("rtc");
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("pl031, seed 1"));
  EXPECT_EQ(with("rtk").status, 65);
  EXPECT_THAT(with("rtk").err, HasSubstr("did you mean \"rtc\"?"));
}

TEST_F(PluginCheckCommandTest, RefusesWhatItCannotCheck) {
  EXPECT_EQ(asterism({"plugin", "check"}).status, 64);
  EXPECT_EQ(asterism({"plugin", "check", "a.so", "b.so"}).status, 64);
  EXPECT_EQ(asterism({"plugin", "check", "--node", "standard_map"}).status, 64);
  EXPECT_EQ(asterism({"plugin", "check", "missing.so"}).status, 66);
  const Ended ended = asterism({"plugin", "check", "--type", "pl012"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_THAT(ended.err, HasSubstr("there is no type of devices \"pl012\"; did you mean \"pl011\"?"));
}

}  // namespace
}  // namespace asterism
