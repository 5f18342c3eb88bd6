#include "fabric/topology/channel_dependency.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace asterism {
namespace {

// A vertex of the graph is channel * classes + class; a state of a packet is router * classes + class.
using Vertex = std::uint32_t;
using State = std::uint32_t;

class DependencyGraph {
 public:
  explicit DependencyGraph(const Topology& topology)
      : topology_(topology),
        classes_(topology.routing->vc_classes()),
        first_output_(topology.routers.size() + 1),
        rank_(topology.channels.size()),
        steps_(topology.routers.size() * classes_) {
    number_outputs();
    std::vector<bool> has_nodes(topology.routers.size());
    for (const Topology::Node& node : topology.nodes) has_nodes[node.router] = true;
    for (RouterId r = 0; r < has_nodes.size(); ++r)
      if (has_nodes[r]) terminals_.push_back(r);
  }

  // Adds all dependencies; returns false if there is a `problem`.
  bool collect(std::string& problem) {
    for (const RouterId destination : terminals_) {
      if (!walk(destination, problem)) return false;
      for (const State state : reached_) {
        const auto add = [&](ChannelId channel) {
          const RouterId next = topology_.channels[channel].to;
          if (next == destination) return;
          const unsigned vc_class = steps_[state].vc_class;
          add_edges(channel * classes_ + vc_class, steps_[next * classes_ + vc_class]);
        };
        for (const ChannelId channel : steps_[state].channels) add(channel);
        for (const ChannelId channel : steps_[state].fallback) add(channel);
      }
    }
    return true;
  }

  // The vertices of a cycle in order; empty if there is none.
  std::vector<Vertex> cycle() const {
    return find_cycle(topology_.channels.size() * classes_,
                      [&](Vertex v, auto&& visit) { successors(v, visit); });
  }

  // "" if no single route is a circle.
  std::string circle() {
    std::string unused;
    for (const RouterId destination : terminals_) {
      walk(destination, unused);
      std::vector<bool> is_reached(steps_.size());
      for (const State state : reached_) is_reached[state] = true;
      const auto next = [&](State state, auto&& visit) {
        if (!is_reached[state]) return;
        const auto go = [&](ChannelId channel) {
          const RouterId to = topology_.channels[channel].to;
          if (to != destination) visit(to * classes_ + steps_[state].vc_class);
        };
        for (const ChannelId channel : steps_[state].channels) go(channel);
        for (const ChannelId channel : steps_[state].fallback) go(channel);
      };
      const std::vector<State> states = find_cycle(steps_.size(), next);
      if (states.empty()) continue;
      std::string text = "the route to " + name(destination) + " runs in a circle: ";
      for (const State state : states) text += name(state / classes_) + " -> ";
      return text + name(states.front() / classes_);
    }
    return "";
  }

  std::string text(const std::vector<Vertex>& cycle) const {
    std::string text;
    for (const Vertex vertex : cycle) text += name_of_vertex(vertex) + " -> ";
    return text + name_of_vertex(cycle.front());
  }

 private:
  const std::string& name(RouterId router) const { return topology_.routers[router].name; }
  std::string name_of_vertex(Vertex vertex) const {
    const Topology::Channel& channel = topology_.channels[vertex / classes_];
    std::string text = name(channel.from) + "->" + name(channel.to);
    if (classes_ > 1) text += " (class " + std::to_string(vertex % classes_) + ")";
    return text;
  }

  // Each channel's rank among those that leave its router, and space for one bit per possible successor.
  void number_outputs() {
    for (const Topology::Channel& channel : topology_.channels) ++first_output_[channel.from + 1];
    for (std::size_t r = 1; r < first_output_.size(); ++r) first_output_[r] += first_output_[r - 1];
    std::vector<std::uint32_t> next(first_output_.begin(), first_output_.end() - 1);
    output_.resize(topology_.channels.size());
    for (ChannelId c = 0; c < rank_.size(); ++c) {
      const RouterId from = topology_.channels[c].from;
      output_[next[from]] = c;
      rank_[c] = next[from]++ - first_output_[from];
    }
    std::size_t words = 0;
    first_word_.push_back(0);
    for (const Topology::Channel& channel : topology_.channels)
      for (unsigned k = 0; k < classes_; ++k) {
        const std::size_t outputs = first_output_[channel.to + 1] - first_output_[channel.to];
        words += (outputs * classes_ + 63) / 64;
        first_word_.push_back(words);
      }
    bits_.resize(words);
  }

  // The states that packets to the destination can be in, and the successors of each.
  bool walk(RouterId destination, std::string& problem) {
    std::vector<bool> seen(steps_.size());
    reached_.clear();
    const auto reach = [&](RouterId router, unsigned vc_class) {
      const State state = router * classes_ + vc_class;
      if (router == destination || seen[state]) return;
      seen[state] = true;
      reached_.push_back(state);
    };
    for (const RouterId source : terminals_) reach(source, 0);
    for (std::size_t i = 0; i < reached_.size(); ++i) {
      const State state = reached_[i];
      const RouterId here = state / classes_;
      const Routing::Step step = topology_.routing->step(here, destination, state % classes_);
      if (step.vc_class >= classes_)
        throw std::logic_error("a routing function uses a class that it does not have");
      steps_[state] = step;
      if (step.channels.empty() && step.fallback.empty()) {
        problem = "there is no way from " + name(here) + " to " + name(destination);
        return false;
      }
      const auto follow = [&](ChannelId channel) {
        if (topology_.channels.at(channel).from != here)
          throw std::logic_error("a routing function leaves " + name(here) +
                                 " by a channel of another router");
        reach(topology_.channels[channel].to, step.vc_class);
      };
      for (const ChannelId channel : step.channels) follow(channel);
      for (const ChannelId channel : step.fallback) follow(channel);
    }
    return true;
  }

  void add_edges(Vertex from, const Routing::Step& next) {
    const auto add = [&](ChannelId channel) {
      const std::size_t bit = std::size_t{rank_[channel]} * classes_ + next.vc_class;
      bits_[first_word_[from] + bit / 64] |= std::uint64_t{1} << (bit % 64);
    };
    for (const ChannelId channel : next.channels) add(channel);
    for (const ChannelId channel : next.fallback) add(channel);
  }

  template <class Visit>
  void successors(Vertex vertex, Visit&& visit) const {
    const RouterId router = topology_.channels[vertex / classes_].to;
    for (std::size_t w = first_word_[vertex]; w < first_word_[vertex + 1]; ++w)
      for (std::uint64_t left = bits_[w]; left != 0; left &= left - 1) {
        const std::size_t bit =
            (w - first_word_[vertex]) * 64 + static_cast<unsigned>(std::countr_zero(left));
        const ChannelId channel = output_[first_output_[router] + bit / classes_];
        visit(static_cast<Vertex>(std::size_t{channel} * classes_ + bit % classes_));
      }
  }

  // Depth first, with an explicit stack, since the paths in a mesh are thousands of channels long.
  template <class Successors>
  static std::vector<std::uint32_t> find_cycle(std::size_t vertices, Successors&& successors_of) {
    enum : std::uint8_t { unseen, on_path, done };
    std::vector<std::uint8_t> mark(vertices, unseen);
    struct Frame {
      std::uint32_t vertex;
      std::vector<std::uint32_t> left;
    };
    std::vector<Frame> path;
    const auto enter = [&](std::uint32_t vertex) {
      mark[vertex] = on_path;
      path.push_back({vertex, {}});
      successors_of(vertex, [&](std::uint32_t next) { path.back().left.push_back(next); });
    };
    for (std::uint32_t start = 0; start < vertices; ++start) {
      if (mark[start] != unseen) continue;
      enter(start);
      while (!path.empty()) {
        if (path.back().left.empty()) {
          mark[path.back().vertex] = done;
          path.pop_back();
          continue;
        }
        const std::uint32_t next = path.back().left.back();
        path.back().left.pop_back();
        if (mark[next] == unseen) {
          enter(next);
        } else if (mark[next] == on_path) {
          std::vector<std::uint32_t> cycle;
          for (const Frame& frame : path)
            if (!cycle.empty() || frame.vertex == next) cycle.push_back(frame.vertex);
          return cycle;
        }
      }
    }
    return {};
  }

  const Topology& topology_;
  unsigned classes_;
  std::vector<RouterId> terminals_;          // the routers that have nodes
  std::vector<std::uint32_t> first_output_;  // by router, into output_
  std::vector<ChannelId> output_;            // channels by the router that they leave
  std::vector<std::uint32_t> rank_;          // by channel
  std::vector<std::size_t> first_word_;      // by vertex, into bits_
  std::vector<std::uint64_t> bits_;          // [vertex][rank of the successor's channel * classes + class]
  std::vector<Routing::Step> steps_;         // by state, for one destination
  std::vector<State> reached_;               // for one destination
};

}  // namespace

std::optional<std::string> routing_problem(const Topology& topology) {
  if (topology.nodes.empty()) return "there are no nodes";
  DependencyGraph graph(topology);
  std::string problem;
  if (!graph.collect(problem)) return problem;
  const std::vector<Vertex> cycle = graph.cycle();
  if (cycle.empty()) return std::nullopt;
  if (problem = graph.circle(); !problem.empty()) return problem;
  return "packets could block each other for ever: " + graph.text(cycle);
}

}  // namespace asterism
