#include "platform/study/sweep.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/fields.h"
#include "base/units.h"
#include "platform/config/config_value.h"
#include "platform/config/json_parser.h"
#include "platform/config/test_configs.h"
#include "resilience/long_duration.h"

namespace asterism {
namespace {

using Texts = std::vector<std::string>;

struct Sample {
  double rate = 0.5;
  std::uint32_t depth = 5;
  Frequency clock = 1_GHz;
  LongDuration mttf = long_duration(300);
  std::string file;
  std::vector<double> rates = {0.5};
};
void describe(Fields& f, Sample& c) {
  f("rate", c.rate, "A number", within(0, 1));
  f("depth", c.depth, "An integer", within(1, 64));
  f("clock", c.clock, "A quantity", within(1_MHz, 10_GHz));
  f("mttf", c.mttf, "A quantity of its own");
  f("file", c.file, "A text");
  f("rates", c.rates, "A list", within(0, 1));
}

// The values for which `key=text` stands, each as JSON, or the error.
Texts swept(const std::string& path, const std::string& text) {
  Sample sample;
  ObjectOf<Sample> object(sample);
  for (const SweepableKey& key : sweepable_keys(object)) {
    if (key.path != path) continue;
    Diagnostics problems;
    Texts texts;
    const ConfigValue given{PlainValue(text), Origin::command_line(), text, 0};
    for (const ConfigValue& value : swept_values(given, key, problems))
      texts.push_back(to_text(*value.scalar()));
    return problems.empty() ? texts : Texts{problems.text()};
  }
  return {};
}

TEST(SweepTest, KeysStandInTheOrderOfTheDescription) {
  Sample sample;
  ObjectOf<Sample> object(sample);
  Texts paths;
  for (const SweepableKey& key : sweepable_keys(object)) paths.push_back(key.path);
  EXPECT_EQ(paths, (Texts{"rate", "depth", "clock", "mttf", "file", "rates"}));
}

TEST(SweepTest, KeysInAMapAreThoseOfEachTypeOnceAndTheirAbbreviationsAreLast) {
  test_configs::Node node;
  ObjectOf<test_configs::Node> object(node);
  Texts paths, abbreviations;
  for (const SweepableKey& key : sweepable_keys(object))
    if (!key.full_path.empty())
      abbreviations.push_back(key.path + " is " + key.full_path);
    else if (key.path.starts_with("blocks."))
      paths.push_back(key.path);
    else
      EXPECT_TRUE(abbreviations.empty()) << key.path;
  EXPECT_EQ(paths,
            (Texts{"blocks.*.type", "blocks.*.base", "blocks.*.rate", "blocks.*.repeats", "blocks.*.input"}));
  EXPECT_EQ(abbreviations,
            (Texts{"*.type is blocks.*.type", "*.base is blocks.*.base", "*.rate is blocks.*.rate",
                   "*.repeats is blocks.*.repeats", "*.input is blocks.*.input"}));
}

TEST(SweepTest, ATextOfAListThatTakesASingleValueSweepsAndAListIsOneValue) {
  const auto count = [](const char* json) {
    test_configs::Node node;
    ObjectOf<test_configs::Node> object(node);
    const std::vector<SweepableKey> keys = sweepable_keys(object);
    const auto key = std::ranges::find(keys, "blocks.*.base", &SweepableKey::path);
    Diagnostics problems;
    return swept_values(parse_json(json, "s.json", problems), *key, problems).size();
  };
  EXPECT_EQ(count(R"("0x1000,0x2000,0x3000")"), 3u);
  EXPECT_EQ(count(R"(["0x1000", "0x2000"])"), 1u);
  EXPECT_EQ(count(R"([["0x1000", "0x2000"], ["0x3000", "0x4000"]])"), 2u);
}

TEST(SweepTest, ADecimalRangeHasExactlyItsSteps) {
  const Texts rates = swept("rate", "0.01:0.20:0.01");
  ASSERT_EQ(rates.size(), 20u);
  EXPECT_EQ(rates[2], "0.03");
  EXPECT_EQ(rates[8], "0.09");
  EXPECT_EQ(rates[19], "0.2");
}

TEST(SweepTest, ADurationOfMonthsHasARange) {
  EXPECT_EQ(swept("mttf", "30min:1.5h:30min"), (Texts{"\"30min\"", "\"1h\"", "\"1.5h\""}));
}

TEST(SweepTest, ARangeEndsBelowWhatItsStepsMiss) {
  EXPECT_EQ(swept("depth", "1:10:4"), (Texts{"1", "5", "9"}));
  EXPECT_EQ(swept("rate", "0.5:0.5:1"), (Texts{"0.5"}));
}

TEST(SweepTest, QuantitiesKeepTheirUnits) {
  EXPECT_EQ(swept("clock", "1GHz:2GHz:500MHz"), (Texts{"\"1GHz\"", "\"1.5GHz\"", "\"2GHz\""}));
}

TEST(SweepTest, AListMayHoldRanges) {
  EXPECT_EQ(swept("rate", "0.005,0.1:0.3:0.1"), (Texts{"0.005", "0.1", "0.2", "0.3"}));
}

TEST(SweepTest, AColonInATextIsAColon) { EXPECT_EQ(swept("file", "a:b:c,d"), (Texts{"\"a:b:c\"", "\"d\""})); }

TEST(SweepTest, AListIsOneValueAndAListOfListsSweeps) {
  const auto values = [](const std::string& text) {
    Sample sample;
    ObjectOf<Sample> object(sample);
    const SweepableKey key = sweepable_keys(object).back();
    Diagnostics problems;
    const ConfigValue given = parse_json(text, "s.json", problems);
    const std::vector<ConfigValue> swept = swept_values(given, key, problems);
    Texts texts;
    for (const ConfigValue& value : swept) {
      std::string sizes = value.list() ? std::to_string(value.list()->size()) : value.message_text();
      texts.push_back((is_list_of_values(given, key) ? "swept " : "one ") + sizes);
    }
    return texts;
  };
  EXPECT_EQ(values("[0.1, 0.2]"), (Texts{"one 2"}));
  EXPECT_EQ(values("[[0.1, 0.2], [0.3]]"), (Texts{"swept 2", "swept 1"}));
  EXPECT_EQ(values("[[0.1]]"), (Texts{"swept 1"}));
  EXPECT_EQ(values("[[0.1], 0.2]"), (Texts{"one 2"}));  // the reader refuses it later
  EXPECT_EQ(values("[]"), (Texts{"one 0"}));
  EXPECT_EQ(values("0.1"), (Texts{"one 0.1"}));
}

TEST(SweepTest, AnInvalidRangeIsReportedAtItsKey) {
  const std::string start =
      "command line: error: rate: expected a number from 0.0 to 1.0, or a range from:to:step of such, got ";
  EXPECT_EQ(swept("rate", "0.1:0.2"), Texts{start + "\"0.1:0.2\"\n"});
  EXPECT_EQ(swept("rate", "0.2:0.1:0.1"), Texts{start + "\"0.2:0.1:0.1\"; a range goes upwards\n"});
  EXPECT_EQ(swept("rate", "0:1:0"), Texts{start + "\"0:1:0\"; a step of nothing never arrives\n"});
  EXPECT_EQ(swept("rate", "0:1:x"), Texts{start + "\"0:1:x\"; \"x\" is no decimal number\n"});
  EXPECT_EQ(swept("rate", "0:1:0.00001"), Texts{start + "\"0:1:0.00001\"; more than 10000 values\n"});
  EXPECT_EQ(swept("clock", "1GHz:2GHz:1"),
            Texts{"command line: error: clock: expected a frequency from \"1MHz\" to \"10GHz\", or a range "
                  "from:to:step "
                  "of such, got \"1GHz:2GHz:1\"; it has no unit (Hz, kHz, MHz, GHz)\n"});
}

}  // namespace
}  // namespace asterism
