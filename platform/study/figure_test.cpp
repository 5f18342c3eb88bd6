#include "platform/study/figure.h"

#include <gtest/gtest.h>

#include <set>

#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

std::string bars(const std::vector<std::string>& names) {
  Panel panel{.title = "", .x_label = "", .y_label = "", .kind = Panel::Kind::bars, .categories = names};
  panel.series.push_back({"", {}});
  for (std::size_t i = 0; i < names.size(); ++i)
    panel.series[0].points.push_back({static_cast<double>(i), 1});
  return to_svg("bars", {panel});
}

TEST(FigureTest, ShortNamesOfBarsStandBesideEachOther) {
  const std::string svg = bars({"lbm", "mcf", "milc"});
  EXPECT_EQ(occurrences(svg, "text-anchor=\"middle\">mcf<"), 1);
  EXPECT_EQ(occurrences(svg, "rotate(-45)"), 0);
}

TEST(FigureTest, LongNamesOfBarsAreTurned) {
  EXPECT_EQ(occurrences(bars(std::vector<std::string>(10, "GemsFDTD")), "rotate(-45)"), 10);
  EXPECT_EQ(occurrences(bars(std::vector<std::string>(10, "early_late+consolidate")),
                        "rotate(-90)\" text-anchor=\"end\">"),
            10);
}

TEST(FigureTest, OfManyBarsSomeHaveNames) {
  // A name is 5.2 wide; a rotated name takes 21.2.
  EXPECT_EQ(occurrences(bars(std::vector<std::string>(100, "1000")), ">1000<"), 20);
}

Panel of_points(const std::string& title, const std::string& y_label, double highest) {
  Panel panel{.title = title, .x_label = "x", .y_label = y_label};
  panel.series.push_back({"", {{1, highest / 2}, {2, highest}}});
  return panel;
}

TEST(FigureTest, APanelsTitleIsBelowTheSubtitle) {
  const std::string svg = to_svg("figure", {of_points("full checkpoints", "y", 1)}, "of a machine");
  EXPECT_EQ(occurrences(svg, "y=\"42\">of a machine<"), 1);
  EXPECT_EQ(occurrences(svg, "y=\"72.0\" text-anchor=\"middle\" font-weight=\"bold\">full checkpoints<"), 1);
  EXPECT_EQ(
      occurrences(to_svg("figure", {of_points("", "y", 1)}, "of a machine"), "y=\"70.0\" width=\"520.0\""),
      1);
}

TEST(FigureTest, AnAxisOfSharesEndsAt100Percent) {
  const auto has_tick = [](const std::string& label, double highest, const std::string& tick) {
    return occurrences(to_svg("figure", {of_points("", label, highest)}), ">" + tick + "<") > 0;
  };
  EXPECT_TRUE(has_tick("work over run (%)", 99.4, "100"));
  EXPECT_FALSE(has_tick("work over run (%)", 99.4, "120"));
  EXPECT_TRUE(has_tick("overhead (%)", 110, "120"));
  EXPECT_TRUE(has_tick("time (s)", 99.4, "120"));
}

// The texts from each occurrence of `before` to the next `end`.
std::vector<std::string> all_after(const std::string& svg, const std::string& before, char end) {
  std::vector<std::string> found;
  for (std::size_t at = 0; (at = svg.find(before, at)) != std::string::npos;) {
    at += before.size();
    found.push_back(svg.substr(at, svg.find(end, at) - at));
  }
  return found;
}

TEST(FigureTest, TwoResultsThatAgreeAreALineAndMarkersOnIt) {
  Panel panel{.title = "", .x_label = "x", .y_label = "y"};
  panel.series = {{.name = "model", .points = {{1, 1}, {2, 3}}, .drawn = Panel::Drawn::line},
                  {.name = "run", .points = {{1, 1}, {2, 3}}, .drawn = Panel::Drawn::markers}};
  const std::string svg = to_svg("figure", {panel});
  EXPECT_EQ(occurrences(svg, "<circle"), 0) << "of the line";
  EXPECT_EQ(occurrences(svg, "width=\"6.4\""), 3) << "two points and the legend";
  EXPECT_EQ(all_after(svg, "stroke-width=\"1.6\"", '>').size(), 2u) << "a line, and it in the legend";
}

Panel of_series(std::size_t count, Panel::Kind kind) {
  Panel panel{.title = "", .x_label = "", .y_label = "", .kind = kind, .categories = {"lbm"}};
  for (std::size_t i = 0; i < count; ++i) panel.series.push_back({"s", {{0, 1}, {0, 2}}});
  return panel;
}

TEST(FigureTest, NoTwoOfManyBarsAreAlike) {
  const std::string svg = to_svg("bars", {of_series(20, Panel::Kind::bars)});
  const auto paints = all_after(svg, "width=\"14\" height=\"10\" fill=\"", '"');  // those in the legend
  ASSERT_EQ(paints.size(), 20u);
  EXPECT_EQ(std::set(paints.begin(), paints.end()).size(), 20u);
  for (const std::string& paint : paints)
    EXPECT_EQ(occurrences(svg, "fill=\"" + paint + "\" stroke"), 3) << paint;
  const auto patterns = all_after(svg, "<pattern id=", '\n');
  EXPECT_EQ(patterns.size(), 12u);
  std::set<std::string> drawn;
  for (const std::string& pattern : patterns) drawn.insert(pattern.substr(pattern.find(' ')));
  EXPECT_EQ(drawn.size(), 12u) << "series with different names must not look the same";
}

TEST(FigureTest, NoTwoOfManyCurvesAreAlike) {
  const std::string svg = to_svg("curves", {of_series(20, Panel::Kind::curves)});
  const auto lines = all_after(svg, "h28\" stroke=\"", '>');
  ASSERT_EQ(lines.size(), 20u);
  EXPECT_EQ(std::set(lines.begin(), lines.end()).size(), 20u);
}

// The interval from 0.5 to 1.5 extends the axis from 0 to 1.6; the point alone would not.
TEST(FigureTest, APointOfACurveHasItsInterval) {
  Panel panel{.title = "", .x_label = "", .y_label = ""};
  panel.series.push_back({"s", {{.x = 0, .y = 1, .low = 0.5, .high = 1.5}, {.x = 1, .y = 1}}});
  const std::string svg = to_svg("curves", {panel});
  const auto intervals = all_after(svg, "h8m-4 0V", 'm');
  ASSERT_EQ(intervals.size(), 1u);
  EXPECT_EQ(occurrences(svg, ">1.6<"), 1);
  EXPECT_EQ(occurrences(svg, "<path d=\"M72.0 91.2h8m-4 0V303.8m-4 0h8\""), 1) << svg;
}

Panel one_curve(std::vector<Panel::Point> points) {
  Panel panel{.title = "", .x_label = "x", .y_label = "y"};
  panel.series.push_back({"s", std::move(points)});
  return panel;
}

TEST(FigureTest, ACurveIsDrawnInTheOrderOfX) {
  const std::string svg = to_svg("f", {one_curve({{2, 8}, {10, 4}, {4, 2}})});
  EXPECT_EQ(occurrences(svg, "\"M180.0 138.0L284.0 342.0L596.0 274.0\""), 1) << svg;
}

// The axis ends at 6, and x at 8.
TEST(FigureTest, APointOffTheAxisIsAnArrowAtItsEdgeWithItsValue) {
  const std::string svg = to_svg("f", {one_curve({{0, 5}, {6, 20, "saturated"}, {8, 5.5, "saturated"}})});
  // From 5 to 20 it leaves the plot at a fifteenth of the way, and returns from 20 to 5.5 at 14/14.5 of it.
  EXPECT_EQ(occurrences(svg, "d=\"M76.0 126.7L102.0 70.0M591.5 70.0L596.0 98.3\""), 1) << svg;
  EXPECT_EQ(occurrences(svg, "<circle"), 3) << "two points within the axis, and the legend";
  EXPECT_EQ(occurrences(svg, "<path d=\"M466.0 70.0l4.5 9h-9z\""), 1) << svg;
  EXPECT_EQ(occurrences(svg, "x=\"474.0\" y=\"81.0\" font-size=\"11\" text-anchor=\"start\""), 1) << svg;
  EXPECT_EQ(occurrences(svg, "paint-order=\"stroke\">20<"), 1);
  EXPECT_EQ(occurrences(svg, ">hollow: saturated; arrow: off the axis, with the value<"), 1);
}

TEST(FigureTest, ArrowsAtTheSamePlaceStandSideBySide) {
  Panel panel = one_curve({{0, 5}, {6, 20, "saturated"}, {8, 5}});
  panel.series.push_back({"other", {{0, 4}, {6, 30, "saturated"}, {8, 5}}});
  const std::string svg = to_svg("f", {panel});
  EXPECT_EQ(occurrences(svg, "<path d=\"M466.0 70.0l4.5 9h-9z\""), 1) << svg;
  EXPECT_EQ(occurrences(svg, "<path d=\"M476.0 70.0l4.5 9h-9z\""), 1) << svg;
}

TEST(FigureTest, ALogarithmicAxisFitsDoubtfulPoints) {
  Panel panel = one_curve({{0, 5}, {6, 20, "saturated"}, {8, 1798, "saturated"}});
  panel.is_logarithmic = true;
  const std::string svg = to_svg("f", {panel});
  EXPECT_EQ(occurrences(svg, ">10000<"), 1) << svg;
  EXPECT_EQ(occurrences(svg, "arrow"), 0);
}

TEST(FigureTest, ValuesOfArrowsThatAreNearAreInLinesOfTheirOwn) {
  const std::string svg =
      to_svg("f", {one_curve({{0, 5}, {5, 20, "saturated"}, {5.1, 30, "saturated"}, {10, 40, "saturated"}})});
  EXPECT_EQ(occurrences(svg, "y=\"81.0\" font-size=\"11\" text-anchor=\"start\""), 1) << svg;
  EXPECT_EQ(occurrences(svg, "y=\"93.0\" font-size=\"11\" text-anchor=\"start\""), 1) << svg;
  EXPECT_EQ(occurrences(svg, "y=\"81.0\" font-size=\"11\" text-anchor=\"end\""), 1)
      << "the last one has no room to its right";
}

TEST(FigureTest, AValueThatALogarithmicAxisCannotHaveIsAnArrowBelow) {
  Panel panel = one_curve({{0, 10}, {1, 0}, {2, 1000}});
  panel.is_logarithmic = true;
  const std::string svg = to_svg("f", {panel});
  EXPECT_EQ(occurrences(svg, "<path d=\"M336.0 410.0l4.5 -9h-9z\""), 1) << svg;
  EXPECT_EQ(occurrences(svg, "paint-order=\"stroke\">0<"), 1);
}

TEST(FigureTest, PublishedValuesAreCrossesWithinTheAxis) {
  Panel panel = one_curve({{0, 10}, {2, 12}});
  panel.series[0].published = {{1, 40}};
  const std::string svg = to_svg("f", {panel});
  EXPECT_EQ(occurrences(svg, "stroke-width=\"1.7\""), 2) << "the value, and the legend";
  EXPECT_EQ(occurrences(svg, ">published<"), 1);
  EXPECT_EQ(occurrences(svg, ">50<"), 1);
  EXPECT_EQ(occurrences(svg, "arrow"), 0);
}

TEST(FigureTest, ExactValuesArePlusSigns) {
  Panel panel = one_curve({{0, 10}, {2, 12}});
  panel.series[0].exact = {{0, 9}, {2, 40}};
  const std::string svg = to_svg("f", {panel});
  EXPECT_EQ(occurrences(svg, "h12m-6 -6v12\" fill=\"none\" stroke=\"white\""), 3)
      << "the values, and the legend";
  EXPECT_EQ(occurrences(svg, ">exact<"), 1);
  EXPECT_EQ(occurrences(svg, ">published<"), 0);
  EXPECT_EQ(occurrences(svg, ">50<"), 1);
}

TEST(FigureTest, ALineSaysOfWhatTheErrorBarsAre) {
  Panel panel = one_curve({{0, 10, "", 9, 11}, {2, 12}});
  panel.interval = "the mean of 5 seeds";
  EXPECT_EQ(occurrences(to_svg("f", {panel}), ">error bars: 95% confidence interval of the mean of 5 seeds<"),
            1);
}

TEST(FigureTest, ALogarithmicAxisHasPowersOfTenAndATextForZero) {
  Panel panel{
      .title = "", .x_label = "", .y_label = "ppm", .kind = Panel::Kind::bars, .categories = {"a", "b"}};
  panel.is_logarithmic = true;
  panel.series.push_back({"", {{0, 0.5}, {1, 0, "", 0, 2000}}});
  const std::string svg = to_svg("f", {panel});
  for (const char* tick : {">0.1<", ">1<", ">10<", ">100<", ">1000<", ">10000<"})
    EXPECT_EQ(occurrences(svg, tick), 1) << tick;
  EXPECT_EQ(occurrences(svg, "font-size=\"9\" text-anchor=\"middle\""), 1);
  EXPECT_EQ(occurrences(svg, "m-4 0h8"), 1) << "the upper bound of the zero";
}

TEST(FigureTest, CurvesThatDifferLittleFillTheAxis) {
  EXPECT_EQ(occurrences(to_svg("f", {one_curve({{1, 88}, {2, 93}})}), ">88<"), 1);
  EXPECT_EQ(occurrences(to_svg("f", {one_curve({{1, 8}, {2, 93}})}), ">0<"), 1);
}

TEST(FigureTest, FewBarsNeedNoHatches) {
  const std::string svg = to_svg("bars", {of_series(8, Panel::Kind::bars)});
  EXPECT_EQ(occurrences(svg, "hatch"), 0);
}

// A line in a picture with one panel has space for 84 characters of the usual size.
TEST(FigureTest, ALongSubtitleIsSetSmaller) {
  const Panel panel = of_series(1, Panel::Kind::bars);
  EXPECT_EQ(occurrences(to_svg("t", {panel}, std::string(40, 'm')), "y=\"42\">mmm"), 1);
  EXPECT_EQ(occurrences(to_svg("t", {panel}, std::string(112, 'm')), "y=\"42\" font-size=\"9."), 1);
}

TEST(FigureTest, AVeryLongSubtitleIsInSeveralLinesAboveThePlot) {
  std::string keys;
  for (int i = 0; i < 30; ++i) keys += "key=value ";
  const std::string svg = to_svg("t", {of_points("", "y", 1)}, keys);
  EXPECT_EQ(occurrences(svg, ">key=value key="), 5);
  EXPECT_EQ(occurrences(svg, "y=\"102\">key="), 1) << "the fifth line";
  EXPECT_EQ(occurrences(svg, "y=\"130.0\" width=\"520.0\""), 1) << svg;
}

TEST(FigureTest, APanelWithoutATitleHasNone) {
  Panel panel = of_series(1, Panel::Kind::bars);
  EXPECT_EQ(occurrences(to_svg("bars", {panel}), "font-weight=\"bold\""), 1);
  panel.title = "lbm";
  EXPECT_EQ(occurrences(to_svg("bars", {panel}), "font-weight=\"bold\">lbm<"), 1);
}

// A panel takes 620 of width and, without a legend, 506 of height.
TEST(FigureTest, PanelsWrapIntoRowsOfThreeAtMost) {
  const Panel panel = of_points("", "y", 1);
  const auto begins = [&](std::size_t panels) {
    return all_after(to_svg("f", std::vector<Panel>(panels, panel)),
                     "<svg xmlns=\"http://www.w3.org/2000/svg\" ", 'v')
        .at(0);
  };
  EXPECT_EQ(begins(3), "width=\"1860\" height=\"506\" ");
  EXPECT_EQ(begins(4), "width=\"1240\" height=\"966\" ");
  EXPECT_EQ(begins(6), "width=\"1860\" height=\"966\" ");
  EXPECT_EQ(occurrences(to_svg("f", std::vector<Panel>(6, panel)), "y=\"530.0\" width=\"520.0\""), 3);
}

TEST(FigureTest, TheNameOfAnAxisIsBesideItsLongestTick) {
  Panel panel = one_curve({{0, 2e-6}, {1, 0.5}});
  panel.is_logarithmic = true;
  const std::string svg = to_svg("f", {panel});
  EXPECT_EQ(occurrences(svg, ">0.001<"), 1) << svg;
  EXPECT_EQ(occurrences(svg, ">1e-06<"), 1) << svg;
  const auto begin_of_plot = [](const std::string& of) {
    return std::stod(all_after(of, "<rect x=\"", '"').at(0));
  };
  EXPECT_DOUBLE_EQ(begin_of_plot(svg), 83.8) << "six characters";
  EXPECT_DOUBLE_EQ(begin_of_plot(to_svg("f", {one_curve({{0, 20'000}, {1, 70'000}})})), 76) << "five";
}

TEST(FigureTest, AnXAxisIsLogarithmicIfThePointsWereChosenOnSuchAScale) {
  const auto has = [](std::vector<Panel::Point> points) {
    return has_logarithmic_x(one_curve(std::move(points)));
  };
  EXPECT_TRUE(has({{1024, 1}, {4096, 2}, {16384, 3}, {65536, 4}}));
  EXPECT_FALSE(has({{1, 1}, {2, 2}, {2.9, 3}, {40, 4}})) << "2.9 is too near";
  EXPECT_FALSE(has({{1, 1}, {2, 2}, {15, 3}}));
  EXPECT_FALSE(has({{0, 1}, {10, 2}, {100, 3}}));
  Panel with_sign = one_curve({{1, 1}, {10, 2}, {100, 3}});
  EXPECT_TRUE(has_logarithmic_x(with_sign));
  with_sign.series[0].published = {{0, 1}};
  EXPECT_FALSE(has_logarithmic_x(with_sign));
  const std::string svg = to_svg("f", {one_curve({{1024, 1}, {4096, 2}, {16384, 3}, {65536, 4}})});
  for (const char* tick : {"\"76.0\" y=\"428.0\" text-anchor=\"middle\">1000<",
                           "\"336.0\" y=\"428.0\" text-anchor=\"middle\">10000<",
                           "\"596.0\" y=\"428.0\" text-anchor=\"middle\">100000<"})
    EXPECT_EQ(occurrences(svg, tick), 1) << svg;
}

}  // namespace
}  // namespace asterism
