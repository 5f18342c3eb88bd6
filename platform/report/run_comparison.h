// The differences of two runs: of their keys, their statistics, their events, of what the guest has written,
// and of what has happened to pages of memory, if both have recorded that.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "platform/report/run_folder.h"

namespace asterism {

struct RunComparison {
  // A key of the scenario or a name in stats.json, with both values; nullopt where a run has none.
  struct Difference {
    std::string path;
    std::optional<nlohmann::ordered_json> first, second;
    std::optional<double> change = {};  // second / first - 1, of numbers; none if the first is 0
  };
  struct KindCount {  // of events
    std::string kind;
    std::size_t first, second;
  };

  struct PageDifference {
    std::string area, number;             // "node.memory", "copied"
    std::uint64_t units = 0;              // pages or blocks that differ
    std::string first_unit = {};          // "0x40201000", "block 7 of plane 2"
    std::uint64_t first = 0, second = 0;  // its numbers
  };

  std::vector<Difference> keys, stats;  // `stats` with the largest change first
  std::size_t equal_stats = 0, left_out = 0;
  std::vector<KindCount> events;  // those that differ
  // The number of events, from the start, that are the same in both; nullopt if all are.
  std::optional<std::size_t> equal_events = {};
  std::vector<std::string> files;                // the files of output that differ: "console.log"
  std::optional<std::size_t> console_line = {};  // the first one that differs, counted from 1

  bool have_pages = false;  // both runs
  std::vector<PageDifference> pages;

  // Leaves out the statistics that differ by less than `least`, 0.01 for 1%.
  void leave_out(double least);
  bool is_equal() const {
    return keys.empty() && stats.empty() && !equal_events && files.empty() && pages.empty();
  }
};

RunComparison compare(const RunFolder& first, const RunFolder& second);

// {"keys": [{"path": ..., "first": 4, "second": 8, "change": 1.0}], "stats": [...], "events": ...}; a value
// that a run does not have is null.
nlohmann::ordered_json to_json(const RunComparison& comparison);
// For a terminal of 80 columns.
std::string to_text(const RunComparison& comparison, const RunFolder& first, const RunFolder& second);

}  // namespace asterism
