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

TEST(EccConfigTest, OnDieEccIsThatOfARankWithACode) {
  EccConfig config;
  config.on_die = true;
  EXPECT_TRUE(broken_rule(config).starts_with("on_die_ecc is false without ecc_rank_code"))
      << broken_rule(config);
  config.rank_code = Ddr5Code::rs_10_8;
  EXPECT_EQ(broken_rule(config), "");
}

}  // namespace
}  // namespace asterism
