// Maps of objects whose keys depend on their type, and what a node abbreviates.
#include <gtest/gtest.h>

#include "platform/config/test_configs.h"

namespace asterism {
namespace {

using namespace test_configs;

struct TypedObjectsTest : testing::Test {
  TemporaryLibrary folder;
  std::vector<std::string> overrides;

  // The node of a scenario whose node is `text`.
  Node node(const std::string& text) const {
    ConfigDocument document = ConfigDocument::parse("{\"node\": " + text + "}", "s.json");
    for (const std::string& assignment : overrides) document.apply_override(assignment);
    return read_config<Scenario>(document, folder.library()).node;
  }
  std::string wrong(const std::string& text) const {
    return problems(folder.library(), "{\"node\": " + text + "}", overrides);
  }
};

const Timer& timer(const Node& node, const std::string& name) {
  return std::get<Timer>(node.blocks.at(name).keys);
}
const Uart& uart(const Node& node, const std::string& name) {
  return std::get<Uart>(node.blocks.at(name).keys);
}

TEST_F(TypedObjectsTest, TheTypeChoosesTheKeys) {
  const Node read =
      node(R"({"blocks": {"t": {"type": "timer", "rate": "2kHz"}, "u": {"input": "a", "type": "uart"}}})");
  EXPECT_EQ(timer(read, "t").rate, 2_kHz);
  EXPECT_EQ(uart(read, "u").input, "a");
  EXPECT_EQ(
      wrong(R"({"blocks": {"t": {"type": "timer", "input": "a"}}})"),
      "s.json:1:45: error: node.blocks.t.input: unknown key; the keys here are type, base, rate, repeats");
  EXPECT_EQ(wrong(R"({"blocks": {"u": {"type": "uart"}}})"),
            "s.json:1:27: error: node.blocks.u.input: this key is required: What it receives");
}

TEST_F(TypedObjectsTest, AnUnknownOrMissingTypeIsOneMistake) {
  EXPECT_EQ(wrong(R"({"blocks": {"t": {"type": "tiner", "rate": 5, "any": 1}}})"),
            "s.json:1:36: error: node.blocks.t.type: expected one of \"timer\", \"uart\", got \"tiner\"; did "
            "you mean \"timer\"?");
  EXPECT_EQ(wrong(R"({"blocks": {"t": {"rate": 5}}})"),
            "s.json:1:27: error: node.blocks.t.type: this key is required: the type of the block");
  EXPECT_EQ(wrong(R"({"blocks": {"t": {"type": 3}}})"),
            "s.json:1:36: error: node.blocks.t.type: expected one of \"timer\", \"uart\", got 3");
  EXPECT_EQ(wrong(R"({"blocks": {"t": 3}})"), "s.json:1:27: error: node.blocks.t: expected an object, got 3");
}

TEST_F(TypedObjectsTest, AnOverrideOfTheTypeMakesKeysMeaninglessThatAreNotItsOwn) {
  const std::string text = R"({"blocks": {"t": {"type": "timer", "rate": "2kHz", "base": "0x1000"}}})";
  overrides = {R"(node.blocks.t={"type": "uart", "input": "a"})"};
  const Node read = node(text);
  EXPECT_EQ(uart(read, "t").input, "a");
  EXPECT_EQ(read.blocks.at("t").base.values, std::vector{Address(0x1000)});
  overrides.emplace_back("node.blocks.t.repeats=true");
  EXPECT_EQ(wrong(text),
            "command line: error: node.blocks.t.repeats: unknown key; the keys here are type, base, input");
}

TEST_F(TypedObjectsTest, OneValueNeedsNoList) {
  const auto base = [&](const std::string& value) {
    return node(R"({"blocks": {"t": {"type": "timer", "base": )" + value + "}}}").blocks.at("t").base.values;
  };
  EXPECT_EQ(base("\"0x1000\""), std::vector{Address(0x1000)});
  EXPECT_EQ(base("[\"0x1000\"]"), std::vector{Address(0x1000)});
  EXPECT_EQ(base("[\"0x1000\", \"0x3000\"]"), (std::vector{Address(0x1000), Address(0x3000)}));
  EXPECT_EQ(base("null"), std::vector<Address>());
  EXPECT_EQ(base("[]"), std::vector<Address>());
  EXPECT_EQ(wrong(R"({"blocks": {"t": {"type": "timer", "base": 4096}}})").substr(0, 84),
            "s.json:1:53: error: node.blocks.t.base: expected an address of at most \"0xffff_ffff\"");
  EXPECT_EQ(wrong(R"({"blocks": {"t": {"type": "timer", "base": ["0x0", "0x1_0000_0000"]}}})"),
            "s.json:1:61: error: node.blocks.t.base.1: expected an address of at most \"0xffff_ffff\", got "
            "\"0x1_0000_0000\"");
}

TEST_F(TypedObjectsTest, WhatIsWrittenReadsBackTheSame) {
  const std::string text = expanded(node(R"({"blocks": {"b": {"type": "timer", "base": ["0x1000", "0x3000"]},
                                             "a": {"type": "uart", "input": "x", "base": "0x0"},
                                             "c": {"type": "timer", "base": []}}})"));
  EXPECT_NE(text.find(R"(  "blocks": {
    "a": {
      "type": "uart",
      "base": "0x0000_0000",
      "input": "x"
    },
    "b": {
      "type": "timer",
      "base": [
        "0x0000_1000",
        "0x0000_3000"
      ],
      "rate": "1MHz",
      "repeats": false
    },
    "c": {
      "type": "timer",
      "rate": "1MHz",
      "repeats": false
    }
  },
)"),
            std::string::npos)
      << text;
  EXPECT_EQ(expanded(node(text)), text);
}

TEST_F(TypedObjectsTest, NullRemovesAnEntry) {
  folder.write("nodes", "base", R"({"blocks": {"t": {"type": "timer"}, "u": {"type": "uart", "input": "a"}},
                                    "devices": {"d": {"base": "0x0"}, "e": {"base": "0x0"}}})");
  const Node read = node(R"({"use": "base", "blocks": {"t": null}, "devices.d": null})");
  EXPECT_FALSE(read.blocks.contains("t"));
  EXPECT_TRUE(read.blocks.contains("u"));
  EXPECT_FALSE(read.devices.contains("d"));
  EXPECT_TRUE(read.devices.contains("e"));
}

TEST_F(TypedObjectsTest, EntriesMergeWithThoseOfTheUsedFile) {
  folder.write("nodes", "base", R"({"blocks": {"u": {"type": "uart", "input": "a", "base": "0x1000"}}})");
  const Node read = node(R"({"use": "base", "blocks": {"u": {"input": "b"}, "t": {"type": "timer"}}})");
  EXPECT_EQ(uart(read, "u").input, "b");
  EXPECT_EQ(read.blocks.at("u").base.values, std::vector{Address(0x1000)});
  EXPECT_TRUE(read.blocks.contains("t"));
}

// ---- abbreviations ----

TEST_F(TypedObjectsTest, TheNameOfAnEntryStandsForIt) {
  folder.write("nodes", "base", R"({"blocks": {"u": {"type": "uart", "input": "a"}}})");
  EXPECT_EQ(uart(node(R"({"use": "base", "u.input": "b"})"), "u").input, "b");
  EXPECT_EQ(uart(node(R"({"use": "base", "u": {"input": "b"}})"), "u").input, "b");
  EXPECT_EQ(uart(node(R"({"u": {"input": "b"}, "blocks": {"u": {"type": "uart"}}})"), "u").input, "b");
  overrides = {"node.u.input=c"};
  EXPECT_EQ(uart(node(R"({"use": "base", "u.input": "b"})"), "u").input, "c");
  EXPECT_EQ(uart(node(R"({"blocks": {"u": {"type": "uart", "input": "b"}}})"), "u").input, "c");
}

TEST_F(TypedObjectsTest, TheLastOverrideWinsWhetherItIsAbbreviatedOrNot) {
  folder.write("nodes", "base", R"({"blocks": {"u": {"type": "uart", "input": "a"}}})");
  overrides = {"node.u.input=b", "node.blocks.u.input=c"};
  EXPECT_EQ(uart(node(R"({"use": "base"})"), "u").input, "c");
  overrides = {"node.blocks.u.input=c", "node.u.input=b"};
  EXPECT_EQ(uart(node(R"({"use": "base"})"), "u").input, "b");
}

TEST_F(TypedObjectsTest, AUsedFileMayAbbreviate) {
  folder.write("nodes", "base", R"({"blocks": {"u": {"type": "uart", "input": "a"}}})");
  folder.write("nodes", "other", R"({"use": "base", "u.input": "b"})");
  EXPECT_EQ(uart(node(R"({"use": "other"})"), "u").input, "b");
}

TEST_F(TypedObjectsTest, AnAbbreviationOfNoEntryIsAnUnknownKey) {
  EXPECT_EQ(
      wrong(R"({"blocks": {"u": {"type": "uart", "input": "a"}}, "network": {"input": "b"}})"),
      "s.json:1:60: error: node.network: unknown key; the keys here are quantum, cores, cpi, clock, memory, "
      "arbiter, devices, blocks, image; the blocks are u");
  EXPECT_EQ(wrong(R"({"blocks": {"console": {"type": "uart", "input": "a"}}, "consol": {"input": "b"}})"),
            "s.json:1:66: error: node.consol: unknown key; did you mean \"console\"?");
}

// Whether it is in a file or an override, and whatever its value.
TEST_F(TypedObjectsTest, NoEntryIsNamedAsAKeyOfTheObject) {
  folder.write("nodes", "base", R"({"cpi": 2, "blocks": {"u": {"type": "uart", "input": "a"}}})");
  EXPECT_EQ(wrong(R"({"use": "base", "cpi": 3, "blocks": {"cpi": {"type": "timer"}}})"),
            "s.json:1:47: error: node.blocks.cpi: \"cpi\" is not one of the blocks, but a key beside them: "
            "node.cpi");
  for (const char* override : {"node.blocks.memory=null", "node.blocks.memory.size=1GiB"}) {
    overrides = {override};
    EXPECT_EQ(
        wrong(R"({"use": "base"})"),
        "command line: error: node.blocks.memory: \"memory\" is not one of the blocks, but a key beside "
        "them: node.memory");
  }
}

TEST_F(TypedObjectsTest, AnErrorNamesThePathAsItWasWritten) {
  const char* const text = R"({"blocks": {"u": {"type": "uart", "input": "a"}}})";
  overrides = {"node.u.inptu=b"};
  EXPECT_EQ(wrong(text), "command line: error: node.u.inptu: unknown key; did you mean \"input\"?");
  overrides = {"node.blocks.u.inptu=b"};
  EXPECT_EQ(wrong(text), "command line: error: node.blocks.u.inptu: unknown key; did you mean \"input\"?");
  overrides = {};
  EXPECT_EQ(wrong(R"({"blocks": {"u": {"type": "uart", "input": "a", "inptu": 1}}, "u": {"ipnut": 2}})"),
            "s.json:1:58: error: node.blocks.u.inptu: unknown key; did you mean \"input\"?\n"
            "s.json:1:78: error: node.u.ipnut: unknown key; did you mean \"input\"?");
}

TEST_F(TypedObjectsTest, TheDocumentationHasTheKeysOfEachType) {
  const std::string text = documentation<Node>();
  EXPECT_NE(text.find(R"(blocks.NAME of the type timer
    It counts.
blocks.NAME.type    one of "timer", "uart", required
    The type of the block.
blocks.NAME.base    one or a list, each an address of at most "0xffff_ffff"
    The first address of each of its ranges.
blocks.NAME.rate = "1MHz"    a frequency from "1Hz" to "1GHz"
    The counts in a second.
)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("blocks.NAME of the type uart\n"), std::string::npos);
}

}  // namespace
}  // namespace asterism
