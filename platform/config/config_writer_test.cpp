#include "platform/config/config_writer.h"

#include <gtest/gtest.h>

#include "platform/config/test_configs.h"

namespace asterism {
namespace {

using namespace test_configs;

TEST(ConfigWriterTest, WritesEveryKeyInTheOrderOfTheDescription) {
  EXPECT_EQ(expanded(Memory{}), R"({
  "size": "2GiB",
  "rank": "512MiB",
  "part": "ddr3",
  "ecc": "normal"
}
)");
}

TEST(ConfigWriterTest, LeavesOutWhatDoesNotApply) {
  EXPECT_EQ(expanded(Arbiter{}), "{\n  \"impl\": \"model\"\n}\n");
  EXPECT_EQ(expanded(Expect{}), "{\n  \"converges\": true\n}\n");
  EXPECT_EQ(expanded(Fault{.at = 12'400_us}),
            "{\n  \"at\": \"12.4ms\",\n  \"kind\": \"power_loss\",\n  \"restore_after\": \"1ms\"\n}\n");
}

Scenario everything() {
  Scenario s;
  s.node.quantum = 1'333'333_ps;
  s.node.cpi = 0.1 + 0.2;
  s.node.clock = Frequency(1'066'666'667);
  s.node.image = "a \"quoted\" name.img";
  s.node.memory = {.size = 6_GiB, .rank = Bytes(1536) * 1048576, .part = "ddr4", .ecc = Ecc::strong};
  s.node.arbiter = {.impl = Impl::lockstep, .variant = "x.json", .window = 3_us};
  s.node.devices["uart0"] = {.base = Address(0x0900'0000), .interrupt = 1};
  s.node.devices["top"] = {.base = Address(~std::uint64_t{0}), .interrupt = 31};
  s.seed = ~std::uint64_t{0};
  s.faults.push_back({.at = 1_ps});
  s.faults.push_back(
      {.at = 2_s, .kind = FaultKind::bit_flip, .address = Address(0x1'0000'0000), .bits = {7, 0}});
  s.expect = Expect{.exit = 63, .converges = false};
  return s;
}

TEST(ConfigWriterTest, WhatIsWrittenReadsBackTheSame) {
  TemporaryLibrary folder;
  const std::string text = expanded(everything());
  ConfigDocument document = ConfigDocument::parse(text, "expanded.json");
  const Scenario again = read_config<Scenario>(document, folder.library());
  EXPECT_EQ(expanded(again), text);
  EXPECT_EQ(again.node.quantum, 1'333'333_ps);
  EXPECT_EQ(again.node.cpi, 0.1 + 0.2);
  EXPECT_EQ(again.node.image, "a \"quoted\" name.img");
  EXPECT_EQ(again.node.devices.at("top").base, Address(~std::uint64_t{0}));
  EXPECT_EQ(again.seed, ~std::uint64_t{0});
  EXPECT_EQ(again.faults[1].bits, (std::vector<unsigned>{7, 0}));
  EXPECT_EQ(again.expect->exit, 63);
}

TEST(ConfigWriterTest, AUsedFileAndOverridesAreExpanded) {
  TemporaryLibrary folder;
  folder.write("nodes", "base", R"({"cores": 8})");
  ConfigDocument document = ConfigDocument::parse(R"({"node": {"use": "base"}})", "s.json");
  document.apply_override("node.memory.ecc=strong");
  const std::string text = expanded(read_config<Scenario>(document, folder.library()));
  EXPECT_EQ(text.find("\"use\""), std::string::npos);
  ConfigDocument alone = ConfigDocument::parse(text, "expanded.json");
  const Scenario again = read_config<Scenario>(alone, ConfigLibrary(folder.root()));
  EXPECT_EQ(again.node.cores, 8);
  EXPECT_EQ(again.node.memory.ecc, Ecc::strong);
}

TEST(ConfigDocumentationTest, ShowsKeyDefaultRuleAndMeaning) {
  const std::string text = documentation<Scenario>();
  const auto has = [&](const std::string& part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(has("node    required\n    The node.\n"));
  EXPECT_TRUE(
      has("node.memory.size = \"2GiB\"    a size from \"64MiB\" to \"1TiB\"\n    The capacity. A larger"));
  EXPECT_TRUE(has("        \"normal\": RS(36,32)\n"));
  EXPECT_TRUE(has("node.memory.size is a whole number of ranks\n"));
  EXPECT_TRUE(has("node.devices.NAME.base    an address such as \"0x0900_0000\", required\n"));
  EXPECT_TRUE(has("faults.N.at    a duration such as \"1us\", required\n"));
  EXPECT_TRUE(has("    The address of the byte. Valid only if kind is \"bit_flip\".\n"));
  EXPECT_TRUE(has("expect.exit    optional, an integer from 0 to 63\n"));
}

}  // namespace
}  // namespace asterism
