#include "platform/plugin_check/plugin_check.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/temporary_folder.h"
#include "platform/config/config.h"
#include "platform/plugin_check/bench_access.h"
#include "platform/plugin_check/checked_node.h"
#include "platform/plugin_check/faulty_device.h"
#include "platform/plugin_check/sound_devices.h"

namespace asterism {
namespace {

const ConfigLibrary& library() {
  static const ConfigLibrary configs{std::filesystem::path(ASTERISM_SOURCE_CONFIGS)};
  return configs;
}

PluginCheckReport check_of(const std::string& fault) {
  const CheckedNode node = node_with_device("faulty", "", {"fault=" + fault}, library());
  return check_device(node, checked_instance, {.accesses = 300, .patience = std::chrono::milliseconds(1500)});
}

std::vector<std::string> broken_rules(const PluginCheckReport& report) {
  std::vector<std::string> names;
  for (const RuleVerdict& verdict : report.verdicts)
    if (verdict.kind == RuleVerdict::Kind::broken) names.emplace_back(tlm_rules[index_of(verdict.rule)].name);
  return names;
}

// ---- a device that breaks one rule ----

struct PlantedFault {
  const char* fault;
  const char* rule;   // that is found broken, and no other
  const char* place;  // of a finding
  const char* access;
  const char* seen;
};

class PlantedFaultTest : public testing::TestWithParam<PlantedFault> {};

TEST_P(PlantedFaultTest, IsFoundWithItsRuleAndPlace) {
  const PluginCheckReport report = check_of(GetParam().fault);
  EXPECT_THAT(broken_rules(report), testing::ElementsAre(GetParam().rule)) << report.text();
  using testing::HasSubstr;
  const auto finding = testing::AllOf(testing::Field(&RuleFinding::place, HasSubstr(GetParam().place)),
                                      testing::Field(&RuleFinding::access, HasSubstr(GetParam().access)),
                                      testing::Field(&RuleFinding::seen, HasSubstr(GetParam().seen)));
  for (const RuleVerdict& verdict : report.verdicts)
    if (verdict.kind == RuleVerdict::Kind::broken) {
      EXPECT_THAT(verdict.findings, testing::Contains(finding)) << report.text();
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, PlantedFaultTest,
    testing::Values(
        PlantedFault{"delay_shrinks", "delay", "device + ", "delay 37 ns", "came back with a delay of"},
        PlantedFault{"dma_ignores_delay", "delay", "initiator 0 of device", "write 16 bytes",
                     "before the end"},
        PlantedFault{"acts_early", "quantum", "device.", " at ", "with a quantum of"},
        PlantedFault{"interrupts_early", "interrupts", "interrupt line 0", "", "with a quantum of"},
        PlantedFault{"grants_too_much", "dmi", "device_memory + ", "direct memory",
                     "although the target has"},
        PlantedFault{"grants_a_copy", "dmi", "device_memory + ", "read 1 byte", "direct memory"},
        PlantedFault{"ignores_enables", "byte_enables", "device.SOURCE", "byte enables", "instead of"},
        PlantedFault{"reads_disabled", "byte_enables", "device.", "byte enables", "not enabled"},
        PlantedFault{"ignores_streaming", "streaming_width", "device.", "streaming width", ""},
        PlantedFault{"forgets_status", "status", "device.ID", "write", "TLM_INCOMPLETE_RESPONSE"},
        PlantedFault{"throws", "status", "device.LENGTH", "write", "threw: length is too large"},
        PlantedFault{"crashes", "status", "device.LENGTH", "write", "Segmentation fault"},
        PlantedFault{"exits", "status", "device.LENGTH", "write", "status 3"},
        PlantedFault{"crashes_when_built", "status", "device", "is being built", "Segmentation fault"},
        PlantedFault{"crashes_by_itself", "status", "device", " at 0x",
                     "Segmentation fault after this access had returned"},
        PlantedFault{"throws_by_itself", "status", "device", " at 0x",
                     "threw in its process node.device.transfer_0: nothing to transfer"},
        PlantedFault{"stops", "status", "device.", "", "sc_stop"},
        PlantedFault{"dma_sets_status", "status", "initiator 0 of device", "write 16 bytes",
                     "TLM_OK_RESPONSE"},
        PlantedFault{"wraps_range", "range", "device + 0xfff", "at 0xfff", "TLM_OK_RESPONSE"},
        PlantedFault{"ignores_end", "range", "device + ", " at 0xff", "TLM_OK_RESPONSE"},
        PlantedFault{"debug_pops", "debug", "device.", "", ""},
        PlantedFault{"debug_notifies", "debug", "device.", "debug read", "notified an event"},
        PlantedFault{"debug_lies", "debug", "device.SOURCE", "debug write",
                     "returned 4, but the word then read"},
        PlantedFault{"debug_outside", "debug", "device + ", "debug", "outside of the target"},
        PlantedFault{"counts_debugger", "debug", "device.debugger", "", "when a debugger had read registers"},
        PlantedFault{"writes_beyond", "payload", "device", "read 16 bytes", "outside of the data"},
        PlantedFault{"inverts_writes", "payload", "device", "write 16 bytes", "changed the data of a write"},
        PlantedFault{"dma_without_width", "payload", "initiator 0 of device", "write 16 bytes",
                     "a streaming width of 0"},
        PlantedFault{"changes_address", "payload", "device.", "", "changed an attribute"},
        PlantedFault{"writes_late", "payload", "device + ", "read", "after the access had returned"},
        PlantedFault{"keeps_payload", "payload", "device.", "memory manager", "references"},
        PlantedFault{"changes_master", "master", "device.", "", "changed the identity"},
        PlantedFault{"drops_identity", "master", "device.", "", "removed the extension"},
        PlantedFault{"dma_as_core", "master", "initiator 0 of device", "write 16 bytes",
                     "master 0x0 instead of"},
        PlantedFault{"mixes_callers", "concurrency", "device.", "", ""},
        PlantedFault{"never_returns", "progress", "device.LENGTH", "write", "no event is left"},
        PlantedFault{"loops", "progress", "device.LENGTH", "write", "no progress"},
        PlantedFault{"keeps_line", "reset", "interrupt line 0", "", "is high after a"},
        PlantedFault{"keeps_registers", "reset", "device.SOURCE", "", "after a cold reset"},
        PlantedFault{"goes_on_after_reset", "reset", "device", "a warm reset",
                     "has not returned after 100 us"},
        PlantedFault{"works_without_power", "power_loss", "device", "power", "began an access"},
        PlantedFault{"depends_on_chance", "determinism", "device.", "", "in another process"},
        PlantedFault{"names_twice", "statistics", "device.transfers", "", "twice"},
        PlantedFault{"counts_reports", "statistics", "device", "", "differ"},
        PlantedFault{"crashes_in_report", "statistics", "device", "a report", "Segmentation fault"}),
    [](const auto& info) { return std::string(info.param.fault); });

TEST(PluginCheckTest, FindsNothingInADeviceWithoutFaults) {
  const PluginCheckReport report = check_of("none");
  EXPECT_TRUE(report.is_ok()) << report.text();
  for (const RuleVerdict& verdict : report.verdicts) {
    EXPECT_EQ(verdict.kind, RuleVerdict::Kind::holds) << report.text();
    EXPECT_GT(verdict.covered, 0u);
  }
}

TEST(PluginCheckTest, SaysWhatItCouldNotCheck) {
  const PluginCheckReport report = check_of("crashes_when_built");
  for (const RuleVerdict& verdict : report.verdicts)
    if (verdict.rule != TlmRule::status) {
      EXPECT_EQ(verdict.kind, RuleVerdict::Kind::not_checked) << report.text();
    }
  EXPECT_THAT(report.text(),
              testing::EndsWith("1 of 1 rules that were checked is broken; 16 that apply could "
                                "not be checked.\n"));
}

TEST(PluginCheckTest, FitsATerminal) {
  for (const char* fault : {"none", "acts_early", "grants_a_copy", "crashes"}) {
    std::istringstream text(check_of(fault).text());
    for (std::string line; std::getline(text, line);) EXPECT_LE(line.size(), 80u) << line;
  }
}

TEST(PluginCheckTest, IsTheSameForASeed) {
  EXPECT_EQ(check_of("acts_early").text(), check_of("acts_early").text());
}

// ---- devices that could be taken for faulty ones ----

PluginCheckReport check_of_type(const std::string& type) {
  return check_device(node_with_device(type, "", {}, library()), checked_instance, {.accesses = 300});
}

struct SoundDeviceTest : testing::TestWithParam<std::string> {};

TEST_P(SoundDeviceTest, KeepsTheRules) {
  const PluginCheckReport report = check_of_type(GetParam());
  EXPECT_TRUE(report.is_ok()) << report.text();
}
TEST(PluginCheckTest, KeepsNoPayloadOfAMasterThatWaitsForIt) {
  EXPECT_GT(check_of_type("sound_master").transactions, 100u);
}
INSTANTIATE_TEST_SUITE_P(All, SoundDeviceTest,
                         testing::Values("sound_bridge", "sound_generator", "sound_master", "sound_queue",
                                         "sound_registers", "sound_wide"),
                         [](const auto& info) { return info.param; });

RuleVerdict verdict_of(const PluginCheckReport& report, TlmRule rule) {
  return report.verdicts.at(index_of(rule));
}

TEST(PluginCheckTest, ObservesAMasterWithoutTargets) {
  const PluginCheckReport report = check_of_type("sound_generator");
  EXPECT_GT(report.transactions, 50u);
  EXPECT_EQ(verdict_of(report, TlmRule::quantum).kind, RuleVerdict::Kind::holds) << report.text();
  EXPECT_EQ(verdict_of(report, TlmRule::power_loss).kind, RuleVerdict::Kind::holds) << report.text();
}

TEST(PluginCheckTest, ComparesDirectMemoryByTheWordsThatATargetAccepts) {
  EXPECT_GT(verdict_of(check_of_type("sound_wide"), TlmRule::dmi).covered, 500u);
}

TEST(BenchAccessTest, IsWithinATargetIfItsEnabledBytesAre) {
  BenchAccess access = BenchAccess::write(0, 12, std::vector<unsigned char>(8));
  EXPECT_TRUE(access.is_within(Bytes(20)));
  EXPECT_FALSE(access.is_within(Bytes(19)));
  access.enables = {TLM_BYTE_ENABLED, TLM_BYTE_DISABLED};
  EXPECT_TRUE(access.is_within(Bytes(19)));
  EXPECT_FALSE(access.is_within(Bytes(18)));
  access.streaming_width = 4;
  EXPECT_TRUE(access.is_within(Bytes(15)));
  EXPECT_FALSE(access.is_within(Bytes(14)));
  access.address = ~std::uint64_t{0} - 1;
  EXPECT_FALSE(access.is_within(Bytes(4096)));
}

// ---- modules of others ----

TEST(PluginCheckTest, FindsInTheExamplesOfAccelleraThatOnlyTheFirstAddressIsLookedAt) {
  for (const char* type : {"others_synch_target", "others_four_phase"}) {
    const PluginCheckReport report = check_of_type(type);
    EXPECT_THAT(broken_rules(report), testing::ElementsAre("range")) << report.text();
  }
}

TEST(PluginCheckTest, FindsThatAModuleHasNeitherResetNorRange) {
  const PluginCheckReport report = check_of_type("others_beeper");
  EXPECT_THAT(broken_rules(report), testing::ElementsAre("range", "reset", "power_loss")) << report.text();
}

// ---- files of the host ----

std::string contents_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

TEST(PluginCheckTest, ChangesNoFileInWhichADeviceKeepsItsState) {
  const TemporaryFolder folder;
  const std::filesystem::path image = folder / "image";
  std::ofstream(image, std::ios::binary) << std::string(1024, 'x');
  const auto before = std::filesystem::last_write_time(image);
  const CheckedNode disk = node_of_file(
      "standard_map",
      {fmt::format(R"(devices.disk={{"type": "virtio_block", "base": "0x0a00_0000", "interrupt": 26,)"
                   R"( "copy_on_write": false, "image": "{}"}})",
                   image.string())},
      library());
  EXPECT_TRUE(check_device(disk, "disk", {.accesses = 20}).is_ok());
  EXPECT_EQ(contents_of(image), std::string(1024, 'x'));
  EXPECT_EQ(std::filesystem::last_write_time(image), before);

  const std::filesystem::path missing = folder / "missing", empty = folder / "empty";
  std::ofstream(empty).flush();
  for (const std::filesystem::path& flash : {missing, empty})
    EXPECT_TRUE(check_device(node_with_device("dimm_ssd", "", {"image=" + flash.string()}, library()),
                             checked_instance, {.accesses = 20})
                    .is_ok());
  EXPECT_FALSE(std::filesystem::exists(missing));
  EXPECT_EQ(std::filesystem::file_size(empty), 0u);
}

TEST(PluginCheckTest, TakesTheNodeOfAScenario) {
  const TemporaryFolder folder;
  const std::filesystem::path image = folder / "image", scenario = folder / "mine.json";
  std::ofstream(scenario) << R"({"firmware": "hello", "node": {"use": "standard_map"}})";
  const CheckedNode node =
      node_of_file(scenario.string(), {"node.devices.dimm_ssd.image=" + image.string()}, library());
  EXPECT_TRUE(check_device(node, "dimm_ssd", {.accesses = 20}).is_ok());
  EXPECT_FALSE(std::filesystem::exists(image));
}

TEST(PluginCheckTest, NamesTheFileOfItsUserInAMessage) {
  const TemporaryFolder folder;
  const std::filesystem::path image = folder / "image";
  std::ofstream(image) << "no flash";
  const CheckedNode node = node_with_device("dimm_ssd", "", {"image=" + image.string()}, library());
  try {
    check_device(node, checked_instance, {.accesses = 20});
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(image.string()));
  }
  EXPECT_EQ(contents_of(image), "no flash");
}

// ---- the types of Asterism ----

class OwnTypeTest : public testing::TestWithParam<std::string> {};

TEST_P(OwnTypeTest, KeepsTheRules) {
  const std::string& type = GetParam();
  const std::map<std::string, std::vector<std::string>> keys{{"external", {"size=4KiB"}},
                                                             {"virtio_block", {"size=64MiB"}}};
  const auto found = keys.find(type);
  const CheckedNode node =
      type == "virtio_pmem"
          ? node_of_file("every_device",
                         {"devices.apb_timer=null", "devices.dma_engine=null", "devices.flash0=null",
                          "devices.flash1=null", "devices.gpu=null", "devices.store=null"},
                         library())
          : node_with_device(type, "", found == keys.end() ? std::vector<std::string>() : found->second,
                             library());
  const PluginCheckReport report =
      check_device(node, type == "virtio_pmem" ? "pmem" : checked_instance, {.accesses = 500});
  EXPECT_TRUE(report.is_ok()) << report.text();
}

// Those that exist in RTL alone need Verilator.
std::vector<std::string> own_types() {
  std::vector<std::string> names = DeviceTypes::names();
  std::erase_if(names, [](const std::string& name) {
    return name == "rtl" || name == "faulty" || name.starts_with("sound_") || name.starts_with("others_");
  });
  return names;
}
INSTANTIATE_TEST_SUITE_P(All, OwnTypeTest, testing::ValuesIn(own_types()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace asterism
