#include "platform/host/config_kinds.h"

#include <gmock/gmock.h>

#include <fstream>
#include <string>
#include <vector>

#include "base/file_kind.h"
#include "base/temporary_folder.h"

using testing::ElementsAre;
using testing::HasSubstr;

namespace asterism {
namespace {

struct Wheel {
  std::uint32_t spokes = 32;
};
void describe(Fields& f, Wheel& wheel) { f("spokes", wheel.spokes, "The number of spokes.", at_least(3)); }
const RegisteredFileKind<Wheel> wheel_files{"wheel", "wheels", "Wheel", {"spokes"}};

// Has a key that wheels have, too.
struct Bicycle {
  std::uint32_t spokes = 64, gears = 1;
};
void describe(Fields& f, Bicycle& bicycle) {
  f("spokes", bicycle.spokes, "The number of spokes of both wheels.");
  f("gears", bicycle.gears, "The number of gears.");
}
const RegisteredFileKind<Bicycle> bicycle_files{"bicycle", "bicycles", "Bicycle", {"spokes", "gears"}};

struct Race {
  std::uint32_t riders = 2, spokes = 3, gears = 4;
};
void describe(Fields& f, Race& race) {
  f("riders", race.riders, "The number of riders.");
  f("spokes", race.spokes, "The lowest number of spokes.");
  f("gears", race.gears, "The highest number of gears.");
}
ConfigKind race_kind() {
  const auto check = [](ConfigDocument document, const std::string& file, const InstalledFiles& installed) {
    return file + ": " + std::to_string(read_config<Race>(document, installed.configs).riders) + " riders";
  };
  ConfigKind kind = described_kind<Race>("race", "races", "Race", {"riders"}, {.check = check});
  kind.has_foreign_keys = true;
  return kind;
}
const RegisteredConfigKind race_files{race_kind()};

struct Plain {
  std::uint32_t cores = 1;
};
void describe(Fields& f, Plain& plain) { f("cores", plain.cores, "The number of cores."); }
const RegisteredConfigKind node_files{described_kind<Plain>("node", "nodes", "Node", {}, {.check = nullptr})};

class ConfigKindsTest : public testing::Test {
 protected:
  std::string write(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
    return (root_ / file).string();
  }
  ConfigFile load(const std::string& file, const std::vector<std::string>& overrides = {}) const {
    return load_config_file(file, overrides, installed_.configs);
  }
  std::string kind_of(const std::string& text) const {
    return std::string(load(write("elsewhere/file.json", text)).kind->name);
  }
  std::string checked(const ConfigFile& file) const {
    return file.kind->checks.check(file.document, "it", installed_);
  }

 private:
  TemporaryFolder root_;
  InstalledFiles installed_{.configs = ConfigLibrary(root_ / "configs"), .firmware = {}};
};

TEST_F(ConfigKindsTest, KindsAreSortedByName) {
  std::vector<std::string> names;
  for (const ConfigKind& kind : config_kinds()) names.emplace_back(kind.name);
  EXPECT_THAT(names, ElementsAre("bicycle", "node", "race", "wheel"));
}

TEST_F(ConfigKindsTest, FileInTheFolderOfAKindIsOfThatKind) {
  write("configs/wheels/front.json", R"({"spokes": 12})");
  EXPECT_EQ(load("front").kind->name, "wheel");
  write("configs/bicycles/mine.json", R"({"spokes": 12})");
  EXPECT_EQ(load("mine").kind->name, "bicycle");
}

TEST_F(ConfigKindsTest, TheFolderOfAKindChoosesAmongFilesOfOneName) {
  write("configs/wheels/mine.json", R"({"spokes": 12})");
  write("configs/bicycles/mine.json", R"({"spokes": 12})");
  const ConfigFile last = load("mine");
  EXPECT_EQ(last.kind->name, "wheel");
  ASSERT_EQ(last.other_kinds.size(), 1u);
  EXPECT_EQ(last.other_kinds[0]->name, "bicycle");
  EXPECT_EQ(load("bicycles/mine").kind->name, "bicycle");
  EXPECT_TRUE(load("bicycles/mine").other_kinds.empty());
  EXPECT_THROW(load("bicycles/none"), InputMissing);
}

TEST_F(ConfigKindsTest, FileElsewhereIsOfTheKindOfWhichItHasTheMostKeys) {
  EXPECT_EQ(kind_of(R"({"gears": 12})"), "bicycle");
  EXPECT_EQ(kind_of(R"({"spokes": 12, "gears": 12})"), "bicycle");
  EXPECT_EQ(kind_of(R"({})"), "node");
}

TEST_F(ConfigKindsTest, OneKeyDecidesForAKindThatHasKeysOfOthers) {
  EXPECT_EQ(kind_of(R"({"spokes": 12, "gears": 12, "riders": 1})"), "race");
}

TEST_F(ConfigKindsTest, PartIsCheckedByItsDescriptionAlone) {
  write("configs/wheels/front.json", R"({"spokes": 12})");
  EXPECT_EQ(checked(load("front")), "{\n  \"spokes\": 12\n}\n");
  EXPECT_THROW(checked(load("front", {"spokes=2"})), ConfigError);
  EXPECT_THROW(checked(load("front", {"gears=2"})), ConfigError);
}

TEST_F(ConfigKindsTest, PartHasSchemaAndDocumentation) {
  write("configs/wheels/front.json", "{}");
  const ConfigKind& kind = *load("front").kind;
  EXPECT_THAT(kind.schema(), HasSubstr("\"title\": \"Wheel\""));
  EXPECT_THAT(kind.documentation(), HasSubstr("The number of spokes."));
}

TEST_F(ConfigKindsTest, KindWithItsOwnChecksMakesThem) {
  write("configs/races/tour.json", R"({"riders": 176})");
  EXPECT_EQ(checked(load("tour")), "it: 176 riders");
  const ConfigFile file = load("tour", {"gears=5"});
  EXPECT_THAT(file.kind->checks.check_keys(file.document, "it", InstalledFiles::find()),
              HasSubstr("\"gears\": 5"));
}

}  // namespace
}  // namespace asterism
