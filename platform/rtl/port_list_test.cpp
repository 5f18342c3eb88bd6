#include "platform/rtl/port_list.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/temporary_folder.h"

namespace asterism {
namespace {

using Direction = TopPort::Direction;

// As Verilator 5.006 writes it for
//   typedef struct packed { logic [2:0] a; e_t [1:0] b; } s_t;   // e_t: an enum of two bits
//   module x #(parameter int W = 8, localparam int L = 3) (input logic clk_i, input s_t s_i,
//     input logic [3:0][1:0][4:0] md_i, input logic [3:0] un_i [2], output logic q__o, inout wire io,
//     input real r_i, input wire [-1:-4] n_i, input logic delete, output logic [127:0] w_o, input u_t u_i);
constexpr const char* netlist = R"(<?xml version="1.0" ?>
<verilator_xml>
  <files><file id="a" filename="x.sv" language="1800-2017"/><file id="b" filename="inc/x.svh" language="1800-2017"/></files>
  <netlist>
  <module name="x" origName="x" topModule="1">
    <var name="W" dtype_id="1" vartype="int" origName="W" param="true"/>
    <var name="L" dtype_id="1" vartype="int" origName="L" localparam="true"/>
    <var name="clk_i" dtype_id="5" dir="input" pinIndex="1" vartype="logic" origName="clk_i"/>
    <var name="s_i" dtype_id="6" dir="input" pinIndex="2" vartype="s_t" origName="s_i"/>
    <var name="md_i" dtype_id="8" dir="input" pinIndex="4" vartype="port" origName="md_i"/>
    <var name="un_i" dtype_id="9" dir="input" pinIndex="5" vartype="port" origName="un_i"/>
    <var name="q__o" dtype_id="5" dir="output" pinIndex="6" vartype="logic" origName="q___05Fo"/>
    <var name="io" dtype_id="5" dir="inout" pinIndex="8" vartype="logic" origName="io"/>
    <var name="r_i" dtype_id="10" dir="input" pinIndex="9" vartype="real" origName="r_i"/>
    <var name="n_i" dtype_id="12" dir="input" pinIndex="12" vartype="logic" origName="n_i"/>
    <var name="delete" dtype_id="5" dir="input" pinIndex="16" vartype="logic" origName="delete"/>
    <var name="w_o" dtype_id="13" dir="output" pinIndex="20" vartype="logic" origName="w_o"/>
    <var name="u_i" dtype_id="14" dir="input" pinIndex="21" vartype="u_t" origName="u_i"/>
    <var name="inside" dtype_id="5" vartype="logic" origName="inside"/>
  </module>
  <package name="p"><typedef name="s_t" dtype_id="6"/></package>
  <typetable>
    <basicdtype id="1" name="int" left="31" right="0" signed="true"/>
    <basicdtype id="5" name="logic"/>
    <basicdtype id="21" name="logic" left="1" right="0"/>
    <basicdtype id="23" name="logic" left="2" right="0"/>
    <packarraydtype id="25" sub_dtype_id="21">
      <range><const name="32&apos;sh1" dtype_id="2"/><const name="32&apos;sh0" dtype_id="2"/></range>
    </packarraydtype>
    <structdtype id="6" name="p::s_t">
      <memberdtype id="26" name="a" sub_dtype_id="23"/>
      <memberdtype id="27" name="b" sub_dtype_id="25"/>
    </structdtype>
    <uniondtype id="14" name="p::u_t">
      <memberdtype id="30" name="u" sub_dtype_id="23"/>
      <memberdtype id="31" name="v" sub_dtype_id="23"/>
    </uniondtype>
    <basicdtype id="34" name="logic" left="4" right="0"/>
    <packarraydtype id="35" sub_dtype_id="34">
      <range><const name="32&apos;sh1" dtype_id="2"/><const name="32&apos;sh0" dtype_id="2"/></range>
    </packarraydtype>
    <packarraydtype id="8" sub_dtype_id="35">
      <range><const name="32&apos;sh1" dtype_id="2"/><const name="32&apos;shfffffffe" dtype_id="2"/></range>
    </packarraydtype>
    <unpackarraydtype id="9" sub_dtype_id="23"/>
    <basicdtype id="10" name="real" signed="true"/>
    <basicdtype id="12" name="logic" left="-1" right="-4"/>
    <basicdtype id="13" name="logic" left="127" right="0"/>
  </typetable>
</netlist></verilator_xml>)";

struct PortListTest : testing::Test {
  PortListTest() {
    const TemporaryFolder folder;
    std::ofstream(folder / "netlist.xml") << netlist;
    top = read_port_list(folder / "netlist.xml");
  }
  unsigned width(const std::string& port) const { return top.find(port)->width; }
  std::string problem(const std::string& port) const { return top.find(port)->problem; }
  TopModule top;
};

TEST_F(PortListTest, PortsComeInTheirOrderWithoutWhatIsInside) {
  EXPECT_EQ(top.name, "x");
  EXPECT_EQ(top.port_names(), (std::vector<std::string>{"clk_i", "s_i", "md_i", "un_i", "q__o", "io", "r_i",
                                                        "n_i", "delete", "w_o", "u_i"}));
  EXPECT_EQ(top.find("clk_i")->direction, Direction::input);
  EXPECT_EQ(top.find("q__o")->direction, Direction::output);
  EXPECT_EQ(top.find("inside"), nullptr);
}

TEST_F(PortListTest, FilesAreAlsoThoseThatAreIncluded) {
  EXPECT_EQ(top.files, (std::vector<std::filesystem::path>{"x.sv", "inc/x.svh"}));
}

TEST_F(PortListTest, ParametersAreThoseThatCanBeSet) {
  EXPECT_EQ(top.parameters, std::vector<std::string>{"W"});
}

TEST_F(PortListTest, WidthsAreOfAllPackedDimensionsTogether) {
  EXPECT_EQ(width("clk_i"), 1U);
  EXPECT_EQ(width("n_i"), 4U);
  EXPECT_EQ(width("w_o"), 128U);
  EXPECT_EQ(width("md_i"), 4U * 2U * 5U);
}

TEST_F(PortListTest, MembersOfAStructLieSideBySideThoseOfAUnionOnEachOther) {
  EXPECT_EQ(width("s_i"), 7U);
  EXPECT_EQ(width("u_i"), 3U);
}

TEST_F(PortListTest, WhatNoPortCanBeSaysWhy) {
  EXPECT_EQ(problem("clk_i"), "");
  EXPECT_EQ(problem("un_i"), "is an unpacked array; make it a packed one");
  EXPECT_EQ(problem("io"), "is an inout; make it an input and an output");
  EXPECT_EQ(problem("r_i"), "is of type real, which has no bits of its own");
}

TEST_F(PortListTest, IdentifiersAreThoseOfTheMadeSource) {
  EXPECT_EQ(top.find("q__o")->identifier, "q___05Fo");
  EXPECT_EQ(top.find("delete")->identifier, "__SYM__delete");
}

}  // namespace
}  // namespace asterism
