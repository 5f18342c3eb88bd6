// What a lockstep has covered: groups of named points, each with the number of times it was reached (if only
// "reached or not" is known, any number counts as one).
//
//   auto& requested = coverage.group("requesters", {"core0", "core1", "core2", "core3"});
//   requested.hit(2);
//   coverage.text()   "requesters 1/4 (never core0, core1, core3)"
//
// A contract states what it needs: points without which "0 mismatches" says little about the block.
//
//   at_once.need_one_of({1, 2, 3}, "never had two requests at once");
//   edges.need_each("never");
//   coverage.shortfalls()   {"never had two requests at once", "never rises, falls"}
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
    // The contract needs that one of these points is reached; `otherwise` says what is missing if none is.
    void need_one_of(std::vector<std::size_t> points, std::string otherwise);
    // The contract needs every point; `otherwise` is followed by the names of those that were not reached.
    void need_each(std::string otherwise);
    std::vector<std::string> shortfalls() const;

   private:
    struct Need {
      std::vector<std::size_t> one_of;  // empty: each point
      std::string otherwise;
    };
    std::string name_;
    std::vector<std::string> points_;
    std::vector<std::uint64_t> hits_;
    std::vector<Need> needs_;
  };

  // The reference stays valid.
  Group& group(std::string name, std::vector<std::string> points);
  const std::deque<Group>& groups() const { return groups_; }
  // Adds the coverage of another instance of the same block, which has the same groups and points.
  void add(const Coverage& other);

  // What the contract needs and was not reached, one text each; empty if the block was exercised enough.
  std::vector<std::string> shortfalls() const;
  // One piece of text per group, with at most a few names of points that were not reached.
  std::vector<std::string> text() const;
  // For each group "reached" and "points", and in "never" the names of up to 32 points that were not reached;
  // in "lacks" the shortfalls, if there are any.
  void report(Statistics& statistics) const;

 private:
  std::deque<Group> groups_;
};

// The coverage of one block in lockstep. A fabric has one for each router that has RTL.
struct BlockCoverage {
  std::string block;     // the key in a scenario's expect.coverage: "arbiter", "codec"
  std::string instance;  // "node.fabric.arbiter"
  std::string router;    // "R5"; "" if the block is no arbiter
  Coverage coverage;
};

// Points that are the values of an enum.
template <NamedEnum E>
std::vector<std::string> points_of() {
  std::vector<std::string> points;
  for (const auto& entry : enum_names(E{})) points.emplace_back(entry.name);
  return points;
}

}  // namespace asterism
