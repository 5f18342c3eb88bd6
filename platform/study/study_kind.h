// A kind of study: one engine driven alone. A new kind is one file, which contains a described config, a
// function that runs a point, and a RegisteredStudy with the names and meanings of its columns.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/fields.h"
#include "platform/config/config_library.h"

namespace asterism {

constexpr int with_exponent = -1;  // Column::max_places

// One value of a row; nothing if the column does not apply to the point.
using Cell = std::variant<std::monostate, std::uint64_t, double, std::string>;

struct Column {
  std::string_view name;     // in CSV and JSON, with the unit: "latency_ns"
  std::string_view heading;  // in the table on the terminal; "" leaves it out there
  std::string_view unit;     // "" for a count or a text
  std::string_view meaning;
  int places = 2;  // after the point, in the table
  // The highest number of places, used if a value would otherwise be shown as 0 or 100% and is not; or
  // with_exponent: a value of fewer than two digits is then shown as 1.0e-12.
  int max_places = 0;
  bool is_label = false;  // of a number that names something, as an exit status does: it has no mean
};

// The engine refuses the config of a point for a reason that shows only when it is built. If keys contradict
// each other, `others` are the further ones. The mistake is reported at the key that the user typed,
// otherwise at one that a file gives.
class StudyMistake : public std::invalid_argument {
 public:
  StudyMistake(const std::string& key, const std::string& problem,
               const std::vector<std::string>& others = {})
      : std::invalid_argument(problem), keys_{key} {
    keys_.insert(keys_.end(), others.begin(), others.end());
  }
  const std::vector<std::string>& keys() const { return keys_; }  // dotted, of the config

 private:
  std::vector<std::string> keys_;
};

// A file that the config names cannot be opened.
struct StudyFileMissing : StudyMistake {
  using StudyMistake::StudyMistake;
};

// The study has found what it searches for. It ends with status 67 and this text.
struct StudyFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class StudyPoint {
 public:
  virtual ~StudyPoint() = default;
  virtual ObjectValue& config() = 0;
  // The name of the kind, from which another process can make the same point of the same config; "" if none
  // can.
  std::string_view kind() const { return kind_; }
  void set_kind(std::string_view kind) { kind_ = kind; }
  // Called once, after the config has been read. Loads the files that it names. Throws StudyMistake or
  // ConfigError.
  virtual void prepare(const ConfigLibrary& /*library*/) {}
  // Returns one cell for each column. Called once, in any thread. A stop may be requested at any time; the
  // result is then dropped, unless the point keeps partial results.
  virtual std::vector<Cell> run(const std::stop_token& stop) = 0;
  // The progress of run() while it is under way in another thread, from 0 to 1. 0 before and afterwards.
  virtual double share_done() const { return 0; }
  virtual bool keeps_a_part() const { return false; }
  // The progress in words: "1200 of 5000 power failures". "" for none.
  virtual std::string progress() const { return ""; }
  // Results that do not fit into a row, as JSON, for --json: distributions, loads of every channel. "" for
  // none. Called after run(), in the same process; PointRun::details has the result.
  virtual std::string detail() const { return ""; }

 private:
  std::string_view kind_;
};

template <DescribedStruct Config>
class StudyPointOf : public StudyPoint {
 public:
  ObjectValue& config() final { return object_; }

 protected:
  Config config_{};

 private:
  ObjectOf<Config> object_{config_};
};

template <class Point>
std::unique_ptr<StudyPoint> make_study_point() {
  return std::make_unique<Point>();
}

// A second result that is drawn beside `y`: a column, half of its confidence interval, and the keys on which
// it depends and `y` does not.
struct BesideY {
  std::string_view column = "", half_width = "";
  std::vector<std::string_view> keys = {};
  std::string_view name = "", y_name = "";  // in the legend
  std::string_view label = "";              // of the axis of both; "" for that of `y`
};

// Values that are drawn as signs at the bars of a column: those of a paper, and exact ones.
struct SignsOfColumn {
  std::string_view column, published = "", exact = "";
};

// The confidence interval of a column, which bars of it and values of papers show: columns with the ends of
// its 95% interval, or one with half of its 99% interval.
struct IntervalOfColumn {
  std::string_view column, low = "", high = "", half_of_99 = "";
};

// Curves of each point in its detail, {"name": [[x, y], ...], ...}, which are drawn in a panel of their own.
struct CurvesOfDetail {
  std::string_view member;  // of the detail
  std::string_view x_label = "", y_label = "";
  bool is_logarithmic = false;  // the y axis
};

// Columns that are the parts of one thing, and their names in the legend: bars side by side in a panel of
// their own.
struct PartsOfPanel {
  std::string_view label;  // of the axis
  std::vector<std::pair<std::string_view, std::string_view>> columns;
};

struct StudyKind {
  std::string_view name;
  std::string_view meaning;
  std::vector<std::string_view> coordinates;  // keys that a row begins with, swept or not
  std::vector<Column> columns;
  // The curves of --svg: columns or keys by name, and the swept key that varies along a curve ("" always
  // draws bars). If `y` is "", each of `bars` is drawn. A row whose column `state` is none of "ok",
  // "saturation" and "at_bound" is drawn hollow.
  std::string_view x, y, x_key = "", state = "";
  // What is said of such a row below the table, where its `y` has a star, and the columns that have one, too.
  std::string_view doubtful = "no steady value: it depends on how long was measured (see state)";
  std::vector<std::string_view> as_doubtful = {};
  std::string_view x_label = "";  // "" for the name of `x`
  std::string_view other_x = "";  // a key of numbers that is the axis if it sweeps and `x_key` does not
  BesideY beside = {};
  // The columns that are shown if `x_key` takes fewer than three values, and those of all columns whose axis
  // is logarithmic.
  std::vector<std::string_view> bars, logarithmic = {};
  std::vector<PartsOfPanel> parts = {};  // panels after the others
  std::vector<IntervalOfColumn> intervals = {};
  std::vector<SignsOfColumn> signs = {};
  std::vector<CurvesOfDetail> of_detail = {};
  std::vector<std::string_view> beside_y = {};  // columns whose curves are panels beside that of `y`
  // The key of sizes, for each value of which the points of a sweep are ranked by `y` (best_points.h).
  std::string_view best_for = "";
  // Columns with advice. In the table they come before all others but `y`, all of them or none.
  std::vector<std::string_view> advice = {};
  // A word that may be given as the value of a key, and the key that it sets to true: rate=saturation.
  std::string_view word = "", word_of = "", word_sets = "";
  // The key with the number of consecutive seeds that a point uses; "" if it uses one. The seeds of seeds=N
  // are so far apart.
  std::string_view seeds_of_point = "";
  bool only_typed_sweeps = false;  // only values of the command line are lists and ranges, and not a file's
  std::unique_ptr<StudyPoint> (*make)();  // make_study_point<Point>
};

// All kinds, sorted by name. To be called after the objects of namespaces have been initialised.
std::span<const StudyKind> study_kinds();
// nullptr if there is no kind of this name.
const StudyKind* find_study_kind(std::string_view name);
// A row of a point that has no result.
std::vector<Cell> empty_row(std::string_view kind);

// An object of a namespace, which makes its kind one of study_kinds():
//   const RegisteredStudy markov_study{{.name = "markov", ...}};
class RegisteredStudy {
 public:
  explicit RegisteredStudy(StudyKind kind);
};

}  // namespace asterism
