#include "tests/layering/layering.h"

#include <gmock/gmock.h>

#include <fstream>
#include <optional>
#include <set>

#include "base/temporary_folder.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::Ge;
using testing::IsEmpty;
using testing::SizeIs;

const Layering& layering() {
  static const Layering all(ASTERISM_LIBRARIES, ASTERISM_SOURCE);
  return all;
}

const FolderOrder& platform() {
  static const FolderOrder order(fs::path(ASTERISM_SOURCE) / "platform");
  return order;
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
    if (!library.folder.starts_with("models/")) continue;
    for (const std::string& link : library.links) {
      const auto linked = layering().libraries().find(link);
      if (linked == layering().libraries().end() || is_engine(link) ||
          linked->second.folder == library.folder)
        continue;
      EXPECT_TRUE(link == "asterism_base" || link == "asterism_tlm") << name << " links " << link;
    }
  }
}

TEST(LayeringTest, TheReadmeOfPlatformListsItsFolders) {
  EXPECT_THAT(platform().differences(), IsEmpty());
  EXPECT_THAT(platform().folders(), SizeIs(Ge(14)));
}

TEST(LayeringTest, NoFolderOfPlatformIncludesALaterOne) {
  EXPECT_THAT(platform().includes_of_later(), IsEmpty());
}

TEST(LayeringTest, NoFolderOfPlatformLinksALaterOne) {
  const auto position = [](const std::string& name) -> std::optional<std::size_t> {
    const auto library = layering().libraries().find(name);
    if (library == layering().libraries().end() || !library->second.folder.starts_with("platform/"))
      return std::nullopt;
    return platform().position(fs::path(library->second.folder).filename());
  };
  std::set<std::size_t> checked;
  for (const auto& [name, library] : layering().libraries()) {
    const auto own = position(name);
    if (!own) continue;
    checked.insert(*own);
    for (const std::string& link : library.links)
      EXPECT_LE(position(link).value_or(0), *own) << name << " " << link;
  }
  EXPECT_EQ(checked.size(), platform().folders().size());
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
    return {root / "libraries.txt", root.path()};
  }
};

TEST_F(FaultyTreeTest, AnIncludeOfAnotherFolderIsFound) {
  EXPECT_THAT(
      faulty_tree("#include \"tlm/alarm.h\"\n", "").forbidden_includes(),
      ElementsAre(
          "models/memory/dram.cpp -> tlm/alarm.h: asterism_memory_engine does not link asterism_tlm"));
  EXPECT_THAT(faulty_tree("#include \"tlm/time.h\"\n", "").forbidden_includes(),
              ElementsAre("models/memory/dram.cpp -> tlm/time.h: asterism_memory_engine does not link tlm"));
}

TEST_F(FaultyTreeTest, SystemCIsFoundThroughAHeaderOfTheOwnFolder) {
  EXPECT_THAT(
      faulty_tree("#include \"memory/timing.h\"\n", "  # include <systemc>\n").forbidden_includes(),
      ElementsAre(
          "models/memory/timing.h -> systemc: asterism_memory_engine does not link asterism_systemc"));
}

TEST_F(FaultyTreeTest, AnIncludeOfPlatformIsFound) {
  EXPECT_THAT(faulty_tree("#include \"platform/system/node.h\"\n", "").includes_from_above(),
              ElementsAre("models/memory/dram.cpp -> platform/system/node.h"));
}

// A platform/ with two folders in its table and the given file.
struct FaultyPlatformTest : FaultyTreeTest {
  FolderOrder platform_with(const fs::path& file, const std::string& text) const {
    write("platform/README.md", "| folder | contents |\n|---|---|\n| `host` | a |\n| `run` | b |\n");
    write("platform/host/files.h", "");
    write("platform/run/run.h", "#include \"platform/host/files.h\"\n#include \"base/units.h\"\n");
    write("platform" / file, text);
    return FolderOrder(root / "platform");
  }
};

TEST_F(FaultyPlatformTest, AnIncludeOfALaterFolderIsFoundInTestsToo) {
  const std::string include = "#include \"platform/run/run.h\"\n";
  EXPECT_THAT(platform_with("run/summary.cpp", include).includes_of_later(), IsEmpty());
  EXPECT_THAT(platform_with("host/files_test.cpp", include).includes_of_later(),
              ElementsAre("host/files_test.cpp -> platform/run/run.h"));
}

TEST_F(FaultyPlatformTest, AFolderWithoutARowIsFound) {
  const FolderOrder order = platform_with("study/sweep.h", "");
  EXPECT_THAT(order.differences(), ElementsAre("study is not in the table"));
  write("platform/host/files.cpp", "#include \"platform/study/sweep.h\"\n");
  EXPECT_THAT(order.includes_of_later(), ElementsAre("host/files.cpp -> platform/study/sweep.h"));
}

TEST_F(FaultyPlatformTest, ARowWithoutAFolderIsFound) {
  const FolderOrder order = platform_with("run/run.cpp", "");
  fs::remove_all(root / "platform/host");
  EXPECT_THAT(order.differences(), ElementsAre("there is no host"));
}

}  // namespace
}  // namespace asterism
