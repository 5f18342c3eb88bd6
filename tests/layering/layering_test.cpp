#include "tests/layering/layering.h"

#include <gmock/gmock.h>

#include <fstream>

#include "base/temporary_folder.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

const Layering& layering() {
  static const Layering all(ASTERISM_LIBRARIES, ASTERISM_MODELS);
  return all;
}

bool is_engine(const std::string& name) { return name.ends_with("_engine"); }

TEST(LayeringTest, ALibraryIncludesOnlyWhatItLinks) {
  EXPECT_THAT(layering().forbidden_includes(), IsEmpty());
}

TEST(LayeringTest, NothingInModelsIncludesPlatformOrTests) {
  EXPECT_THAT(layering().includes_from_above(), IsEmpty());
}

TEST(LayeringTest, NoEngineLinksSystemCOrTlm) {
  int engines = 0;
  for (const auto& [name, library] : layering().libraries()) {
    if (!is_engine(name)) continue;
    ++engines;
    const auto reach = layering().reach(name);
    EXPECT_FALSE(reach.contains("asterism_systemc")) << name;
    EXPECT_FALSE(reach.contains("asterism_tlm")) << name;
  }
  EXPECT_GE(engines, 6);
}

TEST(LayeringTest, BaseLinksNothing) { EXPECT_THAT(layering().reach("asterism_base"), IsEmpty()); }

TEST(LayeringTest, NoFolderLinksTheModuleOfAnother) {
  for (const auto& [name, library] : layering().libraries()) {
    for (const std::string& link : library.links) {
      const auto linked = layering().libraries().find(link);
      if (linked == layering().libraries().end() || is_engine(link) ||
          linked->second.folder == library.folder)
        continue;
      EXPECT_TRUE(link == "asterism_base" || link == "asterism_tlm") << name << " links " << link;
    }
  }
}

// A tree with forbidden includes.
struct FaultyTreeTest : testing::Test {
  TemporaryFolder root;
  void write(const fs::path& file, const std::string& text) const {
    fs::create_directories((root / file).parent_path());
    std::ofstream(root / file) << text;
  }
  Layering faulty_tree(const std::string& dram, const std::string& header) const {
    const std::string models = (root / "models").string();
    write("models/tlm/alarm.cpp", "");
    write("models/tlm/alarm.h", "");
    write("models/tlm/time.h", "#include <systemc>\n");
    write("models/memory/dram.cpp", dram);
    write("models/memory/timing.h", header);
    write("libraries.txt", "library asterism_tlm " + models +
                               "/tlm\nsource alarm.cpp\nlink asterism_systemc\n" +
                               "public asterism_systemc\nlibrary asterism_memory_engine " + models +
                               "/memory\nsource dram.cpp\n");
    return {root / "libraries.txt", models};
  }
};

TEST_F(FaultyTreeTest, AnIncludeOfAnotherFolderIsFound) {
  EXPECT_THAT(
      faulty_tree("#include \"tlm/alarm.h\"\n", "").forbidden_includes(),
      ElementsAre("memory/dram.cpp -> tlm/alarm.h: asterism_memory_engine does not link asterism_tlm"));
  EXPECT_THAT(faulty_tree("#include \"tlm/time.h\"\n", "").forbidden_includes(),
              ElementsAre("memory/dram.cpp -> tlm/time.h: asterism_memory_engine does not link tlm"));
}

TEST_F(FaultyTreeTest, SystemCIsFoundThroughAHeaderOfTheOwnFolder) {
  EXPECT_THAT(
      faulty_tree("#include \"memory/timing.h\"\n", "  # include <systemc>\n").forbidden_includes(),
      ElementsAre("memory/timing.h -> systemc: asterism_memory_engine does not link asterism_systemc"));
}

TEST_F(FaultyTreeTest, AnIncludeOfPlatformIsFound) {
  EXPECT_THAT(faulty_tree("#include \"platform/system/node.h\"\n", "").includes_from_above(),
              ElementsAre("memory/dram.cpp -> platform/system/node.h"));
}

}  // namespace
}  // namespace asterism
