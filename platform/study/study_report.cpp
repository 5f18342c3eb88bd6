#include "platform/study/study_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <tuple>

#include "base/wrapped_text.h"
#include "platform/config/config_value.h"
#include "platform/study/best_points.h"
#include "platform/study/seeds.h"

namespace asterism {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t widest = 80, longest = 60;

struct Shown {
  std::string heading, unit;
  std::vector<std::string> cells;
  bool left = false;    // texts are aligned left
  bool kept = false;    // shown whatever the width
  bool advice = false;  // shown before others
  bool beside = false;  // one of the bars, which gives way to advice
  bool state = false;
  bool marked = false;  // one of its cells has a star

  std::size_t width() const {
    std::size_t width = std::max(heading.size(), unit.size());
    for (const std::string& cell : cells) width = std::max(width, cell.size());
    return width;
  }
  std::string line(const std::string& text) const {
    return left ? fmt::format("{:<{}}", text, width()) : fmt::format("{:>{}}", text, width());
  }
};

std::string shown(const Cell& cell, int places) {
  if (const auto* number = std::get_if<double>(&cell)) {
    const std::string text = fmt::format("{:.{}f}", *number, places);
    const bool is_zero = text.find_first_not_of("-0.") == std::string::npos;
    return is_zero && text.starts_with('-') ? text.substr(1) : text;
  }
  return std::holds_alternative<std::monostate>(cell) ? "-" : to_text(cell);
}

// Whether a value would be shown as 0 or as 100% with `places` places, and is neither.
bool is_hidden(const Cell& cell, int places, std::string_view unit) {
  const auto* number = std::get_if<double>(&cell);
  const auto rounds_to = [&](double value) {
    return *number != value && shown(cell, places) == shown(Cell(value), places);
  };
  return number && (rounds_to(0) || (unit == "%" && rounds_to(100)));
}

// The same, with an exponent if the column has them and the value had fewer than two digits otherwise. Beside
// such values, 0.000 would seem to be rounded.
std::string shown(const Cell& cell, int places, const Column& column) {
  const auto* number = std::get_if<double>(&cell);
  if (number && *number == 0 && column.max_places == with_exponent) return "0";
  const bool is_small = number && *number != 0 && std::abs(*number) < std::pow(10, 1 - column.places);
  return is_small && column.max_places == with_exponent ? fmt::format("{:.1e}", *number)
                                                        : shown(cell, places);
}

// "<0.04": a value of which none was seen has an upper bound. "" if it has none, or is no such value.
std::string bound_of_nothing(const Study& study, const PointRun& run, std::size_t point, const Column& column,
                             const ShownUnit& unit, int places) {
  const auto value = number_named(study, column.name, study.points[point], *run.rows[point]);
  for (const IntervalOfColumn& interval : study.kind->intervals) {
    if (interval.column != column.name || interval.high.empty() || value != 0) continue;
    const auto high = number_named(study, interval.high, study.points[point], *run.rows[point]);
    if (!high || !(*high > 0)) return "";
    const double bound = *high / unit.size;
    return "<" + (is_hidden(bound, places, column.unit) ? fmt::format("{:.1e}", bound)
                                                        : shown(bound, places, column));
  }
  return "";
}

// The lowest number of places that shows each value correctly, of those that more places can show.
int places_of(const Column& column, const std::vector<Cell>& cells) {
  int places = column.places;
  if (column.max_places == with_exponent) return places;
  for (const Cell& cell : cells)
    if (!is_hidden(cell, column.max_places, column.unit))
      while (places < column.max_places && is_hidden(cell, places, column.unit)) ++places;
  return places;
}

bool sweeps(const Study& study, std::string_view key) { return std::ranges::count(study.swept, key) != 0; }

// The points that are done, in order, each with its row.
template <class Visit>
void for_each_done(const Study& study, const PointRun& run, Visit visit) {
  for (std::size_t i = 0; i < study.points.size(); ++i)
    if (run.rows[i]) visit(study.points[i], *run.rows[i]);
}

std::size_t number_of_point(const Study& study, const Study::Point& point) {
  return static_cast<std::size_t>(&point - study.points.data());
}

// A star after a doubtful value; a space after the others, so that decimal points are aligned.
void mark(Shown& column, const std::vector<bool>& doubtful) {
  column.marked = std::ranges::count(doubtful, true) != 0;
  if (!column.marked) return;
  for (std::size_t row = 0; row < doubtful.size(); ++row) column.cells[row] += doubtful[row] ? "*" : " ";
}

std::vector<Shown> shown_columns(const Study& study, const PointRun& run) {
  std::vector<Shown> all;
  for (std::size_t k = 0; k < study.keys.size(); ++k) {
    if (!sweeps(study, study.keys[k])) continue;  // is above the table
    Shown& column = all.emplace_back(Shown{.heading = study.keys[k], .unit = "", .cells = {}, .kept = true});
    for_each_done(study, run, [&](const Study::Point& point, const auto&) {
      const Cell& cell = point.coordinates[k];
      column.left = column.left || std::holds_alternative<std::string>(cell);
      column.cells.push_back(text_of_key(cell));
    });
  }
  for (std::size_t c = 0; c < study.kind->columns.size(); ++c) {
    const Column& described = study.kind->columns[c];
    if (described.heading.empty()) continue;
    const ShownUnit unit = shown_unit(study, run, c);
    Shown& column = all.emplace_back(
        Shown{.heading = std::string(described.heading), .unit = std::string(unit.name), .cells = {}});
    const StudyKind& kind = *study.kind;
    column.state = described.name == kind.state;
    column.advice = std::ranges::count(kind.advice, described.name) != 0;
    column.beside = described.name != kind.y && std::ranges::count(kind.bars, described.name) != 0;
    column.kept = column.state || described.name == kind.y || column.beside || column.advice;
    std::vector<bool> doubtful;
    std::vector<Cell> cells;
    for_each_done(study, run, [&](const Study::Point&, const std::vector<Cell>& row) {
      cells.push_back(in_unit(row[c], unit));
    });
    const int places = places_of(described, cells);
    for_each_done(study, run, [&](const Study::Point& point, const std::vector<Cell>& row) {
      column.left = column.left || std::holds_alternative<std::string>(row[c]);
      const std::string bound =
          bound_of_nothing(study, run, number_of_point(study, point), described, unit, places);
      column.cells.push_back(bound.empty() ? shown(in_unit(row[c], unit), places, described) : bound);
      if (const auto half = half_width_of(run, number_of_point(study, point), c); half.value_or(0) > 0)
        column.cells.back() += " +-" + shown(in_unit(*half, unit), places, described);
      const bool may_be =
          described.name == kind.y || std::ranges::count(kind.as_doubtful, described.name) != 0;
      doubtful.push_back(may_be && number_of(row[c]) && !doubt_about(study, point, row).empty());
    });
    mark(column, doubtful);
  }
  return all;
}

// Removes columns until the rest fits, and adds the headings of the removed ones to `missing`: the last of
// those that need not be kept. Where there is advice, a state that is ok everywhere goes before these, and
// what is beside y after them. Returns whether the rest fits.
bool make_fit(std::vector<Shown>& columns, std::vector<std::string>& missing) {
  const auto is_wide = [&] {
    std::size_t width = 2 * (columns.size() - 1);
    for (const Shown& column : columns) width += column.width();
    return width > widest;
  };
  const auto is_good_state = [](const Shown& column) {
    return column.state && column.cells.size() > 1 &&
           std::ranges::all_of(column.cells, [](const std::string& cell) { return cell == "ok"; });
  };
  const auto drop_last = [&](const auto& is_dropped) {
    const auto last = std::ranges::find_if(columns.rbegin(), columns.rend(), is_dropped);
    if (last == columns.rend()) return false;
    missing.insert(missing.begin(), last->heading);
    columns.erase(std::next(last).base());
    return true;
  };
  const bool has_advice = std::ranges::any_of(columns, &Shown::advice);
  if (is_wide() && has_advice) drop_last(is_good_state);
  while (is_wide() && drop_last([](const Shown& column) { return !column.kept; })) continue;
  if (has_advice)
    while (is_wide() && drop_last([](const Shown& column) { return column.beside && !column.advice; }))
      continue;
  return !is_wide();
}

// Removes the columns without a value, and those that do not fit. Advice for which nothing else leaves room
// goes as a whole, and nothing gives way to it. Returns the headings of the removed ones that have values.
std::string drop_columns(std::vector<Shown>& columns) {
  std::erase_if(columns, [](const Shown& column) {
    return !column.cells.empty() &&
           std::ranges::all_of(column.cells, [](const std::string& cell) { return cell == "-"; });
  });
  std::vector<std::string> missing;
  std::vector<Shown> fitted = columns;
  if (!make_fit(fitted, missing)) {
    std::vector<std::string> advice;
    for (const Shown& column : columns)
      if (column.advice) advice.push_back(column.heading);
    std::erase_if(columns, &Shown::advice);
    fitted = columns, missing.clear();
    make_fit(fitted, missing);
    missing.insert(missing.begin(), advice.begin(), advice.end());
  }
  columns = std::move(fitted);
  return fmt::format("{}", fmt::join(missing, ", "));
}

std::string rtrimmed(const std::string& line) {
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

constexpr const char* half_width_meaning = "Half of the 95% confidence interval of the mean over the seeds";

Json json_of(const Cell& cell) {
  if (std::holds_alternative<std::monostate>(cell)) return nullptr;
  return std::visit(
      [](const auto& value) {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>)
          return Json();
        else
          return Json(value);
      },
      cell);
}

// The cell of a key or a column of a point.
std::optional<Cell> cell_named(const Study& study, std::string_view name, const Study::Point& point,
                               const std::vector<Cell>& row) {
  for (std::size_t k = 0; k < study.keys.size(); ++k)
    if (study.keys[k] == name) return point.coordinates[k];
  for (std::size_t c = 0; c < study.kind->columns.size(); ++c)
    if (study.kind->columns[c].name == name) return row[c];
  return std::nullopt;
}

// The reasons why rows have no result, below the table, each reason once.
std::string reasons(const Study& study, const PointRun& run) {
  constexpr std::size_t most = 3;
  const StudyKind& kind = *study.kind;
  const std::string_view result = kind.y.empty() ? kind.bars.front() : kind.y;
  std::vector<std::string> reasons;
  for_each_done(study, run, [&](const Study::Point& point, const std::vector<Cell>& row) {
    const std::optional<Cell> reason = cell_named(study, "reason", point, row);
    if (!reason || number_of(cell_named(study, result, point, row))) return;
    const std::string text = to_text(*reason);
    if (!text.empty() && std::ranges::count(reasons, text) == 0) reasons.push_back(text);
  });
  std::string text;
  for (std::size_t i = 0; i < std::min(reasons.size(), most); ++i) text += wrapped(reasons[i], 0);
  if (reasons.size() > most)
    text += fmt::format("and {} other reasons; --csv FILE has all of them\n", reasons.size() - most);
  return text;
}

// The words of names of columns that are abbreviations, as they are written.
std::string with_capitals(const std::string& text) {
  constexpr auto abbreviations =
      std::to_array<std::string_view>({"CPU", "CPUs", "DCE", "DRAM", "DUE", "FIT", "GPU", "GPUs", "HBM",
                                       "IOPS", "MTBE", "MTBF", "MTTF", "SDC", "SSD", "SSDs"});
  std::string all;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const auto found = std::ranges::find_if(abbreviations, [&](std::string_view each) {
      return std::ranges::equal(each, word, {}, [](char c) { return std::tolower(c); });
    });
    all += (all.empty() ? "" : " ") + (found == abbreviations.end() ? word : std::string(*found));
  }
  return all;
}

// "MTTF" of mttf_s, for a column without heading; the unit follows it.
std::string spelled_out(const Column& column) {
  std::string text(column.heading.empty() ? column.name : column.heading), unit;
  for (const char c : column.unit)
    unit += c == '%' ? "percent" : c == '/' ? "p" : std::string(1, static_cast<char>(std::tolower(c)));
  if (column.heading.empty() && !unit.empty() && text.ends_with("_" + unit))
    text.resize(text.size() - unit.size() - 1);
  std::ranges::replace(text, '_', ' ');
  return column.heading.empty() ? with_capitals(text) : text;
}

// The place of a column; nothing for a key.
std::optional<std::size_t> column_named(const Study& study, std::string_view name) {
  const auto& columns = study.kind->columns;
  const auto found = std::ranges::find(columns, name, &Column::name);
  return found == columns.end() ? std::nullopt
                                : std::optional(static_cast<std::size_t>(found - columns.begin()));
}

ShownUnit shown_unit(const Study& study, const PointRun& run, std::string_view name) {
  const auto column = column_named(study, name);
  return column ? shown_unit(study, run, *column) : ShownUnit{};
}

// "Markov, rate=2", in a legend.
std::string joined(std::string_view name, const std::string& series) {
  return name.empty() || series.empty() ? std::string(name) + series : fmt::format("{}, {}", name, series);
}

// Of what the intervals of a figure are.
std::string what_is_random(const Study& study) {
  return study.seeds == 1 ? "" : fmt::format("the mean of {} seeds, by Student's t", study.seeds);
}

// Curves of a column along a swept key: `x_key` of the kind, or `other_x`.
Panel curves(const Study& study, const PointRun& run, std::string_view x_key, std::string_view column) {
  const StudyKind& kind = *study.kind;
  const std::string_view x_name = x_key == kind.x_key ? kind.x : x_key;
  Panel panel{.title = "",
              .x_label = x_name != kind.x || kind.x_label.empty() ? label_of(study, run, x_name)
                                                                  : std::string(kind.x_label),
              .y_label = label_of(study, run, column)};
  panel.is_logarithmic = std::ranges::count(kind.logarithmic, column) != 0;
  panel.interval = what_is_random(study);
  if (column == kind.y && !kind.beside.label.empty()) panel.y_label = kind.beside.label;
  const auto add = [&](const std::string& name, const Panel::Point& point) {
    auto series = std::ranges::find(panel.series, name, &Panel::Series::name);
    if (series == panel.series.end()) series = panel.series.insert(series, {name, {}});
    series->points.push_back(point);
  };
  const bool has_beside = !kind.beside.column.empty();
  const ShownUnit x_unit = shown_unit(study, run, x_name), unit = shown_unit(study, run, column);
  std::vector<std::string_view> not_of_y = kind.beside.keys;
  not_of_y.push_back(x_key);
  const auto is_first_of_y = [&](const std::string& name, double x) {
    const auto series = std::ranges::find(panel.series, name, &Panel::Series::name);
    return series == panel.series.end() || std::ranges::count(series->points, x, &Panel::Point::x) == 0;
  };
  // Two results that agree are one line, and the markers of the second on it.
  std::vector<std::string> lines, markers;
  for_each_done(study, run, [&](const Study::Point& point, const std::vector<Cell>& row) {
    auto x = number_named(study, x_name, point, row);
    auto y = number_named(study, column, point, row);
    if (!x || !y) return;
    *x /= x_unit.size;
    *y /= unit.size;
    const std::string doubt = doubt_about(study, point, row);
    const auto beside = has_beside ? number_named(study, kind.beside.column, point, row) : std::nullopt;
    const std::string name = has_beside ? joined(kind.beside.y_name, swept_keys_of(study, point, not_of_y))
                                        : swept_keys_of(study, point, {x_key});
    const auto add_point = [&](const std::string& of, double value, std::string_view of_column,
                               double half_width) {
      Panel::Point drawn{*x, value, doubt, value - half_width, value + half_width};
      if (const auto interval = interval_named(study, run, of_column, number_of_point(study, point)))
        std::tie(drawn.low, drawn.high) =
            std::pair(interval->first / unit.size, interval->second / unit.size);
      add(of, drawn);
    };
    if (!has_beside || is_first_of_y(name, *x)) add_point(name, *y, column, 0);
    if (!beside) return;
    markers.push_back(joined(kind.beside.name, swept_keys_of(study, point, {x_key})));
    lines.push_back(name);
    add_point(markers.back(), *beside, kind.beside.column,
              number_named(study, kind.beside.half_width, point, row).value_or(0));
  });
  for (Panel::Series& series : panel.series) {
    // Whatever a line does not show, such as a single place, needs markers.
    const bool needs_markers =
        series.points.size() < 2 || std::ranges::any_of(series.points, [](const Panel::Point& point) {
          return !point.doubt.empty() || point.low < point.high;
        });
    if (std::ranges::count(lines, series.name) != 0 && !needs_markers) series.drawn = Panel::Drawn::line;
    if (std::ranges::count(markers, series.name) != 0) series.drawn = Panel::Drawn::markers;
  }
  return panel;
}

// The bar of a column of a row, at a place.
std::optional<Panel::Point> bar(const Study& study, const PointRun& run, std::size_t point,
                                std::string_view column, std::size_t place) {
  const auto& [keys, row] = std::tie(study.points[point], *run.rows[point]);
  const auto y = number_named(study, column, keys, row);
  if (!y) return std::nullopt;
  const double unit = shown_unit(study, run, column).size;
  Panel::Point bar{static_cast<double>(place), *y / unit, doubt_about(study, keys, row)};
  if (const auto interval = interval_named(study, run, column, point))
    std::tie(bar.low, bar.high) = std::pair(interval->first / unit, interval->second / unit);
  return bar;
}

// Groups of the first swept key's values, coloured by the others; with one swept key no groups.
Panel bars(const Study& study, const PointRun& run, std::string_view column) {
  const std::string key = study.swept.empty() ? "" : study.swept.front();
  Panel panel{
      .title = "", .x_label = key, .y_label = label_of(study, run, column), .kind = Panel::Kind::bars};
  panel.is_logarithmic = std::ranges::count(study.kind->logarithmic, column) != 0;
  panel.interval = what_is_random(study);
  for_each_done(study, run, [&](const Study::Point& point, const std::vector<Cell>& row) {
    const std::string group = key.empty() ? "" : shown(*cell_named(study, key, point, row), 6);
    const auto place =
        static_cast<std::size_t>(std::ranges::find(panel.categories, group) - panel.categories.begin());
    if (place == panel.categories.size()) panel.categories.push_back(group);
    const std::string name = swept_keys_of(study, point, {key});
    auto series = std::ranges::find(panel.series, name, &Panel::Series::name);
    if (series == panel.series.end()) series = panel.series.insert(series, {name, {}});
    if (auto one = bar(study, run, number_of_point(study, point), column, place))
      series->points.push_back(std::move(*one));
    for (const SignsOfColumn& signs : study.kind->signs) {
      if (signs.column != column) continue;
      const double unit = shown_unit(study, run, column).size;
      const auto add = [&](std::vector<Panel::Point>& to, std::string_view name) {
        if (const auto value = number_named(study, name, point, row))
          to.push_back({static_cast<double>(place), *value / unit});
      };
      add(series->published, signs.published);
      add(series->exact, signs.exact);
    }
  });
  return panel;
}

// The curves that the points have in their details, with a panel for each combination of the first `keys`
// swept keys.
std::vector<Panel> curves_of_detail(const Study& study, const PointRun& run, const CurvesOfDetail& drawn,
                                    std::size_t keys) {
  const auto last_of_panel = study.swept.begin() + static_cast<std::ptrdiff_t>(keys);
  const std::vector<std::string_view> of_panel(study.swept.begin(), last_of_panel),
      of_series(last_of_panel, study.swept.end());
  std::vector<Panel> panels;
  const auto panel_titled = [&](const std::string& title) -> Panel& {
    const auto found = std::ranges::find(panels, title, &Panel::title);
    if (found != panels.end()) return *found;
    Panel& panel = panels.emplace_back(
        Panel{.title = title, .x_label = std::string(drawn.x_label), .y_label = std::string(drawn.y_label)});
    panel.is_logarithmic = drawn.is_logarithmic;
    return panel;
  };
  for_each_done(study, run, [&](const Study::Point& point, const std::vector<Cell>&) {
    Panel& panel = panel_titled(swept_keys_of(study, point, of_series));
    const std::string& detail = run.details[number_of_point(study, point)];
    if (detail.empty()) return;
    const Json curves = Json::parse(detail);
    if (!curves.contains(drawn.member)) return;
    for (const auto& [name, points] : curves.at(std::string(drawn.member)).items()) {
      Panel::Series series{.name = joined(name, swept_keys_of(study, point, of_panel)), .points = {}};
      for (const Json& each : points) series.points.push_back({each.at(0), each.at(1)});
      if (!series.points.empty()) panel.series.push_back(std::move(series));
    }
  });
  return panels;
}

// In as few panels as have colours enough for their curves; in one if these would be too many.
std::vector<Panel> curves_of_detail(const Study& study, const PointRun& run, const CurvesOfDetail& drawn) {
  constexpr std::size_t most_curves = 8, most_panels = 12;
  for (std::size_t keys = 0; keys <= study.swept.size(); ++keys) {
    std::vector<Panel> panels = curves_of_detail(study, run, drawn, keys);
    if (panels.size() > most_panels) break;
    if (std::ranges::all_of(panels, [](const Panel& each) { return each.series.size() <= most_curves; }))
      return panels;
  }
  return curves_of_detail(study, run, drawn, 0);
}

// A group of bars for each point. Parts that are 0 everywhere are left out.
Panel bars_of_parts(const Study& study, const PointRun& run, const PartsOfPanel& parts) {
  Panel panel{.title = "", .x_label = "", .y_label = std::string(parts.label), .kind = Panel::Kind::bars};
  for (const std::string& key : study.swept) panel.x_label += (panel.x_label.empty() ? "" : ", ") + key;
  for_each_done(study, run, [&](const Study::Point& point, const auto&) {
    std::string& category = panel.categories.emplace_back();
    for (std::size_t k = 0; k < study.keys.size(); ++k)
      if (sweeps(study, study.keys[k]))
        category += (category.empty() ? "" : ", ") + text_of_key(point.coordinates[k]);
  });
  for (const auto& [column, name] : parts.columns) {
    Panel::Series series{std::string(name), {}};
    double place = 0;
    bool is_above_0 = false;
    for_each_done(study, run, [&, column = column](const Study::Point& point, const std::vector<Cell>& row) {
      const auto y = number_named(study, column, point, row);
      is_above_0 = is_above_0 || y.value_or(0) > 0;
      if (y) series.points.push_back({place, *y, doubt_about(study, point, row)});
      ++place;
    });
    if (is_above_0) panel.series.push_back(std::move(series));
  }
  return panel;
}

// Two points are no curve.
bool has_curves_along(const Study& study, std::string_view key) {
  if (!sweeps(study, key)) return false;
  std::vector<Cell> values;
  const auto place = std::ranges::find(study.keys, key) - study.keys.begin();
  for (const Study::Point& point : study.points) {
    const Cell& value = point.coordinates[static_cast<std::size_t>(place)];
    if (std::ranges::count(values, value) == 0) values.push_back(value);
  }
  return values.size() > 2;
}

}  // namespace

ShownUnit shown_unit(const Study& study, const PointRun& run, std::size_t column) {
  const std::string_view unit = study.kind->columns[column].unit;
  if (unit != "ps") return {unit};
  double greatest = 0;
  for_each_done(study, run, [&](const Study::Point&, const std::vector<Cell>& row) {
    greatest = std::max(greatest, number_of(row[column]).value_or(0));
  });
  for (const ShownUnit& larger : {ShownUnit{"s", 1e12}, {"ms", 1e9}, {"us", 1e6}, {"ns", 1e3}})
    if (greatest >= larger.size) return larger;
  return {unit};
}

Cell in_unit(const Cell& cell, const ShownUnit& unit) {
  const std::optional<double> number = unit.size == 1 ? std::nullopt : number_of(cell);
  return number ? Cell(*number / unit.size) : cell;
}

std::string label_of(const Study& study, const PointRun& run, std::string_view name) {
  const auto column = column_named(study, name);
  if (!column) return std::string(name);
  const std::string text = spelled_out(study.kind->columns[*column]);
  const std::string_view unit = shown_unit(study, run, *column).name;
  return unit.empty() ? text : fmt::format("{} ({})", text, unit);
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::optional<double> number_of(const std::optional<Cell>& cell) {
  if (!cell) return std::nullopt;
  if (const auto* integer = std::get_if<std::uint64_t>(&*cell)) return static_cast<double>(*integer);
  if (const auto* number = std::get_if<double>(&*cell)) return *number;
  return std::nullopt;
}

std::optional<double> number_named(const Study& study, std::string_view name, const Study::Point& point,
                                   const std::vector<Cell>& row) {
  return number_of(cell_named(study, name, point, row));
}

std::optional<double> half_width_of(const PointRun& run, std::size_t point, std::size_t column) {
  const bool has = point < run.half_widths.size() && column < run.half_widths[point].size();
  return has ? run.half_widths[point][column] : std::nullopt;
}

bool has_half_widths(const PointRun& run, std::size_t column) {
  return std::ranges::any_of(run.half_widths, [&](const std::vector<std::optional<double>>& row) {
    return column < row.size() && row[column];
  });
}

std::string name_of_half_width(const Column& column) { return std::string(column.name) + "_ci95"; }

std::optional<std::pair<double, double>> interval_named(const Study& study, const PointRun& run,
                                                        std::string_view name, std::size_t point) {
  constexpr double of_99_in_95 = 1.959964 / 2.575829;  // of a normal distribution
  const auto number = [&](std::string_view of) {
    return number_named(study, of, study.points[point], *run.rows[point]);
  };
  const auto value = number(name);
  if (const auto column = column_named(study, name)) {
    const double half = half_width_of(run, point, *column).value_or(0);
    if (value && half > 0) return std::pair(*value - half, *value + half);
  }
  for (const IntervalOfColumn& interval : study.kind->intervals) {
    if (interval.column != name) continue;
    const auto half = number(interval.half_of_99), low = number(interval.low), high = number(interval.high);
    if (low && high) return std::pair(*low, *high);
    if (value && half) return std::pair(*value - of_99_in_95 * *half, *value + of_99_in_95 * *half);
  }
  return std::nullopt;
}

std::string doubt_about(const Study& study, const Study::Point& point, const std::vector<Cell>& row) {
  if (study.kind->state.empty()) return "";
  const std::string state = to_text(cell_named(study, study.kind->state, point, row).value_or(Cell()));
  return state == "ok" || state == "saturation" || state == "at_bound" ? "" : state;
}

std::string swept_keys_of(const Study& study, const Study::Point& point,
                          const std::vector<std::string_view>& but) {
  std::string text;
  for (std::size_t k = 0; k < study.keys.size(); ++k) {
    const std::string& key = study.keys[k];
    if (std::ranges::count(but, key) != 0 || !sweeps(study, key)) continue;
    text += (text.empty() ? "" : " ") + key + "=" + text_of_key(point.coordinates[k]);
  }
  return text;
}

std::string name_of_point(const Study& study, const Study::Point& point) {
  std::string name = std::string(study.kind->name) + ":";
  for (std::size_t k = 0; k < study.keys.size(); ++k)
    if (!std::holds_alternative<std::monostate>(point.coordinates[k]))
      name += " " + study.keys[k] + "=" + to_text(point.coordinates[k]);
  return name;
}

std::string to_text(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* integer = std::get_if<std::uint64_t>(&cell)) return std::to_string(*integer);
  if (const auto* number = std::get_if<double>(&cell)) return fmt::format("{}", *number);
  return "";
}

std::string text_of_key(const Cell& cell) {
  return std::holds_alternative<std::monostate>(cell) ? "-" : to_text(cell);
}

std::string fixed_keys(const Study& study) {
  std::string text;
  for (std::size_t k = 0; k < study.keys.size() && !study.points.empty(); ++k) {
    const Cell& cell = study.points[0].coordinates[k];
    if (sweeps(study, study.keys[k]) || std::holds_alternative<std::monostate>(cell)) continue;
    text += (text.empty() ? "" : " ") + study.keys[k] + "=" + to_text(cell);
  }
  for (const auto& [key, value] : study.typed)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", key, value);
  if (study.seeds > 1) text += fmt::format("{}seeds={}", text.empty() ? "" : " ", study.seeds);
  return text;
}

std::string to_table(const Study& study, const PointRun& run) {
  std::vector<Shown> columns = shown_columns(study, run);
  const std::string missing = drop_columns(columns);
  const std::string keys = fixed_keys(study);
  std::string text = keys.empty() ? "" : wrapped(keys, 0);
  if (const std::string seeds = about_seeds(study, run); !seeds.empty()) text += seeds + "\n";
  const auto add = [&](auto cell) {
    std::string line;
    for (const Shown& column : columns) line += (line.empty() ? "" : "  ") + column.line(cell(column));
    text += rtrimmed(line);
  };
  add([](const Shown& column) { return column.heading; });
  if (std::ranges::any_of(columns, [](const Shown& column) { return !column.unit.empty(); }))
    add([](const Shown& column) { return column.unit; });
  const std::size_t rows = columns.empty() ? 0 : columns.front().cells.size();
  for (std::size_t row = 0; row < std::min(rows, longest); ++row)
    add([row](const Shown& column) { return column.cells[row]; });
  if (rows > longest) text += fmt::format("... {} more points; --csv FILE has all of them\n", rows - longest);
  if (std::ranges::any_of(columns, &Shown::marked))
    text += wrapped(fmt::format("* {}", study.kind->doubtful), 0);
  text += reasons(study, run);
  text += best_text(study, run);
  if (!missing.empty())
    text += wrapped("columns that do not fit: " + missing + "; --csv FILE has all columns", 0);
  return text;
}

std::string to_csv(const Study& study, const PointRun& run) {
  std::string text;
  for (const std::string& key : study.keys) text += key + ",";
  if (study.seeds > 1) text += "seeds,";
  for (std::size_t c = 0; c < study.kind->columns.size(); ++c) {
    text += std::string(study.kind->columns[c].name) + ",";
    if (has_half_widths(run, c)) text += name_of_half_width(study.kind->columns[c]) + ",";
  }
  text.back() = '\n';
  for_each_done(study, run, [&](const Study::Point& point, const std::vector<Cell>& row) {
    for (const Cell& cell : point.coordinates) text += csv_field(to_text(cell)) + ",";
    if (study.seeds > 1) text += fmt::format("{},", point.further.size() + 1);
    for (std::size_t c = 0; c < row.size(); ++c) {
      text += csv_field(to_text(row[c])) + ",";
      if (!has_half_widths(run, c)) continue;
      const auto half = half_width_of(run, number_of_point(study, point), c);
      text += (half ? to_text(Cell(*half)) : "") + ",";
    }
    text.back() = '\n';
  });
  return text;
}

std::string to_json(const Study& study, const PointRun& run) {
  Json json = {{"study", study.name}, {"kind", study.kind->name}, {"columns", Json::object()}};
  for (const Column& column : study.kind->columns)
    json["columns"][std::string(column.name)] = {{"unit", column.unit}, {"meaning", column.meaning}};
  for (std::size_t c = 0; c < study.kind->columns.size(); ++c)
    if (const Column& column = study.kind->columns[c]; has_half_widths(run, c))
      json["columns"][name_of_half_width(column)] = {{"unit", column.unit}, {"meaning", half_width_meaning}};
  json["points"] = Json::array();
  const auto named = [&](const Study::Point& point) {
    Json one = Json::object();
    for (std::size_t k = 0; k < study.keys.size(); ++k) one[study.keys[k]] = json_of(point.coordinates[k]);
    return one;
  };
  for (std::size_t i = 0; i < study.points.size(); ++i) {
    if (!run.rows[i]) continue;
    Json one = named(study.points[i]);
    const auto add = [&](Json& to, const std::vector<Cell>& row) {
      for (std::size_t c = 0; c < row.size(); ++c)
        to[std::string(study.kind->columns[c].name)] = json_of(row[c]);
    };
    add(one, *run.rows[i]);
    for (std::size_t c = 0; c < study.kind->columns.size(); ++c)
      if (const auto half = half_width_of(run, i, c)) one[name_of_half_width(study.kind->columns[c])] = *half;
    for (std::size_t s = 0; !study.points[i].further.empty() && s < run.seed_rows[i].size(); ++s) {
      Json& of_seed = one["by_seed"].emplace_back(Json::object());
      of_seed["seed"] = s == 0 ? seed_of(study.points[i]) : study.points[i].further[s - 1].seed;
      add(of_seed, run.seed_rows[i][s]);
    }
    if (!run.details[i].empty()) one["detail"] = Json::parse(run.details[i]);
    json["points"].push_back(std::move(one));
  }
  for (std::size_t i = 0; i < study.points.size(); ++i) {
    if (run.crashes[i].empty()) continue;
    Json one = named(study.points[i]);
    one["crash"] = run.crashes[i];
    json["crashed"].push_back(std::move(one));
  }
  for (const BestPoints& best : best_points(study, run)) {
    const std::size_t first = best.ranked.front();
    Json one = named(study.points[first]);
    one["of"] = best.ranked.size();
    const std::string_view column = ranking_column(study, run, first);
    one[std::string(column)] = *number_named(study, column, study.points[first], *run.rows[first]);
    json["best"].push_back(std::move(one));
  }
  json["complete"] = run.done() == study.points.size();
  json["config"] = Json::parse(study.expanded);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<Panel> panels_of(const Study& study, const PointRun& run) {
  const StudyKind& kind = *study.kind;
  const auto x_keys = {kind.x_key, kind.other_x};
  const auto x_key =
      std::ranges::find_if(x_keys, [&](std::string_view key) { return has_curves_along(study, key); });
  std::vector<std::string_view> columns = kind.bars;
  if (x_key != x_keys.end() && !kind.y.empty()) {
    columns = {kind.y};
    columns.insert(columns.end(), kind.beside_y.begin(), kind.beside_y.end());
  }
  std::vector<Panel> panels;
  panels.reserve(columns.size() + kind.of_detail.size() + kind.parts.size());
  for (const std::string_view column : columns)
    panels.push_back(x_key == x_keys.end() ? bars(study, run, column) : curves(study, run, *x_key, column));
  // A column without any value is drawn only where none has one.
  const auto is_empty = [](const Panel& panel) {
    return std::ranges::all_of(panel.series,
                               [](const Panel::Series& series) { return series.points.empty(); });
  };
  if (!std::ranges::all_of(panels, is_empty)) std::erase_if(panels, is_empty);
  for (const CurvesOfDetail& drawn : kind.of_detail)
    for (Panel& panel : curves_of_detail(study, run, drawn)) panels.push_back(std::move(panel));
  constexpr std::size_t most_groups = 12;  // beyond which bars and names are illegible
  if (run.done() <= most_groups)
    for (const PartsOfPanel& parts : kind.parts) panels.push_back(bars_of_parts(study, run, parts));
  return panels;
}

std::string to_svg(const Study& study, const PointRun& run) {
  return to_svg(study.name, panels_of(study, run), fixed_keys(study));
}

}  // namespace asterism
