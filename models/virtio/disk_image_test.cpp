#include "virtio/disk_image.h"

#include <gmock/gmock.h>

#include <fstream>

#include "base/temporary_folder.h"
#include "base/thrown.h"

namespace asterism {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct DiskImageTest : testing::Test {
  TemporaryFolder folder;
  const std::filesystem::path file = folder / "disk.img";

  void make(std::size_t size, char fill) const {
    std::ofstream(file, std::ios::binary) << std::string(size, fill);
  }
  static std::vector<std::byte> sectors(std::size_t count, int fill) {
    return std::vector<std::byte>(512 * count, std::byte(fill));
  }
  static int first_byte(const DiskImage& disk, std::uint64_t sector) {
    std::array<std::byte, 512> data;
    disk.read(DiskImage::sector * sector, data);
    return std::to_integer<int>(data[0]);
  }
};

TEST_F(DiskImageTest, AFileIsReadAndStaysAsItIs) {
  make(1024, 'a');
  {
    DiskImage disk({.file = file, .size = 2048_B});
    EXPECT_EQ(disk.size(), 2048_B);
    EXPECT_EQ(first_byte(disk, 1), 'a');
    EXPECT_EQ(first_byte(disk, 3), 0);
    disk.write(512_B, sectors(3, 'b'));
    disk.flush();
    EXPECT_EQ(first_byte(disk, 0), 'a');
    EXPECT_EQ(first_byte(disk, 3), 'b');
  }
  EXPECT_EQ(std::filesystem::file_size(file), 1024u);
  EXPECT_EQ(first_byte(DiskImage({.file = file}), 1), 'a');
}

TEST_F(DiskImageTest, AFileThatIsChangedKeepsWhatWasWritten) {
  const DiskImage::Settings settings{.file = file, .size = 4096_B, .copy_on_write = false};
  {
    DiskImage disk(settings);
    disk.write(0_B, sectors(2, 'x'));
    EXPECT_EQ(disk.cached_sectors(), 2u);
    disk.flush();
    disk.write(0_B, sectors(1, 'y'));
    EXPECT_EQ(first_byte(disk, 0), 'y');
  }
  DiskImage again(settings);
  EXPECT_EQ(first_byte(again, 0), 'y');
  EXPECT_EQ(first_byte(again, 1), 'x');
}

TEST_F(DiskImageTest, WithoutACacheEachWriteIsDurable) {
  DiskImage disk({.size = 4096_B, .caches_writes = false});
  disk.write(0_B, sectors(1, 'x'));
  EXPECT_EQ(disk.cached_sectors(), 0u);
  Random random(1);
  disk.lose_power(random);
  EXPECT_EQ(first_byte(disk, 0), 'x');
}

TEST_F(DiskImageTest, APowerFailureLosesSomeSectorsThatWereNotFlushed) {
  DiskImage disk({.size = 1_MiB});
  disk.write(0_B, sectors(100, 'a'));
  disk.flush();
  disk.write(0_B, sectors(50, 'b'));
  Random random(1);
  disk.lose_power(random);
  int kept = 0;
  for (std::uint64_t i = 0; i < 100; ++i) {
    const int value = first_byte(disk, i);
    EXPECT_TRUE(value == 'a' || (value == 'b' && i < 50));
    kept += value == 'b';
  }
  EXPECT_GT(kept, 10);
  EXPECT_LT(kept, 40);
}

TEST_F(DiskImageTest, FilesThatCannotBeUsed) {
  const auto mistake = [&](const DiskImage::Settings& settings) {
    return thrown<DiskImageError>([&] { DiskImage disk(settings); });
  };
  EXPECT_THAT(mistake({.file = file}), HasSubstr("disk.img: No such file or directory"));
  EXPECT_THAT(mistake({.file = folder.path()}), HasSubstr("is not a file with an image"));
  make(1000, 'a');
  EXPECT_THAT(mistake({.file = file}), HasSubstr("has 1000 bytes, expected a multiple of 512"));
  EXPECT_THAT(mistake({.file = file, .size = 512_B}), AllOf(HasSubstr("has 1000 bytes"), HasSubstr("512B")));
  make(0, 'a');
  EXPECT_THAT(mistake({.file = file}), HasSubstr("is empty: give the disk a size"));
}

}  // namespace
}  // namespace asterism
