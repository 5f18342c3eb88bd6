#include "platform/config/config_schema.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "platform/config/test_configs.h"

namespace asterism {
namespace {

using namespace test_configs;
using Json = nlohmann::json;

// Implements the part of JSON Schema that is used; any other keyword fails the test.
class Validator {
 public:
  static bool valid(const Json& schema, const Json& value) {
    if (schema.is_boolean()) return schema.get<bool>();
    for (const auto& [keyword, argument] : schema.items())
      if (!holds(schema, keyword, argument, value)) return false;
    return true;
  }

 private:
  static bool holds(const Json& schema, const std::string& keyword, const Json& argument, const Json& value) {
    static const std::set<std::string> silent = {"$schema", "title", "description",      "default",
                                                 "then",    "else",  "patternProperties"};
    if (silent.contains(keyword)) return true;
    if (keyword == "type")
      return argument.is_array()
                 ? std::ranges::any_of(argument, [&](const Json& one) { return has_type(one, value); })
                 : has_type(argument, value);
    if (keyword == "enum") return std::find(argument.begin(), argument.end(), value) != argument.end();
    if (keyword == "pattern")
      return !value.is_string() ||
             std::regex_search(value.get<std::string>(), std::regex(argument.get<std::string>()));
    if (keyword == "minimum") return !value.is_number() || value >= argument;
    if (keyword == "maximum") return !value.is_number() || value <= argument;
    if (keyword == "items") return all(value, [&](const Json& v) { return valid(argument, v); });
    if (keyword == "required")
      return all(argument, [&](const Json& key) {
        return !value.is_object() || value.contains(key.get<std::string>());
      });
    if (keyword == "properties") return properties_hold(argument, value);
    if (keyword == "additionalProperties") return others_hold(schema, argument, value);
    if (keyword == "allOf") return all(argument, [&](const Json& s) { return valid(s, value); });
    if (keyword == "anyOf")
      return std::any_of(argument.begin(), argument.end(), [&](const Json& s) { return valid(s, value); });
    if (keyword == "if") return valid(schema.at(valid(argument, value) ? "then" : "else"), value);
    ADD_FAILURE() << "the validator does not support the keyword " << keyword;
    return false;
  }

  static bool all(const Json& list, auto predicate) {
    return !list.is_array() || std::all_of(list.begin(), list.end(), predicate);
  }
  static bool properties_hold(const Json& properties, const Json& value) {
    for (const auto& [key, schema] : properties.items())
      if (value.is_object() && value.contains(key) && !valid(schema, value[key])) return false;
    return true;
  }
  // The keys that neither properties nor patternProperties name.
  static bool others_hold(const Json& schema, const Json& others, const Json& value) {
    if (!value.is_object()) return true;
    const Json patterns = schema.value("patternProperties", Json::object());
    const Json properties = schema.value("properties", Json::object());
    for (const auto& [key, member] : value.items()) {
      bool named = properties.contains(key);
      for (const auto& [pattern, inside] : patterns.items())
        named = named || std::regex_search(key, std::regex(pattern));
      if (!named && !valid(others, member)) return false;
    }
    return true;
  }
  static bool has_type(const Json& of, const Json& value) {
    const std::string type = of;
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "array") return value.is_array();
    if (type == "null") return value.is_null();
    return type == "object" && value.is_object();
  }
};

class ConfigSchemaTest : public testing::Test {
 protected:
  Json scenario = Json::parse(schema<Scenario>("scenario"));
  bool valid(const char* text) { return Validator::valid(scenario, Json::parse(text)); }
};

TEST_F(ConfigSchemaTest, NamesItsDraftAndTitle) {
  EXPECT_EQ(scenario["$schema"], "https://json-schema.org/draft/2020-12/schema");
  EXPECT_EQ(scenario["title"], "scenario");
  EXPECT_EQ(scenario["required"], Json::parse(R"(["node"])"));
}

TEST_F(ConfigSchemaTest, ALineBecomesAProperty) {
  const Json& node = scenario["properties"]["node"]["properties"];
  EXPECT_EQ(node["memory"]["properties"]["ecc"], Json::parse(R"json({
    "description": "The code for pages that are not marked strong. Expected: one of \"none\", \"normal\", \"strong\".",
    "type": "string", "enum": ["none", "normal", "strong"], "default": "normal"
})json"));
  EXPECT_EQ(node["cpi"], Json::parse(R"json({
    "description": "Cycles per instruction. Expected: a number from 0.1 to 100.0.",
    "type": "number", "minimum": 0.1, "maximum": 100.0, "default": 1.0
})json"));
  EXPECT_EQ(node["quantum"]["pattern"], "^[0-9]+([.][0-9]+)?(s|ms|us|ns|ps)$");
  EXPECT_EQ(node["devices"]["additionalProperties"]["anyOf"][0]["required"], Json::parse(R"(["base"])"));
}

// For each document, the reader and the schema must agree whether it is valid.
TEST_F(ConfigSchemaTest, AgreesWithTheReader) {
  TemporaryLibrary folder;
  folder.write("nodes", "base", R"({"arbiter": {"impl": "rtl", "variant": "x"}})");
  const std::pair<const char*, bool> documents[] = {
      {R"({"node": {}})", true},
      {R"({})", false},
      {R"({"node": {}, "expect": null, "$schema": "x"})", true},
      {R"({"node": {}, "expect": {"exit": 64}})", false},
      {R"({"node": {}, "sed": 1})", false},
      {R"({"node": {}, "seed": -1})", false},
      {R"({"node": {}, "seed": 1.5})", false},
      {R"({"node": {}, "seed": "0x1_f"})", true},
      {R"({"node": {}, "seed": "0x"})", false},
      {R"({"node": {}, "seed": "31"})", false},
      {R"({"node": {}, "until": 5})", false},
      {R"({"node": {}, "until": "5"})", false},
      {R"({"node": {}, "until": "0.5ms"})", true},
      {R"({"node": {"cores": 3}})", false},
      {R"({"node": {"memory": {"ecc": "stong"}}})", false},
      {R"({"node": {"devices": {"a": {"base": "0x0900_0000"}}}})", true},
      {R"({"node": {"devices": {"a": {"base": "0x_"}}}})", false},
      {R"({"node": {"devices": {"a": null}}})", true},
      {R"({"node": {"blocks": {"a": {"type": "timer", "rate": "1kHz", "base": "0x0"}, "b": null}}})", true},
      {R"({"node": {"blocks": {"a": {"type": "timer", "base": ["0x0", "0x1000"]}}}})", true},
      {R"({"node": {"blocks": {"a": {"type": "timer", "base": null}}}})", true},
      {R"({"node": {"blocks": {"a": {"type": "timer", "base": [4096]}}}})", false},
      {R"({"node": {"blocks": {"a": {"type": "timer", "input": "x"}}}})", false},
      {R"({"node": {"blocks": {"a": {"type": "tiner"}}}})", false},
      {R"({"node": {"devices": {"a": {"interrupt": 1}}}})", false},
      {R"({"node": {"arbiter": {"impl": "rtl"}}})", false},
      {R"({"node": {"arbiter": {"impl": "rtl", "variant": "x"}}})", true},
      {R"({"node": {"arbiter": {"impl": "rtl", "variant": "x", "window": "1us"}}})", false},
      {R"({"node": {"arbiter": {"impl": "lockstep", "variant": "x", "window": "1us"}}})", true},
      {R"({"node": {"arbiter": {"variant": "x"}}})", false},
      {R"({"node": {"use": "base", "memory.ecc": "strong", "arbiter.variant": "y"}})", true},
      {R"({"node": {"memory.ecc.": "strong"}})", false},
      {R"({"node": {}, "faults": [{"at": "1ms"}]})", true},
      {R"({"node": {}, "faults": [{"at": "1ms", "restore_after": "1ms"}]})", true},
      {R"({"node": {}, "faults": [{"at": "1ms", "address": "0x0"}]})", false},
      {R"({"node": {}, "faults": [{"at": "1ms", "kind": "bit_flip"}]})", false},
      {R"({"node": {}, "faults": [{"at": "1ms", "kind": "bit_flip", "address": "0x0", "bits": [8]}]})",
       false},
      {R"({"node": {}, "faults": [{"at": "1ms", "kind": "bit_flip", "address": "0x0", "bits": [7]}]})", true},
      {R"({"node": {}, "faults": [{"at": "1ms", "kind": "bit_flip", "address": "0x0", "restore_after": "1ms"}]})",
       false},
  };
  for (const auto& [text, is_valid] : documents) {
    EXPECT_EQ(valid(text), is_valid) << text;
    EXPECT_EQ(problems(folder.library(), text).empty(), is_valid) << text << problems(folder.library(), text);
  }
}

TEST_F(ConfigSchemaTest, TheExpandedFormIsValid) {
  Scenario s;
  s.faults.push_back({.at = 1_ms});
  s.node.arbiter = {.impl = Impl::rtl, .variant = "x", .window = {}};
  EXPECT_TRUE(valid(expanded(s).c_str()));
}

TEST(ConfigSchemaOfPartTest, EveryObjectMayHaveSources) {
  const Json part = Json::parse(schema<FlashPart>("flash"));
  EXPECT_TRUE(Validator::valid(
      part, Json::parse(R"({"source": "x", "timing": {"sources": {"read": "y"}, "read": "1us"}})")));
  EXPECT_FALSE(Validator::valid(part, Json::parse(R"({"source": 1})")));
  EXPECT_FALSE(Validator::valid(part, Json::parse(R"({"sources": {"page": 1}})")));
}

}  // namespace
}  // namespace asterism
