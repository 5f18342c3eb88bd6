#include "platform/config/config_reader.h"

#include <gtest/gtest.h>

#include "platform/config/test_configs.h"

namespace asterism {
namespace {

using namespace test_configs;

class ConfigReaderTest : public testing::Test {
 protected:
  TemporaryLibrary folder;
  ConfigLibrary library = folder.library();

  Scenario read(const std::string& text) {
    ConfigDocument document = ConfigDocument::parse(text, "s.json");
    return read_config<Scenario>(document, library);
  }
  // Reads a node whose members begin at column 11, and returns the errors.
  std::string wrong_node(const std::string& members) {
    return problems(library, "{\"node\": {" + members + "}}");
  }
};

TEST_F(ConfigReaderTest, AbsentKeysKeepTheDefaultsOfTheStruct) {
  const Scenario s = read(R"({"node": {}})");
  EXPECT_EQ(s.node.quantum, 1_us);
  EXPECT_EQ(s.node.memory.part, "ddr3");
  EXPECT_EQ(s.until, 10_s);
  EXPECT_FALSE(s.expect);
}

TEST_F(ConfigReaderTest, ReadsEveryShape) {
  const Scenario s = read(R"({
    "node": { "quantum": "500ns", "cores": 8, "cpi": 2, "clock": "1.5GHz", "image": "ssd.img",
              "memory": { "ecc": "strong", "part": "ddr4" },
              "arbiter": { "impl": "lockstep", "variant": "block.json", "window": "2us" },
              "devices": { "uart0": { "base": "0x0900_0000", "interrupt": 1 }, "rtc": { "base": "0x9010000" } } },
    "seed": 18446744073709551615, "expect": { "exit": 3, "converges": false },
    "faults": [ { "at": "12.4ms" }, { "at": "1s", "kind": "bit_flip", "address": "0x4000_0000", "bits": [0, 7] } ] })");
  EXPECT_EQ(s.node.quantum, 500_ns);
  EXPECT_EQ(s.node.cpi, 2.0);
  EXPECT_EQ(s.node.clock, 1500_MHz);
  EXPECT_EQ(s.node.image, "ssd.img");
  EXPECT_EQ(s.node.arbiter.window, 2_us);
  EXPECT_EQ(s.node.devices.at("uart0").interrupt, 1);
  EXPECT_EQ(s.node.devices.at("rtc").base, Address(0x0901'0000));
  EXPECT_EQ(s.seed, ~std::uint64_t{0});
  EXPECT_EQ(read(R"({"node": {}, "seed": "0xFfff_fffe"})").seed, 0xffff'fffeu);
  EXPECT_EQ(s.expect->exit, 3);
  EXPECT_EQ(s.faults[0].at, 12'400_us);
  EXPECT_EQ(s.faults[1].bits, (std::vector<unsigned>{0, 7}));
}

TEST_F(ConfigReaderTest, AMisspeltKeyGetsTheNearestName) {
  EXPECT_EQ(wrong_node("\"quantom\": \"1us\""),
            "s.json:1:11: error: node.quantom: unknown key; did you mean \"quantum\"?");
  EXPECT_EQ(wrong_node("\"memory\": {\"Ecc\": \"none\"}"),
            "s.json:1:22: error: node.memory.Ecc: unknown key; did you mean \"ecc\"?");
}

TEST_F(ConfigReaderTest, AKeyLikeNoneGetsTheListOfThem) {
  EXPECT_EQ(
      wrong_node("\"memory\": {\"bandwidth\": 1}"),
      "s.json:1:22: error: node.memory.bandwidth: unknown key; the keys here are size, rank, part, ecc");
  EXPECT_EQ(wrong_node("\"memory.ecc\": \"none\""),
            "s.json:1:11: error: node.memory.ecc: unknown key; a dotted key is allowed only next to \"use\"");
}

TEST_F(ConfigReaderTest, AMisspeltNameGetsTheNearestOne) {
  EXPECT_EQ(
      wrong_node("\"memory\": {\"ecc\": \"stong\"}"),
      "s.json:1:29: error: node.memory.ecc: expected one of \"none\", \"normal\", \"strong\", got \"stong\"; "
      "did you mean \"strong\"?");
  EXPECT_EQ(wrong_node("\"memory\": {\"part\": \"ddr5\"}"),
            "s.json:1:30: error: node.memory.part: expected the name of a file in configs/dram, or a path, "
            "got \"ddr5\"; "
            "did you mean \"ddr3\"?");
}

TEST_F(ConfigReaderTest, AFileLikeNoneGetsTheListOfThem) {
  EXPECT_EQ(wrong_node("\"memory\": {\"part\": \"sram\"}"),
            "s.json:1:30: error: node.memory.part: expected the name of a file in configs/dram, or a path, "
            "got \"sram\"; "
            "there are ddr3, ddr4");
}

TEST_F(ConfigReaderTest, APartMayBeAPathFromTheFileThatNamesIt) {
  const auto part = folder.root() / "parts/mine.json";
  std::filesystem::create_directory(part.parent_path());
  std::ofstream(part) << "{}";
  const auto node = folder.root() / "nodes/own.json";
  std::ofstream(node) << R"({"memory": {"part": "../parts/mine.json"}})";
  ConfigDocument document =
      ConfigDocument::parse(R"({"node": {"use": "nodes/own.json"}})", (folder.root() / "s.json").string());
  EXPECT_EQ(read_config<Scenario>(document, library).node.memory.part, part.string());
  EXPECT_EQ(wrong_node("\"memory\": {\"part\": \"" + part.string() + "\"}"), "");
}

TEST_F(ConfigReaderTest, AFileBesideTheOneThatNamesItHasPrecedence) {
  const auto block = folder.root() / "nodes/mine/block.json";
  std::filesystem::create_directories(block.parent_path());
  std::ofstream(block) << "{}";
  const auto variant_of = [&](const std::string& path) {
    std::ofstream(folder.root() / "nodes/own.json")
        << R"({"arbiter": {"impl": "rtl", "variant": ")" << path << "\"}}";
    ConfigDocument document =
        ConfigDocument::parse(R"({"node": {"use": "nodes/own.json"}})", (folder.root() / "s.json").string());
    return read_config<Scenario>(document, library).node.arbiter.variant;
  };
  EXPECT_EQ(variant_of("mine/block.json"), block.string());
  EXPECT_EQ(variant_of("../nodes/mine/block.json"), block.string());
  EXPECT_EQ(variant_of("nodes/mine/block.json"), "nodes/mine/block.json");
  EXPECT_EQ(variant_of("mine"), "mine");
  std::ofstream(folder.root() / "nodes/named") << "{}";
  EXPECT_EQ(variant_of("named"), "named") << "a word is a name of ours, not a path";
}

TEST_F(ConfigReaderTest, APathThatLeadsNowhereIsShownInFull) {
  EXPECT_EQ(
      wrong_node("\"memory\": {\"part\": \"/none/ddr.json\"}"),
      "s.json:1:30: error: node.memory.part: expected the name of a file in configs/dram, or a path, got "
      "\"/none/ddr.json\"; there is no file /none/ddr.json; did you mean \"ddr3\"?");
  const std::string here = (std::filesystem::current_path() / "ddr3.json").string();
  EXPECT_EQ(
      problems(library, R"({"node": {}})", {"node.memory.part=ddr3.json"}),
      "command line: error: node.memory.part: expected the name of a file in configs/dram, or a path, got "
      "\"ddr3.json\"; there is no file " +
          here + "; did you mean \"ddr3\"?");
}

TEST_F(ConfigReaderTest, AWrongTypeSaysWhatIsExpectedAndWhatCame) {
  const std::string cores = "s.json:1:20: error: node.cores: expected one of 1, 2, 4, 8, got ";
  EXPECT_EQ(wrong_node("\"cores\": \"4\""), cores + "\"4\"");
  EXPECT_EQ(wrong_node("\"cores\": 4.0"), cores + "4.0");
  EXPECT_EQ(wrong_node("\"cores\": true"), cores + "true");
  EXPECT_EQ(wrong_node("\"cores\": null"), cores + "null");
  EXPECT_EQ(wrong_node("\"cores\": [4]"), cores + "[4]");
  EXPECT_EQ(wrong_node("\"cores\": {}"), cores + "an object");
  EXPECT_EQ(wrong_node("\"image\": 1"), "s.json:1:20: error: node.image: expected the path of a file, got 1");
  EXPECT_EQ(wrong_node("\"memory\": 1"), "s.json:1:21: error: node.memory: expected an object, got 1");
  EXPECT_EQ(wrong_node("\"devices\": []"), "s.json:1:22: error: node.devices: expected an object, got []");
  EXPECT_EQ(problems(library, R"({"node": {}, "faults": {}})"),
            "s.json:1:24: error: faults: expected a list, got an object");
  EXPECT_EQ(problems(library, R"({"node": {}, "expect": {"converges": 1}})"),
            "s.json:1:38: error: expect.converges: expected true or false, got 1");
  EXPECT_EQ(problems(library, "[]"), "s.json:1:1: error: expected an object, got []");
}

TEST_F(ConfigReaderTest, AValueOutOfRangeNamesTheRange) {
  EXPECT_EQ(wrong_node("\"cpi\": 0.05"),
            "s.json:1:18: error: node.cpi: expected a number from 0.1 to 100.0, got 0.05");
  EXPECT_EQ(wrong_node("\"quantum\": \"2ms\""),
            "s.json:1:22: error: node.quantum: expected a duration from \"1ns\" to \"1ms\", got \"2ms\"");
  EXPECT_EQ(wrong_node("\"devices\": {\"a\": {\"base\": \"0x0\", \"interrupt\": 32}}"),
            "s.json:1:57: error: node.devices.a.interrupt: expected an integer from 0 to 31, got 32");
  EXPECT_EQ(problems(library, R"({"node": {}, "seed": -1})"),
            "s.json:1:22: error: seed: expected an integer of at least 0, got -1");
  EXPECT_EQ(problems(library, R"({"node": {}, "seed": 18446744073709551616})"),
            "s.json:1:22: error: seed: expected an integer of at least 0, got 18446744073709551616");
  EXPECT_EQ(problems(library, R"({"node": {}, "seed": "0xg"})"),
            "s.json:1:22: error: seed: expected an integer of at least 0, got \"0xg\"");
  EXPECT_EQ(problems(library, R"({"node": {}, "expect": {"exit": "0x40"}})"),
            "s.json:1:33: error: expect.exit: expected an integer from 0 to 63, got \"0x40\"");
}

TEST_F(ConfigReaderTest, ABareNumberWhereAUnitIsDueIsRefused) {
  EXPECT_EQ(problems(library, R"({"node": {}, "until": 5})"),
            "s.json:1:23: error: until: expected a duration such as \"1us\", got 5; it has no unit (ps, ns, "
            "us, ms, s)");
  EXPECT_EQ(
      problems(library, R"({"node": {}, "until": -5})"),
      "s.json:1:23: error: until: expected a duration such as \"1us\", got -5; it must not be negative");
  EXPECT_EQ(problems(library, R"({"node": {}, "until": "5"})"),
            "s.json:1:23: error: until: expected a duration such as \"1us\", got \"5\"; "
            "it has no unit (ps, ns, us, ms, s)");
}

TEST_F(ConfigReaderTest, AnUnknownUnitNamesTheKnownOnes) {
  EXPECT_EQ(problems(library, R"({"node": {}, "until": "5parsec"})"),
            "s.json:1:23: error: until: expected a duration such as \"1us\", got \"5parsec\"; "
            "unknown unit \"parsec\" (ps, ns, us, ms, s)");
  EXPECT_EQ(wrong_node("\"memory\": {\"rank\": \"1GHz\"}"),
            "s.json:1:30: error: node.memory.rank: expected a size of at least \"1MiB\", got \"1GHz\"; "
            "unknown unit \"GHz\" (B, kB, KiB, MB, MiB, GB, GiB, TB, TiB)");
}

TEST_F(ConfigReaderTest, AnAddressIsHexadecimalText) {
  EXPECT_EQ(
      wrong_node("\"devices\": {\"a\": {\"base\": 4096}}"),
      "s.json:1:37: error: node.devices.a.base: expected an address such as \"0x0900_0000\", got 4096; it "
      "does not begin with 0x");
  EXPECT_EQ(
      wrong_node("\"devices\": {\"a\": {\"base\": \"4096\"}}"),
      "s.json:1:37: error: node.devices.a.base: expected an address such as \"0x0900_0000\", got \"4096\"; "
      "it does not begin with 0x");
}

TEST_F(ConfigReaderTest, AMissingKeyIsReportedAtItsObject) {
  EXPECT_EQ(problems(library, "{}"), "s.json:1:1: error: node: this key is required: the node");
  EXPECT_EQ(problems(library, R"({"node": {}, "faults": [{}]})"),
            "s.json:1:25: error: faults.0.at: this key is required: the simulated time at which it happens");
}

TEST_F(ConfigReaderTest, AKeyOfAnotherKindIsRefusedWithTheKindsThatHaveIt) {
  EXPECT_EQ(
      problems(library, R"({"node": {}, "faults": [{"at": "1ms", "address": "0x0"}]})"),
      "s.json:1:39: error: faults.0.address: this key is valid only if kind is \"bit_flip\", but here it is "
      "\"power_loss\" (the default)");
  EXPECT_EQ(
      wrong_node("\"arbiter\": {\"variant\": \"x\", \"impl\": \"model\"}"),
      "s.json:1:23: error: node.arbiter.variant: this key is valid only if impl is \"rtl\" or \"lockstep\", "
      "but here it is \"model\"");
  EXPECT_EQ(wrong_node("\"arbiter\": {\"impl\": \"rtl\"}"),
            "s.json:1:22: error: node.arbiter.variant: this key is required: the block's file");
}

TEST_F(ConfigReaderTest, AMisspeltKindIsOneMistakeNotThree) {
  EXPECT_EQ(
      problems(library, R"({"node": {}, "faults": [{"at": "1ms", "kind": "bitflip", "address": "0x0"}]})"),
      "s.json:1:47: error: faults.0.kind: expected one of \"power_loss\", \"bit_flip\", got \"bitflip\"; "
      "did you mean \"bit_flip\"?");
}

TEST_F(ConfigReaderTest, OneKeySwapsAnImplementation) {
  folder.write("nodes", "rtl", R"({"arbiter": {"impl": "lockstep", "variant": "x", "window": "1us"}})");
  EXPECT_EQ(read(R"({"node": {"use": "rtl", "arbiter.impl": "model"}})").node.arbiter.variant, "");
  EXPECT_EQ(problems(library, R"({"node": {"use": "rtl"}})", {"node.arbiter.impl=rtl"}), "");
  EXPECT_EQ(
      problems(library, R"({"node": {"use": "rtl"}})", {"node.arbiter.impl=model", "node.arbiter.variant=y"}),
      "command line: error: node.arbiter.variant: this key is valid only if impl is \"rtl\" or "
      "\"lockstep\", "
      "but here it is \"model\"");
}

TEST_F(ConfigReaderTest, ARelationThatDoesNotHoldIsReportedAtItsKey) {
  EXPECT_EQ(wrong_node("\"memory\": {\"size\": \"700MiB\"}"),
            "s.json:1:30: error: node.memory.size: expected a value that is a whole number of ranks, got "
            "\"700MiB\"");
  EXPECT_EQ(wrong_node("\"memory\": {\"rank\": \"3GiB\"}"),
            "s.json:1:21: error: node.memory.size: expected a value that is a whole number of ranks, got "
            "\"2GiB\" (the "
            "default)");
}

TEST_F(ConfigReaderTest, EveryRelationThatDoesNotHoldIsReported) {
  EXPECT_EQ(
      wrong_node("\"memory\": {\"rank\": \"1536KiB\"}"),
      "s.json:1:21: error: node.memory.size: expected a value that is a whole number of ranks, got \"2GiB\" "
      "(the "
      "default)\n"
      "s.json:1:30: error: node.memory.rank: expected a value that is whole megabytes, got \"1536KiB\"");
}

TEST_F(ConfigReaderTest, ARelationIsNotComputedOnRefusedValues) {
  EXPECT_EQ(wrong_node("\"memory\": {\"size\": \"700MiB\", \"rank\": \"0B\"}"),
            "s.json:1:48: error: node.memory.rank: expected a size of at least \"1MiB\", got \"0B\"");
}

// A struct with a relation between members of its objects, which it names by their paths.
struct Work {
  unsigned steps = 60;
  unsigned words = 8;
};
void describe(Fields& f, Work& c) {
  f("steps", c.steps, "To make", at_least(1));
  f("words", c.words, "Of a state", at_most(64));
}
struct Saving {
  unsigned interval = 10;
};
void describe(Fields& f, Saving& c) { f("interval", c.interval, "Between two copies"); }
struct Plan {
  unsigned nodes = 2;
  Work work;
  Saving saving;
};
void describe(Fields& f, Plan& c) {
  f("nodes", c.nodes, "That work", at_most(64));
  f("work", c.work, "What is done");
  f("saving", c.saving, "How often");
  f.check([&] { return c.saving.interval <= c.work.steps; }, "saving.interval", "is at most work.steps");
  f.check([&] { return c.nodes != 1; }, "nodes", "has a buddy");
}

struct DottedRuleTest : testing::Test {
  static std::string mistakes(const std::string& text, const std::vector<std::string>& overrides = {}) {
    ConfigDocument document = ConfigDocument::parse(text, "p.json");
    for (const std::string& assignment : overrides) document.apply_override(assignment);
    Diagnostics found;
    read_config<Plan>(document, nullptr, found);
    return found.text();
  }
};

TEST_F(DottedRuleTest, PointsAtTheValueAndShowsTheOtherOnes) {
  EXPECT_EQ(mistakes(R"({"work": {"steps": 50}, "saving": {"interval": 51}})"),
            "p.json:1:48: error: saving.interval: expected a value that is at most work.steps, got 51; "
            "work.steps is 50\n");
  EXPECT_EQ(mistakes("{}", {"saving.interval=61"}),
            "command line: error: saving.interval: expected a value that is at most work.steps, got 61; "
            "work.steps is 60 (the default)\n");
  EXPECT_EQ(mistakes(R"({"work": {"steps": 9}})"),
            "p.json:1:1: error: saving.interval: expected a value that is at most work.steps, got 10 (the "
            "default); work.steps is 9\n");
  EXPECT_EQ(mistakes(R"({"work": {"steps": 50}, "saving": {"interval": 50}})"), "");
}

TEST_F(DottedRuleTest, PointsAtTheOverrideThatDoesNotSuitTheFile) {
  EXPECT_EQ(mistakes(R"({"saving": {"interval": 10}})", {"work.steps=9"}),
            "command line: error: saving.interval: expected a value that is at most work.steps, got 10; "
            "work.steps is 9\n");
}

TEST_F(DottedRuleTest, IsJudgedWhenWhatItNamesIsSoundWhateverElseIsWrong) {
  const std::string rest =
      "command line: error: saving.interval: expected a value that is at most work.steps, got 61; work.steps "
      "is 60 (the default)\n";
  EXPECT_EQ(mistakes("{}", {"nodes=65", "saving.interval=61"}),
            "command line: error: nodes: expected an integer from 0 to 64, got 65\n" + rest);
  EXPECT_EQ(mistakes("{}", {"work.words=65", "saving.interval=61"}),
            "command line: error: work.words: expected an integer from 0 to 64, got 65\n" + rest);
}

struct Bounds {
  unsigned first = 1, last = 5, other = 0;
};
void describe(Fields& f, Bounds& c) {
  f("first", c.first, "The first one", at_most(9));
  f("last", c.last, "The last one", at_most(9));
  f("other", c.other, "Another one", at_most(9));
  f.check([&] { return c.first <= c.last; }, "first", "is at most `last`");
}

TEST(BackquotedRuleTest, IsJudgedWhenWhatItNamesIsSoundWhateverElseIsWrong) {
  const auto mistakes = [](const std::string& text) {
    ConfigDocument document = ConfigDocument::parse(text, "p.json");
    Diagnostics found;
    read_config<Bounds>(document, nullptr, found);
    return found.text();
  };
  EXPECT_EQ(mistakes(R"({"first": 6, "last": 4, "other": 10})"),
            "p.json:1:11: error: first: expected a value that is at most `last`, got 6; last is 4\n"
            "p.json:1:34: error: other: expected an integer from 0 to 9, got 10\n");
  EXPECT_EQ(mistakes(R"({"first": 6, "last": 10})"),
            "p.json:1:22: error: last: expected an integer from 0 to 9, got 10\n");
}

enum class BoundKind { fixed, given };
constexpr auto enum_names(BoundKind) {
  return std::to_array<EnumName<BoundKind>>(
      {{BoundKind::fixed, "fixed", ""}, {BoundKind::given, "given", ""}});
}
struct ChosenBounds {
  BoundKind kind = BoundKind::fixed;
  unsigned first = 1, last = 5;
};
void describe(Fields& f, ChosenBounds& c) {
  f("kind", c.kind, "What the last one is", one_of<BoundKind>());
  f("first", c.first, "The first one", at_most(9));
  f.when("kind", c.kind, BoundKind::given, [&] { f("last", c.last, "The last one", at_most(9)); });
  f.check([&] { return c.first <= c.last; }, "first", "is at most `last`");
}

TEST(BackquotedRuleTest, IsNotJudgedOnTheDefaultOfAKeyWhoseSelectorIsRefused) {
  ConfigDocument document = ConfigDocument::parse(R"({"kind": "gibn", "first": 6, "last": 7})", "p.json");
  Diagnostics found;
  read_config<ChosenBounds>(document, nullptr, found);
  ASSERT_EQ(found.all().size(), 1u) << found.text();
  EXPECT_EQ(found.all()[0].path, "kind");
}

TEST_F(DottedRuleTest, IsNotJudgedOnDefaultsInPlaceOfRefusedValues) {
  EXPECT_EQ(mistakes("{}", {"work.steps=0", "saving.interval=61"}),
            "command line: error: work.steps: expected an integer of at least 1, got 0\n");
  EXPECT_EQ(mistakes("{}", {"work=5", "saving.interval=61"}),
            "command line: error: work: expected an object, got 5\n");
  EXPECT_EQ(mistakes("{}", {"work.step=70", "saving.interval=61"}),
            "command line: error: work.step: unknown key; did you mean \"steps\"?\n");
  EXPECT_EQ(mistakes("{}", {"nodes=1", "work.words=65"}),  // a rule without a path may be about all members
            "command line: error: work.words: expected an integer from 0 to 64, got 65\n");
}

TEST_F(ConfigReaderTest, AllErrorsAreReportedInTheOrderOfTheFile) {
  const std::string text =
      "{ \"sed\": 1,\n  \"until\": 5,\n  \"node\": { \"cores\": 3,\n    \"cpi\": \"x\" },\n  \"node\": {} }";
  EXPECT_EQ(problems(library, text, {"faults.0.at=1"}),
            "command line: error: faults.0.at: expected a duration such as \"1us\", got 1; it has no unit "
            "(ps, ns, us, ms, s)\n"
            "s.json:1:3: error: sed: unknown key; did you mean \"seed\"?\n"
            "s.json:2:12: error: until: expected a duration such as \"1us\", got 5; it has no unit (ps, ns, "
            "us, ms, s)\n"
            "s.json:3:22: error: node.cores: expected one of 1, 2, 4, 8, got 3\n"
            "s.json:4:12: error: node.cpi: expected a number from 0.1 to 100.0, got \"x\"\n"
            "s.json:5:3: error: node: duplicate key; the first is at 3:3");
}

class UseTest : public ConfigReaderTest {};

TEST_F(UseTest, KeysBesideItOverrideTheFile) {
  folder.write("nodes", "base", R"({"cores": 8, "memory": {"size": "4GiB", "ecc": "strong"}})");
  const Scenario s = read(R"({"node": {"use": "base", "memory.ecc": "none", "memory": {"rank": "1GiB"}}})");
  EXPECT_EQ(s.node.cores, 8);
  EXPECT_EQ(s.node.memory.size, 4_GiB);
  EXPECT_EQ(s.node.memory.ecc, Ecc::none);
  EXPECT_EQ(s.node.memory.rank, 1_GiB);
}

TEST_F(UseTest, AFileMayUseAnother) {
  folder.write("nodes", "base", R"({"cores": 8, "cpi": 2})");
  folder.write("nodes", "derived", R"({"use": "base", "cores": 2})");
  const Scenario s = read(R"({"node": {"use": "derived", "quantum": "2us"}})");
  EXPECT_EQ(s.node.cores, 2);
  EXPECT_EQ(s.node.cpi, 2.0);
  EXPECT_EQ(s.node.quantum, 2_us);
}

TEST_F(UseTest, AnErrorIsReportedInTheFileThatHasIt) {
  const std::string base = folder.write("nodes", "base", "{\n  \"cors\": 8 }").string();
  EXPECT_EQ(problems(library, R"({"node": {"use": "base", "memory.ec": "none"}})"),
            base + ":2:3: error: node.cors: unknown key; did you mean \"cores\"?\n" +
                "s.json:1:26: error: node.memory.ec: unknown key; did you mean \"ecc\"?");
}

TEST_F(UseTest, OriginsReachIntoTheUsedFile) {
  const std::string base = folder.write("nodes", "base", "{\n  \"cores\": 8, \"cpi\": 1 }").string();
  ConfigDocument document = ConfigDocument::parse(R"({"node": {"use": "base", "cpi": 2}})", "s.json");
  read_config<Scenario>(document, library);
  EXPECT_EQ(document.origin_of("node.cores").text(), base + ":2:12");
  EXPECT_EQ(document.origin_of("node.cpi").text(), "s.json:1:33");
  EXPECT_EQ(document.origin_of("node.quantum").text(), "s.json:1:10");
}

TEST_F(UseTest, AMissingFileOffersTheNearestAndTheRestIsStillChecked) {
  folder.write("nodes", "checkpoint_node", "{}");
  EXPECT_EQ(
      problems(library, R"({"node": {"use": "checkpont_node", "memory.ecc": "x"}})"),
      "s.json:1:18: error: node.use: expected the name of a file in configs/nodes, or a path, got "
      "\"checkpont_node\"; "
      "did you "
      "mean \"checkpoint_node\"?\n"
      "s.json:1:50: error: node.memory.ecc: expected one of \"none\", \"normal\", \"strong\", got \"x\"");
  EXPECT_EQ(wrong_node("\"use\": 1"),
            "s.json:1:18: error: node.use: expected the name of a file in configs/nodes, or a path, got 1");
}

TEST_F(UseTest, AFileThatIsNotJsonOrNotAnObjectIsReportedThere) {
  const std::string broken = folder.write("nodes", "broken", "{").string();
  const std::string list = folder.write("nodes", "list", "[]").string();
  EXPECT_TRUE(wrong_node("\"use\": \"broken\"").starts_with(broken + ":1:2: error: not valid JSON"));
  EXPECT_EQ(wrong_node("\"use\": \"list\""), list + ":1:1: error: expected an object, got []");
}

TEST_F(UseTest, ACircleIsRefused) {
  const std::string a = folder.write("nodes", "a", R"({"use": "b"})").string();
  const std::string b = folder.write("nodes", "b", R"({"use": "a"})").string();
  EXPECT_EQ(wrong_node("\"use\": \"a\""),
            b + ":1:9: error: node.use: expected the name of a file in "
                "configs/nodes, or a path, got \"a\", which itself uses this file");
  ConfigDocument document = ConfigDocument::load(a);
  Diagnostics found;
  read_config<Node>(document, &library, found);
  EXPECT_EQ(found.size(), 1u);
}

TEST_F(UseTest, OnlyAReusableStructTakesIt) {
  EXPECT_EQ(
      problems(library, R"({"node": {}, "use": "x"})"),
      "s.json:1:14: error: use: unknown key; the keys here are node, firmware, seed, until, faults, expect");
}

std::string part_problems(const std::string& text) {
  ConfigDocument document = ConfigDocument::parse(text, "p.json");
  Diagnostics problems;
  read_config<FlashPart>(document, nullptr, problems);
  return problems.text();
}

// Sources are due in it because of its own description, and of that of the object around it.
struct Chip {
  Picoseconds read = 1_us;
};
void describe(Fields& f, Chip& c) {
  f.sourced();
  f("read", c.read, "A read");
}
struct Board {
  Chip chip;
};
void describe(Fields& f, Board& c) {
  f.sourced();
  f("chip", c.chip, "The chip");
}

TEST(SourcesTest, AMistakeInThemIsReportedOnceAlsoWhereBothObjectsHaveThem) {
  ConfigDocument document = ConfigDocument::parse(R"({"chip": {"sources": null}})", "p.json");
  Diagnostics problems;
  read_config<Board>(document, nullptr, problems);
  EXPECT_EQ(problems.text(), "p.json:1:22: error: chip.sources: expected an object of texts, got null\n");
}

TEST(SourcesTest, EveryValueOfAPartHasASource) {
  EXPECT_EQ(part_problems(R"({"source": "data sheet", "page": "4KiB", "timing": {"read": "1us"}})"), "");
  EXPECT_EQ(part_problems(
                R"({"sources": {"page": "x"}, "page": "4KiB", "timing": {"source": "y", "read": "1us"}})"),
            "");
  EXPECT_EQ(part_problems(
                R"({"sources": {"page": "x", "timing": "y"}, "page": "4KiB", "timing": {"read": "1us"}})"),
            "");
  EXPECT_EQ(part_problems("{}"), "");
}

TEST(SourcesTest, AValueWithoutOneIsRefused) {
  const std::string expected =
      "expected a source: \"source\" in its object, or an entry under its key in \"sources\" of that object, "
      "got none\n";
  EXPECT_EQ(part_problems(R"({"page": "4KiB"})"), "p.json:1:10: error: page: " + expected);
  EXPECT_EQ(part_problems(R"({"sources": {"page": "x"}, "page": "4KiB", "timing": {"read": "1us"}})"),
            "p.json:1:63: error: timing.read: " + expected);
}

TEST(SourcesTest, SourcesAreTextsUnderKeysThatExist) {
  EXPECT_EQ(part_problems(R"({"sources": {"pag": "x"}})"),
            "p.json:1:14: error: sources.pag: unknown key; did you mean \"page\"?\n");
  EXPECT_EQ(part_problems(R"({"source": 1})"), "p.json:1:12: error: source: expected a text, got 1\n");
  EXPECT_EQ(part_problems(R"({"sources": {"page": 1}})"),
            "p.json:1:22: error: sources.page: expected a text, got 1\n");
  EXPECT_EQ(part_problems(R"({"sources": "x"})"),
            "p.json:1:13: error: sources: expected an object of texts, got \"x\"\n");
}

}  // namespace
}  // namespace asterism
