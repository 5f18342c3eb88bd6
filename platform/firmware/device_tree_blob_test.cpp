#include "platform/firmware/device_tree_blob.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace asterism {
namespace {

DeviceTreeNode tree_with(std::size_t bytes) {
  DeviceTreeNode root;
  root.properties.emplace_back("model", DeviceTreeNode::Strings{std::string(bytes, 'x')});
  return root;
}

TEST(DeviceTreeBlob, HasAtMost1MiB) {
  EXPECT_GT(flatten(tree_with(1'000'000)).size(), 1'000'000u);
  EXPECT_THROW(flatten(tree_with(1 << 20)), std::length_error);
}

}  // namespace
}  // namespace asterism
