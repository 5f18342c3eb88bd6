#include "platform/study/paper.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/temporary_folder.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

// A configs/ folder with the shipped technology, the study of a switch, and one paper.
struct PaperTest : testing::Test {
  PaperTest() {
    for (const char* kind : {"studies", "published"}) fs::create_directory(root / kind);
    fs::create_directory_symlink(fs::path(ASTERISM_SOURCE_CONFIGS) / "technologies", root / "technologies");
    std::ofstream(root / "studies/swizzle_switch.json") << R"({"kind": "swizzle_switch"})";
  }

  void publish(const std::string& entries) const {
    std::ofstream(root / "published/p.json") << R"({"reference": "A paper", "studies": {
      "r64": "swizzle_switch radix=64", "r40": "swizzle_switch radix=40", "all": "swizzle_switch radix=40,64"},
      "fits": {"clock": "the clock by radix"}, "entries": [)"
                                             << entries << "]}";
  }
  Paper compared(const std::vector<std::string>& ids = {}) const {
    Paper paper(ConfigLibrary(root.path()), ids);
    EXPECT_TRUE(paper.run({.show_progress = false}));
    return paper;
  }
  std::string mistake(const std::vector<std::string>& ids = {}) const {
    return thrown<ConfigError>([&] { Paper(ConfigLibrary(root.path()), ids); });
  }
  static std::string value(double published, const std::string& of_class, const std::string& measured,
                           const std::string& more = "") {
    return R"({"id": "fig1", "title": "T", "values": [{"what": "clock", "published": )" +
           std::to_string(published) + R"(, "unit": "GHz", "measured": ")" + measured + R"(", "class": ")" +
           of_class + (of_class == "predicted" ? R"(", "tolerance": 0.05)" : "\"") + more +
           R"(, "stated_in": "section 1", "note": "N"}]})";
  }
  static std::string claim(const std::string& holds, const std::string& more = "") {
    return R"({"id": "fig1", "title": "T", "claims": [{"what": "slower", )"
           R"("stated_in": "section 1", "holds": ")" +
           holds + "\"" + more + "}]}";
  }

  TemporaryFolder root;
};

using enum PaperComparison::Verdict;

TEST_F(PaperTest, AValueWithinItsToleranceHolds) {
  publish(value(1.5, "predicted", "frequency_ghz(r64)"));
  const Paper paper = compared();
  EXPECT_EQ(paper.entries().at(0).values.at(0).verdict, holds);
  EXPECT_FALSE(paper.entries()[0].off());
}

TEST_F(PaperTest, OneBeyondIsOff) {
  publish(value(1.6, "predicted", "frequency_ghz(r64)"));
  EXPECT_TRUE(compared().entries().at(0).off());
}

TEST_F(PaperTest, AnExactValueAgreesToItsDigits) {
  publish(value(64, "exact", "radix(r64)"));
  EXPECT_EQ(compared().entries().at(0).values.at(0).verdict, holds);
  publish(value(65, "exact", "radix(r64)"));
  EXPECT_EQ(compared().entries().at(0).values.at(0).verdict, off);
}

// The published 0.6 is 0.628 after rounding, although it differs by 4%; 0.65 does not round to 0.6.
TEST_F(PaperTest, AnExactValueMayBeRounded) {
  publish(value(0.6, "exact", "radix(r64) / 64 * 0.628"));
  EXPECT_FALSE(compared().entries().at(0).off());
  publish(value(0.6, "exact", "radix(r64) / 64 * 0.651"));
  EXPECT_TRUE(compared().entries().at(0).off());
}

TEST_F(PaperTest, WhatDiffersAsIsKnownIsShownWithItsCause) {
  publish(value(9, "known_mismatch", "frequency_ghz(r64)",
                R"(, "cause": "paper", "band_low": -0.85, "band_high": -0.8)"));
  const Paper paper = compared();
  const PaperEntry& entry = paper.entries().at(0);
  EXPECT_FALSE(entry.off());
  EXPECT_EQ(paper.to_text(entry),
            "p.fig1 T\n"
            "                                published  measured distance class\n"
            "  clock (GHz)                           9     1.502   -83.3% known mismatch  -\n"
            "      paper; expected -85.0% to -80.0%\n"
            "      N\n");
  EXPECT_NE(paper.to_csv(entry).find(",known_mismatch,0,,paper,-0.85,-0.8,-,"), std::string::npos)
      << paper.to_csv(entry);
}

TEST_F(PaperTest, TheFilesHaveWhatAClassDependsOn) {
  std::string entry = value(1.5, "predicted", "frequency_ghz(r64)", R"(, "tolerance_from": "figure")");
  entry.insert(entry.find(R"("title")"), R"("note": "of the entry", )");
  publish(entry);
  const Paper paper = compared();
  const std::string csv = paper.to_csv(paper.entries().at(0));
  EXPECT_NE(csv.find(",seeds,tolerance_from,note,entry_note\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",ok,section 1,,,,figure,N,of the entry\n"), std::string::npos) << csv;
  const nlohmann::ordered_json json = paper.to_json(paper.entries()[0]);
  EXPECT_EQ(json["note"], "of the entry");
  EXPECT_EQ(json["values"][0]["note"], "N");
  EXPECT_EQ(json["values"][0]["tolerance_from"], "figure");
  EXPECT_EQ(json["values"][0]["stated_in"], "section 1");
}

TEST_F(PaperTest, WhatDiffersInAnotherWayThanIsKnownIsOff) {
  for (const char* of_class : {"known_mismatch", "second_opinion"})
    for (const char* beyond :
         {"0 * radix(r64) + 1.34", "0 * radix(r64) + 1.81", "radix(all, frequency_ghz=9)"}) {
      const std::string cause = of_class == std::string("known_mismatch") ? R"(, "cause": "ours")" : "";
      publish(value(9, of_class, beyond, cause + R"(, "band_low": -0.85, "band_high": -0.8)"));
      const Paper off = compared();
      EXPECT_TRUE(off.entries().at(0).off()) << beyond;
      EXPECT_NE(off.to_text(off.entries()[0]).find("  OFF"), std::string::npos) << beyond;
    }
}

TEST_F(PaperTest, EachClassHasItsKeys) {
  const auto mistake_of = [&](const std::string& of_class, const std::string& more) {
    publish(value(9, of_class, "frequency_ghz(r64)", more));
    return mistake();
  };
  const std::string band = R"(, "band_low": 0, "band_high": 1)";
  EXPECT_NE(mistake_of("predicted", band).find("values.0.band_low"), std::string::npos);
  EXPECT_NE(mistake_of("known_mismatch", R"(, "cause": "ours")").find("values.0.band_low"),
            std::string::npos);
  EXPECT_NE(mistake_of("known_mismatch", band).find("values.0.cause"), std::string::npos);
  EXPECT_NE(mistake_of("second_opinion", R"(, "band_low": 1, "band_high": 0)").find("values.0.band_high"),
            std::string::npos);
  EXPECT_NE(mistake_of("calibrated", R"(, "tolerance": 0.05)").find("values.0.fit"), std::string::npos);
  EXPECT_NE(
      mistake_of("calibrated", R"(, "tolerance": 0.05, "fit": "clok")").find("there is no fit \"clok\""),
      std::string::npos);
  EXPECT_NE(mistake_of("calibrated", R"(, "tolerance": 0.21, "fit": "clock")").find("values.0.tolerance"),
            std::string::npos);
  EXPECT_NE(mistake_of("arithmetic", "").find("a study is no arithmetic"), std::string::npos);
  publish(value(9, "exact", "3 * 3"));
  EXPECT_NE(mistake().find("names no study: give it the class arithmetic"), std::string::npos);
}

TEST_F(PaperTest, AFitSaysHowManyValuesWereUsedAndHowManyHeldOut) {
  std::string entry =
      value(1.5, "calibrated", "frequency_ghz(r64)", R"(, "tolerance": 0.02, "fit": "clock")");
  entry.insert(entry.size() - 2,
               R"x(, {"what": "held out", "published": 2.2, "measured": "frequency_ghz(r40)",
      "class": "predicted", "tolerance": 0.02, "fit": "clock", "stated_in": "section 1"})x");
  publish(entry);
  const Paper paper = compared();
  EXPECT_NE(
      paper.to_text(paper.entries().at(0)).find("  fitted: the clock by radix (to 1 value, 1 held out)\n"),
      std::string::npos)
      << paper.to_text(paper.entries()[0]);
}

TEST_F(PaperTest, TheSummaryCountsByClassAndAddsNothingUp) {
  publish(value(1.5, "predicted", "frequency_ghz(r64)") + "," + value(65, "exact", "radix(r64)") + "," +
          claim("1 < frequency_ghz(r64)"));
  EXPECT_EQ(compared().summary(),
            "hold, of                      p\n"
            "values\n"
            "  exact                     0/1\n"
            "  predicted                 1/1\n"
            "orderings\n"
            "  predicted                 1/1\n");
}

TEST_F(PaperTest, OneClassAloneIsCompared) {
  publish(value(1.5, "predicted", "frequency_ghz(r64)") + "," + value(40, "exact", "radix(r40)"));
  Paper paper(ConfigLibrary(root.path()), {}, PublishedClass::exact);
  EXPECT_TRUE(paper.run({.show_progress = false}));
  EXPECT_EQ(paper.points(), 1u);
  EXPECT_EQ(paper.summary(),
            "hold, of                      p\n"
            "values\n"
            "  exact                     1/1\n");
}

TEST_F(PaperTest, ChangesAreThoseSinceAnEarlierComparison) {
  publish(value(1.5, "predicted", "frequency_ghz(r64)"));
  const nlohmann::json before = compared().to_json();
  EXPECT_EQ(compared().changes_since(before), std::vector<std::string>{});
  publish(value(1.5, "predicted", "1.1 * frequency_ghz(r64)"));
  EXPECT_EQ(compared().changes_since(before),
            (std::vector<std::string>{"p.fig1, clock: measured 1.502 -> 1.652",
                                      "p.fig1, clock: verdict holds -> off"}));
  publish(claim("1 < radix(r64)"));
  EXPECT_EQ(compared().changes_since(before),
            (std::vector<std::string>{"p.fig1, slower: new", "p.fig1, clock: gone"}));
}

TEST_F(PaperTest, OfAClassOnlyThatClassIsCompared) {
  const std::string two = R"({"id": "fig1", "title": "T", "values": [
    {"what": "ports", "published": 64, "unit": "", "measured": "radix(r64) ", "class": "exact",
     "stated_in": "a"},
    {"what": "clock", "published": 1.5, "unit": "", "measured": "frequency_ghz(r64) ", "class": "predicted",
     "tolerance": 0.05, "stated_in": "a"}]})";
  publish(two);
  const nlohmann::json before = compared().to_json();
  EXPECT_TRUE(Paper::is_written_by_json(before));
  const auto of_class = [&](PublishedClass only) {
    Paper paper(ConfigLibrary(root.path()), {}, only);
    EXPECT_TRUE(paper.run({.show_progress = false}));
    return paper;
  };
  EXPECT_EQ(of_class(PublishedClass::exact).changes_since(before), std::vector<std::string>{});
  publish(value(1.5, "predicted", "frequency_ghz(r64)"));
  EXPECT_EQ(of_class(PublishedClass::predicted).changes_since(before), std::vector<std::string>{});
  EXPECT_EQ(of_class(PublishedClass::known_mismatch).summary(),
            "nothing of these entries is of the class known mismatch\n");
}

TEST_F(PaperTest, ATableFitsATerminal) {
  std::string entry = value(2, "predicted", "frequency_ghz(r40)");
  entry.replace(entry.find("clock"), 5,
                std::string(26, 'a'));  // 32 characters with the unit, the longest name in the shipped papers
  publish(entry);
  const Paper paper = compared();
  const std::string text = paper.to_text(paper.entries()[0]);
  EXPECT_NE(text.find("  " + std::string(26, 'a') + " (GHz)      2     2.193 "), std::string::npos) << text;
  EXPECT_NE(text.find("OFF"), std::string::npos);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
}

TEST_F(PaperTest, AValueThatIsNotReachedIsOff) {
  publish(value(1, "predicted", "radix(all, frequency_ghz=9)"));
  EXPECT_EQ(compared().entries().at(0).values.at(0).verdict, off);
}

TEST_F(PaperTest, BetweenTwoPointsALineIsDrawn) {
  publish(value(52, "exact", "radix(all, frequency_ghz=1.8475)"));  // halfway between 2.193 and 1.502
  EXPECT_NEAR(compared().entries().at(0).values.at(0).measured, 52, 0.01);
}

// The study's error is half of a 99% interval; a normal distribution's 95% interval is 0.76090 of that.
TEST_F(PaperTest, ARandomValueHasItsIntervalAndSeed) {
  std::ofstream(root / "studies/markov.json") << R"({"kind": "markov", "failures": 2000, "counts": [],
    "cost": ["9s"], "restart": ["9s"], "rate": [1e-4]})";
  const auto row = [](const std::string& what, const std::string& measured) {
    return R"x({"what": ")x" + what + R"x(", "published": 1, "class": "second_opinion", "band_low": -9,
      "band_high": 9, "stated_in": "section 1", "measured": ")x" +
           measured + "\"}";
  };
  std::ofstream(root / "published/p.json")
      << R"x({"reference": "A paper", "studies": {"one": "markov seed=3", "other": "markov seed=4"},
      "entries": [{"id": "fig1", "title": "T", "values": [)x" +
             row("twice", "2 * monte_carlo(one)") + "," +
             row("quotient", "monte_carlo(one) / monte_carlo(other)") + "," +
             row("known", "efficiency(one)") + "," + row("error", "monte_carlo_error(one)") + "," +
             row("other error", "monte_carlo_error(other)") + "," + row("value", "monte_carlo(one)") + "," +
             row("other value", "monte_carlo(other)") + "]}]}";
  const Paper paper = compared();
  const PaperEntry& entry = paper.entries().at(0);
  const auto measured = [&](std::size_t i) { return entry.values.at(i).measured; };
  ASSERT_TRUE(entry.values[0].interval.has_value());
  const PaperInterval twice = *entry.values[0].interval;
  EXPECT_EQ(twice.seeds, std::set<std::uint64_t>{3});
  EXPECT_NEAR(twice.high - measured(0), 2 * 0.7609 * measured(3), 1e-4 * measured(3));
  EXPECT_NEAR(measured(0) - twice.low, 2 * 0.7609 * measured(3), 1e-4 * measured(3));
  ASSERT_TRUE(entry.values[1].interval.has_value());
  const PaperInterval quotient = *entry.values[1].interval;
  EXPECT_EQ(quotient.seeds, (std::set<std::uint64_t>{3, 4}));
  const double relative = std::hypot(measured(3) / measured(5), measured(4) / measured(6));
  EXPECT_NEAR(quotient.high / measured(1) - 1, 0.7609 * relative, 0.02 * relative);
  EXPECT_FALSE(entry.values[2].interval.has_value());

  EXPECT_NE(paper.to_text(entry).find(", seeds 3 4\n"), std::string::npos) << paper.to_text(entry);
  EXPECT_NE(paper.to_csv(entry).find(",3 4,,,\n"), std::string::npos) << paper.to_csv(entry);
  const nlohmann::json json = paper.to_json(entry)["values"][0];
  EXPECT_EQ(json["interval"], (nlohmann::json{twice.low, twice.high}));
  EXPECT_EQ(json["seeds"], nlohmann::json{3});
  EXPECT_FALSE(paper.to_json(entry)["values"][2].contains("interval"));
}

// Student's t of 95% and two degrees of freedom is 4.3027.
TEST_F(PaperTest, AValueOfSeveralSeedsIsTheirMean) {
  std::ofstream(root / "studies/markov.json") << R"({"kind": "markov", "failures": 2000, "counts": [],
    "cost": ["9s"], "restart": ["9s"], "rate": [1e-4]})";
  const auto row = [](const std::string& study) {
    return R"x({"what": ")x" + study + R"x(", "published": 1, "class": "second_opinion", "band_low": -9,
      "band_high": 9, "stated_in": "section 1", "measured": "monte_carlo()x" +
           study + ")\"}";
  };
  std::ofstream(root / "published/p.json")
      << R"x({"reference": "A paper", "studies": {"a": "markov seed=1", "b": "markov seed=2",
      "c": "markov seed=3", "all": "markov seeds=3"},
      "entries": [{"id": "fig1", "title": "T", "values": [)x" +
             row("a") + "," + row("b") + "," + row("c") + "," + row("all") + "]}]}";
  const Paper paper = compared();
  EXPECT_EQ(paper.points(), 3u);
  const std::vector<PaperComparison>& values = paper.entries().at(0).values;
  const double a = values.at(0).measured, b = values[1].measured, c = values[2].measured,
               mean = (a + b + c) / 3;
  EXPECT_NEAR(values[3].measured, mean, 1e-12);
  ASSERT_TRUE(values[3].interval.has_value());
  const double variance = ((a - mean) * (a - mean) + (b - mean) * (b - mean) + (c - mean) * (c - mean)) / 2;
  const double half = 4.3027 * std::sqrt(variance / 3);
  EXPECT_NEAR(values[3].interval->high - mean, half, 1e-4 * half);
  EXPECT_NEAR(mean - values[3].interval->low, half, 1e-4 * half);
  EXPECT_EQ(values[3].interval->seeds, (std::set<std::uint64_t>{1, 2, 3}));
}

// A value at a point, one along the axis, one of another column, and one that is no column.
TEST_F(PaperTest, PublishedValuesArePlacedAtTheirPoints) {
  const auto row = [](const std::string& measured, double published) {
    return R"({"what": ")" + measured + R"(", "published": )" + std::to_string(published) +
           R"(, "class": "second_opinion", "band_low": -9, "band_high": 9, "stated_in": "section 1", )" +
           R"("measured": ")" + measured + "\"}";
  };
  const std::string bars = R"({"title": "b", "y": "frequency_ghz", "y_label": "GHz",
      "series": [{"label": "r40", "study": "r40"}, {"label": "r64", "study": "r64"}]})",
                    curve = R"({"title": "c", "x": "radix", "y": "frequency_ghz", "x_label": "radix",
      "y_label": "GHz", "series": [{"label": "", "study": "all"}]})";
  publish(R"({"id": "fig1", "title": "T", "panels": [)" + bars + "," + curve + R"(], "values": [)" +
          row("frequency_ghz(r64)", 1.6) + "," + row("frequency_ghz(all, radix=50)", 1.8) + "," +
          row("radix(r64)", 64) + "," + row("2 * frequency_ghz(r40)", 4) + "]}");
  const Paper paper = compared();
  const std::vector<Panel> panels = paper.panels_of(paper.entries().at(0));
  ASSERT_EQ(panels.size(), 2u);
  EXPECT_EQ(panels[0].categories, (std::vector<std::string>{"r40", "r64"}));
  ASSERT_EQ(panels[0].series.at(0).published.size(), 1u);
  EXPECT_EQ(panels[0].series[0].published[0].x, 1);
  ASSERT_EQ(panels[1].series.at(0).published.size(), 2u);
  EXPECT_EQ(panels[1].series[0].published[0].x, 64);
  EXPECT_EQ(panels[1].series[0].published[0].y, 1.6);
  EXPECT_EQ(panels[1].series[0].published[1].x, 50);
}

// An entry without panels, of two values in GHz and one without a unit.
TEST_F(PaperTest, ValuesOfOneUnitAreBarsBesideThePublishedOnes) {
  const auto row = [](const std::string& measured, double published, const std::string& unit) {
    return R"({"what": ")" + measured + R"(", "unit": ")" + unit + R"(", "published": )" +
           std::to_string(published) +
           R"(, "class": "second_opinion", "band_low": -9, "band_high": 9, "stated_in": "section 1", )" +
           R"("measured": ")" + measured + "\"}";
  };
  publish(R"({"id": "fig1", "title": "T", "values": [)" + row("frequency_ghz(r64)", 1.6, "GHz") + "," +
          row("radix(r64)", 60, "") + "," + row("frequency_ghz(r40)", 4, "GHz") + "]}");
  const Paper paper = compared();
  const std::vector<Panel> panels = paper.panels_of(paper.entries().at(0));
  ASSERT_EQ(panels.size(), 1u);
  EXPECT_EQ(panels[0].y_label, "value (GHz)");
  EXPECT_EQ(panels[0].categories, (std::vector<std::string>{"frequency_ghz(r64)", "frequency_ghz(r40)"}));
  ASSERT_EQ(panels[0].series.size(), 2u);
  EXPECT_EQ(panels[0].series[0].points.at(1).y, 4);
  EXPECT_EQ(panels[0].series[1].points.at(1).y, paper.entries()[0].values[2].measured);
  publish(R"({"id": "fig1", "title": "T", "values": [)" + row("radix(r64)", 60, "") + "]}");
  const Paper one = compared();
  EXPECT_EQ(one.to_svg(one.entries().at(0)), "");
}

TEST_F(PaperTest, ClaimsAreChains) {
  publish(claim("1 < frequency_ghz(r64) < frequency_ghz(r40)"));
  EXPECT_FALSE(compared().entries().at(0).off());
  publish(claim("frequency_ghz(r40) < frequency_ghz(r64)"));
  const Paper paper = compared();
  EXPECT_TRUE(paper.entries().at(0).off());
  EXPECT_EQ(paper.to_text(paper.entries()[0]),
            "p.fig1 T\n  DOES NOT HOLD, predicted: slower\n      2.193 < 1.502\n");
  publish(claim("frequency_ghz(r64) < frequency_ghz(r64) * 1.000000000000001"));
  const Paper same = compared();
  EXPECT_TRUE(same.entries().at(0).off())
      << "the two parts differ only by rounding, so the claim must not hold";
  EXPECT_EQ(same.to_text(same.entries()[0]),
            "p.fig1 T\n  DOES NOT HOLD, predicted: slower\n      1.502 < 1.502\n");
}

TEST_F(PaperTest, AClaimHasTheDigitsThatDistinguishItsParts) {
  publish(claim("0.999999 * radix(r64) < radix(r64) < 12345.6 < 12345.7"));
  const Paper paper = compared();
  EXPECT_EQ(paper.to_text(paper.entries().at(0)),
            "p.fig1 T\n  holds, predicted: slower\n      63.9999 < 64 < 12345.60 < 12345.70\n");
}

TEST_F(PaperTest, AClaimThatIsKnownNotToHoldSaysByHowMuchAndWhy) {
  const std::string known =
      R"(, "class": "known_mismatch", "cause": "ours", "band_low": 0.4, "band_high": 0.5)";
  publish(claim("1 < frequency_ghz(r40) < frequency_ghz(r64)", known + R"(, "note": "N")"));
  const Paper paper = compared();
  EXPECT_FALSE(paper.entries().at(0).off());
  EXPECT_EQ(paper.to_text(paper.entries()[0]),
            "p.fig1 T\n  known mismatch: slower\n      1 < 2.193 < 1.502\n"
            "      ours; expected 40.0% to 50.0%; an excess of 46.1%\n      N\n");
  publish(claim("frequency_ghz(r64) < frequency_ghz(r40)", known + R"(, "note": "N")"));
  EXPECT_TRUE(compared().entries().at(0).off()) << "it holds by now";
  publish(claim("frequency_ghz(r40) < frequency_ghz(r64)", known));
  EXPECT_NE(mistake().find("claims.0.note"), std::string::npos) << mistake();
}

TEST_F(PaperTest, BarsOfAGroupStandSideBySide) {
  publish(
      R"({"id": "fig1", "title": "T", "panels": [{"title": "Clock", "y": "frequency_ghz", "y_label": "GHz",
    "series": [{"label": "small", "study": "r40", "group": "here"}, {"label": "large", "study": "r64", "group": "here"},
               {"label": "small", "study": "r40", "group": "there"}]}]})");
  const Paper paper = compared();
  const std::string svg = paper.to_svg(paper.entries().at(0));
  for (const char* once : {">small<", ">large<", ">here<", ">there<"})
    EXPECT_EQ(occurrences(svg, once), 1) << once;
}

TEST_F(PaperTest, TheShippedNumbersHaveNamesThatFitTheirColumn) {
  for (const std::string& paper : shipped_configs.list("published"))
    for (const PublishedEntry& entry : load_published(shipped_configs, paper).entries)
      for (const PublishedValue& value : entry.values)
        EXPECT_LE(value.what.size() + (value.unit.empty() ? 0 : value.unit.size() + 3), 32u)
            << entry.id << ": " << value.what;
}

TEST_F(PaperTest, APointThatSeveralEntriesNeedRunsOnce) {
  publish(value(1.5, "predicted", "frequency_ghz(r64) + 0 * frequency_ghz(r40) + 0 * radix(all, radix=64)"));
  EXPECT_EQ(compared().points(), 2u);
}

TEST_F(PaperTest, ABeginningSelectsManyAndAWholeIdOne) {
  const auto entry = [](const std::string& id) { return R"({"id": ")" + id + R"(", "title": "T"})"; };
  publish(entry("fig1") + "," + entry("fig10") + "," + entry("table1"));
  EXPECT_EQ(compared({"p.fig1"}).entries().size(), 1u);
  EXPECT_EQ(compared({"p.fig"}).entries().size(), 2u);
  EXPECT_EQ(compared().entries().size(), 3u);
  EXPECT_EQ(mistake({"p.fgi10"}),
            "command line: error: there is no paper entry \"p.fgi10\"; did you mean \"p.fig10\"?");
}

TEST_F(PaperTest, AnUnknownEntryIsOfAChapter) {
  const auto entry = [](const std::string& id) { return R"({"id": ")" + id + R"(", "title": "T"})"; };
  publish(entry("fig3.14") + "," + entry("fig5.12") + "," + entry("fig5.2"));
  EXPECT_EQ(mistake({"p.fig5.14"}),
            "command line: error: there is no paper entry \"p.fig5.14\"; did you mean \"p.fig5.12\"?");
  EXPECT_EQ(mistake({"p.fgi3.14"}),
            "command line: error: there is no paper entry \"p.fgi3.14\"; did you mean \"p.fig3.14\"?");
  EXPECT_EQ(mistake({"p.fig6.14"}),
            "command line: error: there is no paper entry \"p.fig6.14\"; `asterism list papers` prints all");
  const std::string both = mistake({"p.fig5.13", "p.fig3.14", "p.fig3.15"});
  EXPECT_NE(both.find("\"p.fig5.13\""), std::string::npos) << both;
  EXPECT_NE(both.find("\"p.fig3.15\""), std::string::npos) << both;
}

TEST_F(PaperTest, AWordOfAnIdOrATitleIsNoIdButNamesTheEntries) {
  publish(R"({"id": "reft.overhead", "title": "What saving costs"}, {"id": "b", "title": "REACH: energy"})");
  EXPECT_EQ(
      mistake({"reft"}),
      "command line: error: there is no paper entry \"reft\"; with this word there are p.reft.overhead");
  EXPECT_EQ(mistake({"reach"}),
            "command line: error: there is no paper entry \"reach\"; with this word there are p.b");
}

TEST_F(PaperTest, MistakesInThePublishedFileAreReportedAtTheirPlace) {
  publish("\n" + value(1, "predicted", "frequency_ghz(r46)"));
  EXPECT_NE(mistake().find("p.json:4:109: error: entries.0.values.0.measured: there is no study \"r46\""),
            std::string::npos)
      << mistake();
  publish("\n" + value(1, "predicted", "frequency(r64) +"));
  EXPECT_NE(
      mistake().find("entries.0.values.0.measured: expected a number or a column of a study at character 17"),
      std::string::npos)
      << mistake();
}

TEST_F(PaperTest, RowsOfATableAreValuesOfTheEntry) {
  publish(
      R"x({"id": "fig1", "title": "T", "values": [{"class": "predicted", "tolerance": 0.05, "stated_in": "section 1",
          "what": "clock, {radix}", "measured": "frequency_ghz(r{radix})",
          "columns": ["radix", "published"], "rows": [[40, 2.2], [64, 9]]}]})x");
  const Paper paper = compared();
  ASSERT_EQ(paper.entries().at(0).values.size(), 2u);
  EXPECT_EQ(paper.entries()[0].published.values[1].what, "clock, 64");
  EXPECT_EQ(paper.entries()[0].values[0].verdict, holds);
  EXPECT_EQ(paper.entries()[0].values[1].verdict, off);
}

TEST_F(PaperTest, AMistakeInARowIsReportedAtItsLine) {
  publish(
      R"x({"id": "fig1", "title": "T", "values": [{"class": "exact", "stated_in": "section 1",
          "columns": ["what", "published", "measured"], "rows": [["a", 1, "radix(r40)"],
["b", 2, "radix(r46)"]]}]})x");
  EXPECT_NE(mistake().find("p.json:5:10: error: entries.0.values.1.measured: there is no study \"r46\""),
            std::string::npos)
      << mistake();
}

TEST_F(PaperTest, AColumnThatAStudyLacksIsAMistake) {
  publish("\n" + value(1, "predicted", "frequency(r64)"));
  EXPECT_NE(mistake().find("entries.0.values.0.measured: study \"r64\" has no column \"frequency\""),
            std::string::npos)
      << mistake();
}

}  // namespace
}  // namespace asterism
