// The output of a study: a table for a terminal, CSV, JSON, a figure. All but the table have every point,
// every column and every digit. Their bytes depend on the results only.
// With seeds=N all have means, and half the width of their 95% intervals (seeds.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/study/figure.h"
#include "platform/study/point_runner.h"
#include "platform/study/study.h"

namespace asterism {

// At most 80 columns wide and 60 rows long. Columns without any value are left out. Those that do not fit are
// named below the table, and keys that do not sweep above it. Swept keys, the kind's y and bars, and the
// state are always shown if they have values, if need be beyond 80 columns; where there is advice that fits
// then, bars and a state that is ok everywhere give way to it. The best points are below. The y of a doubtful
// row has a star, and so have columns that follow from it. The column "reason" of rows without y (or first
// bar) is printed below, each text once.
std::string to_table(const Study& study, const PointRun& run);

// One line of names, and one line for each point that is done.
std::string to_csv(const Study& study, const PointRun& run);

// {"study", "kind", "columns": {name: {"unit", "meaning"}}, "points": [...], "complete", "config"}
std::string to_json(const Study& study, const PointRun& run);

// The keys that do not sweep and have a value or are typed: "topology=mesh traffic=uniform nodes=64"; and
// "seeds=5".
std::string fixed_keys(const Study& study);

// In which unit a column is shown, and how many of its own make one of it.
struct ShownUnit {
  std::string_view name;
  double size = 1;
};
// Picoseconds are shown in the largest unit of which the largest value has at least one.
ShownUnit shown_unit(const Study& study, const PointRun& run, std::size_t column);
Cell in_unit(const Cell& cell, const ShownUnit& unit);
// "latency (ns)": the name of a column with its shown unit, in figures and pages; a key as it is.
std::string label_of(const Study& study, const PointRun& run, std::string_view name);

// One curve for each combination of the swept keys other than that of the axis. If the key of the axis takes
// fewer than three values, bars; with two swept keys or more, the bars of one value of the first key are side
// by side. Curves of the details follow in panels of their own, and the kind's parts, if there are twelve
// points or fewer.
std::vector<Panel> panels_of(const Study& study, const PointRun& run);
std::string to_svg(const Study& study, const PointRun& run);

// Nothing for a text.
std::optional<double> number_of(const std::optional<Cell>& cell);

// The number of a key or a column of a point that is done; nothing if there is none.
std::optional<double> number_named(const Study& study, std::string_view name, const Study::Point& point,
                                   const std::vector<Cell>& row);
// The 95% confidence interval of a column of a point that is done, by its number; nothing if it has none. It
// is that over the seeds of seeds=N, else that of the kind. That of a column with a 99% interval is narrower
// as for a normal distribution, and so too wide if few samples were drawn.
std::optional<std::pair<double, double>> interval_named(const Study& study, const PointRun& run,
                                                        std::string_view name, std::size_t point);
// Half of it over the seeds of seeds=N, which may be 0; nothing for texts and without seeds.
std::optional<double> half_width_of(const PointRun& run, std::size_t point, std::size_t column);
// Whether any point has one. In CSV, JSON and pages the column then has one behind it, of this name.
bool has_half_widths(const PointRun& run, std::size_t column);
std::string name_of_half_width(const Column& column);  // "latency_ns_ci95"
// The state of the row, if it casts doubt on its y: "saturated". "" if the kind has none, or it is good.
std::string doubt_about(const Study& study, const Study::Point& point, const std::vector<Cell>& row);

// "fabric: topology=mesh rate=0.01": the kind, and the keys with which a row begins.
std::string name_of_point(const Study& study, const Study::Point& point);
// "topology=mesh virtual_channels=4": the swept keys except some; one without a value is "-".
std::string swept_keys_of(const Study& study, const Study::Point& point,
                          const std::vector<std::string_view>& but = {});

// A text as a field of CSV.
std::string csv_field(const std::string& text);

// As in CSV: the shortest digits that read back as the same number.
std::string to_text(const Cell& cell);
std::string text_of_key(const Cell& cell);  // "-" for a key without a value

}  // namespace asterism
