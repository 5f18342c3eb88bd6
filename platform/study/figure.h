// Figures as SVG: panels side by side, each of curves or of bars. The text of a figure depends on its data
// only.
#pragma once

#include <string>
#include <vector>

namespace asterism {

struct Panel {
  struct Point {
    double x, y;
    bool hollow = false;    // doubtful: a saturated point
    double half_width = 0;  // of its confidence interval, drawn as an error bar; only in curves
  };
  struct Series {
    std::string name;
    std::vector<Point> points;
  };
  enum class Kind { curves, bars };  // in bars, a point's x is its index in `categories`

  std::string title, x_label, y_label;
  Kind kind = Kind::curves;
  std::vector<std::string> categories = {};
  std::vector<Series> series = {};
};

// Curves are drawn through the points in their order. The y axis fits the points that are not hollow; hollow
// points above it are drawn at its upper end. A panel without a point says so. A subtitle too long for the
// picture is set smaller.
std::string to_svg(const std::string& title, const std::vector<Panel>& panels,
                   const std::string& subtitle = "");

}  // namespace asterism
