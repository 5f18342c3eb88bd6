#include "platform/instruments/flame_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/xml_text.h"

namespace asterism {
namespace {

constexpr double plot_width = 1160, margin = 20, row = 18, letter = 6.7, narrowest = 0.5;

// Frames of one function have one colour in all pictures. The colours are light, with dark letters on them,
// in both schemes.
std::string colour_of(std::string_view name, std::size_t depth) {
  if (depth < 2 || name.starts_with('[')) return "hsl(210,14%,78%)";
  std::uint32_t hash = 2166136261u;
  for (const char each : name) hash = (hash ^ static_cast<unsigned char>(each)) * 16777619u;
  return fmt::format("hsl({},{}%,{}%)", 14 + hash % 40, 72 + hash / 64 % 18, 62 + hash / 4096 % 12);
}

// The name, shortened to a number of letters (UTF-8 sequences stay whole); "" if that says nothing.
std::string shortened(const std::string& name, double width) {
  const auto letters = static_cast<std::size_t>(std::max(0.0, (width - 6) / letter));
  if (name.size() <= letters) return name;
  if (letters < 3) return "";
  std::size_t end = letters - 1;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;
  return name.substr(0, end) + "\u2026";
}

class Picture {
 public:
  explicit Picture(const FlameFrame& root) : whole_(std::max<std::uint64_t>(root.width, 1)) {
    add(root, margin, 0);
  }
  std::string text(const std::string& title, const std::string& unit) const {
    const double height = 78 + row * static_cast<double>(rows_);
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 "
        "{0:.0f} "
        "{1:.0f}\" font-family=\"monospace\" font-size=\"11\">\n<style>\n"
        ":root{{color-scheme:light dark}} .paper{{fill:#fff}} .ink{{fill:#222;font-family:sans-serif}}\n"
        ".box rect{{stroke:#fff;stroke-width:0.6}} .box text{{fill:#1a1a1a}} .box:hover "
        "rect{{stroke:#000;stroke-width:1.2}}\n"
        "@media (prefers-color-scheme:dark){{.paper{{fill:#1c1f24}} .ink{{fill:#dcdfe4}} .box "
        "rect{{stroke:#1c1f24}} .box:hover rect{{stroke:#fff}}}}\n</style>\n"
        "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n"
        "<text class=\"ink\" x=\"{2:.0f}\" y=\"26\" font-size=\"15\">{3}</text>\n"
        "<text class=\"ink\" x=\"{2:.0f}\" y=\"{4:.0f}\" font-size=\"12\">The width of a box is the number "
        "of {5} of "
        "a function and of all that it called; its caller is below it.</text>\n"
        "<g transform=\"translate(0 {6:.0f})\">\n{7}</g>\n</svg>\n",
        plot_width + 2 * margin, height, margin, xml_text(title), height - 16, xml_text(unit),
        40 + row * static_cast<double>(rows_ - 1), body_);
  }

 private:
  void add(const FlameFrame& frame, double x, std::size_t depth) {
    const double width = static_cast<double>(frame.width) / static_cast<double>(whole_) * plot_width;
    if (width < narrowest) return;
    rows_ = std::max(rows_, depth + 1);
    const double y = 0 - row * static_cast<double>(depth);  // not -0
    const std::uint64_t share = static_cast<std::uint64_t>(width / plot_width * 10'000);
    body_ += fmt::format(
        "<g class=\"box\"><title>{}: {} ({}.{:02}% of all)</title><rect x=\"{:.2f}\" y=\"{:.0f}\" "
        "width=\"{:.2f}\" "
        "height=\"{:.0f}\" rx=\"1.5\" fill=\"{}\"/>",
        xml_text(frame.name), xml_text(frame.details), share / 100, share % 100, x, y, width, row - 1,
        colour_of(frame.name, depth));
    if (const std::string text = shortened(frame.name, width); !text.empty())
      body_ += fmt::format(
          "<svg x=\"{:.2f}\" y=\"{:.0f}\" width=\"{:.2f}\" height=\"{:.0f}\"><text x=\"3\" y=\"12\">"
          "{}</text></svg>",
          x, y, width, row, xml_text(text));
    body_ += "</g>\n";
    for (const FlameFrame& above : frame.above) {
      add(above, x, depth + 1);
      x += static_cast<double>(above.width) / static_cast<double>(whole_) * plot_width;
    }
  }

  const std::uint64_t whole_;
  std::size_t rows_ = 1;
  std::string body_;
};

}  // namespace

std::string flame_graph(const std::string& title, const std::string& unit, const FlameFrame& root) {
  return Picture(root).text(title, unit);
}

}  // namespace asterism
