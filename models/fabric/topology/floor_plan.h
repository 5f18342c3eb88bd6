// Where things stand on the chip. Every node has a square tile; the tiles make a grid as square as their number
// allows. A cluster is a block of tiles, as square as divides the grid, around one router at its centre; the
// clusters make a grid again. Nodes count along the rows of tiles (node = row * columns + column), clusters along
// the rows of clusters.
//
// Wires run along the two axes (Manhattan). A node's link runs from the centre of its tile to its router; where
// the two coincide the router stands at the edge of the tile, half a side away. Global routers stand at corners
// of clusters, between the local routers.
//
// The means of abeyratne2017 Table 3.2 come out of this: the local links of superstar, superstarX and superring
// and all global ones to the last digit given, those of the meshes and fbfly within 4%.
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

// The most square grid of so many cells, at least as wide as high: 24x24 for 576, 24x23 for 552, 7x1 for 7.
Grid squarest_grid(unsigned cells);
// The most square block of so many cells of which a whole number makes up the grid. Throws std::invalid_argument
// when the block's size does not divide the grid's.
Grid squarest_block(Grid grid, unsigned cells);

Micrometres manhattan(Topology::Point a, Topology::Point b);

class FloorPlan {
 public:
  // Throws std::invalid_argument when the nodes are no whole number of clusters.
  FloorPlan(unsigned nodes, unsigned concentration, Micrometres tile);

  Grid tiles() const { return tiles_; }
  Grid clusters() const { return {tiles_.columns / cluster_.columns, tiles_.rows / cluster_.rows}; }
  Grid cluster() const { return cluster_; }  // in tiles

  unsigned cluster_of(NodeId node) const;
  Topology::Point tile_centre(NodeId node) const;
  Topology::Point cluster_centre(unsigned cluster) const;
  Micrometres node_link(NodeId node) const;

  // Spread evenly over the chip: each at the free corner nearest to its part's centre, of equally near ones at the
  // one nearer to the chip's centre. Throws std::invalid_argument when there are fewer corners.
  std::vector<Topology::Point> spread_globals(unsigned count) const;

  // The clusters in equal blocks, a global router for each at the corner nearest to the block's centre, of equally
  // near ones always the one farther from the origin, so that it stands at the same place in every block.
  struct Parts {
    Grid blocks;
    std::vector<Topology::Point> globals;  // by block, along the rows of blocks
    std::vector<unsigned> block_of;        // by cluster
  };
  // Throws std::invalid_argument when the clusters are no whole number of parts.
  Parts parts(unsigned count) const;

 private:
  Topology::Point corner(unsigned column, unsigned row) const;

  Grid tiles_, cluster_;
  Micrometres tile_;
};

}  // namespace asterism
