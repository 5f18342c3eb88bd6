#include "fabric/port_placement.h"

#include <algorithm>
#include <stdexcept>

#include "fabric/topology/floor_plan.h"

namespace asterism {
namespace {

// Clockwise from node 0.
std::vector<NodeId> edge_of(Grid tiles) {
  const unsigned columns = tiles.columns, rows = tiles.rows;
  std::vector<NodeId> edge;
  for (unsigned x = 0; x < columns; ++x) edge.push_back(x);
  for (unsigned y = 1; y < rows; ++y) edge.push_back(y * columns + columns - 1);
  for (unsigned x = columns - 1; x-- > 0 && rows > 1;) edge.push_back((rows - 1) * columns + x);
  for (unsigned y = rows - 1; y-- > 1 && columns > 1;) edge.push_back(y * columns);
  return edge;
}

class Placer {
 public:
  Placer(PortPlacement& placement, unsigned nodes) : placement_(placement), taken_(nodes) {
    for (const auto& [name, node] : placement) taken_.at(node) = true;
  }

  std::vector<NodeId> free_of(const std::vector<NodeId>& nodes) const {
    std::vector<NodeId> free;
    std::ranges::copy_if(nodes, std::back_inserter(free), [&](NodeId n) { return !taken_[n]; });
    return free;
  }
  std::vector<NodeId> free() const {
    std::vector<NodeId> all(taken_.size());
    for (NodeId n = 0; n < all.size(); ++n) all[n] = n;
    return free_of(all);
  }
  // Places as many names as there are free nodes, spread evenly, and returns the others.
  std::vector<std::string> spread(const std::vector<std::string>& names, const std::vector<NodeId>& free) {
    const std::size_t placed = std::min(names.size(), free.size());
    for (std::size_t i = 0; i < placed; ++i) {
      const NodeId node = free[i * free.size() / placed];
      placement_[names[i]] = node;
      taken_[node] = true;
    }
    return {names.begin() + static_cast<std::ptrdiff_t>(placed), names.end()};
  }

 private:
  PortPlacement& placement_;
  std::vector<bool> taken_;
};

}  // namespace

PortPlacement place_ports(const std::map<std::string, std::uint32_t>& requested, unsigned nodes,
                          const std::vector<std::string>& masters, const std::vector<std::string>& targets,
                          const std::vector<std::string>& colocated) {
  PortPlacement placement;
  for (const auto& [name, node] : requested) {
    const auto has_name = [&name = name](const auto& names) { return std::ranges::count(names, name) != 0; };
    if (!has_name(masters) && !has_name(targets) && !has_name(colocated))
      throw std::invalid_argument("\"" + name + "\" is neither a master nor a target on the fabric");
    if (node >= nodes)
      throw std::invalid_argument("\"" + name + "\" is to be placed on node " + std::to_string(node) +
                                  ", and the last of the fabric is " + std::to_string(nodes - 1));
    placement[name] = node;
  }
  const auto not_placed = [&](const std::vector<std::string>& names) {
    std::vector<std::string> rest;
    std::ranges::copy_if(names, std::back_inserter(rest),
                         [&](const std::string& name) { return !placement.contains(name); });
    return rest;
  };
  const std::vector<std::string> free_masters = not_placed(masters), free_targets = not_placed(targets);
  Placer placer(placement, nodes);
  if (placer.free().size() < free_masters.size() + free_targets.size())
    throw std::invalid_argument("the fabric has " + std::to_string(nodes) + " nodes for " +
                                std::to_string(masters.size()) + " masters and " +
                                std::to_string(targets.size()) + " targets");
  const auto inland = placer.spread(free_targets, placer.free_of(edge_of(squarest_grid(nodes))));
  placer.spread(inland, placer.free());
  placer.spread(free_masters, placer.free());
  const std::vector<std::string> unplaced_colocated = not_placed(colocated);
  for (std::size_t i = 0; i < unplaced_colocated.size(); ++i)
    placement[unplaced_colocated[i]] = placement.at(targets.at(i % targets.size()));
  return placement;
}

}  // namespace asterism
