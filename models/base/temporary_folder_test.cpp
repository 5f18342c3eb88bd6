#include "base/temporary_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>

#include "base/thrown.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

// Sets the folder for temporary folders during its lifetime.
struct TemporaryFoldersIn {
  explicit TemporaryFoldersIn(const fs::path& place) { setenv("TMPDIR", place.c_str(), 1); }
  ~TemporaryFoldersIn() {
    if (before)
      setenv("TMPDIR", before->c_str(), 1);
    else
      unsetenv("TMPDIR");
  }
  TemporaryFoldersIn(const TemporaryFoldersIn&) = delete;
  TemporaryFoldersIn& operator=(const TemporaryFoldersIn&) = delete;
  std::optional<std::string> before =
      std::getenv("TMPDIR") ? std::optional<std::string>(std::getenv("TMPDIR")) : std::nullopt;
};

TEST(TemporaryFolderTest, IsNewAndEmpty) {
  const TemporaryFolder one, other;
  EXPECT_NE(one.path(), other.path());
  EXPECT_TRUE(fs::is_directory(one.path()));
  EXPECT_TRUE(fs::is_empty(one.path()));
}

TEST(TemporaryFolderTest, GoesWithAllThatIsInItAndNothingElse) {
  const TemporaryFolder kept;
  std::ofstream(kept / "file") << "text";
  fs::path path;
  {
    const TemporaryFolder folder;
    path = folder.path();
    fs::create_directories(folder / "a/b");
    std::ofstream(folder / "a/b/file") << "text";
    fs::create_directory_symlink(kept.path(), folder / "link");
  }
  EXPECT_FALSE(fs::exists(path));
  EXPECT_TRUE(fs::exists(kept / "file"));
}

TEST(TemporaryFolderTest, IsCreatedInTheConfiguredFolderWithoutLinksInItsPath) {
  const TemporaryFolder place;
  fs::create_directory(place / "real");
  fs::create_directory_symlink("real", place / "link");
  const TemporaryFoldersIn there(place / "link");
  EXPECT_EQ(TemporaryFolder().path().parent_path(), place / "real");
}

TEST(TemporaryFolderTest, APlaceThatIsNotThereIsASystemError) {
  const TemporaryFolder place;
  const TemporaryFoldersIn nowhere(place / "none");
  EXPECT_TRUE(thrown<std::system_error>([] {
                TemporaryFolder();
              }).starts_with("cannot find the folder for temporary files (TMPDIR): "));
}

}  // namespace
}  // namespace asterism
