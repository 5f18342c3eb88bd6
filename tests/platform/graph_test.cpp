// `asterism check --graph` draws a node.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <sstream>

#include "tests/platform/command.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

// The folder has no file of the given name, nor a part of one.
struct GraphTest : CommandTest {
  void expect_no_file() const { EXPECT_TRUE(fs::is_empty(folder)); }
};

TEST_F(GraphTest, AnSvgIsWellFormedAndNamesEveryDevice) {
  const Ended ended = asterism({"check", "every_device", "--graph", "node.svg"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(ended.err, "");
  EXPECT_EQ(ended.out, "written    node.svg\n");
  const std::string svg = contents("node.svg");
  std::istringstream in(svg);
  boost::property_tree::ptree tree;
  ASSERT_NO_THROW(read_xml(in, tree));
  EXPECT_EQ(tree.count("svg"), 1u);
  const nlohmann::json node = nlohmann::json::parse(asterism({"check", "every_device"}).out);
  for (const auto& [instance, device] : node.at("devices").items())
    EXPECT_THAT(svg, HasSubstr(">" + instance + "</text>"));
  EXPECT_THAT(svg, HasSubstr(">memory</text>"));
}

TEST_F(GraphTest, TheExtensionChoosesTheFormat) {
  for (const auto& [file, begin] :
       {std::pair{"a.pdf", "%PDF-"}, {"a.png", "\x89PNG"}, {"a.dot", "digraph \"hello\""}}) {
    EXPECT_EQ(asterism({"check", "hello", "--graph", file}).status, 0) << file;
    EXPECT_THAT(contents(file), StartsWith(begin));
  }
  fs::remove_all(folder);
  fs::create_directory(folder);
  const Ended ended = asterism({"check", "hello", "--graph", "a.gif"});
  EXPECT_EQ(ended.status, 64);
  EXPECT_THAT(ended.err,
              StartsWith("--graph: expected a file that ends in .dot, .svg, .pdf or .png, got \"a.gif\"\n"));
  expect_no_file();
}

TEST_F(GraphTest, AScenarioIsDrawnWithItsOverrides) {
  EXPECT_EQ(asterism({"check", "hello", "node.rtc.impl=lockstep", "--graph", "a.dot"}).status, 0);
  EXPECT_THAT(contents("a.dot"), HasSubstr("<b>RTL in lockstep</b><br align=\"left\"/>rtl/pl031/block.json"));
  EXPECT_EQ(asterism({"check", "buddy_cluster", "--graph", "a.dot"}).status, 0);
  EXPECT_THAT(contents("a.dot"), HasSubstr("<b>buddy_cluster: 3 nodes of this kind</b>"));
  EXPECT_THAT(contents("a.dot"), HasSubstr("\"nic\":e -> \"the network of the cluster's 10 nodes\""));
  EXPECT_EQ(asterism({"check", "kilocore", "--graph", "a.dot"}).status, 0);
  EXPECT_THAT(contents("a.dot"), HasSubstr("<b>552 trace cores</b>"));
}

TEST_F(GraphTest, OnlyNodesAndScenariosAreDrawn) {
  const Ended study = asterism({"check", "dimm_ssd", "--graph", "a.dot"});
  EXPECT_EQ(study.status, 65);
  EXPECT_EQ(study.err,
            "command line: error: --graph: dimm_ssd is a study; only a node or a scenario can be drawn\n");
  const Ended traffic = asterism({"check", "buddy_cluster64", "--graph", "a.dot"});
  EXPECT_EQ(traffic.status, 65);
  EXPECT_EQ(traffic.err,
            "command line: error: --graph: buddy_cluster64 has only traffic nodes, which have no devices\n");
  const Ended wrong = asterism({"check", "hello", "node.rtc.base=0x1", "--graph", "a.dot"});
  EXPECT_EQ(wrong.status, 65);
  EXPECT_EQ(wrong.err, "command line: error: node.rtc.base: a device must start at a 4 KiB boundary\n");
  EXPECT_EQ(study.out + traffic.out + wrong.out, "");
  expect_no_file();
}

TEST_F(GraphTest, WithoutGraphvizOnlyItsOwnLanguageIsWritten) {
  environment["PATH"] = folder.string();
  const Ended ended = asterism({"check", "hello", "--graph", "a.svg"});
  EXPECT_EQ(ended.status, 66);
  EXPECT_EQ(ended.err,
            "command line: error: --graph: .svg files need the program dot, which is not installed: apt-get "
            "install "
            "graphviz\n");
  EXPECT_EQ(ended.out, "");
  expect_no_file();
  EXPECT_EQ(asterism({"check", "hello", "--graph", "a.dot"}).status, 0);
}

TEST_F(GraphTest, AFileIsReplacedWholeOrNotAtAll) {
  write("a.svg", "older");
  write("bin/dot", "#!/bin/sh\necho half > \"$3\"; echo 'no layout' >&2; exit 1\n");
  fs::permissions(folder / "bin/dot", fs::perms::owner_all);
  environment["PATH"] = (folder / "bin").string() + ":/bin:/usr/bin";
  const Ended ended = asterism({"check", "hello", "--graph", "a.svg"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_EQ(ended.err, "command line: error: --graph: dot failed: no layout\n");
  EXPECT_EQ(contents("a.svg"), "older");
  EXPECT_FALSE(exists("a.svg.partial"));
}

TEST_F(GraphTest, AFileThatCannotBeWrittenIsRefused) {
  const Ended ended = asterism({"check", "hello", "--graph", "none/a.dot"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_EQ(ended.err,
            "command line: error: --graph: none/a.dot cannot be written: No such file or directory\n");
  EXPECT_EQ(ended.out, "");
}

}  // namespace
}  // namespace asterism
