// Foreign descriptions become a block.json, or one clear error at their line.
#include "platform/rtl_exchange/block_import.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/temporary_folder.h"
#include "base/thrown.h"
#include "platform/rtl_exchange/port_roles.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

// A register behind APB with a reset of the level that the macro gives it.
constexpr const char* latch = R"(`include "latch_defines.svh"
module latch #(parameter Width = 8) (
  input  logic        clk, rst,
  input  logic [11:0] paddr,
  input  logic        psel, penable, pwrite,
  input  logic [31:0] pwdata,
  output logic [31:0] prdata,
  output logic        pready, irq,
  input  logic        scan
);
  logic [Width-1:0] value;
  assign pready = 1'b1;
  assign prdata = 32'(value);
  assign irq = value[0] ^ scan ^ paddr[0];
  always_ff @(posedge clk) if (rst == `ACTIVE) value <= '0; else if (psel && penable && pwrite) value <= pwdata[Width-1:0];
endmodule
)";

constexpr const char* latch_core = R"(CAPI=2:
name: "acme:ip:latch:1.2"
filesets:
  rtl:
    files:
      - include/latch_defines.svh: {is_include_file: true}
      - latch.sv
      - '!tool_verilator? (asic.sv)'
      - latch.xdc: {file_type: xdc}
    file_type: systemVerilogSource
    depend:
      - ">=acme:ip:gates:1.0"
parameters:
  Width: {datatype: int, paramtype: vlogparam, default: 16}
  ACTIVE: {datatype: bool, paramtype: vlogdefine}
  seed: {datatype: int, paramtype: plusarg, default: 3}
targets:
  default: &default
    filesets: [rtl]
    toplevel: latch
    parameters: [Width, ACTIVE=true, seed]
  narrow:
    <<: *default
    parameters: [Width=0x4, ACTIVE=true]
)";

constexpr const char* latch_component = R"(<?xml version="1.0"?>
<ipxact:component xmlns:ipxact="http://www.accellera.org/XMLSchema/IPXACT/1685-2014">
  <ipxact:vendor>acme</ipxact:vendor><ipxact:library>ip</ipxact:library>
  <ipxact:name>latch.unit</ipxact:name><ipxact:version>1.2</ipxact:version>
  <ipxact:busInterfaces>
    <ipxact:busInterface>
      <ipxact:name>apb</ipxact:name>
      <ipxact:busType vendor="amba.com" library="AMBA3" name="APB" version="r1p0"/>
      <ipxact:abstractionTypes><ipxact:abstractionType>
        <ipxact:abstractionRef vendor="amba.com" library="AMBA3" name="APB_rtl" version="r1p0"/>
        <ipxact:portMaps>
          <ipxact:portMap><ipxact:logicalPort><ipxact:name>PADDR</ipxact:name></ipxact:logicalPort><ipxact:physicalPort><ipxact:name>paddr</ipxact:name></ipxact:physicalPort></ipxact:portMap>
          <ipxact:portMap><ipxact:logicalPort><ipxact:name>PSELx</ipxact:name></ipxact:logicalPort><ipxact:physicalPort><ipxact:name>psel</ipxact:name></ipxact:physicalPort></ipxact:portMap>
        </ipxact:portMaps>
      </ipxact:abstractionType></ipxact:abstractionTypes>
      <ipxact:slave><ipxact:memoryMapRef memoryMapRef="regs"/></ipxact:slave>
    </ipxact:busInterface>
    <ipxact:busInterface>
      <ipxact:name>reset</ipxact:name>
      <ipxact:busType vendor="xilinx.com" library="signal" name="reset" version="1.0"/>
      <ipxact:abstractionTypes><ipxact:abstractionType>
        <ipxact:abstractionRef vendor="xilinx.com" library="signal" name="reset_rtl" version="1.0"/>
        <ipxact:portMaps>
          <ipxact:portMap><ipxact:logicalPort><ipxact:name>RST</ipxact:name></ipxact:logicalPort><ipxact:physicalPort><ipxact:name>rst</ipxact:name><ipxact:partSelect><ipxact:range><ipxact:left>0</ipxact:left><ipxact:right>0</ipxact:right></ipxact:range></ipxact:partSelect></ipxact:physicalPort></ipxact:portMap>
        </ipxact:portMaps>
      </ipxact:abstractionType></ipxact:abstractionTypes>
      <ipxact:slave/>
      <ipxact:parameters><ipxact:parameter><ipxact:name>POLARITY</ipxact:name><ipxact:value>ACTIVE_HIGH</ipxact:value></ipxact:parameter></ipxact:parameters>
    </ipxact:busInterface>
  </ipxact:busInterfaces>
  <ipxact:memoryMaps><ipxact:memoryMap><ipxact:name>regs</ipxact:name>
    <ipxact:addressBlock><ipxact:name>block</ipxact:name><ipxact:baseAddress>'h100</ipxact:baseAddress><ipxact:range>2**13</ipxact:range><ipxact:width>32</ipxact:width><ipxact:access>read-only</ipxact:access>
      <ipxact:register><ipxact:name>value</ipxact:name><ipxact:description>What was
        written</ipxact:description><ipxact:dim>2</ipxact:dim><ipxact:addressOffset>4</ipxact:addressOffset><ipxact:size>32</ipxact:size>
        <ipxact:field><ipxact:name>Data</ipxact:name><ipxact:bitOffset>0</ipxact:bitOffset><ipxact:resets><ipxact:reset><ipxact:value>'h3</ipxact:value></ipxact:reset></ipxact:resets><ipxact:bitWidth>w - 4</ipxact:bitWidth></ipxact:field>
        <ipxact:field><ipxact:name>done</ipxact:name><ipxact:bitOffset>31</ipxact:bitOffset><ipxact:resets><ipxact:reset><ipxact:value>1</ipxact:value></ipxact:reset></ipxact:resets><ipxact:bitWidth>1</ipxact:bitWidth><ipxact:access>read-write</ipxact:access><ipxact:modifiedWriteValue>oneToClear</ipxact:modifiedWriteValue></ipxact:field>
      </ipxact:register>
      <ipxact:register><ipxact:name>plain</ipxact:name><ipxact:dim>0</ipxact:dim><ipxact:addressOffset>'h20</ipxact:addressOffset><ipxact:size>32</ipxact:size></ipxact:register>
      <ipxact:register><ipxact:isPresent>w &lt; 8</ipxact:isPresent><ipxact:name>gone</ipxact:name><ipxact:addressOffset>0</ipxact:addressOffset><ipxact:size>32</ipxact:size></ipxact:register>
    </ipxact:addressBlock>
  </ipxact:memoryMap></ipxact:memoryMaps>
  <ipxact:model>
    <ipxact:instantiations><ipxact:componentInstantiation>
      <ipxact:name>rtl</ipxact:name><ipxact:language>verilog</ipxact:language><ipxact:moduleName>latch</ipxact:moduleName>
      <ipxact:moduleParameters><ipxact:moduleParameter><ipxact:name>Width</ipxact:name><ipxact:value>w</ipxact:value></ipxact:moduleParameter></ipxact:moduleParameters>
      <ipxact:fileSetRef><ipxact:localName>files</ipxact:localName></ipxact:fileSetRef>
    </ipxact:componentInstantiation></ipxact:instantiations>
    <ipxact:ports>
      <ipxact:port><ipxact:name>clk</ipxact:name><ipxact:wire><ipxact:direction>in</ipxact:direction></ipxact:wire></ipxact:port>
      <ipxact:port><ipxact:name>rst</ipxact:name><ipxact:wire><ipxact:direction>in</ipxact:direction></ipxact:wire></ipxact:port>
      <ipxact:port><ipxact:name>paddr</ipxact:name><ipxact:wire><ipxact:direction>in</ipxact:direction><ipxact:vectors><ipxact:vector><ipxact:left>11</ipxact:left><ipxact:right>0</ipxact:right></ipxact:vector></ipxact:vectors></ipxact:wire></ipxact:port>
      <ipxact:port><ipxact:name>psel</ipxact:name><ipxact:wire><ipxact:direction>in</ipxact:direction></ipxact:wire></ipxact:port>
      <ipxact:port><ipxact:name>penable</ipxact:name><ipxact:wire><ipxact:direction>in</ipxact:direction></ipxact:wire></ipxact:port>
      <ipxact:port><ipxact:name>pwrite</ipxact:name><ipxact:wire><ipxact:direction>in</ipxact:direction></ipxact:wire></ipxact:port>
      <ipxact:port><ipxact:name>pwdata</ipxact:name><ipxact:wire><ipxact:direction>in</ipxact:direction><ipxact:vectors><ipxact:vector><ipxact:left>31</ipxact:left><ipxact:right>0</ipxact:right></ipxact:vector></ipxact:vectors></ipxact:wire></ipxact:port>
      <ipxact:port><ipxact:name>prdata</ipxact:name><ipxact:wire><ipxact:direction>out</ipxact:direction><ipxact:vectors><ipxact:vector><ipxact:left>31</ipxact:left><ipxact:right>0</ipxact:right></ipxact:vector></ipxact:vectors></ipxact:wire></ipxact:port>
      <ipxact:port><ipxact:name>pready</ipxact:name><ipxact:wire><ipxact:direction>out</ipxact:direction></ipxact:wire></ipxact:port>
      <ipxact:port><ipxact:name>irq</ipxact:name><ipxact:wire><ipxact:direction>out</ipxact:direction></ipxact:wire></ipxact:port>
      <ipxact:port><ipxact:name>scan</ipxact:name><ipxact:wire><ipxact:direction>in</ipxact:direction></ipxact:wire></ipxact:port>
    </ipxact:ports>
  </ipxact:model>
  <ipxact:fileSets><ipxact:fileSet><ipxact:name>files</ipxact:name>
    <ipxact:file><ipxact:name>include/latch_defines.svh</ipxact:name><ipxact:fileType>systemVerilogSource</ipxact:fileType><ipxact:isIncludeFile>true</ipxact:isIncludeFile></ipxact:file>
    <ipxact:file><ipxact:name>latch.sv</ipxact:name><ipxact:fileType>systemVerilogSource-3.0</ipxact:fileType><ipxact:define><ipxact:name>ACTIVE</ipxact:name><ipxact:value>1</ipxact:value></ipxact:define></ipxact:file>
  </ipxact:fileSet></ipxact:fileSets>
  <ipxact:description>Keeps a number.</ipxact:description>
  <ipxact:parameters><ipxact:parameter parameterId="w"><ipxact:name>width</ipxact:name><ipxact:value>4*4</ipxact:value></ipxact:parameter></ipxact:parameters>
</ipxact:component>
)";

struct BlockImportTest : testing::Test {
  BlockImportTest() {
    setenv("ASTERISM_RTL_CACHE", (folder / "cache").c_str(), 1);
    write("latch.sv", latch);
    write("include/latch_defines.svh", "`ifndef ACTIVE\n`define ACTIVE 0\n`endif\n");
    write("gates/gates.sv", "module gates; endmodule\n");
    write("gates/old.core", "CAPI=2:\nname: acme:ip:gates:0.9\n");
    write("gates/new.core",
          "CAPI=2:\nname: acme:ip:gates:1.1\nfilesets:\n  all:\n    files: [gates.sv]\n"
          "    file_type: systemVerilogSource\ntargets:\n  default:\n    filesets: [all]\n");
    write("latch.core", latch_core);
    write("latch.xml", latch_component);
  }

  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((folder / file).parent_path());
    std::ofstream(folder / file) << text;
  }
  static std::string replaced(std::string text, const std::string& what, const std::string& by) {
    EXPECT_NE(text.find(what), std::string::npos) << what;
    return text.replace(text.find(what), what.size(), by);
  }

  ImportRequest request(const std::string& file,
                        const std::vector<std::string>& ports = {"rst=reset:high", "scan=input:0"},
                        const std::vector<std::string>& overrides = {}) const {
    ImportRequest request{.file = folder / file, .out = folder / "blocks/block.json", .overrides = overrides};
    for (const std::string& port : ports) request.ports.push_back(port_claim(port));
    return request;
  }
  json imported(const ImportRequest& request) const { return json::parse(import_block(request).text); }
  // The error without the folder's name.
  std::string refused(const ImportRequest& request) const {
    std::string text = thrown<ConfigError>([&] { import_block(request); });
    for (std::size_t at = 0; (at = text.find(folder.path().string() + "/")) != std::string::npos;)
      text.erase(at, folder.path().string().size() + 1);
    return text;
  }

  TemporaryFolder folder;
};

TEST_F(BlockImportTest, ACoreWithDependenciesIsABlock) {
  const ImportedBlock block = import_block(request("latch.core"));
  EXPECT_EQ(json::parse(block.text), json::parse(R"({
    "name": "latch", "contract": "bus_device", "sources": ["../gates/gates.sv", "../latch.sv"],
    "include": ["../include"], "defines": { "ACTIVE": "1" }, "top": "latch", "parameters": { "Width": 16 },
    "clock": "clk", "reset": { "port": "rst", "active": "high" },
    "ports": [ { "role": "bus", "side": "target", "address": "paddr", "select": "psel", "enable": "penable",
                 "write": "pwrite", "write_data": "pwdata", "read_data": "prdata", "ready": "pready" },
               { "role": "interrupt", "signal": "irq" }, { "role": "input", "signal": "scan" } ] })"));
  EXPECT_THAT(block.ignored, testing::ElementsAre("latch.xdc (xdc)"));
}

TEST_F(BlockImportTest, ATargetInheritsAndReplaces) {
  ImportRequest narrow = request("latch.core");
  narrow.target = "narrow";
  EXPECT_EQ(imported(narrow)["parameters"], json({{"Width", 4}}));
  narrow.target = "narow";
  EXPECT_EQ(refused(narrow),
            "latch.core:18:3: error: targets: the core has no target narow; --target names one of "
            "default, narrow; did you mean \"narrow\"?");
}

TEST_F(BlockImportTest, KeysOfBlockJsonHaveTheLastWord) {
  const json block =
      imported(request("latch.core", {"rst=reset:high", "scan=input:0"},
                       {"name=mine", "parameters.Width=8", "defines.ACTIVE=0", "reset.cycles=9"}));
  EXPECT_EQ(block["name"], "mine");
  EXPECT_EQ(block["parameters"]["Width"], 8);
  EXPECT_EQ(block["defines"]["ACTIVE"], "0");
  EXPECT_EQ(block["reset"]["cycles"], 9);
}

TEST_F(BlockImportTest, WhatACoreDoesNotSayIsAskedForTogether) {
  EXPECT_EQ(
      refused(request("latch.core", {})),
      "latch.core:18:12: error: nothing says at which level rst resets the block; --port rst=reset:low or "
      "--port "
      "rst=reset:high says it\n"
      "latch.core:18:12: error: nothing says what drives scan; --port scan=input:VALUE ties an input to a "
      "constant, --port scan=ROLE gives it a role");
  write("latch.core", replaced(latch_core, "    toplevel: latch\n", ""));
  EXPECT_EQ(refused(request("latch.core")),
            "latch.core:18:12: error: the description names no top module; top=MODULE names it");
}

TEST_F(BlockImportTest, ErrorsOfACoreAreAtItsLines) {
  const auto core = [&](const std::string& what, const std::string& by) {
    write("latch.core", replaced(latch_core, what, by));
    return refused(request("latch.core"));
  };
  EXPECT_EQ(core("CAPI=2:", "CAPI=1:"),
            "latch.core:1:1: error: expected \"CAPI=2:\" in the first line of a .core file");
  EXPECT_THAT(core("filesets:\n  rtl:", "filesets:\n rtl: [\n"), HasSubstr("latch.core:"));
  EXPECT_EQ(
      core("filesets: [rtl]", "fileset: [rtl]"),
      "latch.core:19:5: error: targets.default.fileset: CAPI2 has no such key; did you mean \"filesets\"?");
  EXPECT_EQ(core("filesets: [rtl]", "filesets: [rlt]"),
            "latch.core:19:16: error: filesets: the core has no fileset rlt; did you mean \"rtl\"?");
  EXPECT_EQ(core(">=acme:ip:gates:1.0", "acme:ip:gate"),
            "latch.core:12:9: error: depend: there is no core acme:ip:gate below " + folder.path().string() +
                "; --library names more folders; did you mean \"acme:ip:gates\"?");
  EXPECT_EQ(core(">=acme:ip:gates:1.0", ">=acme:ip:gates:2.0"),
            "latch.core:12:9: error: depend: no core meets >=acme:ip:gates:2.0; other versions are in "
            "gates/new.core, gates/old.core");
  EXPECT_EQ(core("- latch.sv", "- latch.vhd: {file_type: vhdlSource}"),
            "latch.core:7:9: error: files: latch.vhd is VHDL, which Verilator does not read");
  EXPECT_EQ(core("- latch.sv", "- lath.sv"),
            "latch.core:7:9: error: sources.1: there is no lath.sv; did you mean \"latch.sv\"?");
  EXPECT_EQ(core("[Width, ", "[Widht, "),
            "latch.core:21:18: error: parameters: the core has no parameter Widht; did you mean \"Width\"?");
  EXPECT_EQ(core("[Width, ", "[Width=wide, "),
            "latch.core:21:18: error: parameters.Width: expected an integer, got \"wide\"");
  EXPECT_EQ(core("toplevel: latch", "toplevel: lach"),
            "latch.core:20:15: error: top: there is no module lach; did you mean \"latch\"?");
  EXPECT_EQ(core("default: &default\n", "default: &default\n    <<: *default\n"),
            "latch.core:18:12: error: <<: the entry is merged into itself");
  EXPECT_THAT(core("- latch.sv", "- latch.sv\n      - 'a? (b'"), HasSubstr("expected words and conditions"));
}

TEST_F(BlockImportTest, AVirtualCoreNeedsOneChoice) {
  write("latch.core", replaced(latch_core, "\">=acme:ip:gates:1.0\"", "acme:prim:gates"));
  const std::string rest =
      "filesets:\n  all:\n    files: [gates.sv]\n    file_type: systemVerilogSource\n"
      "targets:\n  default:\n    filesets: [all]\nvirtual: [acme:prim:gates]\n";
  write("gates/a.core", "CAPI=2:\nname: acme:a:gates\n" + rest);
  EXPECT_EQ(imported(request("latch.core"))["sources"][0], "../gates/gates.sv");
  write("gates/b.core", "CAPI=2:\nname: acme:b:gates\n" + rest);
  EXPECT_EQ(refused(request("latch.core")),
            "latch.core:12:9: error: depend: several cores can stand for the virtual core acme:prim:gates; "
            "acme:a:gates, acme:b:gates; --mapping names one of them, or a core that maps virtual ones");
  ImportRequest chosen = request("latch.core");
  chosen.mappings = {"acme:b:gates"};
  EXPECT_EQ(imported(chosen)["sources"][0], "../gates/gates.sv");
}

TEST_F(BlockImportTest, GeneratedFilesAreRefused) {
  write("latch.core",
        replaced(latch_core, "    toplevel: latch\n", "    toplevel: latch\n    generate: [table]\n"));
  EXPECT_THAT(refused(request("latch.core")),
              HasSubstr("latch.core:21:16: error: generate: files of this core are made by a program"));
}

TEST_F(BlockImportTest, AComponentOf2014IsABlockWithRegisters) {
  const json block = imported(request("latch.xml", {"scan=input:1"}));
  EXPECT_EQ(block["name"], "latch_unit");
  EXPECT_EQ(block["parameters"], json({{"Width", 16}}));
  EXPECT_EQ(block["defines"], json({{"ACTIVE", "1"}}));
  EXPECT_EQ(block["reset"], json({{"port", "rst"}, {"active", "high"}}));
  EXPECT_EQ(block["ports"][2], json({{"role", "input"}, {"signal", "scan"}, {"value", 1}}));
  EXPECT_EQ(block["device"], json::parse(R"({
    "meaning": "Keeps a number.", "size": "12KiB",
    "registers": [
      { "offset": "0x104", "name": "VALUE0", "access": "write_one_to_clear", "reset_value": "0x8000_0003", "meaning": "What was written",
        "fields": [ { "name": "data", "low": 0, "width": 12, "meaning": "Data" },
                    { "name": "done", "low": 31, "meaning": "done" } ] },
      { "offset": "0x108", "name": "VALUE1", "access": "write_one_to_clear", "reset_value": "0x8000_0003", "meaning": "What was written",
        "fields": [ { "name": "data", "low": 0, "width": 12, "meaning": "Data" },
                    { "name": "done", "low": 31, "meaning": "done" } ] },
      { "offset": "0x120", "name": "PLAIN", "access": "read_only", "meaning": "plain" } ] })"));
}

TEST_F(BlockImportTest, ErrorsOfAComponentAreAtItsLines) {
  const auto component = [&](const std::string& what, const std::string& by) {
    write("latch.xml", replaced(latch_component, what, by));
    return refused(request("latch.xml", {"scan=input:1"}));
  };
  EXPECT_THAT(component("</ipxact:component>", ""), HasSubstr("error: it is not XML"));
  EXPECT_EQ(component("1685-2014", "1685-2009"),
            "latch.xml:2:1: error: expected a component of IEEE 1685-2014 or 1685-2022; its namespace is "
            "http://www.accellera.org/XMLSchema/IPXACT/1685-2009");
  EXPECT_EQ(component("<ipxact:left>11<", "<ipxact:left>10<"),
            "latch.xml:51:1: error: paddr has 11 bits, but 12 in the module");
  EXPECT_EQ(component("<ipxact:name>clk<", "<ipxact:name>clock<"),
            "latch.xml:49:1: error: module latch has no port clock");
  EXPECT_EQ(component("<ipxact:value>w<", "<ipxact:value>v<"),
            "latch.xml:45:1: error: value: there is no parameter v");
  EXPECT_EQ(component("<ipxact:size>32<", "<ipxact:size>64<"),
            "latch.xml:33:1: error: size: value has 64 bits, expected at most 32");
  EXPECT_EQ(component("<ipxact:name>latch.unit<", "<ipxact:name><"),
            "latch.xml:4:1: error: name: expected a value that has at most 64 characters, which are letters, "
            "digits, "
            "_ and -, got \"\"");
}

TEST_F(BlockImportTest, WhatBlockJsonCannotSayOfARegisterIsRefused) {
  const auto component = [&](const std::string& what, const std::string& by) {
    write("latch.xml", replaced(latch_component, what, by));
    return refused(request("latch.xml", {"scan=input:1"}));
  };
  EXPECT_EQ(
      component("memoryMapRef=\"regs\"", "memoryMapRef=\"reg\""),
      "latch.xml:16:1: error: memoryMapRef: there is no memory map \"reg\", expected one of memoryMaps; "
      "did you mean \"regs\"?");
  EXPECT_EQ(component("<ipxact:access>read-only<", "<ipxact:access>read-write<"),
            "latch.xml:36:1: error: modifiedWriteValue: a register has one access, and the fields of value "
            "differ: read_write, write_one_to_clear; expected oneToClear for each field that is written");
  EXPECT_EQ(
      component(">oneToClear<", ">zeroToClear<"),
      "latch.xml:36:1: error: modifiedWriteValue: expected oneToClear or oneToSet, which block.json has, "
      "got zeroToClear");
  for (const std::string access : {"writeOnce", "read-writeOnce"}) {
    EXPECT_EQ(component("<ipxact:access>read-only<", "<ipxact:access>" + access + "<"),
              "latch.xml:32:1: error: access: expected read-write, read-only, write-only, no-access, got " +
                  access);
    EXPECT_EQ(component("<ipxact:access>read-write<", "<ipxact:access>" + access + "<"),
              "latch.xml:36:1: error: access: expected read-write, read-only, write-only, no-access, got " +
                  access);
  }
  EXPECT_EQ(component("<ipxact:value>'h3<", "<ipxact:value>'h1003<"),
            "latch.xml:35:1: error: reset: expected a value of 12 bits, got 'h1003");
  EXPECT_EQ(component("<ipxact:value>'h3<", "<ipxact:value>-1<"),
            "latch.xml:35:1: error: reset: expected a value of 12 bits, got -1");
  EXPECT_EQ(
      component("<ipxact:name>plain<", "<ipxact:name>value1<"),
      "latch.xml:38:1: error: register: there is a register VALUE1 at line 33 already, expected another "
      "name");
  EXPECT_EQ(component("'h20<", "'h8<"),
            "latch.xml:38:1: error: register: PLAIN is at the offset 0x108 of the register value at line 33, "
            "expected another one");
}

TEST_F(BlockImportTest, APortThatTheComponentDoesNotListIsNotGuessed) {
  const std::string irq =
      "      <ipxact:port><ipxact:name>irq</ipxact:name><ipxact:wire><ipxact:direction>out</ipxact:direction>"
      "</ipxact:wire></ipxact:port>\n";
  write("latch.xml", replaced(latch_component, irq, ""));
  EXPECT_EQ(refused(request("latch.xml", {"scan=input:1"})),
            "latch.xml:48:1: error: expected all ports of the module latch, but irq is not listed; --port "
            "irq=ROLE gives one a role");
  EXPECT_EQ(imported(request("latch.xml", {"scan=input:1", "irq=interrupt"}))["ports"][1]["signal"], "irq");
}

TEST_F(BlockImportTest, ErrorsOfAnOptionSpeakOfTheOption) {
  EXPECT_EQ(refused(request("latch.xml", {"scn=input:1"})),
            "command line: error: --port scn=input:1: module latch has no port scn; did you mean \"scan\"?");
  EXPECT_THAT(refused(request("latch.xml", {"scan=input:2"})),
              HasSubstr("command line: error: --port scan=input:2: "));
  const std::string text = refused(request("latch.xml", {"scan=input:1", "prdata=output"}));
  EXPECT_THAT(text, testing::StartsWith(
                        "command line: error: --port prdata=output: the APB port of paddr has no read_data "
                        "(prdata); --port PORT=bus.read_data gives a port this role\n"));
  EXPECT_THAT(text, testing::Not(HasSubstr("has no enable")));
  EXPECT_THAT(refused(request("latch.core", {"rst=reset:high", "scan=input:0", "prdata=output"})),
              HasSubstr("a bus_device is recognised by its APB port, but the one of psel has no read_data "
                        "(prdata)"));
}

TEST_F(BlockImportTest, PortsOfAnotherBusAreNoApbPortByTheirNames) {
  const std::string apb = "library=\"AMBA3\" name=\"APB\" version=\"r1p0\"";
  const std::string text = replaced(latch_component, apb, replaced(apb, "\"APB\"", "\"AXI4\""));
  write("latch.xml", text);
  EXPECT_THAT(refused(request("latch.xml", {"scan=input:1"})),
              HasSubstr("latch.xml:6:1: error: a block has no ports of the protocol "
                        "amba.com:AMBA3:AXI4:r1p0, which apb has; --port ties or leaves open paddr, psel"));
  const std::size_t begin = text.find("<ipxact:portMaps>"), end = text.find("</ipxact:portMaps>");
  write("latch.xml", std::string(text).erase(begin, end + 18 - begin));
  EXPECT_THAT(refused(request("latch.xml", {"scan=input:1"})),
              HasSubstr("amba.com:AMBA3:AXI4:r1p0, which apb has; --port ties or leaves open "));
}

TEST_F(BlockImportTest, ABusOfAnotherProtocolIsNamed) {
  std::string text = replaced(latch_component, "name=\"reset\" version", "name=\"i2c\" version");
  text = replaced(text, "<ipxact:name>rst</ipxact:name><ipxact:partSelect>",
                  "<ipxact:name>scan</ipxact:name><ipxact:partSelect>");
  write("latch.xml", text);
  EXPECT_EQ(refused(request("latch.xml", {"rst=reset:high"})),
            "latch.xml:18:1: error: a block has no ports of the protocol xilinx.com:signal:i2c:1.0, which "
            "reset has; "
            "--port ties or leaves open scan");
}

}  // namespace
}  // namespace asterism
