#include "platform/rtl/block_config.h"

#include <gtest/gtest.h>

#include "platform/config/config.h"

namespace asterism {
namespace {

constexpr const char* example = R"({
  "name": "lrg_arbiter", "contract": "arbiter",
  "sources": ["lrg_arbiter.sv"],
  "properties": ["lrg_arbiter_properties.sv"],
  "top": "lrg_arbiter",
  "parameters": { "Radix": 64 },
  "radix": "Radix",
  "clock": "clk_i",
  "reset": { "port": "rst_ni", "active": "low" },
  "ports": [ { "role": "request", "signal": "request_i" },
             { "role": "grant",   "signal": "grant_o" } ],
  "idle": "idle_o"
})";

// The errors in the description after these overrides.
std::string problems_of(const std::vector<std::string>& overrides) {
  ConfigDocument document = ConfigDocument::parse(example, "block.json");
  for (const std::string& override : overrides) document.apply_override(override);
  Diagnostics problems;
  read_config<BlockConfig>(document, nullptr, problems);
  return problems.text();
}

TEST(BlockConfigTest, TheDescriptionsCoverEveryMember) {
  EXPECT_EQ(description_problem<BlockConfig>(), "");
  EXPECT_EQ(description_problem<BlockPort>(), "");
  EXPECT_EQ(description_problem<BlockReset>(), "");
}

TEST(BlockConfigTest, TheExampleReadsAndWritesBackTheSame) {
  ConfigDocument document = ConfigDocument::parse(example, "block.json");
  Diagnostics problems;
  const auto config = read_config<BlockConfig>(document, nullptr, problems);
  EXPECT_EQ(problems.text(), "");
  EXPECT_EQ(config.contract, BlockContract::arbiter);
  EXPECT_EQ(config.parameters.at("Radix"), 64U);
  EXPECT_EQ(config.reset->cycles, 2U);
  EXPECT_EQ(config.ports.at(1).signal, "grant_o");
  ConfigDocument again = ConfigDocument::parse(expanded(config), "again.json");
  EXPECT_EQ(expanded(read_config<BlockConfig>(again, nullptr, problems)), expanded(config));
  EXPECT_EQ(problems.text(), "");
}

TEST(BlockConfigTest, AnUnknownKeyNamesTheNearest) {
  EXPECT_EQ(problems_of({"sorces=[]"}),
            "command line: error: sorces: unknown key; did you mean \"sources\"?\n");
  EXPECT_EQ(problems_of({"ports.0.signl=a"}),
            "command line: error: ports.0.signl: unknown key; did you mean \"signal\"?\n");
}

TEST(BlockConfigTest, WhichKeysAPortHasDependsOnItsRole) {
  EXPECT_EQ(problems_of({R"(ports.0={"role":"input","signal":"scan_i","value":1})"}), "");
  EXPECT_EQ(problems_of({R"(ports.0={"role":"output","signal":"scan_o","value":1})"}),
            "command line: error: ports.0.value: this key is valid only if role is \"input\", but here it is "
            "\"output\"\n");
  EXPECT_EQ(
      problems_of({R"(ports.0={"role":"stream","direction":"out","valid":"v","ready":"r","data":"d",
                             "last":"l","destination":"e"})"}),
      "command line: error: ports.0.destination: this key is valid only if direction is \"in\", but here it "
      "is \"out\"\n");
}

TEST(BlockConfigTest, ABusNamesItsSignalsButStrobeAndError) {
  const std::string bus = R"("role":"bus","address":"a","select":"s","enable":"e","write":"w",
                             "write_data":"wd","read_data":"rd")";
  EXPECT_EQ(problems_of({"ports.0={" + bus + R"(,"ready":"r"})"}), "");
  EXPECT_EQ(problems_of({"ports.0={" + bus + "}"}),
            "block.json:10:14: error: ports.0.ready: this key is required: the signal PREADY of a bus; for a "
            "stream, "
            "one bit for each input or output that is 1 when the flit is accepted\n");
}

TEST(BlockConfigTest, RadixNamesAParameter) {
  EXPECT_EQ(problems_of({"radix=Width"}),
            "command line: error: radix: expected a value that is the name of one of `parameters`, got "
            "\"Width\"\n");
}

TEST(BlockConfigTest, TheNameIsGoodForAFolder) {
  EXPECT_EQ(problems_of({"name=../up"}),
            "command line: error: name: expected a value that has at most 64 characters, which are letters, "
            "digits, _ and -, got \"../up\"\n");
}

TEST(BlockConfigTest, ThereIsAtLeastOneSource) {
  EXPECT_EQ(problems_of({"sources=[]"}),
            "command line: error: sources: expected a value that names at least one file, and no empty name, "
            "got []\n");
}

}  // namespace
}  // namespace asterism
