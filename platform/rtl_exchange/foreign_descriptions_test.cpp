// Descriptions as other people's tools and projects write them: a core of FuseSoC with conditions and
// dependencies, a component of Kactus2 (IEEE 1685-2014), one of IEEE 1685-2022 with an AXI4-Lite port.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/temporary_folder.h"
#include "base/thrown.h"
#include "platform/rtl/block_build.h"
#include "platform/rtl_exchange/block_export.h"
#include "platform/rtl_exchange/block_import.h"
#include "platform/rtl_exchange/ipxact_sequences.h"
#include "platform/rtl_exchange/port_roles.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

constexpr const char* gpio = R"(`include "gpio_defines.svh"
module gpio_apb #(
  parameter int ADDR_WIDTH = 12,
  parameter int WIDTH = 4
) (
  input  logic                  PCLK,
  input  logic                  PRESETn,
  input  logic [ADDR_WIDTH-1:0] PADDR,
  input  logic                  PSEL,
  input  logic                  PENABLE,
  input  logic                  PWRITE,
  input  logic [31:0]           PWDATA,
  input  logic [2:0]            PPROT,
  output logic [31:0]           PRDATA,
  output logic                  PREADY,
  output logic                  PSLVERR,
  input  logic [WIDTH-1:0]      gpio_i,
  output logic [(WIDTH-1):0]    gpio_o,
  output logic                  irq_rise,
  output logic                  irq_fall
);
  logic [WIDTH-1:0] last;
  wire access = PSEL && PENABLE;
  assign PREADY = 1'b1;
  assign PSLVERR = access && PADDR[2] && ^PPROT;
  assign PRDATA = 32'(PADDR[2] ? gpio_i : gpio_o) & `GPIO_MASK;
  always_ff @(posedge PCLK or negedge PRESETn)
    if (!PRESETn) begin
      gpio_o <= '0;
      last <= '0;
      {irq_rise, irq_fall} <= '0;
    end else begin
      last <= gpio_i;
      irq_rise <= |(gpio_i & ~last);
      irq_fall <= |(~gpio_i & last);
      if (access && PWRITE) gpio_o <= PWDATA[WIDTH-1:0];
    end
endmodule
)";

constexpr const char* gpio_core = R"core(CAPI=2:
# SPDX-License-Identifier: Apache-2.0
name: "acme:peripherals:gpio:1.2.3-r1"
description: General purpose inputs and outputs

filesets:
  rtl:
    depend:
      - "tool_verilator? (acme:prims:assert)"
      - "!tool_verilator? (acme:prims:vendor_pads)"
      - "target_fpga ? (acme:prims:vendor_pads)"
    files:
      - gpio_defines.svh: {is_include_file: True}
      - gpio_apb.sv
    file_type: systemVerilogSource
  lint_waivers:
    files:
      - "tool_verilator ? (gpio.vlt)": {file_type: vlt}
      - tool_ascentlint? (gpio.waiver): {file_type: waiver}
  constraints:
    files: [gpio.xdc: {file_type: xdc}, board.txt]
    file_type: user
  tb:
    files: [tb_gpio.cpp]
    file_type: cppSource

parameters:
  WIDTH:
    datatype: int
    description: The number of pins
    default: 8
    paramtype: vlogparam
  GPIO_MASK: {datatype: str, paramtype: vlogdefine, default: "32'hffff"}
  SYNTHESIS: {datatype: bool, paramtype: vlogdefine}
  trace: {datatype: bool, paramtype: plusarg, default: false}
  board: {datatype: str, paramtype: vlogparam, default: arty}

targets:
  default: &default_target
    filesets: [rtl, "tool_verilator ? (lint_waivers)"]
    toplevel: gpio_apb
    parameters: ["WIDTH=(8)", GPIO_MASK]
  sim:
    <<: *default_target
    description: Simulation with a testbench
    default_tool: verilator
    filesets_append: [constraints, tb]
    flags: {simulation: yes}
    parameters: [WIDTH=6, GPIO_MASK, "simulation? (SYNTHESIS=false)", trace]
    toplevel: [gpio_apb]
    tools: {verilator: {mode: cc, verilator_options: [--trace]}}
  fpga:
    <<: *default_target
    parameters: [WIDTH, GPIO_MASK, board]
  generated:
    <<: *default_target
    generate: [pins]

generate:
  pins: {generator: pin_table, parameters: {pins: 8}}

provider: {name: github, user: acme, repo: gpio, version: v1.2.3}
)core";

// ---- IP-XACT ----

std::string tag(const std::string& name, const std::string& content) {
  return "<ipxact:" + name + ">" + content + "</ipxact:" + name + ">";
}
std::string vector_to(const std::string& left) {
  return left.empty() ? "" : tag("vectors", tag("vector", tag("left", left) + tag("right", "0")));
}
std::string wire(const std::string& name, const std::string& direction, const std::string& left = "",
                 const std::string& more = "") {
  return tag("port", tag("name", name) + "<ipxact:wire allLogicalDirectionsAllowed=\"false\">" +
                         tag("direction", direction) + vector_to(left) + more + "</ipxact:wire>") +
         "\n";
}
std::string map_to(const std::string& logical, const std::string& physical) {
  return tag("portMap",
             tag("logicalPort", tag("name", logical)) + tag("physicalPort", tag("name", physical)));
}
std::string interface(const std::string& name, const std::string& library, const std::string& type,
                      const std::string& maps, const std::string& side) {
  const std::string vendor = "vendor=\"" + library.substr(0, library.find(':')) + "\" library=\"" +
                             library.substr(library.find(':') + 1) + "\" version=\"r0p0_0\" name=\"" + type;
  return tag("busInterface",
             tag("name", name) + "<ipxact:busType " + vendor + "\"/>\n" +
                 tag("abstractionTypes", tag("abstractionType", "<ipxact:abstractionRef " + vendor +
                                                                    "_rtl\"/>\n" + tag("portMaps", maps))) +
                 side) +
         "\n";
}

const std::string apb_maps =
    map_to("PADDR", "PADDR") + map_to("PSELx", "PSEL") + map_to("PENABLE", "PENABLE") +
    map_to("PWRITE", "PWRITE") + map_to("PWDATA", "PWDATA") + map_to("PPROT", "PPROT") +
    map_to("PRDATA", "PRDATA") + map_to("PREADY", "PREADY") + map_to("PSLVERR", "PSLVERR");

// As Kactus2 writes components: identifiers are UUIDs, extensions are of its own namespace.
std::string gpio_of_kactus2() {
  return R"(<?xml version="1.0" encoding="UTF-8"?>
<ipxact:component xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:ipxact="http://www.accellera.org/XMLSchema/IPXACT/1685-2014" xmlns:kactus2="http://kactus2.cs.tut.fi" xsi:schemaLocation="http://www.accellera.org/XMLSchema/IPXACT/1685-2014 http://www.accellera.org/XMLSchema/IPXACT/1685-2014/index.xsd">
<ipxact:vendor>acme.example</ipxact:vendor><ipxact:library>ip.peripheral</ipxact:library>
<ipxact:name>gpio_apb</ipxact:name><ipxact:version>1.0</ipxact:version>
)" +
         tag("busInterfaces",
             interface("apb_slave", "amba.com:AMBA4", "APB4", apb_maps,
                       tag("slave", "<ipxact:memoryMapRef memoryMapRef=\"regs\"/>") +
                           tag("connectionRequired", "false") + tag("bitsInLau", "8") +
                           tag("endianness", "little")) +
                 interface("clk_slave", "tuni.fi:interface", "clk", map_to("CLK", "PCLK"), tag("slave", "")) +
                 interface("rst_slave", "tuni.fi:interface", "rst_n", map_to("RESETn", "PRESETn"),
                           tag("slave", "")) +
                 interface("fall", "tuni.fi:interface", "interrupt", map_to("IRQ", "irq_fall"),
                           tag("master", "")) +
                 interface("rise", "tuni.fi:interface", "interrupt", map_to("IRQ", "irq_rise"),
                           tag("master", ""))) +
         R"(<ipxact:memoryMaps><ipxact:memoryMap><ipxact:name>regs</ipxact:name>
  <ipxact:addressBlock><ipxact:name>block</ipxact:name><ipxact:baseAddress>'h0</ipxact:baseAddress><ipxact:range>2**(uuid_addr)</ipxact:range><ipxact:width>32</ipxact:width><ipxact:usage>register</ipxact:usage><ipxact:volatile>false</ipxact:volatile><ipxact:access>read-write</ipxact:access>
    <ipxact:register><ipxact:name>out</ipxact:name><ipxact:description>The levels of the outputs.</ipxact:description><ipxact:addressOffset>'h0</ipxact:addressOffset><ipxact:size>32</ipxact:size>
      <ipxact:field><ipxact:name>pins</ipxact:name><ipxact:bitOffset>0</ipxact:bitOffset><ipxact:resets><ipxact:reset><ipxact:value>0</ipxact:value></ipxact:reset></ipxact:resets><ipxact:bitWidth>uuid_width</ipxact:bitWidth></ipxact:field>
      <ipxact:field><ipxact:name>reserved</ipxact:name><ipxact:bitOffset>uuid_width</ipxact:bitOffset><ipxact:bitWidth>32-uuid_width</ipxact:bitWidth></ipxact:field></ipxact:register>
    <ipxact:register><ipxact:name>in</ipxact:name><ipxact:addressOffset>'h4</ipxact:addressOffset><ipxact:size>32</ipxact:size><ipxact:access>read-only</ipxact:access><ipxact:field><ipxact:name>pins</ipxact:name><ipxact:bitOffset>0</ipxact:bitOffset><ipxact:bitWidth>uuid_width</ipxact:bitWidth></ipxact:field></ipxact:register>
  </ipxact:addressBlock><ipxact:addressUnitBits>8</ipxact:addressUnitBits></ipxact:memoryMap></ipxact:memoryMaps>
<ipxact:model>
  <ipxact:views><ipxact:view><ipxact:name>flat</ipxact:name><ipxact:envIdentifier>verilog:kactus2.cs.tut.fi:</ipxact:envIdentifier><ipxact:componentInstantiationRef>verilog_implementation</ipxact:componentInstantiationRef></ipxact:view></ipxact:views>
  <ipxact:instantiations><ipxact:componentInstantiation>
    <ipxact:name>verilog_implementation</ipxact:name><ipxact:language strict="false">systemVerilog</ipxact:language><ipxact:moduleName>gpio_apb</ipxact:moduleName>
    <ipxact:moduleParameters>
      <ipxact:moduleParameter parameterId="uuid_m1" usageType="nontyped" type="int" dataType="int"><ipxact:name>ADDR_WIDTH</ipxact:name><ipxact:value>uuid_addr</ipxact:value></ipxact:moduleParameter>
      <ipxact:moduleParameter parameterId="uuid_m2" usageType="nontyped" type="int" dataType="int"><ipxact:name>WIDTH</ipxact:name><ipxact:value>WIDTH</ipxact:value></ipxact:moduleParameter>
    </ipxact:moduleParameters>
    <ipxact:fileSetRef><ipxact:localName>rtl</ipxact:localName></ipxact:fileSetRef>
  </ipxact:componentInstantiation></ipxact:instantiations>
)" +
         tag("ports", wire("PCLK", "in") + wire("PRESETn", "in") + wire("PADDR", "in", "uuid_addr-1") +
                          wire("PSEL", "in") + wire("PENABLE", "in") + wire("PWRITE", "in") +
                          wire("PWDATA", "in", "31") + wire("PPROT", "in", "2") +
                          wire("PRDATA", "out", "31") + wire("PREADY", "out") + wire("PSLVERR", "out") +
                          wire("gpio_i", "in", "(uuid_width-1)",
                               tag("drivers", tag("driver", tag("defaultValue", "'h2")))) +
                          wire("gpio_o", "out", "(uuid_width > 1) ? uuid_width - 1 : 0") +
                          wire("irq_rise", "out") + wire("irq_fall", "out")) +
         R"(</ipxact:model>
<ipxact:fileSets>
  <ipxact:fileSet><ipxact:name>rtl</ipxact:name><ipxact:group>sourceFiles</ipxact:group>
    <ipxact:file><ipxact:name>gpio_defines.svh</ipxact:name><ipxact:fileType>systemVerilogSource</ipxact:fileType><ipxact:isIncludeFile>true</ipxact:isIncludeFile></ipxact:file>
    <ipxact:file><ipxact:name>gpio_apb.sv</ipxact:name><ipxact:fileType>systemVerilogSource</ipxact:fileType><ipxact:vendorExtensions><kactus2:hash>da39a3ee</kactus2:hash></ipxact:vendorExtensions></ipxact:file></ipxact:fileSet>
  <ipxact:fileSet><ipxact:name>software</ipxact:name><ipxact:file><ipxact:name>gpio.h</ipxact:name><ipxact:fileType>cSource</ipxact:fileType></ipxact:file></ipxact:fileSet>
</ipxact:fileSets>
<ipxact:description>Pins of a chip.</ipxact:description>
<ipxact:parameters>
  <ipxact:parameter parameterId="uuid_addr" type="int" prompt=""><ipxact:name>ADDR_WIDTH</ipxact:name><ipxact:value>6*2</ipxact:value></ipxact:parameter>
  <ipxact:parameter parameterId="uuid_width" type="int" prompt="" minimum="1" maximum="32"><ipxact:name>PINS</ipxact:name><ipxact:value>8</ipxact:value></ipxact:parameter>
  <ipxact:parameter parameterId="WIDTH" type="int"><ipxact:name>WIDTH</ipxact:name><ipxact:value>uuid_width</ipxact:value></ipxact:parameter>
</ipxact:parameters>
<ipxact:vendorExtensions><kactus2:author>A. Nonymous</kactus2:author><kactus2:version>3,13,0,0</kactus2:version><kactus2:kts_attributes><kactus2:kts_productHier>Flat</kactus2:kts_productHier></kactus2:kts_attributes></ipxact:vendorExtensions>
</ipxact:component>
)";
}

// A peripheral with AXI4-Lite, of IEEE 1685-2022.
std::string axi_component() {
  return R"(<?xml version="1.0"?>
<ipxact:component xmlns:ipxact="http://www.accellera.org/XMLSchema/IPXACT/1685-2022" xmlns:acme="http://acme.example/ipxact">
<ipxact:vendor>acme.example</ipxact:vendor><ipxact:library>ip</ipxact:library>
<ipxact:name>regs_axi</ipxact:name><ipxact:version>2.0</ipxact:version><ipxact:displayName>Registers</ipxact:displayName>
)" +
         tag("busInterfaces",
             interface("s_axi", "amba.com:AMBA4", "AXI4-Lite",
                       map_to("AWVALID", "s_axi_awvalid") + map_to("AWREADY", "s_axi_awready"),
                       tag("target", "")) +
                 interface("clk", "acme.example:signal", "clock", map_to("CLK", "aclk"), tag("target", "")) +
                 interface("arst", "acme.example:signal", "reset", map_to("RST", "aresetn"),
                           tag("target", ""))) +
         R"(<ipxact:model><ipxact:instantiations><ipxact:componentInstantiation>
<ipxact:name>rtl</ipxact:name><ipxact:language>SystemVerilog</ipxact:language><ipxact:moduleName>regs_axi</ipxact:moduleName>
<ipxact:fileSetRef><ipxact:localName>rtl</ipxact:localName></ipxact:fileSetRef></ipxact:componentInstantiation></ipxact:instantiations>
)" +
         tag("ports", wire("aclk", "in", "", "") + wire("aresetn", "in") + wire("s_axi_awvalid", "in") +
                          wire("s_axi_awready", "out")) +
         R"(</ipxact:model>
<ipxact:fileSets><ipxact:fileSet><ipxact:name>rtl</ipxact:name><ipxact:file><ipxact:name>regs_axi.sv</ipxact:name><ipxact:fileType>systemVerilogSource</ipxact:fileType></ipxact:file></ipxact:fileSet></ipxact:fileSets>
<ipxact:vendorExtensions><acme:note>Generated</acme:note></ipxact:vendorExtensions>
</ipxact:component>
)";
}

struct ForeignDescriptionsTest : testing::Test {
  ForeignDescriptionsTest() {
    setenv("ASTERISM_RTL_CACHE", cache.path().c_str(), 1);
    write("gpio_apb.sv", gpio);
    write("gpio_defines.svh", "`ifndef GPIO_MASK\n`define GPIO_MASK 32'hff\n`endif\n");
    // A core of others may bring waivers of its own, which the import has to pass on.
    write("gpio.vlt", "`verilator_config\nlint_off -rule UNUSED -file \"*gpio_apb.sv\"\n");
    write("gpio.core", gpio_core);
    write("gpio.xml", gpio_of_kactus2());
    write("prims/assert.sv", "package assert_pkg; endpackage\n");
    write("prims/assert.core",
          "CAPI=2:\nname: \"acme:prims:assert:0.1\"\nfilesets:\n  all:\n    files: [assert.sv]\n"
          "    file_type: systemVerilogSource\ntargets:\n  default: {filesets: [all]}\n");
  }

  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((folder / file).parent_path());
    std::ofstream(folder / file) << text;
  }
  ImportRequest request(const std::string& file, const std::vector<std::string>& ports = {},
                        const std::string& target = "") const {
    ImportRequest request{.file = folder / file, .out = folder / "block.json", .target = target};
    for (const std::string& port : ports) request.ports.push_back(port_claim(port));
    return request;
  }
  std::string refused(const ImportRequest& request) const {
    std::string text = thrown<ConfigError>([&] { import_block(request); });
    for (std::size_t at = 0; (at = text.find(folder.path().string() + "/")) != std::string::npos;)
      text.erase(at, folder.path().string().size() + 1);
    return text;
  }
  json imported(const ImportRequest& request) const { return json::parse(import_block(request).text); }

  TemporaryFolder folder, cache;  // the files of a folder in `include` must not change during a build
  const std::vector<std::string> pins{"gpio_i=input:1", "gpio_o=output"};
};

TEST_F(ForeignDescriptionsTest, ACoreWithConditionsIsABlockForVerilator) {
  const ImportedBlock block = import_block(request(
      "gpio.core", {"gpio_i=input:1", "gpio_o=output", "irq_rise=interrupt", "irq_fall=interrupt"}, "sim"));
  EXPECT_EQ(json::parse(block.text), json::parse(R"({
    "name": "gpio", "contract": "bus_device", "sources": ["prims/assert.sv", "gpio_apb.sv", "gpio.vlt"], "include": ["."],
    "defines": { "GPIO_MASK": "32'hffff", "SYNTHESIS": "0" }, "top": "gpio_apb", "parameters": { "WIDTH": 6 },
    "clock": "PCLK", "reset": { "port": "PRESETn", "active": "low" },
    "ports": [ { "role": "bus", "side": "target", "address": "PADDR", "select": "PSEL", "enable": "PENABLE", "write": "PWRITE",
                 "write_data": "PWDATA", "read_data": "PRDATA", "ready": "PREADY", "error": "PSLVERR" },
               { "role": "interrupt", "signal": "irq_rise" }, { "role": "interrupt", "signal": "irq_fall" },
               { "role": "input", "signal": "PPROT" }, { "role": "input", "signal": "gpio_i", "value": 1 },
               { "role": "output", "signal": "gpio_o" } ] })"));
  EXPECT_THAT(block.ignored,
              testing::UnorderedElementsAre("gpio.xdc (xdc)", "board.txt (user)", "tb_gpio.cpp (cppSource)"));
}

TEST_F(ForeignDescriptionsTest, AFileOfSeveralFilesetsIsOneSource) {
  write("a.core",
        "CAPI=2:\nname: a:b:c\nfilesets:\n  one: {files: [gpio_defines.svh: {is_include_file: true}, "
        "gpio_apb.sv], "
        "file_type: verilogSource}\n  two: {files: [./gpio_apb.sv], file_type: verilogSource}\n"
        "targets:\n  default: {filesets: [one, two, one], toplevel: gpio_apb}\n");
  const json block = imported(
      request("a.core", {"gpio_i=input:1", "gpio_o=output", "irq_rise=interrupt", "irq_fall=interrupt"}));
  EXPECT_EQ(block["sources"], json({"gpio_apb.sv"}));
  EXPECT_EQ(block["include"], json({"."}));
}

TEST_F(ForeignDescriptionsTest, WhatABlockCannotHaveIsRefusedAtItsLine) {
  EXPECT_EQ(refused(request("gpio.core", pins)),
            "gpio.core:42:18: error: parameters.WIDTH: expected an integer, got \"(8)\"");
  EXPECT_EQ(refused(request("gpio.core", pins, "fpga")),
            "gpio.core:11:9: error: depend: there is no core acme:prims:vendor_pads below " +
                folder.path().string() + "; --library names more folders");
  EXPECT_EQ(
      refused(request("gpio.core", pins, "generated")),
      "gpio.core:57:16: error: generate: files of this core are made by a program, a generator of FuseSoC; "
      "run FuseSoC with --setup, and import the core from its folder of exported files");
}

TEST_F(ForeignDescriptionsTest, BothExportsKeepTheFolderInWhichIncludesAreSearched) {
  std::string text = gpio;
  text.replace(text.find("gpio_defines.svh"), 16, "acme/gpio_defines.svh");
  write("gpio_apb.sv", text);
  write("headers/acme/gpio_defines.svh", "`define GPIO_MASK 32'hff\n");
  write("headers/acme/not_used.inc", "");
  ImportRequest wanted = request(
      "gpio.core", {"gpio_i=input:1", "gpio_o=output", "irq_rise=interrupt", "irq_fall=interrupt"}, "sim");
  wanted.overrides = {R"(include=["headers"])"};
  write("block.json", import_block(wanted).text);
  const ExportRequest exported{.block = folder / "block.json", .vendor = "a", .library = "b", .version = "1"};
  write("e.core", fusesoc_core_of(exported, folder / "e.core"));
  write("e.xml", ipxact_component_of(exported, folder / "e.xml"));
  check_sequences(IpxactFile(folder / "e.xml"));
  for (const char* file : {"e.core", "e.xml"})
    EXPECT_EQ(imported(request(file))["include"], json({"headers"})) << file;
}

TEST_F(ForeignDescriptionsTest, WhatWouldBeLostOfACoreIsRefused) {
  const std::string head =
      "CAPI=2:\nname: a:b:c\nfilesets:\n  rtl: {files: [gpio_apb.sv], file_type: verilogSource}\n"
      "targets:\n  base: &base {toplevel: gpio_apb}\n  more: &more {filesets: [rtl]}\n";
  write("a.core", head + "  default:\n    <<: [*base, *more]\n");
  EXPECT_EQ(refused(request("a.core")),
            "a.core:9:9: error: <<: expected one entry that is merged into this one");
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "a?(";
  write("a.core", head + "  default: {filesets: ['" + deep + "']}\n");
  EXPECT_THAT(refused(request("a.core")), HasSubstr("error: expected words and conditions"));
  write("a.core", head + "description: " + std::string(100'000, '['));
  EXPECT_THAT(refused(request("a.core")), HasSubstr("error: the nesting is too deep"));
}

TEST_F(ForeignDescriptionsTest, AComponentOfKactus2IsABlockWithItsRegisters) {
  check_sequences(IpxactFile(folder / "gpio.xml"));
  const json block = imported(request("gpio.xml", {"gpio_o=output"}));
  EXPECT_EQ(block["parameters"], json({{"ADDR_WIDTH", 12}, {"WIDTH", 8}}));
  EXPECT_EQ(block["clock"], "PCLK");
  EXPECT_EQ(block["reset"], json({{"port", "PRESETn"}, {"active", "low"}}));
  EXPECT_EQ(block["ports"][0]["select"], "PSEL");
  EXPECT_EQ(block["ports"][1], json({{"role", "interrupt"}, {"signal", "irq_rise"}}));
  EXPECT_EQ(block["ports"][2], json({{"role", "interrupt"}, {"signal", "irq_fall"}}));
  EXPECT_EQ(block["ports"][3], json({{"role", "input"}, {"signal", "PPROT"}}));
  EXPECT_EQ(block["ports"][4], json({{"role", "input"}, {"signal", "gpio_i"}, {"value", 2}}));
  EXPECT_EQ(block["device"], json::parse(R"({ "meaning": "Pins of a chip.", "registers": [
      { "offset": "0x00", "name": "OUT", "reset_value": "0x00", "meaning": "The levels of the outputs.",
        "fields": [ { "name": "pins", "low": 0, "width": 8, "meaning": "pins" } ] },
      { "offset": "0x04", "name": "IN", "access": "read_only", "meaning": "in",
        "fields": [ { "name": "pins", "low": 0, "width": 8, "meaning": "pins" } ] } ] })"));
}

TEST_F(ForeignDescriptionsTest, ThePortsOfAnInterfaceAreThoseOfItsAbstractionForWires) {
  std::string text = gpio_of_kactus2();
  text.replace(text.find("<ipxact:abstractionTypes>"), 25,
               "<ipxact:abstractionTypes><ipxact:abstractionType><ipxact:viewRef>tlm</ipxact:viewRef>"
               "<ipxact:abstractionRef vendor=\"amba.com\" library=\"AMBA4\" name=\"APB4_tlm\" "
               "version=\"r0p0_0\"/></ipxact:abstractionType>");
  text.replace(text.find("<ipxact:name>PSEL</ipxact:name></ipxact:physicalPort>"), 53,
               "<ipxact:name>PSELL</ipxact:name></ipxact:physicalPort>");
  write("gpio.xml", text);
  check_sequences(IpxactFile(folder / "gpio.xml"));
  EXPECT_THAT(refused(request("gpio.xml", {"gpio_o=output"})),
              HasSubstr("error: module gpio_apb has no port PSELL; did you mean \"PSEL\"?"));
}

TEST_F(ForeignDescriptionsTest, AnImportedBlockIsBuilt) {
  write("block.json", import_block(request("gpio.xml", {"gpio_o=output", "gpio_i=input:2"})).text);
  const BuiltBlock built =
      build_block({.file = folder / "block.json", .overrides = {}}, [](const std::string&) {});
  EXPECT_EQ(built.name, "gpio_apb");
  EXPECT_TRUE(fs::exists(built.library));
}

TEST_F(ForeignDescriptionsTest, APortOfAxiIsNamedTogetherWithTheMissingContract) {
  write("regs_axi.xml", axi_component());
  write("regs_axi.sv",
        "module regs_axi(input logic aclk, aresetn, s_axi_awvalid, output logic s_axi_awready);\n"
        "  assign s_axi_awready = s_axi_awvalid & aclk & aresetn;\nendmodule\n");
  check_sequences(IpxactFile(folder / "regs_axi.xml"));
  const std::string text = refused(request("regs_axi.xml"));
  EXPECT_THAT(text,
              HasSubstr("error: a block has no ports of the protocol amba.com:AMBA4:AXI4-Lite:r0p0_0, which "
                        "s_axi has; --port ties or leaves open s_axi_awvalid, s_axi_awready"));
  EXPECT_THAT(text, HasSubstr("error: nothing says what the block is; contract=NAME does"));
}

// What a tool of somebody else may also write, or an attacker.
TEST_F(ForeignDescriptionsTest, NumbersAndReferencesHaveLimits) {
  const auto component = [&](const std::string& what, const std::string& by) {
    std::string text = gpio_of_kactus2();
    EXPECT_NE(text.find(what), std::string::npos) << what;
    write("gpio.xml", text.replace(text.find(what), what.size(), by));
    return refused(request("gpio.xml", pins));
  };
  EXPECT_THAT(component("<ipxact:left>31<", "<ipxact:left>1&lt;&lt;40<"),
              HasSubstr("error: expected a bit up to 1048576, got 1099511627776"));
  EXPECT_THAT(component("<ipxact:left>31<", "<ipxact:left>-(1&lt;&lt;62)*2<"),
              HasSubstr("expected a bit up to"));
  EXPECT_THAT(component("2**(uuid_addr)", "2**62"),
              HasSubstr("error: range: expected at most 1 GiB, got 46116860"));
  EXPECT_THAT(component("<ipxact:addressOffset>'h4<", "<ipxact:addressOffset>-4<"),
              HasSubstr("error: addressOffset: expected at most 1 GiB, got -4"));
  const std::string dim = "<ipxact:dim>1024</ipxact:dim>";
  EXPECT_THAT(component("<ipxact:addressOffset>'h4<", dim + dim + "<ipxact:addressOffset>'h4<"),
              HasSubstr("error: dim: expected at most 1024 elements, got 1048576"));
  std::string files, end;
  for (int i = 0; i < 4; ++i) {
    files += "<ipxact:registerFile><ipxact:name>f</ipxact:name>" + dim +
             "<ipxact:addressOffset>0</ipxact:addressOffset><ipxact:range>4</ipxact:range>";
    end += "</ipxact:registerFile>";
  }
  EXPECT_THAT(
      component("<ipxact:register><ipxact:name>out<", files + end + "<ipxact:register><ipxact:name>out<"),
      HasSubstr("error: the memory map has more than 16384 registers"));
  EXPECT_THAT(component("<ipxact:value>6*2<", "<ipxact:value>uuid_addr<"),
              HasSubstr("error: value: the value of uuid_addr depends on itself"));
}

TEST_F(ForeignDescriptionsTest, AValueThatIsReferredToOftenIsComputedOnce) {
  std::string doubled =
      "<ipxact:parameters><ipxact:parameter parameterId=\"d60\"><ipxact:name>d60</ipxact:name>"
      "<ipxact:value>1</ipxact:value></ipxact:parameter>";
  for (int i = 0; i < 60; ++i)
    doubled += fmt::format(
        "<ipxact:parameter parameterId=\"d{0}\"><ipxact:name>d{0}</ipxact:name><ipxact:value>d{1} + d{1}"
        "</ipxact:value></ipxact:parameter>",
        i, i + 1);
  std::string text = gpio_of_kactus2();
  text.replace(text.find("<ipxact:parameters>"), 19, doubled);
  text.replace(text.find("<ipxact:value>6*2<"), 18, "<ipxact:value>(d0 >> 60) * 12<");
  write("gpio.xml", text);
  EXPECT_EQ(imported(request("gpio.xml", {"gpio_o=output"}))["parameters"]["ADDR_WIDTH"], 12);
}

TEST_F(ForeignDescriptionsTest, TwoPortsDoNotShareARole) {
  std::string text = gpio_of_kactus2();
  text.replace(text.find("<ipxact:name>PRESETn</ipxact:name></ipxact:physicalPort>"), 56,
               "<ipxact:name>gpio_i</ipxact:name></ipxact:physicalPort>");
  text.replace(text.find("name=\"rst_n\""), 12, "name=\"clock\"");
  write("gpio.xml", text);
  EXPECT_THAT(refused(request("gpio.xml", {"gpio_o=output"})),
              HasSubstr("error: gpio_i would be a second clock beside PCLK, and a block has one; --port "
                        "gpio_i=ROLE gives it "
                        "another role"));
  write("gpio.xml", gpio_of_kactus2());
  EXPECT_EQ(refused(request("gpio.xml", {"gpio_o=output", "gpio_o=state"})),
            "command line: error: --port: gpio_o has two roles, output and state");
  const json block = imported(request("gpio.xml", {"gpio_o=output", "irq_fall=interrupt:0"}));
  EXPECT_EQ(block["ports"][1]["signal"], "irq_fall");
  EXPECT_EQ(block["ports"][2]["signal"], "irq_rise");
}

TEST_F(ForeignDescriptionsTest, BothExportsKeepTiedOpenAndNumberedPorts) {
  fs::remove(folder / "gpio.core");
  write("block.json", import_block(request("gpio.xml", {"gpio_o=output", "irq_fall=interrupt:0"})).text);
  const ExportRequest exported{.block = folder / "block.json", .vendor = "a", .library = "b", .version = "1"};
  fs::create_directory(folder / "out");
  write("out/gpio.core", fusesoc_core_of(exported, folder / "out/gpio.core"));
  write("out/gpio.xml", ipxact_component_of(exported, folder / "out/gpio.xml"));
  check_sequences(IpxactFile(folder / "out/gpio.xml"));
  const std::string before =
      import_block(request("gpio.xml", {"gpio_o=output", "irq_fall=interrupt:0"})).text;
  for (const char* file : {"out/gpio.core", "out/gpio.xml"})
    EXPECT_EQ(import_block(request(file)).text, before) << file;
  EXPECT_EQ(thrown<ConfigError>([&] {
              fusesoc_core_of({.block = folder / "block.json",
                               .overrides = {"clock=PSEL"},
                               .vendor = "a",
                               .library = "b",
                               .version = "1"},
                              folder / "a.core");
            }),
            "command line: error: clock: a .core file leaves this key to block.json, which has to say it");
}

}  // namespace
}  // namespace asterism
