#include "platform/study/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <sstream>
#include <string_view>

#include "base/xml_text.h"

namespace asterism {
namespace {

constexpr double plot_width = 520, plot_height = 340;
constexpr double usual_top = 70, title_line = 18;  // the title of a panel is below the subtitle
constexpr double usual_left = 76, below = 96, gap = 24, letter = 7.2, legend_line = 20, line_height = 15,
                 sine_45 = 0.7071, digit = 8.3;
constexpr std::size_t panels_a_row = 3;
constexpr double row_gap = 24;
// The usual size of a text, and the mean width of a character relative to it.
constexpr double font_size = 13, em = 0.53;

// The colours of Okabe and Ito, which colour-blind readers can distinguish; the marker changes as well.
constexpr std::array colours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                "#000000", "#e69f00", "#56b4e9", "#8a7500"};

// After the last colour, the colours are used again: hatched for bars, dashed for curves, and with another
// marker.
const char* colour_of(std::size_t series) { return colours[series % colours.size()]; }
std::size_t round_of(std::size_t series) { return series / colours.size(); }

std::string bar_paint(std::size_t series) {
  return round_of(series) == 0 ? colour_of(series) : fmt::format("url(#hatch{})", series);
}
std::string dashes(std::size_t series) {
  return round_of(series) == 0 ? "" : fmt::format(" stroke-dasharray=\"{} 3\"", 10 / round_of(series));
}

// The definitions that bar_paint() refers to.
std::string hatches(std::size_t series) {
  std::string patterns;
  for (std::size_t s = colours.size(); s < series; ++s)
    patterns += fmt::format(
        "<pattern id=\"hatch{}\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate({})\"><rect width=\"5\" height=\"5\" fill=\"white\"/><rect "
        "width=\"2.5\" height=\"5\" fill=\"{}\"/></pattern>\n",
        s, 45 * round_of(s), colour_of(s));
  return patterns.empty() ? "" : "<defs>\n" + patterns + "</defs>\n";
}

// The values of an axis.
struct Extent {
  static constexpr double none = std::numeric_limits<double>::max();
  double low = none, high = -none, least_positive = none;
  bool is_empty() const { return low > high; }
  void take(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
    if (value > 0) least_positive = std::min(least_positive, value);
  }
};

// Of the greatest value. Curves of lower ones would leave no room to the others, and are arrows.
constexpr double least_of_axis = 1e-30;

// The ends and the ticks of an axis. On a logarithmic axis first and step are exponents of ten.
struct Ticks {
  double first = 0, step = 1;
  int count = 1;  // steps
  bool is_logarithmic = false;
  double last() const { return first + step * count; }
  // From 0 to 1 on the axis.
  double place(double value) const {
    if (is_logarithmic && value <= 0) return 0;
    return ((is_logarithmic ? std::log10(value) : value) - first) / (last() - first);
  }
  double value(int i) const {
    const double at = first + step * i;
    return is_logarithmic ? std::pow(10, at) : at;
  }
  std::string text(int i) const {
    const double value = this->value(i);
    if (is_logarithmic) return fmt::format("{:g}", value);
    if (step >= 1 && last() < 1e6) return fmt::format("{:.0f}", value);
    return fmt::format("{:.4g}", value < step / 2 && value > -step / 2 ? 0.0 : value);
  }
};

constexpr int max_steps = 8;

// Round values at 1, 2 or 5 times a power of ten, from `low` or below to at least `high`.
Ticks ticks(double low, double high) {
  if (!(high > low)) high = low + (low > 0 ? low : 1);
  double step = 1;
  while (step * max_steps < high - low) step *= 10;
  while (step > (high - low) / 0.8) step /= 10;
  for (const double finer : {5.0, 2.0})
    if ((high - low) / (step / finer) <= max_steps) {
      step /= finer;
      break;
    }
  Ticks t{step * std::floor(low / step), step, 1};
  while (t.last() < high - step * 1e-9) ++t.count;
  return t;
}

// The powers of ten from 10^first to at least 10^last.
Ticks powers_between(double first, double last) {
  const int powers = std::max(1, static_cast<int>(std::ceil(last - first)));
  const int step = (powers + max_steps - 1) / max_steps;
  return {first, static_cast<double>(step), (powers + step - 1) / step, true};
}

// The first is below `low`, so that its bar can be seen.
Ticks powers_of_ten(double low, double high) {
  return powers_between(std::ceil(std::log10(low)) - 1, std::log10(high));
}

// The first is at or below `low`: a marker there can be seen.
Ticks powers_of_ten_along(double low, double high) {
  return powers_between(std::floor(std::log10(low) + 1e-9), std::log10(high) - 1e-9);
}

std::string marker(std::size_t series, double x, double y, bool hollow) {
  const char* colour = colour_of(series);
  const std::string paint =
      fmt::format("fill=\"{}\" stroke=\"{}\" stroke-width=\"1.5\"", hollow ? "white" : colour, colour);
  switch ((series + round_of(series)) % 4) {
    case 0:
      return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" {}/>\n", x, y, paint);
    case 1:
      return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"6.4\" height=\"6.4\" {}/>\n", x - 3.2,
                         y - 3.2, paint);
    case 2:
      return fmt::format("<path d=\"M{:.1f} {:.1f}l4 7h-8z\" {}/>\n", x, y - 4.5, paint);
    default:
      return fmt::format("<path d=\"M{:.1f} {:.1f}l4.5 4.5l-4.5 4.5l-4.5 -4.5z\" {}/>\n", x, y - 4.5, paint);
  }
}

// Above or below the axis, at its end.
std::string arrow(std::size_t series, double x, double end, bool above) {
  return fmt::format(
      "<path d=\"M{:.1f} {:.1f}l4.5 {}h-9z\" fill=\"white\" stroke=\"{}\" stroke-width=\"1.5\"/>\n", x, end,
      above ? 9 : -9, colour_of(series));
}

// The sign of values that are not measured, above whatever else is there.
struct Sign {
  const char* name;
  std::vector<Panel::Point> Panel::Series::*values;
  double left, up;   // of the place
  const char* path;  // from there
};
constexpr std::array signs = {
    Sign{"exact", &Panel::Series::exact, 6, 0, "h12m-6 -6v12"},
    Sign{"published", &Panel::Series::published, 5.5, 5.5, "l11 11m-11 0l11 -11"},
};
std::string drawn(const Sign& sign, double x, double y, const char* colour) {
  const std::string path =
      fmt::format("<path d=\"M{:.1f} {:.1f}{}\" fill=\"none\"", x - sign.left, y - sign.up, sign.path);
  return fmt::format(
      "{0} stroke=\"white\" stroke-width=\"3.4\"/>\n{0} stroke=\"{1}\" stroke-width=\"1.7\"/>\n", path,
      colour);
}

class Drawing {
 public:
  // `top` is where the plot begins; the title of the panel is above it.
  Drawing(const Panel& panel, double at, double top) : panel_(panel), at_(at), top_(top) {
    Extent x, y, solid_y;
    for (const Panel::Series& series : panel.series)
      for (const Panel::Point& point : series.points) {
        x.take(point.x);
        y.take(point.y);
        if (!point.doubt.empty()) {
          if (std::ranges::count(doubts_, point.doubt) == 0) doubts_.push_back(point.doubt);
          if (panel.kind == Panel::Kind::curves && !panel.is_logarithmic) continue;
        }
        solid_y.take(point.y);
        if (has_interval(point)) solid_y.take(std::max(point.low, 0.0)), solid_y.take(point.high);
        has_intervals_ = has_intervals_ || has_interval(point);
      }
    for (const Sign& sign : signs)
      for (const Panel::Series& series : panel.series)
        for (const Panel::Point& point : series.*sign.values) {
          x.take(point.x);
          solid_y.take(point.y);
          if (signs_.empty() || signs_.back() != &sign) signs_.push_back(&sign);
        }
    empty_ = x.is_empty();
    if (empty_) x = y = {.low = 0, .high = 0};
    solid_y.low = std::min(solid_y.low, y.low);
    y_ = y_ticks(solid_y.is_empty() ? y : solid_y);
    x_ = has_logarithmic_x(panel) ? powers_of_ten_along(x.low, x.high)
                                  : ticks(x.low < x.high / 3 ? 0 : x.low, x.high);
    std::size_t longest = 0;
    for (int i = 0; i <= y_.count; ++i) longest = std::max(longest, y_.text(i).size());
    left_ = std::max(usual_left, 34 + digit * static_cast<double>(longest));
    for (const Panel::Series& series : panel.series)
      has_arrows_ = has_arrows_ || std::ranges::any_of(series.points, [this](const Panel::Point& point) {
                      return is_off(point);
                    });
  }

  // The legend is below the plot, with as many entries in a line as fit.
  double height() const {
    return top_ + plot_height + names_depth() + below +
           legend_line * static_cast<double>(legend_rows() + notes().size());
  }

  double width() const { return left_ + plot_width + gap; }

  std::string text() const {
    std::string svg = frame();
    if (empty_)
      return svg + fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">no points</text>\n",
                               at_ + left_ + plot_width / 2, top_ + plot_height / 2);
    svg += panel_.kind == Panel::Kind::bars ? bars() : curves();
    return svg + marks() + legend() + notes_below();
  }

 private:
  static bool has_interval(const Panel::Point& point) { return point.low < point.high; }
  // The axis of curves that differ little does not begin at 0, but that of bars does, whose lengths are
  // compared.
  Ticks y_ticks(const Extent& y) const {
    if (panel_.is_logarithmic && y.high > 0) {
      const bool has_arrows = panel_.kind == Panel::Kind::curves;
      return powers_of_ten(std::max(y.least_positive, has_arrows ? y.high * least_of_axis : 0), y.high);
    }
    const bool is_share = panel_.y_label.ends_with("(%)") && y.high <= 100;  // the axis then ends at 100%
    const double high = is_share ? std::min(y.high * 1.02, 100.0) : y.high * 1.02;
    const bool is_narrow =
        panel_.kind == Panel::Kind::curves && y.low > 0.8 * y.high && y.low < 0.99 * y.high;
    return ticks(is_narrow ? y.low : std::min(y.low, 0.0), std::max(high, 0.0));
  }
  bool is_above(const Panel::Point& point) const { return y_.place(point.y) > 1 + 1e-9; }
  bool is_off(const Panel::Point& point) const {
    const bool is_below = y_.is_logarithmic && (point.y <= 0 || y_.place(point.y) < -1e-9);
    return panel_.kind == Panel::Kind::curves && (is_above(point) || is_below);
  }
  double px(double x) const { return at_ + left_ + x_.place(x) * plot_width; }
  double py(double y) const { return top_ + plot_height * (1 - y_.place(y)); }
  double py_within(double y) const { return top_ + plot_height * (1 - std::clamp(y_.place(y), 0.0, 1.0)); }
  double slot() const {
    return plot_width / static_cast<double>(std::max<std::size_t>(panel_.categories.size(), 1));
  }
  // Names of categories that are too long to be side by side are rotated by 45 degrees, or by 90 if they
  // would leave the panel. If even these are too many, some are left out.
  double longest_name() const {
    std::size_t longest = 0;
    for (const std::string& name : panel_.categories) longest = std::max(longest, name.size());
    return static_cast<double>(longest) * letter;
  }
  bool rotates_names() const { return longest_name() > slot() - 4; }
  bool names_upright() const { return longest_name() * sine_45 > left_; }
  double names_depth() const {
    if (!rotates_names()) return 0;
    return longest_name() * (names_upright() ? 1 : sine_45);
  }
  std::string names() const {
    std::string svg;
    const double needed = names_upright() ? line_height : line_height / sine_45;
    const auto every = static_cast<std::size_t>(rotates_names() ? needed / slot() : 0) + 1;
    for (std::size_t c = 0; c < panel_.categories.size(); c += every) {
      const double x = at_ + left_ + slot() * (static_cast<double>(c) + 0.5), y = top_ + plot_height + 16;
      const std::string name = xml_text(panel_.categories[c]);
      if (rotates_names())
        svg += fmt::format(
            "<text transform=\"translate({:.1f} {:.1f}) rotate(-{})\" text-anchor=\"end\">{}</text>\n", x + 4,
            y - 2, names_upright() ? 90 : 45, name);
      else
        svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", x, y, name);
    }
    return svg;
  }
  bool has_legend() const {
    return panel_.series.size() > 1 || (!panel_.series.empty() && !panel_.series[0].name.empty());
  }
  std::size_t legends_a_row() const {
    std::size_t longest = 1;
    for (const Panel::Series& series : panel_.series) longest = std::max(longest, series.name.size());
    return std::max<std::size_t>(
        1, static_cast<std::size_t>(plot_width / (static_cast<double>(longest) * letter + 44)));
  }
  std::size_t legends() const { return (has_legend() ? panel_.series.size() : 0) + signs_.size(); }
  std::size_t legend_rows() const { return (legends() + legends_a_row() - 1) / legends_a_row(); }

  std::string frame() const {
    const double x = at_ + left_, bottom = top_ + plot_height;
    std::string svg;
    if (!panel_.title.empty())
      svg += fmt::format(
          "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" font-weight=\"bold\">{}</text>\n",
          x + plot_width / 2, top_ - 16, xml_text(panel_.title));
    for (int i = 0; !empty_ && i <= y_.count; ++i) {
      const double y = top_ + plot_height * (1 - static_cast<double>(i) / y_.count);
      svg += fmt::format("<path d=\"M{:.1f} {:.1f}h{:.1f}\" stroke=\"#dddddd\"/>\n", x, y, plot_width);
      svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", x - 8, y + 4,
                         y_.text(i));
    }
    for (int i = 0; !empty_ && panel_.kind == Panel::Kind::curves && i <= x_.count; ++i) {
      const double at = px(x_.value(i));
      svg += fmt::format("<path d=\"M{:.1f} {:.1f}v{:.1f}\" stroke=\"#dddddd\"/>\n", at, top_, plot_height);
      svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", at,
                         bottom + 18, x_.text(i));
    }
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" "
        "stroke=\"black\"/>\n",
        x, top_, plot_width, plot_height);
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                       x + plot_width / 2, bottom + names_depth() + 44, xml_text(panel_.x_label));
    svg += fmt::format(
        "<text transform=\"translate({:.1f} {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
        at_ + 18, top_ + plot_height / 2, xml_text(panel_.y_label));
    return svg;
  }

  // The value of an arrow: its place along x, and the line of text.
  struct Label {
    double from, to;
    bool above;
    int line;
  };

  std::string interval(double x, const Panel::Point& point, const char* colour) const {
    if (!has_interval(point)) return "";
    return fmt::format("<path d=\"M{0:.1f} {1:.1f}h8m-4 0V{2:.1f}m-4 0h8\" fill=\"none\" stroke=\"{3}\"/>\n",
                       x - 4, py_within(point.high), py_within(point.low), colour);
  }

  static std::vector<Panel::Point> by_x(std::vector<Panel::Point> points) {
    std::ranges::stable_sort(points, {}, &Panel::Point::x);
    return points;
  }

  // The places of the arrows, in the order in which they are drawn. Those at the same place stand side by
  // side.
  std::vector<Label> arrows() const {
    std::vector<Label> all;
    for (const Panel::Series& series : panel_.series)
      for (const Panel::Point& point : by_x(series.points)) {
        if (!is_off(point)) continue;
        Label arrow{px(point.x) - 5, px(point.x) + 5, is_above(point), 0};
        const double aside = arrow.from + 35 > at_ + left_ + plot_width ? -1 : 1;
        while (std::ranges::any_of(all, [&](const Label& other) {
          return other.above == arrow.above && other.from < arrow.to && arrow.from < other.to;
        }))
          arrow.from += aside, arrow.to += aside;
        all.push_back(arrow);
      }
    return all;
  }

  std::string curves() const {
    std::string lines, marks;
    std::vector<Label> labels = arrows();
    std::size_t next_arrow = 0;
    for (std::size_t s = 0; s < panel_.series.size(); ++s) {
      const std::vector<Panel::Point> points = by_x(panel_.series[s].points);
      const Panel::Drawn drawn = panel_.series[s].drawn;
      if (const std::string path = line_through(points); !path.empty() && drawn != Panel::Drawn::markers)
        lines += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"{}/>\n", path,
                             colour_of(s), dashes(s));
      for (const Panel::Point& point : points)
        if (is_off(point))
          marks += off(s, point, labels[next_arrow++].from + 5, labels);
        else if (drawn != Panel::Drawn::line)
          marks += interval(px(point.x), point, colour_of(s)) +
                   marker(s, px(point.x), py(point.y), !point.doubt.empty());
    }
    return lines + marks;
  }

  // As far as it is within the plot. Programs that draw do not clip lines to places far away as well.
  std::string line_through(const std::vector<Panel::Point>& points) const {
    std::string path;
    for (std::size_t i = 1; i < points.size(); ++i) {
      const double x = px(points[i - 1].x), y = y_.place(points[i - 1].y), to_x = px(points[i].x),
                   to_y = y_.place(points[i].y);
      double begin = 0, end = 1;  // shares of the way
      for (const double sign : {-1.0, 1.0}) {
        const double limit = sign < 0 ? 0 : 1, crossing = (limit - y) / (to_y - y);
        const bool leaves = (to_y - limit) * sign > 1e-9, enters = (y - limit) * sign > 1e-9;
        if (enters) begin = leaves ? 2 : std::max(begin, crossing);
        if (leaves) end = std::min(end, enters ? 0 : crossing);
      }
      if (begin >= end) continue;
      const auto add = [&](char command, double share) {
        path += fmt::format("{}{:.1f} {:.1f}", command, x + share * (to_x - x),
                            top_ + plot_height * (1 - (y + share * (to_y - y))));
      };
      if (path.empty() || begin > 0) add('M', begin);
      add('L', end);
    }
    return path;
  }

  // An arrow and its value, in the first line in which it overlaps nothing; without it if there is none.
  std::string off(std::size_t series, const Panel::Point& point, double x, std::vector<Label>& labels) const {
    constexpr int lines = 8;
    const bool above = is_above(point);
    const double end = above ? top_ : top_ + plot_height;
    const std::string value = fmt::format("{:.4g}", point.y);
    const double width = static_cast<double>(value.size()) * letter;
    const bool is_left = x + 8 + width > at_ + left_ + plot_width;  // of the arrow
    Label label{is_left ? x - 8 - width : x + 7, is_left ? x - 7 : x + 8 + width, above, 0};
    const auto overlaps = [&](const Label& other) {
      return label.above == other.above && label.line == other.line && label.from < other.to &&
             other.from < label.to;
    };
    while (label.line < lines && std::ranges::any_of(labels, overlaps)) ++label.line;
    std::string svg = arrow(series, x, end, above);
    if (label.line == lines) return svg;
    labels.push_back(label);
    const double y = above ? top_ + 11 + 12 * label.line : top_ + plot_height - 3 - 12 * label.line;
    return svg + fmt::format(
                     "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"11\" text-anchor=\"{}\" fill=\"{}\" "
                     "stroke=\"white\" stroke-width=\"3\" paint-order=\"stroke\">{}</text>\n",
                     is_left ? x - 8 : x + 8, y, is_left ? "end" : "start", colour_of(series), value);
  }

  std::string marks() const {
    const bool bars = panel_.kind == Panel::Kind::bars;
    std::string svg;
    for (const Sign* sign : signs_)
      for (std::size_t s = 0; s < panel_.series.size(); ++s)
        for (const Panel::Point& point : panel_.series[s].*sign->values)
          svg += drawn(*sign, bars ? bar_left(s, point) + bar_width() / 2 : px(point.x), py_within(point.y),
                       bars ? "black" : colour_of(s));
    return svg;
  }

  double bar_width() const { return slot() * 0.8 / static_cast<double>(panel_.series.size()); }
  double bar_left(std::size_t series, const Panel::Point& point) const {
    return at_ + left_ + slot() * (point.x + 0.1) + bar_width() * static_cast<double>(series);
  }

  std::string bars() const {
    std::string svg;
    const double width = bar_width();
    for (std::size_t s = 0; s < panel_.series.size(); ++s)
      for (const Panel::Point& point : panel_.series[s].points) {
        const double x = bar_left(s, point);
        const double y = py_within(point.y), zero = py_within(0);
        svg += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" "
            "stroke=\"{}\"/>\n",
            x, std::min(y, zero), width, std::abs(zero - y), point.doubt.empty() ? bar_paint(s) : "white",
            colour_of(s));
        svg += interval(x + width / 2, point, point.y == 0 ? "#bbbbbb" : "black");  // only an upper bound
        if (y_.is_logarithmic && point.y == 0)
          svg += fmt::format(
              "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"9\" text-anchor=\"middle\" fill=\"{}\">0</text>\n",
              x + width / 2, zero - 3, colour_of(s));
      }
    return svg + names();
  }

  std::string legend() const {
    std::string svg;
    const std::size_t a_row = legends_a_row();
    for (std::size_t s = 0; s < legends(); ++s) {
      const double x = at_ + left_ + static_cast<double>(s % a_row) * plot_width / static_cast<double>(a_row);
      const std::size_t row = s / a_row;
      const double y = top_ + plot_height + names_depth() + 72 + legend_line * static_cast<double>(row);
      const Sign* sign = s + signs_.size() >= legends() ? signs_[s + signs_.size() - legends()] : nullptr;
      if (sign) {
        svg += drawn(*sign, x + 14, y - 4, "black");
      } else if (panel_.kind == Panel::Kind::curves) {
        const Panel::Drawn drawn = panel_.series[s].drawn;
        if (drawn != Panel::Drawn::markers)
          svg += fmt::format("<path d=\"M{:.1f} {:.1f}h28\" stroke=\"{}\" stroke-width=\"1.6\"{}/>\n", x,
                             y - 4, colour_of(s), dashes(s));
        if (drawn != Panel::Drawn::line) svg += marker(s, x + 14, y - 4, false);
      } else {
        svg += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"14\" height=\"10\" fill=\"{}\" stroke=\"{}\"/>\n", x + 8,
            y - 9, bar_paint(s), colour_of(s));
      }
      svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x + 34, y,
                         sign ? sign->name : xml_text(panel_.series[s].name));
    }
    return svg;
  }

  // "hollow: saturated; arrow: off the axis", "error bars: 95% confidence interval"
  std::vector<std::string> notes() const {
    std::vector<std::string> lines;
    std::string words;
    for (const std::string& doubt : doubts_) words += (words.empty() ? "hollow: " : ", ") + doubt;
    if (has_arrows_) words += std::string(words.empty() ? "" : "; ") + "arrow: off the axis, with the value";
    if (!words.empty()) lines.push_back(words);
    if (has_intervals_)
      lines.push_back("error bars: 95% confidence interval" +
                      (panel_.interval.empty() ? "" : " of " + panel_.interval));
    return lines;
  }
  std::string notes_below() const {
    std::string svg;
    double y = top_ + plot_height + names_depth() + 72 + legend_line * static_cast<double>(legend_rows());
    for (const std::string& line : notes()) {
      svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"#444444\">{}</text>\n", at_ + left_, y,
                         xml_text(line));
      y += legend_line;
    }
    return svg;
  }

  const Panel& panel_;
  double at_, top_, left_ = usual_left;
  Ticks x_, y_;
  std::vector<std::string> doubts_;  // of its points, each once
  bool empty_ = true, has_arrows_ = false, has_intervals_ = false;
  std::vector<const Sign*> signs_;  // that it has
};

// The words of a subtitle, in as many lines as they need. One that is little too long for a line is set
// smaller instead.
std::vector<std::string> lines_of(const std::string& subtitle, double width) {
  constexpr double smallest = 10;
  const auto fits = [&](std::size_t characters, double size) {
    return em * size * static_cast<double>(characters) <= width;
  };
  std::vector<std::string> lines;
  const double size = fits(subtitle.size(), smallest) ? smallest : font_size;
  std::istringstream words(subtitle);
  for (std::string word; words >> word;)
    if (!lines.empty() && fits(lines.back().size() + 1 + word.size(), size))
      lines.back() += " " + word;
    else
      lines.push_back(std::move(word));
  return lines;
}

}  // namespace

bool has_logarithmic_x(const Panel& panel) {
  if (panel.kind != Panel::Kind::curves) return false;
  std::vector<double> xs;
  for (const Panel::Series& series : panel.series) {
    for (const Panel::Point& point : series.points) xs.push_back(point.x);
    for (const Sign& sign : signs)
      if (std::ranges::any_of(series.*sign.values, [](const Panel::Point& point) { return point.x <= 0; }))
        return false;
  }
  std::ranges::sort(xs);
  xs.erase(std::unique(xs.begin(), xs.end()), xs.end());
  if (xs.size() < 3 || xs.front() <= 0 || xs.back() < 16 * xs.front()) return false;
  return std::ranges::adjacent_find(xs, [](double x, double next) { return next < 1.5 * x; }) == xs.end();
}

std::string to_svg(const std::string& title, const std::vector<Panel>& panels, const std::string& subtitle) {
  std::string inside;
  std::size_t max_bars = 0;
  for (const Panel& panel : panels)
    if (panel.kind == Panel::Kind::bars) max_bars = std::max(max_bars, panel.series.size());
  inside += hatches(max_bars);
  // As many rows as are needed, of about as many panels.
  const std::size_t rows = (panels.size() + panels_a_row - 1) / panels_a_row;
  const std::size_t a_row = rows == 0 ? 1 : (panels.size() + rows - 1) / rows;
  double width = 0;
  for (std::size_t i = 0; i < panels.size(); i += a_row) {
    double of_row = 0;
    for (std::size_t k = i; k < std::min(i + a_row, panels.size()); ++k)
      of_row += Drawing(panels[k], 0, 0).width();
    width = std::max(width, of_row);
  }
  const std::vector<std::string> lines = lines_of(subtitle, width - usual_left);
  const double more = line_height * static_cast<double>(std::max<std::size_t>(lines.size(), 1) - 1);
  double height = 0;
  for (std::size_t i = 0; i < panels.size(); i += a_row) {
    const std::vector<Panel> row(
        panels.begin() + static_cast<std::ptrdiff_t>(i),
        panels.begin() + static_cast<std::ptrdiff_t>(std::min(i + a_row, panels.size())));
    const bool has_titles = std::ranges::any_of(row, [](const Panel& panel) { return !panel.title.empty(); });
    const double top = i == 0 ? usual_top + more + (has_titles && !lines.empty() ? title_line : 0)
                              : height + (has_titles ? title_line : 0) + row_gap;
    double at = 0;
    for (const Panel& panel : row) {
      const Drawing drawing(panel, at, top);
      inside += drawing.text();
      height = std::max(height, drawing.height());
      at += drawing.width();
    }
  }
  std::string below;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const double fits = (width - usual_left) / (em * static_cast<double>(lines[i].size()));
    below +=
        fmt::format("<text x=\"{:.1f}\" y=\"{:.0f}\"{}>{}</text>\n", usual_left,
                    42 + line_height * static_cast<double>(i),
                    fits < font_size ? fmt::format(" font-size=\"{:.1f}\"", fits) : "", xml_text(lines[i]));
  }
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 "
             "{0:.0f} "
             "{1:.0f}\" font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" "
             "fill=\"white\"/>\n<text x=\"{2:.1f}\" y=\"24\" font-size=\"16\" "
             "font-weight=\"bold\">{3}</text>\n",
             width, height, usual_left, xml_text(title)) +
         below + inside + "</svg>\n";
}

}  // namespace asterism
