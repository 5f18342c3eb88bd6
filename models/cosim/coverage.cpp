#include "cosim/coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace asterism {
namespace {

// "core0, core1 and 14 more": the first few points that were not reached, "" if all were.
std::string missed(const Coverage::Group& group, std::size_t most) {
  std::string names;
  std::size_t reported = 0;
  for (std::size_t i = 0; i < group.points() && reported < most; ++i) {
    if (group.hits(i) != 0) continue;
    names += (reported++ == 0 ? "" : ", ") + group.point(i);
  }
  if (const std::size_t left = group.points() - group.reached() - reported; left != 0)
    names += fmt::format(" and {} more", left);
  return names;
}

}  // namespace

std::size_t Coverage::Group::reached() const {
  return hits_.size() - static_cast<std::size_t>(std::ranges::count(hits_, 0u));
}

void Coverage::Group::need_one_of(std::vector<std::size_t> points, std::string otherwise) {
  if (!points.empty()) needs_.push_back({std::move(points), std::move(otherwise)});
}

void Coverage::Group::need_each(std::string otherwise) { needs_.push_back({{}, std::move(otherwise)}); }

std::vector<std::string> Coverage::Group::shortfalls() const {
  const auto is_reached = [this](std::size_t point) { return hits_[point] != 0; };
  std::vector<std::string> lines;
  for (const Need& need : needs_) {
    if (need.one_of.empty() && reached() < points())
      lines.push_back(fmt::format("{} {}", need.otherwise, missed(*this, 3)));
    if (!need.one_of.empty() && std::ranges::none_of(need.one_of, is_reached))
      lines.push_back(need.otherwise);
  }
  return lines;
}

std::vector<std::string> Coverage::shortfalls() const {
  std::vector<std::string> lines;
  for (const Group& group : groups_) std::ranges::copy(group.shortfalls(), std::back_inserter(lines));
  return lines;
}

Coverage::Group& Coverage::group(std::string name, std::vector<std::string> points) {
  return groups_.emplace_back(std::move(name), std::move(points));
}

void Coverage::add(const Coverage& other) {
  for (std::size_t group = 0; group < groups_.size(); ++group)
    for (std::size_t point = 0; point < groups_[group].points(); ++point)
      groups_[group].hit(point, other.groups_[group].hits(point));
}

std::vector<std::string> Coverage::text() const {
  std::vector<std::string> lines;
  constexpr std::size_t columns = 58;  // after what a summary prints before it
  for (const Group& group : groups_) {
    const std::string reached = fmt::format("{} {}/{}", group.name(), group.reached(), group.points());
    std::string line = reached;
    for (std::size_t names = 4; names > 0; --names) {
      const std::string never = missed(group, names);
      if (never.empty()) break;
      line = fmt::format("{} (never {})", reached, never);
      if (line.size() <= columns) break;
      line = reached;
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

void Coverage::report(Statistics& statistics) const {
  for (const Group& group : groups_) {
    Statistics& own = statistics.group(group.name());
    own.add("reached", std::uint64_t{group.reached()});
    own.add("points", std::uint64_t{group.points()});
    if (const std::string never = missed(group, 32); !never.empty()) own.add("never", never);
  }
  if (const auto lacking = shortfalls(); !lacking.empty())
    statistics.add("lacks", fmt::format("{}", fmt::join(lacking, "; ")));
}

}  // namespace asterism
