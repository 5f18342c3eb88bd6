#include "platform/node/node_graph.h"

#include <gmock/gmock.h>

#include "platform/node/listed_node.h"

namespace asterism {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string graph_of(const ListedNode& node) {
  EXPECT_EQ(node.problems, "");
  return node_graph({"a", node.config, node.devices, PreparedFabric()});
}

TEST(NodeGraphTest, X) { }

}  // namespace
}  // namespace asterism
