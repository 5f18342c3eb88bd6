#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "auxiliary/test_node.h"

namespace {

using testing::HasSubstr;

std::string problem_of(const char* text) {
  Chain chain;
  char error[200] = "none";
  EXPECT_FALSE(chain_parse(text, &chain, error, sizeof error)) << text;
  return error;
}

TEST(AuxiliaryChainTest, HasItsPlugInsInOrder) {
  const Chain chain = chain_of("columns,dedup,pcram,drain");
  ASSERT_EQ(chain.count, 4u);
  EXPECT_EQ(chain.transforms, 2u);
  EXPECT_EQ(chain.plug_ins[0], &columns_plug_in);
  EXPECT_EQ(chain.plug_ins[1], &deduplication_plug_in);
  EXPECT_EQ(chain.plug_ins[2], &pcram_plug_in);
  EXPECT_EQ(chain.plug_ins[3], &drain_plug_in);
}

TEST(AuxiliaryChainTest, NamesAWordThatIsNoPlugIn) {
  EXPECT_EQ(problem_of("columns,zip,pcram"),
            "there is no plug-in 'zip', but columns, big_endian, dedup, pcram, ssd, benefactors, drain, "
            "drain_benefactors");
  EXPECT_THAT(problem_of(""), HasSubstr("there is no plug-in ''"));
  EXPECT_THAT(problem_of("pcram,"), HasSubstr("there is no plug-in ''"));
  EXPECT_THAT(problem_of("pcra"), HasSubstr("there is no plug-in 'pcra'"));
}

TEST(AuxiliaryChainTest, HasALimit) {
  EXPECT_EQ(chain_of("columns,columns,columns,columns,columns,pcram").count, 6u);
  EXPECT_EQ(problem_of("columns,columns,columns,columns,columns,columns,pcram"),
            "a chain has at most 6 plug-ins");
}

TEST(AuxiliaryChainTest, RefusesAnOrderThatCannotWork) {
  EXPECT_THAT(problem_of("columns,dedup"), HasSubstr("no store"));
  EXPECT_THAT(problem_of("pcram,columns"), HasSubstr("behind the store"));
  EXPECT_THAT(problem_of("pcram,ssd"), HasSubstr("one store"));
  EXPECT_THAT(problem_of("dedup,ssd"), HasSubstr("'dedup' needs"));
  EXPECT_THAT(problem_of("ssd,drain"), HasSubstr("a drain stands"));
  EXPECT_THAT(problem_of("drain"), HasSubstr("a drain stands"));
  EXPECT_THAT(problem_of("pcram,drain,drain"), HasSubstr("a drain stands"));
  EXPECT_THAT(problem_of("pcram,drain,drain_benefactors"), HasSubstr("a drain stands"));
  EXPECT_THAT(problem_of("benefactors,drain_benefactors"), HasSubstr("a drain stands"));
  EXPECT_THAT(problem_of("dedup,benefactors"), HasSubstr("'dedup' needs"));
}

TEST(AuxiliaryChainTest, DistinguishesOnlyConversions) {
  EXPECT_EQ(chain_of("columns,pcram").conversions, chain_of("columns,dedup,pcram,drain").conversions);
  EXPECT_NE(chain_of("columns,pcram").conversions, chain_of("big_endian,pcram").conversions);
  EXPECT_NE(chain_of("columns,big_endian,pcram").conversions,
            chain_of("big_endian,columns,pcram").conversions);
  EXPECT_EQ(chain_of("pcram").conversions, 0u);
}

}  // namespace
