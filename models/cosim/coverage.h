// What a lockstep has covered: groups of named points, each with the number of times it was reached (if only
// "reached or not" is known, any number counts as one).
//
//   auto& requested = coverage.group("requesters", {"core0", "core1", "core2", "core3"});
//   requested.hit(2);
//   coverage.text()   "requesters 1/4 (never core0, core1, core3)"
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "base/statistics.h"

namespace asterism {

class Coverage {
 public:
  class Group {
   public:
    Group(std::string name, std::vector<std::string> points)
        : name_(std::move(name)), points_(std::move(points)), hits_(points_.size()) {}
    void hit(std::size_t point, std::uint64_t times = 1) { hits_[point] += times; }
    const std::string& name() const { return name_; }
    std::size_t points() const { return points_.size(); }
    std::size_t reached() const;
    const std::string& point(std::size_t i) const { return points_[i]; }
    std::uint64_t hits(std::size_t i) const { return hits_[i]; }

   private:
    std::string name_;
    std::vector<std::string> points_;
    std::vector<std::uint64_t> hits_;
  };

  // The reference stays valid.
  Group& group(std::string name, std::vector<std::string> points);
  const std::deque<Group>& groups() const { return groups_; }
  // Adds the coverage of another instance of the same block, which has the same groups and points.
  void add(const Coverage& other);

  // One piece of text per group, with at most a few names of points that were not reached.
  std::vector<std::string> text() const;
  // For each group "reached" and "points", and in "never" the names of up to 32 points that were not reached.
  void report(Statistics& statistics) const;

 private:
  std::deque<Group> groups_;
};

// Points that are the values of an enum.
template <NamedEnum E>
std::vector<std::string> points_of() {
  std::vector<std::string> points;
  for (const auto& entry : enum_names(E{})) points.emplace_back(entry.name);
  return points;
}

}  // namespace asterism
