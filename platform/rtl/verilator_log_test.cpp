#include "platform/rtl/verilator_log.h"

#include <gtest/gtest.h>

namespace asterism {
namespace {

using Names = std::vector<std::string>;

TEST(VerilatorLogTest, ParametersThatAreNotThereAreNamed) {
  EXPECT_EQ(parameters_not_found("%Warning-WIDTH: a.sv:1:1: x\n%Error: Parameters from the command line were "
                                 "not found in the design: "
                                 "Radx, Width\n%Error: Exiting due to 1 error(s)\n"),
            (Names{"Radx", "Width"}));
  EXPECT_EQ(parameters_not_found("%Error: a.sv:1:2: syntax error\n"), Names{});
}

TEST(VerilatorLogTest, AMissingTopIsSeen) {
  EXPECT_TRUE(is_top_not_found("%Error: Specified --top-module 'aa' was not found in design.\n"));
  EXPECT_FALSE(is_top_not_found("%Error: a.sv:1:2: syntax error\n"));
}

TEST(VerilatorLogTest, OnlyAPortsConnectionThatDoesNotFitIsSerious) {
  EXPECT_TRUE(has_misfit_connection(
      "%Warning-WIDTH: t/loop.sv:7:10: Input port connection 'd' expects 4 bits on the pin "
      "connection, but pin connection's SEL generates 3 bits.\n"));
  EXPECT_FALSE(
      has_misfit_connection("%Warning-WIDTH: a.sv:3:5: Operator ASSIGN expects 8 bits on the Assign RHS\n"
                            "%Warning-PINMISSING: a.sv:7:7: port connection\n"));
}

TEST(VerilatorLogTest, ModulesOfAFileAreFound) {
  EXPECT_EQ(modules_in("module a(input x);\nendmodule\nmy_module b; module\n  c #(int W=1) ();endmodule"),
            (Names{"a", "c"}));
}

}  // namespace
}  // namespace asterism
