#include "memory/ecc_config.h"

#include <gtest/gtest.h>

#include "base/broken_rule.h"
#include "base/fields.h"

namespace asterism {
namespace {

TEST(EccConfigTest, DescribesEveryMember) { EXPECT_EQ(description_problem<EccConfig>(), ""); }

// Without a code, errors of its wider blocks would have no place in those of other ranks.
TEST(EccConfigTest, ACodeOfARankIsThatOfNormalMode) {
  for (const EccMode mode : {EccMode::none, EccMode::normal, EccMode::strong}) {
    EccConfig config;
    config.mode = mode;
    config.rank_code = Ddr5Code::chip_guard;
    const std::string broken = broken_rule(config);
    EXPECT_EQ(broken.starts_with("ecc is normal"), mode != EccMode::normal) << broken;
  }
}

}  // namespace
}  // namespace asterism
