// The statistics of a block, in the order in which it reports them.
//
// Blocks fill a Statistics tree at the end of a run (`void report(Statistics&) const`); platform/ writes it
// to stats.json. There are only integers and text, so that the file is byte-identical for a scenario and its
// seed on any machine. Times are in picoseconds and sizes in bytes, as the names say.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/units.h"

namespace asterism {

class Statistics {
 public:
  using Value = std::variant<std::uint64_t, std::string, std::unique_ptr<Statistics>>;

  void add(std::string_view name, std::uint64_t value) { entries_.emplace_back(name, value); }
  void add(std::string_view name, std::string_view text) { entries_.emplace_back(name, std::string(text)); }
  void add(std::string_view name, Picoseconds time) { add(std::string(name) + "_ps", time.count()); }
  void add(std::string_view name, Bytes size) { add(std::string(name) + "_bytes", size.count()); }

  void add(std::string_view name, std::unique_ptr<Statistics> group) {
    entries_.emplace_back(name, std::move(group));
  }

  // A nested object, filled through the returned reference.
  Statistics& group(std::string_view name) {
    entries_.emplace_back(name, std::make_unique<Statistics>());
    return *std::get<std::unique_ptr<Statistics>>(entries_.back().second);
  }

  const std::vector<std::pair<std::string, Value>>& entries() const { return entries_; }

  friend bool operator==(const Statistics& a, const Statistics& b) {
    return std::ranges::equal(a.entries_, b.entries_, [](const auto& x, const auto& y) {
      const auto *group = std::get_if<std::unique_ptr<Statistics>>(&x.second),
                 *other = std::get_if<std::unique_ptr<Statistics>>(&y.second);
      return x.first == y.first && (group && other ? **group == **other : x.second == y.second);
    });
  }

 private:
  std::vector<std::pair<std::string, Value>> entries_;
};

}  // namespace asterism
