#include "platform/host/output_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <future>
#include <iterator>

#include "base/temporary_folder.h"
#include "platform/host/output_failure.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

struct OutputFileTest : testing::Test {
  static std::string contents(const fs::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void finish(const fs::path& file) { OutputFile(file, "--csv").finish("new"); }

  TemporaryFolder folder;
};

TEST_F(OutputFileTest, TheOldFileStaysUntilTheNewOneIsComplete) {
  std::ofstream(folder / "a") << "old";
  {
    OutputFile file(folder / "a", "--csv");
    EXPECT_TRUE(fs::exists(folder / "a.partial"));
  }
  EXPECT_EQ(contents(folder / "a"), "old");
  EXPECT_FALSE(fs::exists(folder / "a.partial"));
  finish(folder / "a");
  EXPECT_EQ(contents(folder / "a"), "new");
}

TEST_F(OutputFileTest, AFullDiskIsAFailureWithItsReason) {
  try {
    finish("/dev/full");
    FAIL();
  } catch (const OutputFailure& failure) {
    EXPECT_STREQ(
        failure.what(),
        "command line: error: --csv: /dev/full cannot be written to the end: No space left on device");
  }
}

TEST_F(OutputFileTest, ASymlinkStaysAndWhatItNamesIsWritten) {
  fs::create_directory(folder / "deep");
  std::ofstream(folder / "deep/a") << "old";
  fs::create_symlink("deep/a", folder / "link");
  fs::create_symlink("deep/new", folder / "dangling");
  for (const std::string link : {"link", "dangling"}) {
    finish(folder / link);
    EXPECT_TRUE(fs::is_symlink(folder / link));
  }
  EXPECT_EQ(contents(folder / "deep/a"), "new");
  EXPECT_EQ(contents(folder / "deep/new"), "new");
}

TEST_F(OutputFileTest, AFifoIsWrittenAndStaysOne) {
  ASSERT_EQ(mkfifo((folder / "fifo").c_str(), 0600), 0);
  fs::create_symlink("fifo", folder / "link");
  for (const std::string name : {"fifo", "link"}) {
    auto read = std::async(std::launch::async, [&] { return contents(folder / "fifo"); });
    finish(folder / name);
    EXPECT_EQ(read.get(), "new");
  }
  EXPECT_TRUE(fs::is_fifo(folder / "fifo"));
  EXPECT_FALSE(fs::exists(folder / "fifo.partial"));
}

TEST_F(OutputFileTest, SymlinksInACircleAreRefused) {
  fs::create_symlink("b", folder / "a");
  fs::create_symlink("a", folder / "b");
  EXPECT_THROW(finish(folder / "a"), ConfigError);
  EXPECT_TRUE(fs::is_symlink(folder / "a"));
}

}  // namespace
}  // namespace asterism
