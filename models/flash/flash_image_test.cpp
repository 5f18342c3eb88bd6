#include "flash/flash_image.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace asterism {
namespace {

struct FlashImageTest : testing::Test {
  FlashGeometry geometry{.packages = 2, .blocks = 3, .pages_per_block = 4};
  std::string file = testing::TempDir() + "asterism_flash_" + std::to_string(getpid()) + ".img";
  std::vector<std::byte> page = std::vector<std::byte>(16384, std::byte(0x5A));

  ~FlashImageTest() override { std::filesystem::remove(file); }
  std::string error(const FlashGeometry& g) {
    try {
      FlashImage image(g, file);
      return "none";
    } catch (const FlashImageError& e) {
      return std::string(e.what()).substr(file.size());
    }
  }
};

TEST_F(FlashImageTest, ContentsOutliveTheRun) {
  { FlashImage(geometry, file).program({1, 2, 0}, page, {}); }
  FlashImage again(geometry, file);
  EXPECT_EQ(again.state({1, 2, 0}), FlashImage::PageState::programmed);
  EXPECT_EQ(again.page({1, 2, 0})[16383], std::byte(0x5A));
  EXPECT_EQ(again.next_page({1, 2}), 1u);
}

TEST_F(FlashImageTest, AFreshFileTakesNoSpaceForPages) {
  FlashImage(geometry, file).program({0, 0, 0}, page, {});
  EXPECT_GT(std::filesystem::file_size(file), 24u * 16384);
}

TEST_F(FlashImageTest, AnotherGeometryIsRefused) {
  { FlashImage image(geometry, file); }
  EXPECT_EQ(
      error({.packages = 4, .blocks = 3, .pages_per_block = 4}),
      ": flash image has 1 channels x 2 packages x 1 dies x 1 planes x 3 blocks x 4 pages of 16384 bytes, "
      "but the node has 1 channels x 4 packages x 1 dies x 1 planes x 3 blocks x 4 pages of 16384 bytes");
}

TEST_F(FlashImageTest, AFileCutShortIsRefusedAndLeftAsItIs) {
  { FlashImage image(geometry, file); }
  std::filesystem::resize_file(file, 40'000);
  EXPECT_EQ(error(geometry), ": flash image is cut short: 40000 bytes, expected 405504");
  EXPECT_EQ(std::filesystem::file_size(file), 40'000u);
}

TEST_F(FlashImageTest, AnyOtherFileIsRefused) {
  std::ofstream(file) << "just text";
  EXPECT_EQ(error(geometry), ": is not a flash image of this program (version 2)");
}

TEST_F(FlashImageTest, TwoRunsDoNotShareAnImage) {
  FlashImage first(geometry, file);
  EXPECT_EQ(error(geometry), ": flash image is in use by another run");
}

TEST_F(FlashImageTest, AFolderThatDoesNotExistIsReported) {
  file = "/nonexistent/flash.img";
  EXPECT_EQ(error(geometry), ": cannot be opened for writing: No such file or directory");
}

}  // namespace
}  // namespace asterism
