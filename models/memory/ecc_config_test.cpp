#include "memory/ecc_config.h"

#include <gtest/gtest.h>

#include "base/fields.h"

namespace asterism {
namespace {

TEST(EccConfigTest, DescribesEveryMember) { EXPECT_EQ(description_problem<EccConfig>(), ""); }

}  // namespace
}  // namespace asterism
