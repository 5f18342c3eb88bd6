#include "dimm_ssd/workload/write_census.h"

#include <gtest/gtest.h>

#include <sstream>

#include "dimm_ssd/workload/write_trace.h"

namespace asterism {
namespace {

TEST(WriteCensusTest, CountsPagesAnewInEveryInterval) {
  std::string text;
  for (int i = 0; i < 64; ++i) text += "0 3 " + std::to_string(i) + "\n";
  text += "0 3 0\n1 5 1\n1 5 1\n1us 5 1\n";
  WriteTrace trace([&] { return std::make_unique<std::istringstream>(text); }, "t.txt", 1_us);
  const WriteCensus census = take_census(trace, trace.intervals());
  EXPECT_EQ(census.requests, 68u);
  EXPECT_EQ(census.pages, 3u);
  EXPECT_EQ(census.lines, 66u);
  EXPECT_EQ(census.pages_below_8, 2u);
  EXPECT_EQ(census.pages_below_64, 2u);
  EXPECT_EQ(census.pages_above_64, 1u);
}

}  // namespace
}  // namespace asterism
