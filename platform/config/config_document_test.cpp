#include "platform/config/config_document.h"

#include <gtest/gtest.h>

#include "platform/config/test_configs.h"

namespace asterism {
namespace {

using namespace test_configs;

class OverrideTest : public testing::Test {
 protected:
  TemporaryLibrary folder;
  ConfigLibrary library = folder.library();

  Scenario read(const std::string& text, const std::vector<std::string>& overrides) {
    ConfigDocument document = ConfigDocument::parse(text, "s.json");
    for (const std::string& assignment : overrides) document.apply_override(assignment);
    return read_config<Scenario>(document, library);
  }
};

constexpr auto two_faults = R"({"node": {}, "faults": [{"at": "1ms"}, {"at": "2ms"}]})";

TEST_F(OverrideTest, SetsANestedValueThatTheFileDoesNotHave) {
  const Scenario s =
      read(R"({"node": {}})", {"node.memory.size=4GiB", "node.devices.uart0.base=0x0900_0000"});
  EXPECT_EQ(s.node.memory.size, 4_GiB);
  EXPECT_EQ(s.node.devices.at("uart0").base, Address(0x0900'0000));
}

TEST_F(OverrideTest, ReplacesListsAndTheirElements) {
  EXPECT_EQ(read(two_faults, {"faults=[]"}).faults.size(), 0u);
  EXPECT_EQ(read(two_faults, {"faults.1.at=3ms"}).faults[1].at, 3_ms);
  EXPECT_EQ(read(two_faults, {"faults.2.at=3ms"}).faults.size(), 3u);
  EXPECT_EQ(read(R"({"node": {}})", {"faults.0.at=3ms", "faults.1.at=4ms"}).faults[1].at, 4_ms);
}

TEST_F(OverrideTest, MergesAnObjectKeyByKey) {
  const Scenario s =
      read(R"({"node": {"memory": {"size": "4GiB", "ecc": "strong"}}})", {R"(node.memory={"ecc": "none"})"});
  EXPECT_EQ(s.node.memory.size, 4_GiB);
  EXPECT_EQ(s.node.memory.ecc, Ecc::none);
}

TEST_F(OverrideTest, AnEmptyObjectTakesAllKeysAway) {
  EXPECT_EQ(
      read(R"({"node": {"memory": {"size": "4GiB", "ecc": "strong"}}})", {"node.memory={}"}).node.memory.ecc,
      Scenario{}.node.memory.ecc);
  folder.write("nodes", "large", R"({"memory": {"size": "8GiB", "ecc": "strong"}, "cores": 8})");
  const Scenario s = read(R"({"node": {"use": "large", "memory.ecc": "none"}})", {"node.memory={}"});
  EXPECT_EQ(s.node.memory.ecc, Scenario{}.node.memory.ecc);
  EXPECT_EQ(s.node.cores, 8);
}

TEST_F(OverrideTest, TheLastOneWins) {
  EXPECT_EQ(read(R"({"node": {}, "seed": 1})", {"seed=2", "seed=3"}).seed, 3u);
}

TEST_F(OverrideTest, FreeTextNeedsNoQuotes) {
  EXPECT_EQ(read(R"({"node": {}})", {"firmware=cg"}).firmware, "cg");
  EXPECT_EQ(read(R"({"node": {}})", {"firmware=1e3"}).firmware, "1e3");
  EXPECT_EQ(read(R"({"node": {}})", {"firmware=\"a b\""}).firmware, "a b");
  EXPECT_EQ(read(R"({"node": {}})", {"node.image=a=b.img"}).node.image, "a=b.img");
  EXPECT_EQ(read(R"({"node": {}})", {"node.image="}).node.image, "");
}

TEST(ConfigDocumentTest, WordsOfAListNeedNoQuotes) {
  const auto texts = [](const std::string& assignment) {
    ConfigDocument document = ConfigDocument::parse("{}", "d.json");
    document.apply_override(assignment);
    std::vector<std::string> texts;
    const ConfigValue* given = document.root().find("a");
    if (!given || !given->list()) return std::vector<std::string>{document.problems().text()};
    for (const ConfigValue& element : *given->list())
      texts.push_back(element.scalar() ? to_text(*element.scalar()) : element.message_text());
    return texts;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(texts("a=[9s,50s, 438s]"), (Texts{"\"9s\"", "\"50s\"", "\"438s\""}));
  EXPECT_EQ(texts("a=[mesh,1,true]"), (Texts{"\"mesh\"", "1", "true"}));
  EXPECT_EQ(texts("a=[0,200],[200,200]"), (Texts{"[0, 200]", "[200, 200]"}));
  EXPECT_EQ(texts("a=[9s],[]"), (Texts{"[\"9s\"]", "[]"}));
  const std::string json = "command line: error: a: not valid JSON: ";
  for (const char* broken : {"a=[9s", "a=[9s,,50s]", "a=[9s]]", "a=[{\"at\":1]", "a=[9s],50s", "a=[9s]x"}) {
    const Texts errors = texts(broken);
    ASSERT_EQ(errors.size(), 1u) << broken;
    EXPECT_TRUE(errors[0].starts_with(json)) << errors[0];
  }
  EXPECT_EQ(texts("a=" + std::string(70, '[') + std::string(70, ']')).size(), 1u);
}

TEST_F(OverrideTest, NullTakesAnOptionalAway) {
  EXPECT_FALSE(read(R"({"node": {}, "expect": {"exit": 0}})", {"expect=null"}).expect.has_value());
}

TEST_F(OverrideTest, MistakesNameTheCommandLine) {
  const auto wrong = [&](const std::string& assignment) {
    return problems(library, two_faults, {assignment});
  };
  EXPECT_EQ(wrong("node.memory.ec=strong"),
            "command line: error: node.memory.ec: unknown key; did you mean \"ecc\"?");
  EXPECT_EQ(wrong("faults.0.at=5"),
            "command line: error: faults.0.at: expected a duration such as \"1us\", got 5; it has no unit "
            "(ps, ns, us, "
            "ms, s)");
  EXPECT_EQ(wrong("faults.0.at.x=5"),
            "command line: error: faults.0.at.x: cannot be set: faults.0.at is \"1ms\", which has no keys");
  EXPECT_EQ(
      wrong("faults.3.at=1ms"),
      "command line: error: faults.3.at: cannot be set: faults is a list of 2, which has no element \"3\"");
  EXPECT_EQ(
      wrong("faults.at=1ms"),
      "command line: error: faults.at: cannot be set: faults is a list of 2, which has no element \"at\"");
  EXPECT_EQ(wrong("until.x=1"),
            "command line: error: until: expected a duration such as \"1us\", got an object");
  EXPECT_EQ(wrong("faults"),
            "command line: error: expected an override such as \"KEY=VALUE\" or \"KEY.KEY=VALUE\", got "
            "\"faults\"");
  EXPECT_EQ(wrong("=1"),
            "command line: error: expected a key before and after every dot of an override, got \"=1\"");
  EXPECT_EQ(wrong("firmware=\x98"),
            "command line: error: expected an override in UTF-8, got \"firmware=\x98\"");
  EXPECT_EQ(
      wrong("node..x=1"),
      "command line: error: expected a key before and after every dot of an override, got \"node..x=1\"");
  std::string deep = "a";
  for (int i = 0; i < 100'000; ++i) deep += ".a";
  EXPECT_EQ(wrong(deep + "=1"),
            "command line: error: " + deep.substr(0, 60) + "...: cannot be set: nested deeper than 64");
  EXPECT_EQ(wrong("faults=[1"),
            "command line: error: faults: not valid JSON: unexpected end of input; expected ']'");
  EXPECT_EQ(wrong(R"(expect={"exit":0,"exit":1})"),
            "command line: error: expect.exit: duplicate key; the first is at 1:2");
}

TEST_F(OverrideTest, AnOverrideIsAssignedOnTopOfTheUsedFile) {
  folder.write("nodes", "large", R"({"memory": {"size": "8GiB", "ecc": "strong"}, "cores": 8})");
  const std::string text = R"({"node": {"use": "large", "memory.ecc": "none"}})";
  EXPECT_EQ(read(text, {"node.memory.size=16GiB"}).node.memory.size, 16_GiB);
  EXPECT_EQ(read(text, {"node.memory.size=16GiB"}).node.memory.ecc, Ecc::none);
  EXPECT_EQ(read(text, {"node.memory.ecc=normal"}).node.memory.ecc, Ecc::normal);
  EXPECT_EQ(read(text, {R"(node.memory={"ecc": "normal"})"}).node.memory.ecc, Ecc::normal);
  EXPECT_EQ(read(text, {R"(node={"memory": {"ecc": "normal"}})"}).node.memory.ecc, Ecc::normal);
  EXPECT_EQ(read(text, {R"(node={"use": "large"})"}).node.memory.ecc, Ecc::strong);
}

TEST_F(OverrideTest, TheUsedFileItselfCanBeOverridden) {
  folder.write("nodes", "large", R"({"cores": 8})");
  folder.write("nodes", "small", R"({"cores": 1})");
  EXPECT_EQ(read(R"({"node": {"use": "large"}})", {"node.use=small"}).node.cores, 1);
}

TEST(ConfigDocumentTest, AFileThatIsNotThereIsMissingInput) {
  EXPECT_THROW(ConfigDocument::load("/no/such/file.json"), InputMissing);
  EXPECT_THROW(ConfigDocument::load("/"), InputMissing);
}

TEST(ConfigDocumentTest, KnowsWhereAValueWasWritten) {
  ConfigDocument document = ConfigDocument::parse("{\n \"a\": [ {\"b\": 1} ]}", "d.json");
  EXPECT_EQ(document.origin_of("a.0.b").text(), "d.json:2:15");
  EXPECT_EQ(document.origin_of("a.0.other").text(), "d.json:2:9");
  document.apply_override("a.0.b=2");
  EXPECT_EQ(document.origin_of("a.0.b").text(), "command line");
}

TEST(ConfigDocumentTest, KnowsWhatWasGiven) {
  ConfigDocument document = ConfigDocument::parse(R"({"a": [{"b": null}]})", "d.json");
  document.apply_override("c.d=1");
  for (const char* given : {"", "a", "a.0", "a.0.b", "c.d"}) EXPECT_TRUE(document.has(given)) << given;
  for (const char* absent : {"b", "a.1", "a.0.b.c", "c.e"}) EXPECT_FALSE(document.has(absent)) << absent;
}

TEST(ConfigDocumentTest, TheSchemaKeyIsForEditors) {
  ConfigDocument document =
      ConfigDocument::parse(R"({"$schema": "x", "page": "4KiB", "source": "y"})", "d.json");
  Diagnostics problems;
  EXPECT_EQ(read_config<FlashPart>(document, nullptr, problems).page, 4_KiB);
  EXPECT_EQ(problems.text(), "");
}

}  // namespace
}  // namespace asterism
