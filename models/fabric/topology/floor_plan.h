// The floor plan of the chip. Every node has a square tile; the tiles form a grid as square as their number
// allows. A cluster is a block of tiles, the most square one that divides the grid, around one router at its
// centre; the clusters form a grid again. Nodes are numbered along the rows of tiles (node = row * columns +
// column), clusters along the rows of clusters.
//
// Wires run along the two axes (Manhattan). A node's link runs from the centre of its tile to its router; if
// the two coincide, the router lies at the edge of the tile, half a side away. Global routers lie at corners
// of clusters, between the local routers.
//
// The means of abeyratne2017 Table 3.2 follow from this plan: the local links of superstar, superstarX and
// superring and all global ones to the last digit given, those of the meshes and fbfly within 4%.
#pragma once

#include <vector>

#include "base/units.h"
#include "fabric/topology/topology.h"

namespace asterism {

struct Grid {
  unsigned columns = 1, rows = 1;
  unsigned size() const { return columns * rows; }
  bool operator==(const Grid&) const = default;
};

// The most square grid of `cells` cells, at least as wide as high: 24x24 for 576, 24x23 for 552, 7x1 for 7.
Grid squarest_grid(unsigned cells);
// The most square block of `cells` cells such that a whole number of blocks makes up the grid. Throws
// std::invalid_argument if the block's size does not divide the grid's.
Grid squarest_block(Grid grid, unsigned cells);

Micrometres manhattan(Topology::Point a, Topology::Point b);

class FloorPlan {
 public:
  // Throws std::invalid_argument if the nodes are not a whole number of clusters.
  FloorPlan(unsigned nodes, unsigned concentration, Micrometres tile);

  Grid tiles() const { return tiles_; }
  Grid clusters() const { return {tiles_.columns / cluster_.columns, tiles_.rows / cluster_.rows}; }
  Grid cluster() const { return cluster_; }  // in tiles

  unsigned cluster_of(NodeId node) const;
  Topology::Point tile_centre(NodeId node) const;
  Topology::Point cluster_centre(unsigned cluster) const;
  Micrometres node_link(NodeId node) const;

  // Spreads global routers evenly over the chip. Each lies at the free corner nearest to the centre of its
  // part, and of equally near corners at the one nearer to the chip's centre. Throws std::invalid_argument if
  // there are fewer corners.
  std::vector<Topology::Point> spread_globals(unsigned count) const;

  // The clusters divided into equal blocks, with a global router for each block at the corner nearest to the
  // block's centre. Of equally near corners the one farther from the origin is taken, so that the router has
  // the same place in every block.
  struct Parts {
    Grid blocks;
    std::vector<Topology::Point> globals;  // by block, along the rows of blocks
    std::vector<unsigned> block_of;        // by cluster
  };
  // Throws std::invalid_argument if the clusters are not a whole number of parts.
  Parts parts(unsigned count) const;

 private:
  Topology::Point corner(unsigned column, unsigned row) const;

  Grid tiles_, cluster_;
  Micrometres tile_;
};

}  // namespace asterism
