#include "platform/rtl_exchange/core_name.h"

#include <gtest/gtest.h>

namespace asterism {
namespace {

bool is_met(const char* requirement, const char* core) {
  return CoreRequirement::parse(requirement)->is_met_by(*CoreName::parse(core));
}

TEST(CoreNameTest, HasVendorLibraryNameAndVersion) {
  EXPECT_EQ(CoreName::parse("a.org:ip:uart:1.5.2-r3")->core, "a.org:ip:uart");
  EXPECT_EQ(CoreName::parse("a.org:ip:uart:1.5.2-r3")->version, (std::vector{1, 5, 2, 3}));
  EXPECT_EQ(CoreName::parse("::timer:")->simple_name(), "timer");
  EXPECT_EQ(CoreName::parse("uart-16550-1.5")->core, "::uart");
  EXPECT_EQ(CoreName::parse("uart-lite-1.5")->core, "::uart-lite");
  EXPECT_FALSE(CoreName::parse("a:b"));
  EXPECT_FALSE(CoreName::parse("a:b:c:1:2"));
}

TEST(CoreNameTest, RequirementsLimitVersions) {
  EXPECT_TRUE(is_met("a:b:c", "a:b:c:9"));
  EXPECT_FALSE(is_met("a:b:c", "a:b:d:9"));
  EXPECT_TRUE(is_met("a:b:c:1.0", "a:b:c:1"));
  EXPECT_FALSE(is_met("a:b:c:1.0", "a:b:c:1.0-r1"));
  EXPECT_TRUE(is_met(">=a:b:c:1.2", "a:b:c:1.10"));
  EXPECT_FALSE(is_met("<a:b:c:1.2", "a:b:c:1.2"));
  EXPECT_TRUE(is_met("^a:b:c:1.2", "a:b:c:1.9"));
  EXPECT_FALSE(is_met("^a:b:c:1.2", "a:b:c:2.0"));
  EXPECT_TRUE(is_met("~a:b:c:1.2", "a:b:c:1.2.7"));
  EXPECT_FALSE(is_met("~a:b:c:1.2", "a:b:c:1.3"));
}

}  // namespace
}  // namespace asterism
