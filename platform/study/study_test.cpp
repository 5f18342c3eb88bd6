#include "platform/study/study.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "platform/study/study_report.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

// A kind with one feature of each sort: a selector, a key that is valid under one of its values, a word, and
// a mistake that is found late.
enum class Shape { circle, square };
constexpr auto enum_names(Shape) {
  return std::to_array<EnumName<Shape>>({{Shape::circle, "circle"}, {Shape::square, "square"}});
}
struct Drawn {
  Shape shape = Shape::circle;
  std::uint32_t corners = 4;
  bool largest = false;
  double size = 1;
};
void describe(Fields& f, Drawn& c) {
  f("shape", c.shape, "What");
  f.when("shape", c.shape, Shape::square, [&] { f("corners", c.corners, "How many", within(1, 8)); });
  f("largest", c.largest, "As large as can be");
  f("size", c.size, "How large", within(0, 100));
}

std::atomic<int> under_way = 0;

class DrawnPoint final : public StudyPointOf<Drawn> {
 public:
  void prepare(const ConfigLibrary&) override {
    if (config_.size == 13) throw StudyMistake("size", "nobody draws 13");
    if (config_.size == 17) throw StudyMistake("largest", "17 does not go with it", {"size", "shape"});
  }
  std::vector<Cell> run(const std::stop_token& stop) override {
    ++under_way;
    // This point ends only after a request.
    while (config_.size == 99 && !stop.stop_requested()) std::this_thread::yield();
    if (config_.size == 14) throw StudyMistake("size", "nobody finishes 14");
    if (config_.size == 15) return {-0.04, std::string("ok")};
    const double size = config_.largest ? 100 : config_.size;
    return {size * size, std::string(size > 4 ? "too large" : "ok")};
  }
};

const StudyKind kind{
    .name = "drawn",
    .meaning = "A drawing",
    .coordinates = {"shape"},
    .columns = {{"area_mm2", "area", "mm2", "Its area", 1}, {"state", "state", "", "How it went"}},
    .x = "size",
    .y = "area_mm2",
    .x_key = "size",
    .state = "state",
    .bars = {"area_mm2"},
    .word = "largest",
    .word_of = "size",
    .word_sets = "largest",
    .make = make_study_point<DrawnPoint>};

const StudyUnderTest drawn(kind, R"({"kind":"drawn"})");

std::string csv(const std::vector<std::string>& overrides, unsigned threads = 2) {
  const Study s = drawn.read(overrides);
  return to_csv(s, run_all(s, threads));
}

// Points with these rows, along a key.
Study along(const StudyKind& of, const std::string& key, std::size_t points) {
  Study study;
  study.name = of.name;
  study.kind = &of;
  study.keys = study.swept = {key};
  for (std::uint64_t i = 0; i < points; ++i) study.points.push_back({nullptr, {Cell(i)}, ""});
  return study;
}

TEST(StudyTest, ABoundIsInTheUnitOfItsColumn) {
  const StudyKind timed{.name = "timed",
                        .meaning = "Times",
                        .coordinates = {},
                        .columns = {{"wait_ps", "wait", "ps", "How long"}, {"high_ps", "", "ps", "At most"}},
                        .x = "size",
                        .y = "wait_ps",
                        .bars = {"wait_ps"},
                        .intervals = {{.column = "wait_ps", .high = "high_ps"}},
                        .make = make_study_point<DrawnPoint>};
  const Study s = along(timed, "size", 2);
  PointRun run(2);
  run.rows = {std::vector<Cell>{0.0, 4e6}, std::vector<Cell>{5e6, 9e6}};
  EXPECT_EQ(to_table(s, run), "size   wait\n         us\n   0  <4.00\n   1   5.00\n");
}

TEST(StudyTest, NothingGivesWayToAdviceThatDoesNotFit) {
  const StudyKind advised{.name = "advised",
                          .meaning = "Advice",
                          .coordinates = {},
                          .columns = {{"goodput", "goodput", "", "How good"},
                                      {"simulated", "simulated", "", "The same"},
                                      {"buy", "buy", "", "What to buy"}},
                          .x = "size",
                          .y = "goodput",
                          .bars = {"goodput", "simulated"},
                          .advice = {"buy"},
                          .make = make_study_point<DrawnPoint>};
  const auto table = [&](std::size_t width) {
    const Study s = along(advised, std::string(width, 'k'), 1);
    PointRun run(1);
    run.rows = {std::vector<Cell>{0.5, 0.5, std::string(24, 'b')}};
    return to_table(s, run);
  };
  EXPECT_NE(table(44).find("goodput  buy\n"), std::string::npos) << table(44);
  EXPECT_NE(table(44).find("columns that do not fit: simulated;"), std::string::npos) << table(44);
  EXPECT_NE(table(50).find("goodput  simulated\n"), std::string::npos) << table(50);
  EXPECT_NE(table(50).find("columns that do not fit: buy;"), std::string::npos) << table(50);
}

TEST(StudyTest, OnePointNeedsNoSweep) { EXPECT_EQ(csv({"size=3"}), "shape,area_mm2,state\ncircle,9,ok\n"); }

TEST(StudyTest, EveryTypedKeyIsInTheHeading) {
  const Study s = drawn.read({"shape=circle,square", "size=3", "largest=false"});
  EXPECT_EQ(fixed_keys(s), "size=3 largest=false");
  const PointRun run = run_all(s, 1);
  EXPECT_TRUE(to_table(s, run).starts_with("size=3 largest=false\n"));
  EXPECT_EQ(occurrences(to_svg(s, run), ">size=3 largest=false<"), 1);
  EXPECT_EQ(fixed_keys(drawn.read({"size=1,2", "shape=square", "corners=5", "corners=6"})),
            "shape=square corners=6");
  EXPECT_EQ(fixed_keys(drawn.read({}, R"({"kind":"drawn","size":3})")), "shape=circle")
      << "a key of the file is none of the command line";
}

TEST(StudyTest, AListTimesARangeIsTheirProductTheLastKeyFastest) {
  EXPECT_EQ(csv({"size=0.5:1.5:0.5", "shape=circle,square"}),
            "shape,size,area_mm2,state\n"
            "circle,0.5,0.25,ok\ncircle,1,1,ok\ncircle,1.5,2.25,ok\n"
            "square,0.5,0.25,ok\nsquare,1,1,ok\nsquare,1.5,2.25,ok\n");
}

TEST(StudyTest, AListInAFileIsOneOnTheCommandLine) {
  const Study s = drawn.read({}, R"({"kind": "drawn", "size": [1, "2:4:2"]})");
  EXPECT_EQ(to_csv(s, run_all(s, 2)), csv({"size=1,2,4"}));
}

TEST(StudyTest, AKeyThatConcernsSomePointsIsLeftOutOfTheOthers) {
  EXPECT_EQ(csv({"shape=circle,square", "corners=3,4"}),
            "shape,corners,area_mm2,state\ncircle,,1,ok\nsquare,3,1,ok\nsquare,4,1,ok\n");
}

TEST(StudyTest, AKeyThatConcernsNoPointIsAMistake) {
  EXPECT_EQ(drawn.mistake({"corners=3"}),
            "command line: error: corners: this key is valid only if shape is \"square\", but here it is "
            "\"circle\" (the default)");
  EXPECT_EQ(drawn.mistake({"corners=3", "shape=circle", "size=1,2"}),
            "command line: error: corners: this key is valid only if shape is \"square\", but here it is "
            "\"circle\"");
}

TEST(StudyTest, AWordSetsAnotherKey) {
  EXPECT_EQ(csv({"size=2,largest"}),
            "shape,size,area_mm2,state\ncircle,2,4,ok\ncircle,largest,10000,too large\n");
}

TEST(StudyTest, EveryMistakeIsReportedOnce) {
  EXPECT_EQ(drawn.mistake({"shape=circle,squar", "size=1,200", "colour=red"},
                          "{ \"kind\": \"drawn\",\n  \"largest\": 1 }"),
            "command line: error: colour: unknown key; the keys here are shape, corners, largest, size\n"
            "command line: error: size: expected a number from 0.0 to 100.0, got 200\n"
            "command line: error: shape: expected one of \"circle\", \"square\", got \"squar\"; did you mean "
            "\"square\"?\n"
            "s.json:2:14: error: largest: expected true or false, got 1");
}

TEST(StudyTest, ABadRangeHidesNoOtherMistake) {
  EXPECT_EQ(drawn.mistake({"size=1:2", "largest=maybe"}),
            "command line: error: size: expected a number from 0.0 to 100.0, or a range from:to:step of "
            "such, got \"1:2\"\n"
            "command line: error: largest: expected true or false, got \"maybe\"");
}

TEST(StudyTest, AMistakeThatTheEngineFindsIsReportedAtItsKey) {
  EXPECT_EQ(drawn.mistake({}, "{ \"kind\": \"drawn\",\n  \"size\": \"12:13:1\" }"),
            "s.json:2:11: error: size: nobody draws 13");
}

TEST(StudyTest, AMistakeOfSeveralKeysIsReportedAtTheOneThatWasTyped) {
  EXPECT_EQ(drawn.mistake({"size=17"}), "command line: error: size: 17 does not go with it");
  const std::string file = "{ \"kind\": \"drawn\",\n  \"size\": 17 }";
  EXPECT_EQ(drawn.mistake({}, file), "s.json:2:11: error: size: 17 does not go with it");
  EXPECT_EQ(drawn.mistake({"shape=circle"}, file), "command line: error: shape: 17 does not go with it");
  EXPECT_EQ(drawn.mistake({"shape=circle", "largest=false"}, file),
            "command line: error: largest: 17 does not go with it");
}

TEST(StudyTest, AMistakeThatShowsInARunIsReportedAtItsKeyToo) {
  const Study s = drawn.read({}, "{ \"kind\": \"drawn\",\n  \"size\": [3, 14] }");
  EXPECT_EQ(thrown<ConfigError>([&] { run_all(s, 2); }), "s.json:2:11: error: size: nobody finishes 14");
}

TEST(StudyTest, TheKindIsNamed) {
  EXPECT_EQ(drawn.mistake({}, R"({"kind": "drwan"})"),
            "s.json:1:10: error: kind: expected one of \"drawn\", got \"drwan\"; did you mean \"drawn\"?");
  EXPECT_EQ(drawn.mistake({"kind=3"}), "command line: error: kind: expected one of \"drawn\", got 3");
}

TEST(StudyTest, TooManyPointsAreRefusedBeforeAnyIsMade) {
  EXPECT_EQ(
      drawn.mistake({"size=0:100:0.01"}),
      "command line: error: size: expected a number from 0.0 to 100.0, or a range from:to:step of such, got "
      "\"0:100:0.01\"; more than 10000 values");
  EXPECT_EQ(drawn.mistake({"shape=circle,square", "size=0:60:0.01"}),
            "command line: error: size: the study has more than 10000 points with this sweep");
}

TEST(StudyTest, TheExpandedFormIsTheSameStudy) {
  const Study s = drawn.read({"shape=circle,square", "corners=3", "size=2,largest"});
  const Study again = drawn.read({}, s.expanded);
  EXPECT_EQ(to_csv(again, run_all(again, 2)), to_csv(s, run_all(s, 2)));
  EXPECT_EQ(again.expanded, s.expanded);
}

TEST(StudyTest, ThreadsChangeNothing) {
  const std::vector<std::string> sweep{"shape=circle,square", "size=0:3:0.01"};
  EXPECT_EQ(csv(sweep, 1), csv(sweep, 7));
  const Study s = drawn.read(sweep);
  EXPECT_EQ(to_json(s, run_all(s, 1)), to_json(s, run_all(s, 5)));
  EXPECT_EQ(to_svg(s, run_all(s, 1)), to_svg(s, run_all(s, 5)));
}

TEST(StudyTest, ASignalKeepsWhatIsDone) {
  const Study s = drawn.read({"size=1,99,2,3"});
  under_way = 0;
  const PointRun ended = run_interrupted(s, 2, [] { return under_way >= 4; });
  EXPECT_TRUE(ended.interrupted);
  EXPECT_EQ(ended.done(), 3u);
  EXPECT_FALSE(ended.rows[1].has_value());
}

TEST(StudyTest, JsonHasColumnsPointsAndTheConfig) {
  const Study s = drawn.read({"size=2,3"});
  EXPECT_EQ(to_json(s, run_all(s, 2)), R"({
  "study": "s",
  "kind": "drawn",
  "columns": {
    "area_mm2": {
      "unit": "mm2",
      "meaning": "Its area"
    },
    "state": {
      "unit": "",
      "meaning": "How it went"
    }
  },
  "points": [
    {
      "shape": "circle",
      "size": 2.0,
      "area_mm2": 4.0,
      "state": "ok"
    },
    {
      "shape": "circle",
      "size": 3.0,
      "area_mm2": 9.0,
      "state": "ok"
    }
  ],
  "complete": true,
  "config": {
    "kind": "drawn",
    "shape": "circle",
    "largest": false,
    "size": [
      2,
      3
    ]
  }
}
)");
}

TEST(StudyTest, TheTableFitsATerminal) {
  const Study s = drawn.read({"shape=circle,square", "size=2,5"});
  EXPECT_EQ(to_table(s, run_all(s, 2)),
            "shape   size   area  state\n"
            "                mm2\n"
            "circle     2   4.0   ok\n"
            "circle     5  25.0*  too large\n"
            "square     2   4.0   ok\n"
            "square     5  25.0*  too large\n"
            "* no steady value: it depends on how long was measured (see state)\n");
  const Study small = drawn.read({"size=2"});
  EXPECT_EQ(to_table(small, run_all(small, 2)).find('*'), std::string::npos);
  const Study longer = drawn.read({"size=0:4:0.05"});
  EXPECT_NE(to_table(longer, run_all(longer, 2)).find("\n... 21 more points; --csv FILE has all of them\n"),
            std::string::npos);
}

TEST(StudyTest, WhatRoundsToZeroHasNoSign) {
  const Study s = drawn.read({"size=15"});
  EXPECT_EQ(to_table(s, run_all(s, 1)),
            "shape=circle size=15\n"
            "area  state\n"
            " mm2\n"
            " 0.0  ok\n");
  EXPECT_NE(to_csv(s, run_all(drawn.read({"size=15"}), 1)).find("-0.04"), std::string::npos);
}

std::string table_of(const StudyKind& of_kind, const std::vector<std::string>& overrides) {
  const StudyUnderTest under_test(of_kind, R"({"kind":"drawn"})");
  const Study s = under_test.read(overrides);
  return to_table(s, run_all(s, 1));
}

TEST(StudyTest, AColumnMayShowSmallValuesWithAnExponent) {
  StudyKind fine = kind;
  fine.columns[0].max_places = with_exponent;
  EXPECT_NE(table_of(fine, {"size=1e-6,2"}).find("1.0e-12  ok"), std::string::npos);
  EXPECT_NE(table_of(fine, {"size=1e-6,2"}).find("4.0  ok"), std::string::npos);
  EXPECT_NE(table_of(fine, {"size=0,2"}).find(" 0  ok"), std::string::npos) << "not rounded";
}

TEST(StudyTest, AColumnMayShowMorePlacesWhereAValueWouldBeHidden) {
  StudyKind fine = kind;
  fine.columns[0].max_places = 4;
  EXPECT_NE(table_of(fine, {"size=0.1,2"}).find("0.01  ok"), std::string::npos);
  EXPECT_NE(table_of(fine, {"size=0.1,2"}).find("4.00  ok"), std::string::npos);
  EXPECT_NE(table_of(fine, {"size=0.001,2"}).find("4.0  ok"), std::string::npos)
      << "with four places the value would look like another one";
  EXPECT_NE(table_of(kind, {"size=0.1,2"}).find("0.0  ok"), std::string::npos);
  EXPECT_NE(table_of(fine, {"size=9.9999"}).find("100.0*"), std::string::npos);
  fine.columns[0].unit = "%";
  EXPECT_NE(table_of(fine, {"size=9.9999"}).find("99.998*"), std::string::npos);
}

TEST(StudyTest, AFigureNamesAUnitOnce) {
  StudyKind plain = kind;
  plain.columns[0].heading = "";
  const StudyUnderTest under_test(plain, R"({"kind":"drawn"})");
  const Study s = under_test.read({"size=1,2"});
  EXPECT_EQ(occurrences(to_svg(s, run_all(s, 1)), ">area (mm2)<"), 1);
}

TEST(StudyTest, CurvesAreThoseOfTheOtherKeysAndHollowWhereTheStateIsBad) {
  const Study s = drawn.read({"shape=circle,square", "size=2,4,4.2"});
  const std::string svg = to_svg(s, run_all(s, 2));
  EXPECT_NE(svg.find(">shape=circle</text>"), std::string::npos);
  EXPECT_NE(svg.find(">area (mm2)</text>"), std::string::npos);
  EXPECT_NE(svg.find("<circle cx=\"533.6\""), std::string::npos) << "the axis must end behind the last point";
  EXPECT_NE(svg.find("fill=\"white\" stroke=\"#0072b2\""), std::string::npos);
}

TEST(StudyTest, TwoValuesAreBarsAndNoCurve) {
  const Study s = drawn.read({"shape=circle,square", "size=2,5"});
  const std::string svg = to_svg(s, run_all(s, 2));
  EXPECT_EQ(occurrences(svg, "stroke-width=\"1.6\""), 0);
  EXPECT_NE(svg.find(">size=5</text>"), std::string::npos);
  EXPECT_NE(svg.find(">hollow: too large</text>"), std::string::npos) << svg;
}

TEST(StudyTest, AFigureSaysWhatIsFixed) {
  const Study s = drawn.read({"shape=square", "size=2,5"});
  EXPECT_NE(to_svg(s, run_all(s, 2)).find(">s</text>\n<text x=\"76.0\" y=\"42\">shape=square</text>"),
            std::string::npos);
}

TEST(StudyTest, TheSchemaTakesSweeps) {
  const std::string schema = study_schema({&kind, 1});
  EXPECT_NE(schema.find("\"const\": \"drawn\""), std::string::npos);
  EXPECT_NE(schema.find("\"const\": \"largest\""), std::string::npos);
  EXPECT_NE(study_documentation({&kind, 1}).find("area_mm2: Its area\n"), std::string::npos);
}

}  // namespace
}  // namespace asterism
