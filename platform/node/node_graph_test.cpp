#include "platform/node/node_graph.h"

#include <gmock/gmock.h>

#include "platform/node/listed_node.h"

namespace asterism {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string graph_of(const ListedNode& node) {
  EXPECT_EQ(node.problems, "");
  return node_graph({"a", node.config, node.devices, PreparedFabric()});
}
std::string graph_of(const std::string& node, const std::vector<std::string>& overrides = {}) {
  return graph_of(ListedNode::named(node, overrides));
}

TEST(NodeGraphTest, IsTheTextOfGraphviz) {
  const std::string small = R"({
    "cores": {"count": 1}, "memory": {"base": "0x4000_0000", "size": "64MiB", "ranks": 1},
    "devices": {"gic": {"type": "gic400", "base": ["0x0800_0000", "0x0801_0000"]},
                "nic": {"type": "nic", "base": "0x0b05_0000", "interrupt": 15, "network": "lan"},
                "rtc": {"type": "pl031", "base": "0x0901_0000", "impl": "lockstep"}}})";
  EXPECT_EQ(
      graph_of(ListedNode::of(small)),
      R"(digraph "a" {
  rankdir=LR; nodesep=0.2; ranksep=0.9; labelloc=b; fontname="Helvetica"; fontsize=12;
  node [shape=plain, fontname="Helvetica", fontsize=12];
  edge [arrowsize=0.7];
  label=<<table border="0" cellspacing="6"><tr><td colspan="2"><b>a</b></td></tr><tr>)"
      R"(<td>thin line: accesses over the fabric; thick: those of a device; dashed: interrupts; )"
      R"(without an arrow: a network</td>)"
      R"(<td border="2" bgcolor="gray85">RTL</td></tr></table>>;
  "cores" [label=<<table border="1" cellborder="0" cellspacing="0" cellpadding="2"><tr><td>)"
      R"(<table border="0" cellspacing="0" cellpadding="2"><tr><td align="left"><b>1 core</b></td></tr>)"
      R"(<tr><td align="left">core0</td></tr><tr><td align="left">1GHz, CPI 1</td></tr>)"
      R"(</table></td></tr></table>>];
  cores -> fabric;
  "fabric" [label=<<table border="1" cellborder="0" cellspacing="0" cellpadding="2"><tr>)"
      R"(<td align="left" rowspan="4"><b>fabric</b><br align="left"/>crossbar<br align="left"/>)"
      R"(10ns<br align="left"/></td><td port="gic" align="right" height="44"></td></tr>)"
      R"(<tr><td port="rtc" align="right" height="44"></td></tr>)"
      R"(<tr><td port="nic" align="right" height="44"></td></tr>)"
      R"(<tr><td port="memory" align="right" height="44"></td></tr></table>>];
  fabric [ordering=out];
  "gic" [label=<<table border="1" cellborder="0" cellspacing="0" cellpadding="2"><tr><td>)"
      R"(<table border="0" cellspacing="0" cellpadding="2">)"
      R"(<tr><td align="left"><b>gic</b> &nbsp;gic400</td></tr>)"
      R"(<tr><td align="left">gicd &nbsp;0x0800_0000 - 0x0800_ffff</td></tr>)"
      R"(<tr><td align="left">gicc &nbsp;0x0801_0000 - 0x0801_ffff</td></tr></table></td></tr></table>>];
  "rtc" [label=<<table border="1" cellborder="0" cellspacing="0" cellpadding="2"><tr><td>)"
      R"(<table border="0" cellspacing="0" cellpadding="2">)"
      R"(<tr><td align="left"><b>rtc</b> &nbsp;pl031</td></tr>)"
      R"(<tr><td align="left">0x0901_0000 - 0x0901_0fff</td></tr>)"
      R"(<tr><td align="left" border="2" bgcolor="gray85"><b>RTL in lockstep</b><br align="left"/>)"
      R"(rtl/pl031/block.json<br align="left"/></td></tr></table></td></tr></table>>];
  "nic" [label=<<table border="1" cellborder="0" cellspacing="0" cellpadding="2"><tr><td>)"
      R"(<table border="0" cellspacing="0" cellpadding="2">)"
      R"(<tr><td align="left"><b>nic</b> &nbsp;nic</td></tr>)"
      R"(<tr><td align="left">0x0b05_0000 - 0x0b05_0fff</td></tr></table></td><td>)"
      R"(<table border="0" cellspacing="0" cellpadding="2">)"
      R"(<tr><td port="interrupt0" align="right">SPI 15</td></tr>)"
      R"(<tr><td port="master0" align="right">dma</td></tr></table></td></tr></table>>];
  "memory" [label=<<table border="1" cellborder="0" cellspacing="0" cellpadding="2"><tr><td>)"
      R"(<table border="0" cellspacing="0" cellpadding="2">)"
      R"(<tr><td align="left"><b>memory</b> &nbsp;memory</td></tr>)"
      R"(<tr><td align="left">0x4000_0000 - 0x43ff_ffff</td></tr>)"
      R"(<tr><td align="left">1 controller of 1 channel</td></tr>)"
      R"(<tr><td align="left">ddr3_1600_1gb_x4</td></tr><tr><td align="left">ECC normal</td></tr>)"
      R"(</table></td></tr></table>>];
  fabric:"gic":e -> "gic":w;
  fabric:"rtc":e -> "rtc":w;
  fabric:"nic":e -> "nic":w;
  "nic":interrupt0:e -> "gic" [style=dashed];
  "nic":master0:e -> "memory" [style=bold];
  fabric:"memory":e -> "memory":w;
  "network lan" [shape=ellipse, label=<network lan>];
  "nic":e -> "network lan" [dir=none];
}
)");
}

TEST(NodeGraphTest, ANodeOfCoresAndMemoryHasNothingElse) {
  const std::string graph = graph_of("standard_map", {"devices={}", "memory.registers=null"});
  EXPECT_THAT(graph, HasSubstr("  fabric:\"memory\":e -> \"memory\":w;\n}\n"));
  EXPECT_THAT(graph, Not(HasSubstr("style=")));
}

TEST(NodeGraphTest, EachMasterIsWiredToItsOwnMemory) {
  const std::string graph =
      graph_of("every_device",
               {R"(devices.fast={"type": "memory", "base": "0x20_0000_0000", "size": "64MiB", "ranks": 1})",
                R"(devices.ssd1={"type": "dimm_ssd", "base": "0x0b12_0000", "guards": "fast"})"});
  EXPECT_THAT(graph, HasSubstr("\"ssd1\":master0:e -> \"fast\" [style=bold];"));
  EXPECT_THAT(graph, HasSubstr("\"dimm_ssd\":master0:e -> \"memory\" [style=bold];"));
  EXPECT_THAT(graph, HasSubstr("<td port=\"master0\" align=\"right\">guards</td>"));
  // The memory and the controller are in one column.
  EXPECT_THAT(graph, HasSubstr("\"memory\":interrupt0:e -> \"gic\" [style=dashed, constraint=false];"));
}

TEST(NodeGraphTest, DevicesWithLinesToMemoriesAreNextToTheMemories) {
  const std::string graph = graph_of("every_device");
  const auto place = [&](const char* device) {
    return graph.find(std::string("  fabric:\"") + device + "\":e -> ");
  };
  EXPECT_LT(place("gic"), place("apb_timer"));
  EXPECT_LT(place("apb_timer"), place("dimm_ssd"));  // whose address is lower
  EXPECT_LT(place("dimm_ssd"), place("memory"));
}

TEST(NodeGraphTest, EachBlockOfRtlIsMarked) {
  const std::string marked = "border=\"2\" bgcolor=\"gray85\"><b>";
  EXPECT_THAT(graph_of("checkpoint_node"), Not(HasSubstr(marked)));
  const std::string graph =
      graph_of("every_device",
               {"fabric.arbiter.impl=rtl", "memory.codec.impl=lockstep", "rtc.impl=rtl",
                "dimm_ssd.matt.impl=lockstep", "gpu.monitor_rtl.impl=rtl",
                "gpu.monitor_rtl.variant=/a/long/path/to/a/block/of/mine/which_is/rtl/mzm/block.json"});
  for (const char* block :
       {"RTL: arbiters</b><br align=\"left\"/>rtl/lrg_arbiter/block.json",
        "RTL in lockstep: codec</b><br align=\"left\"/>rtl/rs_codec/block.json",
        "RTL</b><br align=\"left\"/>rtl/pl031/block.json",
        "RTL in lockstep: matt</b><br align=\"left\"/>rtl/matt/block.json",
        "RTL: zone_monitor</b><br align=\"left\"/>[...]/of/mine/which_is/rtl/mzm/block.json"})
    EXPECT_THAT(graph, HasSubstr(marked + block));
}

TEST(NodeGraphTest, ManyCoresAndControllersAreOneBox) {
  const std::string graph = graph_of("kilocore_a64", {"cores.auxiliary=2"});
  for (const char* text : {"<b>552 cores</b>", "core0 to core551", "2 auxiliary", "L1: 32KiB each",
                           "L2: 64KiB", "24 controllers of 4 channels"})
    EXPECT_THAT(graph, HasSubstr(text));
  EXPECT_LT(graph.size(), 10'000u);
}

TEST(NodeGraphTest, TheNetworkOfAClusterIsOutsideOfTheNode) {
  const ListedNode node = ListedNode::named("cluster_node");
  EXPECT_THAT(node_graph({"a", node.config, node.devices, PreparedFabric(), "the network", "nic"}),
              HasSubstr("  \"the network\" [shape=ellipse, label=<the network>];\n"
                        "  \"nic\":e -> \"the network\" [dir=none];\n"));
  EXPECT_THAT(graph_of("cluster_node"), Not(HasSubstr("ellipse")));
}

TEST(NodeGraphTest, TextOfTheUserIsNoPartOfTheLanguage) {
  const std::string graph = graph_of("cluster_node", {R"(nic.network="a\"<b>&\n\\")"});
  EXPECT_THAT(graph, HasSubstr("[shape=ellipse, label=<network a&quot;&lt;b&gt;&amp;?\\>];"));
  EXPECT_THAT(graph, HasSubstr("-> \"network a\\\"<b>&\n\\\\\" [dir=none];"));
}

}  // namespace
}  // namespace asterism
