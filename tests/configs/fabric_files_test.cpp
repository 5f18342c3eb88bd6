#include <gtest/gtest.h>

#include "fabric/fabric_config.h"
#include "platform/config/config.h"

namespace asterism {
namespace {

const ConfigLibrary library(ASTERISM_SOURCE_CONFIGS);

// The problems of a `fabric` object, as they are reported to a user.
std::string problems(std::string_view json) {
  ConfigDocument document = ConfigDocument::parse(json, "fabric.json");
  Diagnostics found;
  read_config<FabricConfig>(document, &library, found);
  std::string text;
  for (const Diagnostic& problem : found.all()) text += problem.path + ": " + problem.expected + "\n";
  return text;
}

TEST(FabricFilesTest, ATopologyIsEnough) {
  for (const auto& entry : enum_names(TopologyKind{})) {
    if (entry.value == TopologyKind::graph) continue;
    EXPECT_EQ(problems("{\"topology\": \"" + std::string(entry.name) + "\"}"), "") << entry.name;
  }
  EXPECT_EQ(problems(R"({"topology": "graph", "graph": "small_clos"})"), "");
}

TEST(FabricFilesTest, KeysOfAnotherTopologyAreRefused) {
  EXPECT_NE(problems(R"({"topology": "crossbar", "nodes": 64})"), "");
  EXPECT_NE(problems(R"({"topology": "mesh", "concentration": 4})"), "");
  EXPECT_NE(problems(R"({"topology": "mesh", "global_routers": 4})"), "");
  EXPECT_NE(problems(R"({"topology": "superstar", "graph": "small_clos"})"), "");
  EXPECT_NE(problems(R"({"topology": "graph"})"), "");
}

TEST(FabricFilesTest, NumbersThatDoNotFitEachOtherAreRefused) {
  EXPECT_EQ(problems(R"({"topology": "superstar", "nodes": 577})"),
            "nodes: a value that is a whole number of clusters of `concentration` nodes\n");
  EXPECT_EQ(problems(R"({"topology": "superring", "global_routers": 5})"),
            "global_routers: a value that divides the local routers into equal parts\n");
  EXPECT_EQ(
      problems(R"({"topology": "superring", "global_routers": 6, "virtual_channels": 1})"),
      "virtual_channels: a value that breaks the ring's deadlock: at least 2 from 5 global routers on\n");
  EXPECT_EQ(problems(R"({"topology": "superstar", "gated_global_routers": 8})"),
            "gated_global_routers: a value that leaves one global router powered\n");
}

}  // namespace
}  // namespace asterism
