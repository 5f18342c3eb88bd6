#include "platform/config/templates.h"

#include <gtest/gtest.h>

#include "base/fields.h"
#include "platform/config/config.h"

namespace asterism {

struct TemplatedValue {
  std::string what;
  double published = 0;
  std::string note;
};
void describe(Fields& f, TemplatedValue& v) {
  f("what", v.what, "A name.", required());
  f("published", v.published, "A number.");
  f("note", v.note, "A note.");
}
struct TemplatedEntry {
  std::string id;
  std::vector<TemplatedValue> values;
};
void describe(Fields& f, TemplatedEntry& e) {
  f("id", e.id, "A name.");
  f("values", e.values, "Some values.");
}
struct TemplatedFile {
  std::map<std::string, TemplateTable> tables;
  std::map<std::string, std::string> studies;
  std::vector<TemplatedEntry> entries;
};
void describe(Fields& f, TemplatedFile& file) {
  f("tables", file.tables, "Tables by name.");
  f("studies", file.studies, "Studies by name.");
  f("entries", file.entries, "Entries.");
}

namespace {

TemplatedFile read(const std::string& text) {
  ConfigDocument document = ConfigDocument::parse(text, "f.json");
  Diagnostics problems;
  for (const char* key : {"studies", "entries"}) expand_templates(document, key, problems);
  problems.throw_if_any();
  TemplatedFile file = read_config<TemplatedFile>(document, nullptr, problems);
  problems.throw_if_any();
  return file;
}

std::map<std::string, std::string> studies(const std::string& text) {
  return read(R"({"studies": {)" + text + "}}").studies;
}

std::vector<TemplatedValue> values(const std::string& text) {
  return read(R"({"tables": {"pair": {"columns": ["id", "name"], "rows": [["a", "A"], ["b", "B"]]}},
                  "entries": [{"id": "one", "values": [)" +
              text + "]}]}")
      .entries.at(0)
      .values;
}

std::string names(const std::vector<TemplatedValue>& values) {
  std::string text;
  for (const TemplatedValue& value : values) text += (text.empty() ? "" : " ") + value.what;
  return text;
}

std::string mistake(const std::string& values_text) {
  try {
    values(values_text);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(TemplatesTest, EachCombinationOfTheListsIsAnEntry) {
  const auto made = studies(
      R"("{program}_{method}": {"for": {"program": ["lbm", "mcf"], "method": ["none", "el"]},
                                "value": "dimm_ssd workload={program} method={method}"}, "other": "ecc")");
  EXPECT_EQ(made, (std::map<std::string, std::string>{{"lbm_el", "dimm_ssd workload=lbm method=el"},
                                                      {"lbm_none", "dimm_ssd workload=lbm method=none"},
                                                      {"mcf_el", "dimm_ssd workload=mcf method=el"},
                                                      {"mcf_none", "dimm_ssd workload=mcf method=none"},
                                                      {"other", "ecc"}}));
}

TEST(TemplatesTest, TheLastListChangesFastest) {
  EXPECT_EQ(names(values(R"({"for": {"z": [1, 2], "a": ["x", "y"]}, "what": "{z}{a}"})")), "1x 1y 2x 2y");
}

TEST(TemplatesTest, ARowGivesTheKeysThatItsColumnsName) {
  const auto made =
      values(R"({"note": "N", "columns": ["what", "published"], "rows": [["a", 1.5], ["b", 2]]})");
  ASSERT_EQ(made.size(), 2u);
  EXPECT_EQ(made[1].what, "b");
  EXPECT_EQ(made[1].published, 2);
  EXPECT_EQ(made[1].note, "N");
}

TEST(TemplatesTest, ATextOfOneColumnTakesTheValueWithItsType) {
  EXPECT_EQ(
      values(R"({"columns": ["n"], "rows": [[3]], "what": "no. {n}", "published": "{n}"})").at(0).published,
      3);
  EXPECT_EQ(names(values(R"({"columns": ["n"], "rows": [[0.10]], "what": "rate={n}"})")), "rate=0.10");
}

TEST(TemplatesTest, ANullLeavesItsKeyOut) {
  const auto made = values(
      R"({"columns": ["what", "note", "n"], "rows": [["a", null, null], ["b", "N", 4]], "published": "{n}"})");
  EXPECT_EQ(made.at(0).note, "");
  EXPECT_EQ(made.at(0).published, 0);
  EXPECT_EQ(made.at(1).note, "N");
  EXPECT_EQ(made.at(1).published, 4);
}

TEST(TemplatesTest, TablesComeBeforeRowsAndTheseBeforeLists) {
  EXPECT_EQ(
      names(values(R"({"for": {"n": [1, 2]}, "columns": ["m"], "rows": [["x"], ["y"]], "tables": ["pair"],
                             "what": "{name}{m}{n}"})")),
      "Ax1 Ax2 Ay1 Ay2 Bx1 Bx2 By1 By2");
}

TEST(TemplatesTest, AnEntryThatIsATemplateFillsTheTemplatesInIt) {
  const TemplatedFile file = read(R"({"entries": [{"for": {"id": ["p", "q"]}, "id": "fig {id}",
    "values": [{"for": {"n": [1, 2]}, "what": "{id}{n}"}]}]})");
  EXPECT_EQ(file.entries.at(1).id, "fig q");
  EXPECT_EQ(names(file.entries.at(1).values), "q1 q2");
}

TEST(TemplatesTest, BracesOutsideATemplateStandForThemselves) {
  EXPECT_EQ(names(values(R"({"what": "{a}"})")), "{a}");
  EXPECT_EQ(names(values(R"({"for": {"n": [1]}, "what": "{ }{n}{"})")), "{ }1{");
}

TEST(TemplatesTest, AMistakeInARowIsReportedAtTheRow) {
  EXPECT_EQ(
      mistake(R"({"columns": ["what", "published"], "rows": [["a", 1],
["b"]]})"),
      "f.json:3:1: error: entries.0.values.0.rows.1: expected a value for each of the 2 columns, got 1");
  EXPECT_EQ(mistake(R"({"columns": ["what", "published"], "rows": [["a", 1],
["b", "c"]]})"),
            "f.json:3:7: error: entries.0.values.1.published: expected a number, got \"c\"");
  EXPECT_EQ(mistake(R"({"columns": ["what", "nott"], "rows": [
["a", "b"]]})"),
            "f.json:3:7: error: entries.0.values.0.nott: unknown key; did you mean \"note\"?");
}

TEST(TemplatesTest, AMistakeInATemplateIsReportedOnce) {
  EXPECT_EQ(mistake(R"({"for": {"n": [1, 2]},
"what": "{m}"})"),
            "f.json:3:9: error: entries.0.values.0: there is no column \"m\"");
  EXPECT_EQ(
      mistake(R"({"columns": ["n"], "rows": [[1],
[null]], "what": "no. {n}"})"),
      "f.json:3:2: error: entries.0.values.0: the text \"no. {n}\" needs a value here, and there is none");
  EXPECT_EQ(
      mistake(R"({"tables": ["pairs"],
"what": "{id}"})"),
      "f.json:2:68: error: entries.0.values.0.tables: there is no table \"pairs\" in \"tables\"; did you "
      "mean \"pair\"?");
  EXPECT_EQ(mistake(R"({"for": {"id": 5}, "what": "{id}"})"),
            "f.json:2:71: error: entries.0.values.0.for.id: expected a list, got 5");
  EXPECT_EQ(mistake(R"({"tables": ["pair"], "for": {"id": [5]}, "what": "{id}"})"),
            "f.json:2:92: error: entries.0.values.0: two columns have the name \"id\"");
  EXPECT_EQ(
      mistake(R"({"rows": [[5]], "what": "a"})"),
      "f.json:2:65: error: entries.0.values.0.rows: expected a value that comes with \"columns\", got [[5]]");
}

TEST(TemplatesTest, TwoEntriesOfOneNameAreAMistake) {
  EXPECT_THROW(studies(R"("{n}": {"for": {"n": [1]}, "value": "a"}, "1": "b")"), ConfigError);
  EXPECT_THROW(values(R"({"columns": ["what"], "rows": [["a"]], "what": "b"})"), ConfigError);
}

TEST(TemplatesTest, TheKeysAreDescribed) {
  EXPECT_EQ(description_problem<TemplateTable>(), "");
  EXPECT_EQ(description_problem<TemplateKeys>(), "");
}

}  // namespace
}  // namespace asterism
