// A study that is ready to run: its file and overrides have been read, sweeps expanded, and every point
// checked.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "platform/config/config_document.h"
#include "platform/config/config_library.h"
#include "platform/study/point_runner.h"
#include "platform/study/study_kind.h"

namespace asterism {

struct Study {
  struct Seed {
    std::uint64_t seed;
    std::unique_ptr<StudyPoint> point;
    std::string config;
  };
  struct Point {
    std::unique_ptr<StudyPoint> point;
    std::vector<Cell>
        coordinates;     // one for each of Study::keys; nothing if the key does not concern the point
    std::string config;  // fully expanded, JSON
    std::vector<Seed> further = {};  // the same with other seeds; none without seeds=N, or if it has no seed
  };

  std::string name;
  const StudyKind* kind = nullptr;
  std::vector<std::string>
      keys;  // dotted keys with which a row begins: those of the kind, then the swept ones
  std::vector<std::string> swept;  // of these, those with more than one value
  // The other keys that the command line sets, with their values as they were typed.
  std::vector<std::pair<std::string, std::string>> typed;
  std::vector<Point> points;  // the Cartesian product in the order of the description, the last key fastest
  ConfigDocument document;    // knows where each key was written
  std::string expanded;       // the whole study, JSON; reads back as the same
  unsigned seeds = 1;         // with which each point runs
  std::size_t unread = 0;     // points that were left out because of the deadline
};

// How far a study is read. The verb `check` has to answer at once.
struct StudyReading {
  bool prepares =
      // Otherwise mistakes that show only when the files of a point are loaded and its engine is made are not
      // found.
      true;
  std::optional<std::chrono::steady_clock::time_point> deadline = {};  // no point is begun after it
};

// Throws ConfigError with all mistakes. A key that concerns only some of the points is left out of the
// others; points that are equal without it are one point.
Study read_study(ConfigDocument document, std::string name, const ConfigLibrary& library,
                 std::span<const StudyKind> kinds = study_kinds(), const StudyReading& reading = {});

// The same for a kind that files do not name.
Study read_study(ConfigDocument document, std::string name, const ConfigLibrary& library,
                 const StudyKind& kind, const StudyReading& reading = {});

// Runs all points. A StudyMistake that shows only now becomes a ConfigError.
PointRun run_study(const Study& study, const PointRunSettings& settings);

// Of a point whose config has a key seed.
std::uint64_t seed_of(const Study::Point& point);

// The JSON Schema of files of studies, and the same as text.
std::string study_schema(std::span<const StudyKind> kinds = study_kinds());
std::string study_documentation(std::span<const StudyKind> kinds = study_kinds());

}  // namespace asterism
