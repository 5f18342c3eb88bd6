#include <gtest/gtest.h>

#include "base/parameter_name.h"
#include "dimm_ssd/workload/write_census.h"
#include "dimm_ssd/workload/write_profile.h"
#include "platform/config/config.h"

namespace asterism {
namespace {

const ConfigLibrary library(ASTERISM_SOURCE_CONFIGS);

struct Row {  // a row of abeyratne2017 Table 5.2
  const char* name;
  std::uint64_t reads, requests, pages;  // pages of one interval
};
void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }
struct WriteProfilesTest : testing::TestWithParam<Row> {
  WriteProfile profile = load_config<WriteProfile>(library, "write_profiles", GetParam().name);
};

TEST_P(WriteProfilesTest, AreThoseOfTable5_2) {
  EXPECT_EQ(profile.reads(), GetParam().reads);
  std::uint64_t requests = 0;
  for (std::uint32_t i = 0; i < 5; ++i) requests += profile.writes(i);
  EXPECT_EQ(requests, GetParam().requests);
  EXPECT_EQ(profile.pages(), GetParam().pages);
}

// This counts one interval, so that the test stays under a second; `asterism paper abeyratne2017.table5.2`
// counts all.
TEST_P(WriteProfilesTest, GenerateWhatTheySay) {
  ProfileWrites source(profile, 5);
  const WriteCensus census = take_census(source, 1);
  EXPECT_EQ(census.requests, profile.writes(0));
  EXPECT_EQ(census.pages, GetParam().pages);
  EXPECT_EQ(census.lines, profile.lines());
  if (GetParam().name == std::string("bzip2")) {
    EXPECT_EQ(census.pages_above_64, 249u);  // 23%
  } else if (GetParam().name == std::string("lbm")) {
    EXPECT_EQ(census.pages_above_64, 90'769u);  // 88%
  } else {
    EXPECT_GE(census.pages_below_8 * 10, census.pages * 6);
    EXPECT_NEAR(static_cast<double>(census.pages_below_64), 0.9 * static_cast<double>(census.pages),
                0.002 * static_cast<double>(census.pages));
  }
}

INSTANTIATE_TEST_SUITE_P(Table5_2, WriteProfilesTest,
                         testing::Values(Row{"bwaves", 170'000, 720'651, 2'428},
                                         Row{"bzip2", 980'000, 3'495'375, 1'084},
                                         Row{"omnetpp", 7'940'000, 550'346, 3'614},
                                         Row{"GemsFDTD", 22'880'000, 50'469'314, 179'955},
                                         Row{"lbm", 31'130'000, 116'718'340, 103'146},
                                         Row{"leslie3d", 21'670'000, 33'910'187, 16'322},
                                         Row{"mcf", 21'300'000, 55'611'218, 367'247},
                                         Row{"milc", 15'970'000, 30'438'219, 108'755},
                                         Row{"miniFE", 37'810'000, 11'413'495, 17'295},
                                         Row{"Lulesh", 7'520'000, 16'879'622, 16'857}),
                         ParameterName());

}  // namespace
}  // namespace asterism
