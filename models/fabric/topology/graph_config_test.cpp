#include "fabric/topology/graph_config.h"

#include <gtest/gtest.h>

#include "base/fields.h"

namespace asterism {
namespace {

TEST(GraphConfigTest, IsDescribedInFull) {
  EXPECT_EQ(description_problem<GraphConfig>(), "");
  EXPECT_EQ(description_problem<GraphRouter>(), "");
  EXPECT_EQ(description_problem<GraphLink>(), "");
  EXPECT_EQ(description_problem<GraphNodes>(), "");
  EXPECT_EQ(description_problem<GraphRoute>(), "");
}

}  // namespace
}  // namespace asterism
