// Figures as SVG: panels side by side, three in a row at most, each of curves or of bars. A figure depends on
// its data only.
#pragma once

#include <string>
#include <vector>

namespace asterism {

struct Panel {
  struct Point {
    double x, y;
    std::string doubt = "";    // why its marker is hollow: "saturated"; "" for a solid one
    double low = 0, high = 0;  // its confidence interval, drawn as an error bar; none if they are equal
  };
  enum class Drawn { line_and_markers, line, markers };
  struct Series {
    std::string name;
    std::vector<Point> points;
    // Values of a paper for points of the series, which are crosses without a curve.
    std::vector<Point> published = {};
    // Values of a formula that the points converge to, which are plus signs.
    std::vector<Point> exact = {};
    Drawn drawn = Drawn::line_and_markers;  // of curves; a point off the axis is an arrow all the same
  };
  enum class Kind { curves, bars };  // in bars, a point's x is its index in `categories`

  std::string title, x_label, y_label;
  Kind kind = Kind::curves;
  std::vector<std::string> categories = {};
  std::vector<Series> series = {};
  bool is_logarithmic = false;  // the y axis, if a value is above 0; a bar of 0 is then a text "0"
  std::string interval = "";    // of what the intervals are: "the mean of 5 seeds"
};

// Whether the x axis is logarithmic: the points of curves were chosen on such a scale. Each x is then at
// least 1.5 times the one before, and all together cover a factor of 16.
bool has_logarithmic_x(const Panel& panel);

// Curves are drawn through the points in the order of x. Their y axis fits the solid points, the published
// and the exact ones; that of bars, and a logarithmic one, fits all. A point off the axis is an arrow at the
// edge of the plot, with its value as far as there is room. Lines below the legend say what hollow points,
// arrows and error bars mean. A panel without a point says so. A subtitle too long for the picture is set
// smaller, or in several lines.
std::string to_svg(const std::string& title, const std::vector<Panel>& panels,
                   const std::string& subtitle = "");

}  // namespace asterism
