#include "devices/host_directory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <fstream>

#include "base/temporary_folder.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

// base/inside is the directory; base/outside must never be reached.
struct HostDirectoryTest : testing::Test {
  TemporaryFolder base;
  fs::path inside = base / "inside", outside = base / "outside";
  HostDirectoryTest() {
    fs::create_directories(inside / "sub");
    fs::create_directories(outside);
    std::ofstream(outside / "secret") << "secret";
    std::ofstream(inside / "file") << "12345";
  }
  HostDirectory directory() const { return HostDirectory(inside); }
  int open(std::string_view name, int flags = O_RDONLY) const { return directory().open(name, flags).error; }
};

TEST_F(HostDirectoryTest, OpensWhatIsInside) {
  EXPECT_EQ(open("file"), 0);
  EXPECT_EQ(open("./sub/../file"), 0);
  EXPECT_EQ(open("sub/new", O_WRONLY | O_CREAT), 0);
  EXPECT_TRUE(fs::exists(inside / "sub/new"));
  EXPECT_EQ(open("missing"), ENOENT);
  EXPECT_EQ(open("missing/file", O_WRONLY | O_CREAT), ENOENT);
  EXPECT_EQ(open(""), ENOENT);
  EXPECT_EQ(open("file/x"), ENOTDIR);
}

TEST_F(HostDirectoryTest, RefusesPathsThatClimbOut) {
  for (const char* name :
       {"../outside/secret", "sub/../../outside/secret", "..", "../inside/file", "sub/../.."})
    EXPECT_EQ(open(name), EACCES) << name;
  EXPECT_EQ(directory().open("../x", O_RDONLY).refused, "the path climbs out of the directory");
}

TEST_F(HostDirectoryTest, RefusesAbsolutePathsEvenOfTheDirectoryItself) {
  EXPECT_EQ(open("/etc/passwd"), EACCES);
  EXPECT_EQ(open((inside / "file").string()), EACCES);
}

TEST_F(HostDirectoryTest, RefusesLinksThatLeadOut) {
  fs::create_symlink(outside / "secret", inside / "absolute");
  fs::create_symlink("../outside/secret", inside / "relative");
  fs::create_directory_symlink(outside, inside / "directory");
  fs::create_symlink("relative", inside / "twice");
  for (const char* name : {"absolute", "relative", "directory/secret", "twice"})
    EXPECT_EQ(open(name), EACCES) << name;
}

TEST_F(HostDirectoryTest, ALinkToNothingOutsideCreatesNothingThere) {
  fs::create_symlink(outside / "created", inside / "dangling");
  EXPECT_EQ(open("dangling", O_WRONLY | O_CREAT), EACCES);
  EXPECT_FALSE(fs::exists(outside / "created"));
}

TEST_F(HostDirectoryTest, FollowsLinksThatStayInside) {
  fs::create_symlink("../file", inside / "sub/link");
  EXPECT_EQ(open("sub/link"), 0);
}

TEST_F(HostDirectoryTest, ALoopOfLinksIsAnError) {
  fs::create_symlink("loop", inside / "loop");
  EXPECT_EQ(open("loop"), EACCES);
  EXPECT_EQ(open("loop/file"), ELOOP);
}

TEST_F(HostDirectoryTest, OpensRegularFilesOnly) {
  ASSERT_EQ(mkfifo((inside / "pipe").c_str(), 0644), 0);
  EXPECT_EQ(open("pipe"), EACCES);
  EXPECT_EQ(open("sub"), EISDIR);
  EXPECT_EQ(open("."), EISDIR);
}

TEST_F(HostDirectoryTest, RemovesAndRenamesInsideOnly) {
  fs::create_symlink(outside / "secret", inside / "link");
  EXPECT_EQ(directory().rename("file", "sub/renamed").error, 0);
  EXPECT_EQ(directory().rename("sub/renamed", "../outside/x").error, EACCES);
  EXPECT_EQ(directory().rename("../outside/secret", "x").error, EACCES);
  EXPECT_EQ(directory().remove("../outside/secret").error, EACCES);
  EXPECT_EQ(directory().remove("link").error, 0);  // removes the link, not its target
  EXPECT_EQ(directory().remove("sub/renamed").error, 0);
  EXPECT_TRUE(fs::exists(outside / "secret"));
  EXPECT_FALSE(fs::exists(inside / "sub/renamed"));
}

TEST_F(HostDirectoryTest, WithoutADirectoryEverythingIsRefused) {
  EXPECT_EQ(HostDirectory({}).open("file", O_RDONLY).error, EACCES);
  EXPECT_EQ(HostDirectory({}).remove("file").error, EACCES);
}

TEST_F(HostDirectoryTest, ADirectoryThatIsMissingIsTheUsersMistake) {
  EXPECT_THROW(HostDirectory(base / "missing"), std::invalid_argument);
  EXPECT_THROW(HostDirectory(inside / "file"), std::invalid_argument);
}

}  // namespace
}  // namespace asterism
