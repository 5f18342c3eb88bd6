// A flame graph as SVG: a box for each function in the tree of calls, as wide as its share of the whole,
// above the box of its caller. The tooltip of a box has its figures. Boxes narrower than half a pixel are
// omitted. The picture follows the reader's choice of a light or dark scheme.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace asterism {

struct FlameFrame {
  std::string name;
  std::string details = {};  // for the tooltip
  std::uint64_t width = 0;   // of the frame and all above it
  std::vector<FlameFrame> above = {};
};

// `unit`: what a width is a number of.
std::string flame_graph(const std::string& title, const std::string& unit, const FlameFrame& root);

}  // namespace asterism
