#include "cluster_scale/cluster_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace asterism {
namespace {

constexpr std::uint32_t max_nodes = 1'000'000, max_switches = 20'000;
constexpr std::uint32_t usual_pod = 16, usual_chassis = 2;

std::uint32_t up(std::uint32_t count, std::uint32_t by) { return (count + by - 1) / by; }

std::array<std::uint32_t, 3> smallest(ClusterTopology topology, std::uint32_t switches) {
  switch (topology) {
    case ClusterTopology::fat_tree: {
      const std::uint32_t pod = std::min(usual_pod, switches);
      return {pod, up(switches, pod), 1};
    }
    case ClusterTopology::dragonfly: {
      std::uint32_t groups = 2;
      while (groups * groups * usual_chassis < switches) ++groups;
      return {groups, usual_chassis, groups};
    }
    case ClusterTopology::torus:
      break;
  }
  std::uint32_t side = 1;
  while (side * side * side < switches) ++side;
  return {side, side, up(switches, side * side)};
}

void check(bool holds, const char* member, const std::string& problem) {
  if (!holds) throw ClusterMistake(member, problem);
}

void check_machine(const ClusterSetup& s) {
  check(s.nodes >= 2, "nodes", "every node has a buddy: there are two nodes or more");
  check(s.nodes % 2 == 0, "nodes", "buddies are pairs: an even number of nodes");
  check(s.nodes <= max_nodes, "nodes", fmt::format("at most {} nodes", max_nodes));
  check(s.nodes_per_switch >= 1, "nodes_per_switch", "a switch has a node or more");
  check(s.link > Bandwidth(), "link", "a bandwidth is above 0");
  check(s.file_system > Bandwidth(), "file_system", "a bandwidth is above 0");
  check(std::isfinite(s.oversubscription) && s.oversubscription >= 1, "oversubscription", "1 or more");
  check(s.global_links >= 1, "global_links", "groups are linked: 1 or more");
  check(s.latency >= Seconds() && s.latency <= Seconds(1), "latency", "from 0 to a second");
  check(s.spare_return >= Seconds() && std::isfinite(s.spare_return.count()), "spare_return", "0 or more");
}

void check_node(const ClusterSetup& s) {
  check(s.state > Bytes(), "state", "a checkpoint has one byte or more");
  const auto time = [](Seconds t, bool above) {
    return std::isfinite(t.count()) && (above ? t > Seconds() : t >= Seconds());
  };
  check(time(s.dump, false), "dump", "a time is 0 or more");
  check(time(s.overhead, false), "overhead", "a time is 0 or more");
  check(time(s.overlap, true), "overlap", "a time above 0: bytes take time to a buddy");
  check(time(s.restart, true), "restart", "a time above 0: bytes take time to a spare");
  check(s.group >= 2 && s.nodes % s.group == 0, "group",
        "two nodes or more, of which the machine is a multiple");
  check(s.group == 2 || s.checkpoint != ClusterCheckpoint::just_in_time, "group",
        "just in time there are replicas and no parity");
  check(s.replicas >= 2, "replicas", "a node's own copy and another one: 2 or more");
  check(s.replicas == 2 || s.group == 2, "replicas", "a group has whole copies or a parity: expected 2");
  const std::uint64_t of_pair = std::uint64_t{2} * s.nodes_per_switch;
  check(s.replicas == 2 || s.nodes % of_pair == 0, "replicas",
        fmt::format("more than 2 are on as many full switches: expected a multiple of {} nodes, got {}",
                    of_pair, s.nodes));
  check(s.replicas == 2 || s.replicas <= s.nodes / s.nodes_per_switch, "replicas",
        fmt::format("each is on a switch of its own: expected at most {}, got {}",
                    s.nodes / s.nodes_per_switch, s.replicas));
  const Seconds overlap = overlap_of(s);
  check(s.overhead <= overlap, "overhead",
        fmt::format("expected at most the overlap, {} s, got {} s", overlap.count(), s.overhead.count()));
  check(s.global_every == 0 || s.drain > Bandwidth(), "drain", "a rate above 0, or no global copies");
}

void check_program(const ClusterSetup& s) {
  check(s.iteration > Seconds() && std::isfinite(s.iteration.count()), "iteration", "a time above 0");
  check(s.iterations >= 1, "iterations", "a run has an iteration or more");
  check(s.interval >= 1, "interval", "an interval has an iteration or more");
  check(s.interval <= s.iterations, "interval",
        fmt::format("expected at most the run's {} iterations, got {}", s.iterations, s.interval));
  const Seconds work = s.iteration * static_cast<double>(s.iterations);
  const auto within_the_run = [&](const char* member, Seconds time) {
    check(time <= work, member,
          fmt::format("expected at most the run's work, {} s, got {} s", work.count(), time.count()));
  };
  within_the_run("dump", s.dump);
  within_the_run("overlap", s.overlap);
  const Seconds length = s.iteration * static_cast<double>(s.interval);
  check(s.checkpoint != ClusterCheckpoint::semi_blocking || length + s.overhead >= overlap_of(s), "interval",
        fmt::format("buddies have their copies when the next checkpoint begins: expected {} s or longer, "
                    "overlap less overhead, got {} s",
                    (overlap_of(s) - s.overhead).count(), length.count()));
  check(s.detection >= Seconds() && std::isfinite(s.detection.count()), "detection", "a time is 0 or more");
  check(s.check >= Seconds() && std::isfinite(s.check.count()), "check", "a time is 0 or more");
  check(s.runs >= 1, "runs", "1 or more");
  check(s.give_up > Seconds(), "give_up", "a time above 0");
}

void check_failures(const ClusterSetup& s) {
  check(s.shape_of_lifetimes >= 0.1 && s.shape_of_lifetimes <= 10, "shape_of_lifetimes", "from 0.1 to 10");
  check(s.burst_nodes >= 1 && s.burst_nodes <= s.nodes, "burst_nodes",
        fmt::format("from 1 to the {} nodes", s.nodes));
  const std::uint64_t neighbours = std::uint64_t{2} * s.nodes_per_switch;
  check(
      s.burst_place == BurstPlace::anywhere || s.burst_nodes <= neighbours, "burst_nodes",
      fmt::format("neighbours are on two switches: expected at most {}, got {}", neighbours, s.burst_nodes));
  check(s.slowdown >= 0 && std::isfinite(s.slowdown), "slowdown", "0 or more");
  check(s.slow_found >= Seconds() && std::isfinite(s.slow_found.count()), "slow_found",
        "a time is 0 or more");
  double sum = 0;
  for (const Rate rate : s.rates) {
    check(rate >= Rate() && std::isfinite(rate.per_second()), "rates", "a rate is 0 or more");
    sum += rate.per_second();
  }
  check(sum > 0 || !s.placed.empty(), "rates",
        "something fails: a rate above 0, or a failure that is placed");
  Seconds last;
  for (const PlacedFailure& failure : s.placed) {
    check(failure.at >= last && std::isfinite(failure.at.count()), "placed", "in the order of their times");
    check(failure.node < s.nodes, "placed",
          fmt::format("node {} is not one of the {} nodes", failure.node, s.nodes));
    last = failure.at;
  }
}

ClusterShape shape_of(const ClusterSetup& s) {
  ClusterShape shape;
  shape.compute = 2 * up(s.nodes / 2, s.nodes_per_switch);
  shape.spare = up(std::max(s.spares, 1u), s.nodes_per_switch);
  const std::uint32_t needed = shape.compute + shape.spare;
  check(needed <= max_switches, "nodes_per_switch",
        fmt::format("at most {} switches, this takes {}", max_switches, needed));
  const bool given = std::ranges::any_of(s.shape, [](std::uint32_t n) { return n > 0; });
  shape.dimensions = given ? s.shape : smallest(s.topology, needed);
  if (s.topology == ClusterTopology::fat_tree && given && shape.dimensions[2] == 0) shape.dimensions[2] = 1;
  const auto& d = shape.dimensions;
  const double room = 1.0 * d[0] * d[1] * d[2];
  check(room >= needed, "shape",
        fmt::format(
            "{} x {} x {} switches of {} nodes have no space for {} nodes in {} switches and {} for spares",
            d[0], d[1], d[2], s.nodes_per_switch, s.nodes, shape.compute, shape.spare));
  check(room <= max_switches, "shape", fmt::format("at most {} switches", max_switches));
  check(s.topology != ClusterTopology::fat_tree || d[2] == 1, "shape", "of a fat tree: switches a pod, pods");
  check(s.topology != ClusterTopology::dragonfly || d[2] >= d[0], "shape",
        "of a dragonfly: a chassis has a blade for each group");
  shape.io = s.io_switches > 0 ? s.io_switches : up(shape.compute, 16);
  check(shape.io <= shape.compute, "io_switches",
        fmt::format("no more than switches with nodes, {}", shape.compute));
  return shape;
}

}  // namespace

ClusterPlaces::ClusterPlaces(const ClusterSetup& setup)
    : nodes_(setup.nodes),
      per_switch_(setup.nodes_per_switch),
      replicas_(setup.replicas),
      distance_(setup.buddies),
      shape_(shape_of(setup)) {}

std::uint32_t ClusterPlaces::switch_of(std::uint32_t node) const {
  const std::uint32_t pair = node / 2 / per_switch_, side = node % 2;
  return distance_ == BuddyDistance::far ? pair + side * (shape_.compute / 2) : 2 * pair + side;
}

std::uint32_t ClusterPlaces::partner(std::uint32_t s) const {
  const std::uint32_t half = shape_.compute / 2;
  if (distance_ == BuddyDistance::near) return s ^ 1;
  return s < half ? s + half : s - half;
}

std::uint32_t ClusterPlaces::partner(std::uint32_t s, std::uint32_t copy) const {
  if (replicas_ == 2) return partner(s);
  const std::uint32_t step = distance_ == BuddyDistance::near ? 1 : shape_.compute / replicas_;
  return (s + copy * step) % shape_.compute;
}

std::vector<std::uint32_t> ClusterPlaces::holders(std::uint32_t node) const {
  if (replicas_ == 2) return {buddy(node)};
  const std::uint32_t here = switch_of(node), place = node / 2 % per_switch_, half = shape_.compute / 2;
  std::vector<std::uint32_t> nodes;
  nodes.reserve(replicas_ - 1);
  for (std::uint32_t copy = 1; copy < replicas_; ++copy) {
    const std::uint32_t s = partner(here, copy);
    const bool far = distance_ == BuddyDistance::far;
    const std::uint32_t pair = far ? s % half : s / 2, side = far ? s / half : s % 2;
    nodes.push_back(2 * (pair * per_switch_ + place) + side);
  }
  return nodes;
}

std::uint32_t ClusterPlaces::nodes_in(std::uint32_t s) const {
  const std::uint32_t half = shape_.compute / 2;
  const std::uint32_t pair = distance_ == BuddyDistance::far ? s % half : s / 2;
  return std::min(per_switch_, nodes_ / 2 - pair * per_switch_);
}

std::uint32_t ClusterPlaces::io_switch(std::uint32_t s) const {
  const std::uint64_t server = std::uint64_t{s} * shape_.io / shape_.compute;
  return static_cast<std::uint32_t>(server * shape_.compute / shape_.io);
}

void check_cluster(const ClusterSetup& setup) {
  check_machine(setup);
  check_node(setup);
  check_program(setup);
  check_failures(setup);
  shape_of(setup);
}

}  // namespace asterism
