// The program in the folders of an installation: bin/, lib/asterism/, share/asterism/. scripts/test_package
// has the same with the package itself, in a root without anything else.
#include <gmock/gmock.h>

#include "tests/platform/command.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// What an installation would have is that of the source and of the build.
struct InstalledTest : CommandTest {
  InstalledTest() {
    fs::create_directories(prefix / "bin");
    fs::create_directories(prefix / "lib/asterism");
    fs::create_directories(prefix / "share/asterism");
    fs::copy(build / "asterism", prefix / "bin");
    for (const char* name : {"configs", "rtl", "sw"})
      fs::create_directory_symlink(source_configs().parent_path() / name, prefix / "share/asterism" / name);
    fs::create_directory_symlink(environment.at("ASTERISM_FIRMWARE"), prefix / "share/asterism/firmware");
    environment.erase("ASTERISM_CONFIGS");
    environment.erase("ASTERISM_FIRMWARE");
    environment["XDG_CACHE_HOME"] = (folder / "cache").string();
    asterism_program = prefix / "bin/asterism";
  }

  const fs::path build = asterism_program.parent_path(), prefix = folder / "prefix";
};

TEST_F(InstalledTest, FindsItsFilesAlsoAfterAMove) {
  EXPECT_THAT(asterism({"run", "hello"}).out, HasSubstr("(prefix/share/asterism/firmware/hello.elf)"));
  fs::rename(prefix, folder / "moved");
  asterism_program = folder / "moved/bin/asterism";
  EXPECT_THAT(asterism({"run", "hello"}).out, HasSubstr("(moved/share/asterism/firmware/hello.elf)"));
  ASSERT_EQ(asterism({"new", "app"}).status, 0);
  EXPECT_THAT(contents("app/CMakeLists.txt"), HasSubstr((folder / "moved/share/asterism/sw").string()));
}

TEST_F(InstalledTest, LibrariesOfRtlAreInTheCacheOfTheUser) {
  EXPECT_THAT(asterism({"rtl", "list"}).out, HasSubstr("\nlrg_arbiter     not built "));
  fs::create_directories(folder / "cache/asterism");
  fs::create_directory_symlink(build / "rtl", folder / "cache/asterism/rtl");
  EXPECT_THAT(asterism({"rtl", "list"}).out, HasSubstr("\nlrg_arbiter     built "));
  environment["XDG_CACHE_HOME"] = "relative";
  environment["HOME"] = "";
  const Ended nowhere = asterism({"rtl", "list"});
  EXPECT_EQ(nowhere.status, 66);
  EXPECT_EQ(nowhere.err,
            "asterism/rtl: error: there is no folder for libraries of RTL: HOME is not set; name one by "
            "ASTERISM_RTL_CACHE\n");
}

TEST_F(InstalledTest, TheProgramThatSimulatesMachinesIsInAPackageOfItsOwn) {
  const Arguments study{"study", "cluster_scale", "nodes=16", "runs=1", "work=2min"};
  const Ended missing = asterism(study);
  EXPECT_EQ(missing.status, 65);
  EXPECT_THAT(missing.err, HasSubstr("install the package asterism-cluster"));
  fs::create_symlink(build / "asterism_cluster", prefix / "lib/asterism/asterism_cluster");
  EXPECT_EQ(asterism(study).status, 0);
}

}  // namespace
}  // namespace asterism
