// What a study leaves: a table for a terminal, CSV, JSON, a figure. All but the table have every point, every column and
// every digit; their bytes depend on the results only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/study/point_runner.h"
#include "platform/study/study.h"

namespace asterism {

// At most 80 columns wide and 60 rows long; what has no room is named at its foot, keys that do not sweep above it. Swept
// keys, the kind's y and bars, and the state always have room, if need be beyond 80. The y of a doubtful row has a star. The
// column "reason" of rows that have no y (or first bar) stands below, each text once.
std::string to_table(const Study& study, const PointRun& run);

// A line of names, a line a point that is done.
std::string to_csv(const Study& study, const PointRun& run);

// {"study", "kind", "columns": {name: {"unit", "meaning"}}, "points": [...], "complete", "config"}
std::string to_json(const Study& study, const PointRun& run);

// A curve for each combination of the swept keys other than the one on the axis. Where the axis does not sweep: bars;
// of two swept keys or more, those of a value of the first stand side by side.
std::string to_svg(const Study& study, const PointRun& run);

// The number under a key or a column of a point that is done; nothing where there is none.
std::optional<double> number_named(const Study& study, std::string_view name, const Study::Point& point,
                                   const std::vector<Cell>& row);
// Whether a row's state, where the kind has one, is other than "ok".
bool is_doubtful(const Study& study, const Study::Point& point, const std::vector<Cell>& row);

// "fabric: topology=mesh rate=0.01": its kind, and the keys that a row begins with.
std::string name_of_point(const Study& study, const Study::Point& point);

// A text as a field of CSV.
std::string csv_field(const std::string& text);

// As CSV has it: the shortest digits that read back as the same.
std::string to_text(const Cell& cell);

}  // namespace asterism
