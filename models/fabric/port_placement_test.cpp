#include "fabric/port_placement.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "base/thrown.h"

namespace asterism {
namespace {

using Requested = std::map<std::string, std::uint32_t>;

std::vector<std::string> numbered(const std::string& name, unsigned count) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < count; ++i) names.push_back(name + std::to_string(i));
  return names;
}

std::string refusal(const Requested& requested, unsigned nodes, unsigned masters, unsigned targets) {
  return thrown<std::invalid_argument>(
      [&] { place_ports(requested, nodes, numbered("core", masters), numbered("mc", targets)); });
}

TEST(PortPlacementTest, TargetsArePlacedAlongTheEdgeAndMastersOverTheRest) {
  // The rows of nodes are 0 1 2 3, 4 5 6 7, 8 9 10 11 and 12 13 14 15, so that 12 nodes are on the edge.
  const PortPlacement placement = place_ports({}, 16, numbered("core", 4), numbered("mc", 3));
  EXPECT_EQ(
      placement,
      (PortPlacement{
          {"mc0", 0}, {"mc1", 7}, {"mc2", 13}, {"core0", 1}, {"core1", 4}, {"core2", 8}, {"core3", 11}}));
}

TEST(PortPlacementTest, AFullChipHasEveryTileTakenOnce) {
  const PortPlacement placement = place_ports({}, 576, numbered("core", 552), numbered("mc", 24));
  std::set<NodeId> taken;
  for (const auto& [name, node] : placement) taken.insert(node);
  EXPECT_EQ(taken.size(), 576u);
  for (const std::string& name : numbered("mc", 24)) {
    const NodeId node = placement.at(name), column = node % 24, row = node / 24;
    EXPECT_TRUE(column == 0 || column == 23 || row == 0 || row == 23) << name << " on " << node;
  }
}

TEST(PortPlacementTest, MoreTargetsThanTheEdgeHasGoInland) {
  EXPECT_EQ(place_ports({}, 9, {"core0"}, numbered("mc", 8)).at("core0"), 4u);
  EXPECT_EQ(place_ports({}, 9, {}, numbered("mc", 9)).at("mc8"), 4u);
  EXPECT_EQ(place_ports({}, 3, {"core0"}, numbered("mc", 2)).size(), 3u);
}

TEST(PortPlacementTest, ANameIsPlacedWhereRequestedAndMayShareANode) {
  Requested requested;
  requested = {{"core1", 15}, {"mc0", 5}, {"mc1", 5}};
  const PortPlacement placement = place_ports(requested, 16, numbered("core", 2), numbered("mc", 3));
  EXPECT_EQ(placement, (PortPlacement{{"core1", 15}, {"mc0", 5}, {"mc1", 5}, {"mc2", 0}, {"core0", 1}}));
}

TEST(PortPlacementTest, ColocatedTargetsShareTheNodesOfTheOthers) {
  Requested requested;
  requested = {{"uart", 5}};
  const PortPlacement placement =
      place_ports(requested, 16, {"core0"}, numbered("mc", 2), {"gic", "uart", "rtc", "power"});
  EXPECT_EQ(placement,
            (PortPlacement{
                {"uart", 5}, {"mc0", 0}, {"mc1", 15}, {"core0", 1}, {"gic", 0}, {"rtc", 15}, {"power", 0}}));
  EXPECT_EQ(place_ports({}, 576, numbered("core", 552), numbered("mc", 24), numbered("device", 30)).size(),
            606u);
}

TEST(PortPlacementTest, SaysWhatDoesNotFit) {
  EXPECT_EQ(refusal({}, 4, 3, 2), "the fabric has 4 nodes for 3 masters and 2 targets");
  Requested requested;
  requested = {{"core0", 4}};
  EXPECT_EQ(refusal(requested, 4, 1, 1),
            "\"core0\" is to be placed on node 4, and the last of the fabric is 3");
  requested = {{"core7", 1}};
  EXPECT_EQ(refusal(requested, 4, 1, 1), "\"core7\" is neither a master nor a target on the fabric");
}

}  // namespace
}  // namespace asterism
