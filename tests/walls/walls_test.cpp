#include "tests/walls/walls.h"

#include <gmock/gmock.h>

#include <fstream>

#include "base/temporary_folder.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

const Walls& walls() {
  static const Walls all(ASTERISM_WALLS, ASTERISM_MODELS);
  return all;
}

bool is_engine(const std::string& name) { return name.ends_with("_engine"); }

TEST(WallsTest, ALibraryIncludesOnlyWhatItLinks) { EXPECT_THAT(walls().forbidden_includes(), IsEmpty()); }

TEST(WallsTest, NothingInModelsIncludesPlatformOrTests) {
  EXPECT_THAT(walls().includes_from_above(), IsEmpty());
}

TEST(WallsTest, NoEngineLinksSystemCOrTlm) {
  int engines = 0;
  for (const auto& [name, library] : walls().libraries()) {
    if (!is_engine(name)) continue;
    ++engines;
    const auto reach = walls().reach(name);
    EXPECT_FALSE(reach.contains("asterism_systemc")) << name;
    EXPECT_FALSE(reach.contains("asterism_tlm")) << name;
  }
  EXPECT_GE(engines, 6);
}

TEST(WallsTest, BaseLinksNothing) { EXPECT_THAT(walls().reach("asterism_base"), IsEmpty()); }

TEST(WallsTest, NoRoomLinksTheModuleOfAnother) {
  for (const auto& [name, library] : walls().libraries()) {
    for (const std::string& link : library.links) {
      const auto linked = walls().libraries().find(link);
      if (linked == walls().libraries().end() || is_engine(link) || linked->second.room == library.room)
        continue;
      EXPECT_TRUE(link == "asterism_base" || link == "asterism_tlm") << name << " links " << link;
    }
  }
}

TEST(WallsTest, UnicornIsLinkedByItsOwnLibraryOnly) {
  for (const auto& [name, library] : walls().libraries())
    EXPECT_EQ(walls().reach(name).contains("PkgConfig::UNICORN"), name == "asterism_core_unicorn") << name;
}

// A tree with planted mistakes.
struct PlantedTest : testing::Test {
  TemporaryFolder root;
  void write(const fs::path& file, const std::string& text) const {
    fs::create_directories((root / file).parent_path());
    std::ofstream(root / file) << text;
  }
  Walls planted(const std::string& dram, const std::string& header) const {
    const std::string models = (root / "models").string();
    write("models/tlm/alarm.cpp", "");
    write("models/tlm/alarm.h", "");
    write("models/tlm/time.h", "#include <systemc>\n");
    write("models/memory/dram.cpp", dram);
    write("models/memory/timing.h", header);
    write("walls.txt", "library asterism_tlm " + models + "/tlm\nsource alarm.cpp\nlink asterism_systemc\n" +
                           "public asterism_systemc\nlibrary asterism_memory_engine " + models +
                           "/memory\nsource dram.cpp\n");
    return {root / "walls.txt", models};
  }
};

TEST_F(PlantedTest, AnIncludeOfAnotherRoomIsFound) {
  EXPECT_THAT(
      planted("#include \"tlm/alarm.h\"\n", "").forbidden_includes(),
      ElementsAre("memory/dram.cpp -> tlm/alarm.h: asterism_memory_engine does not link asterism_tlm"));
  EXPECT_THAT(planted("#include \"tlm/time.h\"\n", "").forbidden_includes(),
              ElementsAre("memory/dram.cpp -> tlm/time.h: asterism_memory_engine does not link tlm"));
}

TEST_F(PlantedTest, SystemCIsFoundThroughAHeaderOfTheOwnRoom) {
  EXPECT_THAT(
      planted("#include \"memory/timing.h\"\n", "  # include <systemc>\n").forbidden_includes(),
      ElementsAre("memory/timing.h -> systemc: asterism_memory_engine does not link asterism_systemc"));
}

TEST_F(PlantedTest, AnIncludeOfPlatformIsFound) {
  EXPECT_THAT(planted("#include \"platform/node.h\"\n", "").includes_from_above(),
              ElementsAre("memory/dram.cpp -> platform/node.h"));
}

}  // namespace
}  // namespace asterism
