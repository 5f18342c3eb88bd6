#include "platform/config/json_parser.h"

#include <gtest/gtest.h>

namespace asterism {
namespace {

std::string place(const Origin& origin) {
  return std::to_string(origin.line) + ":" + std::to_string(origin.column);
}

ConfigValue parsed(std::string_view text) {
  Diagnostics problems;
  ConfigValue value = parse_json(text, "a.json", problems);
  EXPECT_EQ(problems.text(), "");
  return value;
}

std::string refusal(std::string_view text) {
  Diagnostics problems;
  try {
    parse_json(text, "a.json", problems);
    return problems.text();
  } catch (const ConfigError& error) {
    return error.what();
  }
}

TEST(JsonParserTest, KnowsThePlaceOfEveryKeyAndValue) {
  const ConfigValue root = parsed("{ \"a\": 12,\n  \"b\" : [ true, {\"c\":null} ],\r\n\t\"d\": -0.5e1 }\n");
  EXPECT_EQ(place(root.origin), "1:1");
  EXPECT_EQ(place(root.object()->at(0).key_origin), "1:3");
  EXPECT_EQ(place(root.find("a")->origin), "1:8");
  EXPECT_EQ(place(root.find("b")->origin), "2:9");
  EXPECT_EQ(place(root.find("b")->list()->at(0).origin), "2:11");
  EXPECT_EQ(place(root.find("b")->list()->at(1).find("c")->origin), "2:22");
  EXPECT_EQ(place(root.find("d")->origin), "3:7");
  EXPECT_EQ(root.find("d")->raw, "-0.5e1");
}

TEST(JsonParserTest, ColumnsCountCharactersAndEscapesDoNotConfuse) {
  const ConfigValue root = parsed("\xEF\xBB\xBF{\"\xC2\xB5\\\"\\\\\": \"x\\\"y\", \"b\": 1}");
  EXPECT_EQ(root.object()->at(0).key, "\xC2\xB5\"\\");
  EXPECT_EQ(place(root.object()->at(0).value.origin), "1:11");
  EXPECT_EQ(place(root.find("b")->origin), "1:24");
}

TEST(JsonParserTest, IntegersKeepTheirSignAndWidth) {
  const ConfigValue root = parsed("[18446744073709551615, -9223372036854775808, 18446744073709551616]");
  EXPECT_EQ(*root.list()->at(0).scalar(), PlainValue(~std::uint64_t{0}));
  EXPECT_EQ(*root.list()->at(1).scalar(), PlainValue(INT64_MIN));
  EXPECT_EQ(*root.list()->at(2).scalar(), PlainValue(18446744073709551616.0));
}

TEST(JsonParserTest, TruncatedTextSaysWhatIsOpen) {
  EXPECT_EQ(refusal("{ \"a\": 1,\n  \"b\": [ 2, 3\n"),
            "a.json:3:1: error: not valid JSON: unexpected end of input; expected ']'; the list that begins "
            "at 2:8 is not "
            "closed");
  EXPECT_EQ(refusal("{ \"a\": \"tex"),
            "a.json:1:12: error: not valid JSON: invalid string: missing closing quote; last read: '\"tex'; "
            "the object that begins at 1:1 is not closed");
  EXPECT_EQ(refusal(""),
            "a.json:1:1: error: not valid JSON: unexpected end of input; expected '[', '{', or a literal");
}

TEST(JsonParserTest, EveryTruncationIsRefused) {
  const std::string whole = R"({ "a": [1, -2.5e3, {"b": null}], "c": "\u00e9\n", "d": true })";
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_NE(refusal(whole.substr(0, length)), "") << length;
  EXPECT_EQ(refusal(whole), "");
}

TEST(JsonParserTest, DuplicateKeysAreAllReported) {
  EXPECT_EQ(refusal("{\"a\": {\"b\": 1,\n \"b\": 2}, \"c\": [{}, {\"d\": 1, \"d\": 1}],\n\"a\": 3}"),
            "a.json:2:2: error: a.b: duplicate key; the first is at 1:8\n"
            "a.json:2:30: error: c.1.d: duplicate key; the first is at 2:22\n"
            "a.json:3:1: error: a: duplicate key; the first is at 1:2\n");
}

TEST(JsonParserTest, OnlyStrictJsonIsTaken) {
  EXPECT_EQ(refusal("{ // one\n}"),
            "a.json:1:3: error: not valid JSON: invalid literal; last read: '{ /'; expected string literal; "
            "JSON has no comments");
  EXPECT_EQ(refusal("[1,]"),
            "a.json:1:4: error: not valid JSON: unexpected ']'; expected '[', '{', or a literal");
  EXPECT_EQ(refusal("{} {}"), "a.json:1:4: error: not valid JSON: unexpected '{'; expected end of input");
  EXPECT_EQ(refusal("[1e999]"), "a.json:1:6: error: not valid JSON: number overflow parsing '1e999'");
  EXPECT_NE(refusal("{'a': 1}"), "");
  EXPECT_NE(refusal("[NaN]"), "");
  EXPECT_NE(refusal("[\"\xFF\"]"), "");
}

TEST(JsonParserTest, DepthIsBounded) {
  EXPECT_EQ(refusal(std::string(64, '[') + std::string(64, ']')), "");
  EXPECT_EQ(refusal(std::string(100'000, '[')), "a.json:1:65: error: nested deeper than 64");
}

}  // namespace
}  // namespace asterism
