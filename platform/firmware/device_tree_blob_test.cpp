#include "platform/firmware/device_tree_blob.h"

#include <gtest/gtest.h>

#include <string>

#include "platform/config/diagnostics.h"

namespace asterism {
namespace {

DeviceTreeNode tree_with(std::size_t bytes) {
  DeviceTreeNode root;
  root.properties.emplace_back("model", DeviceTreeNode::Strings{std::string(bytes, 'x')});
  return root;
}

TEST(DeviceTreeBlob, HasAtMost1MiB) {
  EXPECT_GT(flatten(tree_with(1'000'000)).size(), 1'000'000u);
  try {
    flatten(tree_with(1 << 20));
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "node: error: device tree is larger than 1 MiB; expected fewer devices or cores");
  }
}

}  // namespace
}  // namespace asterism
