#include "platform/study/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

#include "base/xml_text.h"

namespace asterism {
namespace {

constexpr double plot_width = 520, plot_height = 340;
constexpr double usual_top = 70, title_line = 18;  // the title of a panel is below the subtitle
constexpr double left = 76, below = 96, gap = 24, letter = 7.2, legend_line = 20, line_height = 15,
                 sine_45 = 0.7071;

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

// Round values at 1, 2 or 5 times a power of ten, from 0 or below `low` to at least `high`.
struct Ticks {
  double first = 0, step = 1;
  int count = 1;  // steps
  double last() const { return first + step * count; }
  std::string text(int i) const {
    const double value = first + step * i;
    if (step >= 1 && last() < 1e6) return fmt::format("{:.0f}", value);
    return fmt::format("{:.4g}", value < step / 2 && value > -step / 2 ? 0.0 : value);
  }
};

Ticks ticks(double low, double high) {
  if (!(high > low)) high = low + (low > 0 ? low : 1);
  double step = 1;
  while (step * 8 < high - low) step *= 10;
  while (step > (high - low) / 0.8) step /= 10;
  for (const double finer : {5.0, 2.0})
    if ((high - low) / (step / finer) <= 8) {
      step /= finer;
      break;
    }
  Ticks t{step * static_cast<double>(static_cast<std::uint64_t>(low / step)), step, 1};
  while (t.last() < high - step * 1e-9) ++t.count;
  return t;
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

class Drawing {
 public:
  // `top` is where the plot begins; the title of the panel is above it.
  Drawing(const Panel& panel, double at, double top) : panel_(panel), at_(at), top_(top) {
    double high = 0, x_low = std::numeric_limits<double>::max(), x_high = 0;
    for (const Panel::Series& series : panel.series)
      for (const Panel::Point& point : series.points) {
        empty_ = false;
        if (!point.hollow) high = std::max(high, point.y + point.half_width);
        x_low = std::min(x_low, point.x);
        x_high = std::max(x_high, point.x);
      }
    if (high == 0)  // the panel has hollow points only
      for (const Panel::Series& series : panel.series)
        for (const Panel::Point& point : series.points) high = std::max(high, point.y);
    if (empty_) x_low = 0;
    const bool is_share = panel.y_label.ends_with("(%)") && high <= 100;  // the axis then ends at 100%
    y_ = ticks(0, is_share ? std::min(high * 1.02, 100.0) : high * 1.02);
    x_ = x_low < x_high / 3 ? ticks(0, x_high) : ticks(x_low, x_high);
  }

  // The legend is below the plot, with as many entries in a line as fit.
  double height() const {
    return top_ + plot_height + names_depth() + below + legend_line * static_cast<double>(legend_rows());
  }

  std::string text() const {
    std::string svg = frame();
    if (empty_)
      return svg + fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">no points</text>\n",
                               at_ + left + plot_width / 2, top_ + plot_height / 2);
    svg += panel_.kind == Panel::Kind::bars ? bars() : curves();
    return svg + legend();
  }

 private:
  double px(double x) const { return at_ + left + (x - x_.first) / (x_.last() - x_.first) * plot_width; }
  double py(double y) const {
    return top_ + plot_height - (std::min(y, y_.last()) - y_.first) / (y_.last() - y_.first) * plot_height;
  }
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
  bool names_upright() const { return longest_name() * sine_45 > left; }
  double names_depth() const {
    if (!rotates_names()) return 0;
    return longest_name() * (names_upright() ? 1 : sine_45);
  }
  std::string names() const {
    std::string svg;
    const double needed = names_upright() ? line_height : line_height / sine_45;
    const auto every = static_cast<std::size_t>(rotates_names() ? needed / slot() : 0) + 1;
    for (std::size_t c = 0; c < panel_.categories.size(); c += every) {
      const double x = at_ + left + slot() * (static_cast<double>(c) + 0.5), y = top_ + plot_height + 16;
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
  std::size_t legend_rows() const {
    return has_legend() ? (panel_.series.size() + legends_a_row() - 1) / legends_a_row() : 0;
  }

  std::string frame() const {
    const double x = at_ + left, bottom = top_ + plot_height;
    std::string svg;
    if (!panel_.title.empty())
      svg += fmt::format(
          "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" font-weight=\"bold\">{}</text>\n",
          x + plot_width / 2, top_ - 16, xml_text(panel_.title));
    for (int i = 0; !empty_ && i <= y_.count; ++i) {
      const double y = py(y_.first + y_.step * i);
      svg += fmt::format("<path d=\"M{:.1f} {:.1f}h{:.1f}\" stroke=\"#dddddd\"/>\n", x, y, plot_width);
      svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", x - 8, y + 4,
                         y_.text(i));
    }
    for (int i = 0; !empty_ && panel_.kind == Panel::Kind::curves && i <= x_.count; ++i) {
      const double at = px(x_.first + x_.step * i);
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

  std::string interval(std::size_t series, const Panel::Point& point) const {
    if (point.half_width <= 0) return "";
    const double upper = py(point.y + point.half_width),
                 lower = py(std::max(point.y - point.half_width, y_.first));
    return fmt::format("<path d=\"M{0:.1f} {1:.1f}h8m-4 0V{2:.1f}m-4 0h8\" fill=\"none\" stroke=\"{3}\"/>\n",
                       px(point.x) - 4, upper, lower, colour_of(series));
  }

  std::string curves() const {
    std::string svg;
    for (std::size_t s = 0; s < panel_.series.size(); ++s) {
      std::string path;
      for (const Panel::Point& point : panel_.series[s].points)
        path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? 'M' : 'L', px(point.x), py(point.y));
      if (panel_.series[s].points.size() > 1)
        svg += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"{}/>\n", path,
                           colour_of(s), dashes(s));
      for (const Panel::Point& point : panel_.series[s].points)
        svg += interval(s, point) + marker(s, px(point.x), py(point.y), point.hollow);
    }
    return svg;
  }

  std::string bars() const {
    std::string svg;
    const double width = slot() * 0.8 / static_cast<double>(panel_.series.size());
    for (std::size_t s = 0; s < panel_.series.size(); ++s)
      for (const Panel::Point& point : panel_.series[s].points) {
        const double x = at_ + left + slot() * (point.x + 0.1) + width * static_cast<double>(s);
        svg += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" "
            "stroke=\"{}\"/>\n",
            x, py(point.y), width, top_ + plot_height - py(point.y), point.hollow ? "white" : bar_paint(s),
            colour_of(s));
      }
    return svg + names();
  }

  std::string legend() const {
    std::string svg;
    if (!has_legend()) return svg;
    const std::size_t a_row = legends_a_row();
    for (std::size_t s = 0; s < panel_.series.size(); ++s) {
      const double x = at_ + left + static_cast<double>(s % a_row) * plot_width / static_cast<double>(a_row);
      const std::size_t row = s / a_row;
      const double y = top_ + plot_height + names_depth() + 72 + legend_line * static_cast<double>(row);
      if (panel_.kind == Panel::Kind::curves) {
        svg += fmt::format("<path d=\"M{:.1f} {:.1f}h28\" stroke=\"{}\" stroke-width=\"1.6\"{}/>\n", x, y - 4,
                           colour_of(s), dashes(s));
        svg += marker(s, x + 14, y - 4, false);
      } else {
        svg += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"14\" height=\"10\" fill=\"{}\" stroke=\"{}\"/>\n", x + 8,
            y - 9, bar_paint(s), colour_of(s));
      }
      svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x + 34, y,
                         xml_text(panel_.series[s].name));
    }
    return svg;
  }

  const Panel& panel_;
  double at_, top_;
  Ticks x_, y_;
  bool empty_ = true;
};

}  // namespace

std::string to_svg(const std::string& title, const std::vector<Panel>& panels, const std::string& subtitle) {
  std::string inside;
  double at = 0, height = 0;
  std::size_t max_bars = 0;
  for (const Panel& panel : panels)
    if (panel.kind == Panel::Kind::bars) max_bars = std::max(max_bars, panel.series.size());
  inside += hatches(max_bars);
  const bool has_titles =
      std::ranges::any_of(panels, [](const Panel& panel) { return !panel.title.empty(); });
  const double top = has_titles && !subtitle.empty() ? usual_top + title_line : usual_top;
  for (const Panel& panel : panels) {
    const Drawing drawing(panel, at, top);
    inside += drawing.text();
    height = std::max(height, drawing.height());
    at += left + plot_width + gap;
  }
  std::string below;
  if (!subtitle.empty()) {
    // The font's size, and the mean width of a character relative to it.
    constexpr double usual = 13, em = 0.53;
    const double fits = (at - left) / (em * static_cast<double>(subtitle.size()));
    below = fmt::format("<text x=\"{:.1f}\" y=\"42\"{}>{}</text>\n", left,
                        fits < usual ? fmt::format(" font-size=\"{:.1f}\"", fits) : "", xml_text(subtitle));
  }
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 "
             "{0:.0f} "
             "{1:.0f}\" font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" "
             "fill=\"white\"/>\n<text x=\"{2:.1f}\" y=\"24\" font-size=\"16\" "
             "font-weight=\"bold\">{3}</text>\n",
             at, height, left, xml_text(title)) +
         below + inside + "</svg>\n";
}

}  // namespace asterism
