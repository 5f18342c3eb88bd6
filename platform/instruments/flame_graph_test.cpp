#include "platform/instruments/flame_graph.h"

#include <gmock/gmock.h>

namespace asterism {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(FlameGraph, ABoxIsAsWideAsItsShareAndAboveItsCaller) {
  const FlameFrame root{.name = "all cores",
                        .width = 1000,
                        .above = {{.name = "core0", .width = 750, .above = {{.name = "main", .width = 375}}},
                                  {.name = "core1", .width = 250}}};
  const std::string svg = flame_graph("title", "instructions", root);
  EXPECT_THAT(svg, HasSubstr("x=\"20.00\" y=\"0\" width=\"1160.00\""));
  EXPECT_THAT(svg, HasSubstr("x=\"20.00\" y=\"-18\" width=\"870.00\""));
  EXPECT_THAT(svg, HasSubstr("x=\"20.00\" y=\"-36\" width=\"435.00\""));
  EXPECT_THAT(svg, HasSubstr("x=\"890.00\" y=\"-18\" width=\"290.00\""));
  EXPECT_THAT(svg, HasSubstr("prefers-color-scheme:dark"));
}

TEST(FlameGraph, TextFitsIntoItsBoxAndIsEscaped) {
  const FlameFrame root{
      .name = "all",
      .width = 1000,
      .above = {
          {.name = "std::vector<int>::push_back(int const&)", .details = "60 instructions", .width = 60},
          {.name = "narrow", .width = 10},
          {.name = "invisible", .width = 0}}};
  const std::string svg = flame_graph("a < b", "instructions", root);
  EXPECT_THAT(svg, HasSubstr(">a &lt; b</text>"));
  EXPECT_THAT(svg, HasSubstr(">std::vec\u2026</text>"));
  EXPECT_THAT(
      svg,
      HasSubstr("<title>std::vector&lt;int&gt;::push_back(int const&amp;): 60 instructions (6.00% of all)"
                "</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>narrow"));
  EXPECT_THAT(svg, Not(HasSubstr(">narrow</text>")));
  EXPECT_THAT(svg, Not(HasSubstr("invisible")));
}

}  // namespace
}  // namespace asterism
