#include "platform/config/config_library.h"

#include <gmock/gmock.h>

#include <array>

#include "base/thrown.h"
#include "platform/config/built_in_files.h"
#include "platform/config/config_document.h"
#include "platform/config/test_configs.h"

namespace asterism {
namespace {

using test_configs::TemporaryLibrary;

TEST(ConfigLibraryTest, ListsNamesInOrder) {
  TemporaryLibrary folder;
  folder.write("nodes", "small", "{}");
  folder.write("nodes", "large", "{}");
  EXPECT_EQ(folder.library().list("nodes"), (std::vector<std::string>{"large", "small"}));
  EXPECT_EQ(folder.library().list("no_such_kind"), std::vector<std::string>{});
}

TEST(ConfigLibraryTest, LocatesANameOrAPath) {
  TemporaryLibrary folder;
  const std::filesystem::path file = folder.write("nodes", "small", "{}");
  EXPECT_EQ(folder.library().locate("nodes", "small"), file);
  EXPECT_EQ(folder.library().locate("nodes", file.string()), file);
}

TEST(ConfigLibraryTest, AFileOfTheSameNameNearbyDoesNotHideAName) {
  TemporaryLibrary folder;
  const std::filesystem::path file = folder.write("nodes", "small", "{}");
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.root());
  std::ofstream("small") << "an ELF, say";
  EXPECT_EQ(folder.library().locate("nodes", "small"), file);
  std::filesystem::current_path(before);
}

TEST(ConfigLibraryTest, AMissingNameOffersTheNearest) {
  TemporaryLibrary folder;
  folder.write("scenarios", "power_loss", "{}");
  EXPECT_EQ(
      thrown<InputMissing>([&] { folder.library().locate("scenarios", "configs/scenarios/power_los.json"); }),
      "command line: error: no file \"configs/scenarios/power_los.json\", and no such name in " +
          (folder.root() / "scenarios").string() + "; did you mean \"power_loss\"?");
}

TEST(ConfigLibraryTest, TheFirstFolderOfTheSearchPathCountsAndTheOthersRemain) {
  TemporaryLibrary mine, shipped;
  const auto my_small = mine.write("nodes", "small", "{}");
  mine.write("nodes", "own", "{}");
  shipped.write("nodes", "small", "{}");
  const auto large = shipped.write("nodes", "large", "{}");
  const ConfigLibrary library({mine.root(), shipped.root()});
  EXPECT_EQ(library.list("nodes"), (std::vector<std::string>{"large", "own", "small"}));
  EXPECT_EQ(library.find("nodes", "small"), my_small);
  EXPECT_EQ(library.find("nodes", "large"), large);
  EXPECT_EQ(folders_of(library.search_path()), (std::vector{mine.root(), shipped.root()}));
  EXPECT_EQ(thrown<InputMissing>([&] { library.locate("nodes", "smal"); }),
            "command line: error: no file \"smal\", and no such name in " + (mine.root() / "nodes").string() +
                ", " + (shipped.root() / "nodes").string() + "; did you mean \"small\"?");
}

TEST(ConfigLibraryTest, TheKindOfAFileIsTheFolderInWhichItLies) {
  TemporaryLibrary mine, shipped, elsewhere;
  const ConfigLibrary library({mine.root(), shipped.root()});
  EXPECT_EQ(library.kind_of(mine.write("dram", "fast", "{}")), "dram");
  const auto node = shipped.write("nodes", "small", "{}");
  EXPECT_EQ(library.kind_of(node), "nodes");
  EXPECT_EQ(library.kind_of(node.parent_path() / ".." / "nodes" / "small.json"), "nodes");
  EXPECT_EQ(library.kind_of(elsewhere.write("nodes", "small", "{}")), "");
  EXPECT_EQ(library.kind_of(shipped.root() / "small.json"), "");
}

TEST(ConfigLibraryTest, EmptyPartsOfASearchPathAreNone) {
  EXPECT_EQ(folders_of("::a::b/c:"), (std::vector<std::filesystem::path>{"a", "b/c"}));
}

TEST(ConfigLibraryTest, ANameDoesNotClimbOutOfItsFolder) {
  TemporaryLibrary folder;
  folder.write("nodes", "small", "{}");
  EXPECT_EQ(folder.library().find("dram", "../nodes/small"), std::nullopt);
}

TEST(ConfigLibraryTest, WhatIsBuiltInIsFoundAfterTheFolders) {
  constexpr std::array built_in{BuiltInFile{"dram", "ddr4", "{\"of\": \"the program\"}"},
                                BuiltInFile{"dram", "ddr5", "{\"of\": }"}};
  const RegisteredBuiltInFiles registered(built_in);
  TemporaryLibrary folder;
  const ConfigLibrary with_folder = folder.library(), alone(std::vector<std::filesystem::path>{});
  EXPECT_EQ(with_folder.list("dram"), (std::vector<std::string>{"ddr3", "ddr4", "ddr5"}));
  EXPECT_EQ(alone.list("dram"), (std::vector<std::string>{"ddr4", "ddr5"}));
  EXPECT_EQ(with_folder.find("dram", "ddr4"), folder.root() / "dram" / "ddr4.json");
  EXPECT_TRUE(ConfigDocument::load(*alone.find("dram", "ddr4")).has("of"));
  EXPECT_THAT(thrown<ConfigError>([&] { ConfigDocument::load(*alone.find("dram", "ddr5")); }),
              testing::StartsWith("asterism:configs/dram/ddr5.json:1:8: error: "));
  EXPECT_EQ(alone.find("nodes", "ddr4"), std::nullopt);
  EXPECT_EQ(thrown<InputMissing>([&] { alone.locate("dram", "ddr6"); }),
            "command line: error: no file \"ddr6\", and no such name in asterism:configs/dram; did you mean "
            "\"ddr4\"?");
}

}  // namespace
}  // namespace asterism
