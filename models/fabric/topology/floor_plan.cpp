#include "fabric/topology/floor_plan.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>

namespace asterism {
namespace {

Micrometres distance(Micrometres a, Micrometres b) { return a < b ? b - a : a - b; }

}  // namespace

Grid squarest_grid(unsigned cells) {
  unsigned rows = 1;
  for (unsigned candidate = 1; candidate <= cells / candidate; ++candidate)
    if (cells % candidate == 0) rows = candidate;
  return {cells / rows, rows};
}

Grid squarest_block(Grid grid, unsigned cells) {
  Grid best{0, 0};
  for (unsigned rows = 1; rows <= cells; ++rows) {
    const Grid block{cells / rows, rows};
    if (cells % rows != 0 || grid.rows % rows != 0 || grid.columns % block.columns != 0) continue;
    if (best.rows == 0 || std::max(block.columns, rows) < std::max(best.columns, best.rows)) best = block;
  }
  if (best.rows == 0)
    throw std::invalid_argument(std::to_string(grid.columns) + " x " + std::to_string(grid.rows) +
                                " places are not a whole number of blocks of " + std::to_string(cells));
  return best;
}

Micrometres manhattan(Topology::Point a, Topology::Point b) {
  return distance(a.x, b.x) + distance(a.y, b.y);
}

FloorPlan::FloorPlan(unsigned nodes, unsigned concentration, Micrometres tile)
    : tiles_(squarest_grid(nodes)), tile_(tile) {
  if (concentration == 0 || nodes == 0 || nodes % concentration != 0)
    throw std::invalid_argument(std::to_string(nodes) + " nodes are not a whole number of clusters of " +
                                std::to_string(concentration));
  cluster_ = squarest_block(tiles_, concentration);
}

unsigned FloorPlan::cluster_of(NodeId node) const {
  const unsigned column = node % tiles_.columns / cluster_.columns,
                 row = node / tiles_.columns / cluster_.rows;
  return row * clusters().columns + column;
}

Topology::Point FloorPlan::tile_centre(NodeId node) const {
  const unsigned column = node % tiles_.columns, row = node / tiles_.columns;
  return {tile_ * (2 * column + 1) / 2, tile_ * (2 * row + 1) / 2};
}

Topology::Point FloorPlan::cluster_centre(unsigned cluster) const {
  const unsigned column = cluster % clusters().columns, row = cluster / clusters().columns;
  return {tile_ * cluster_.columns * (2 * column + 1) / 2, tile_ * cluster_.rows * (2 * row + 1) / 2};
}

Micrometres FloorPlan::node_link(NodeId node) const {
  return std::max(manhattan(tile_centre(node), cluster_centre(cluster_of(node))), tile_ / 2);
}

Topology::Point FloorPlan::corner(unsigned column, unsigned row) const {
  return {tile_ * cluster_.columns * column, tile_ * cluster_.rows * row};
}

std::vector<Topology::Point> FloorPlan::spread_globals(unsigned count) const {
  std::vector<Topology::Point> free;
  for (unsigned row = 0; row <= clusters().rows; ++row)
    for (unsigned column = 0; column <= clusters().columns; ++column) free.push_back(corner(column, row));
  if (count > free.size())
    throw std::invalid_argument(std::to_string(count) + " global routers do not fit at the corners of " +
                                std::to_string(clusters().size()) + " clusters");
  const Topology::Point chip = corner(clusters().columns, clusters().rows);
  const Topology::Point middle{chip.x / 2, chip.y / 2};
  const Grid parts = squarest_grid(count);
  std::vector<Topology::Point> places;
  for (unsigned i = 0; i < count; ++i) {
    const Topology::Point wanted{
        chip.x * (2 * (i % parts.columns) + 1) / (Micrometres::Rep{2} * parts.columns),
        chip.y * (2 * (i / parts.columns) + 1) / (Micrometres::Rep{2} * parts.rows)};
    const auto nearer = [&](Topology::Point a, Topology::Point b) {
      return std::tuple(manhattan(a, wanted), manhattan(a, middle)) <
             std::tuple(manhattan(b, wanted), manhattan(b, middle));
    };
    const auto nearest = std::min_element(free.begin(), free.end(), nearer);
    places.push_back(*nearest);
    free.erase(nearest);
  }
  return places;
}

FloorPlan::Parts FloorPlan::parts(unsigned count) const {
  const Grid all = clusters();
  if (count == 0 || all.size() % count != 0)
    throw std::invalid_argument(std::to_string(all.size()) +
                                " local routers are not a whole number of parts for " +
                                std::to_string(count) + " global routers");
  const Grid block = squarest_block(all, all.size() / count);
  Parts parts{{all.columns / block.columns, all.rows / block.rows}, {}, {}};
  for (unsigned b = 0; b < count; ++b) {
    const unsigned column = b % parts.blocks.columns * block.columns,
                   row = b / parts.blocks.columns * block.rows;
    parts.globals.push_back(corner(column + (block.columns + 1) / 2, row + (block.rows + 1) / 2));
  }
  for (unsigned cluster = 0; cluster < all.size(); ++cluster) {
    const unsigned column = cluster % all.columns / block.columns, row = cluster / all.columns / block.rows;
    parts.block_of.push_back(row * parts.blocks.columns + column);
  }
  return parts;
}

}  // namespace asterism
