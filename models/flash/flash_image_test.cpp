#include "flash/flash_image.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/random.h"
#include "base/temporary_folder.h"
#include "base/thrown.h"

namespace asterism {
namespace {

using State = FlashImage::PageState;
using testing::HasSubstr;

struct FlashImageTest : testing::Test {
  FlashGeometry geometry{.packages = 2, .blocks = 3, .pages_per_block = 4, .page = 512_B};
  TemporaryFolder folder;
  std::string file = folder / "image";
  std::vector<std::byte> page = std::vector<std::byte>(512, std::byte(0x5A));

  // The file consists of the header, a word per block, a record per page, and the pages.
  static constexpr std::uint64_t blocks_at = 4096, records_at = 8192, pages_at = 12288;
  static constexpr std::uint64_t header = 52, record = 32;

  std::string error(const FlashGeometry& g) const {
    const std::string words = thrown<FlashImageError>([&] { FlashImage(g, file); });
    return words == "none" ? words : words.substr(file.size());
  }
  std::string error() const { return error(geometry); }
  void change_byte(std::uint64_t at, unsigned flips) const {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(static_cast<std::streamoff>(at));
    const int byte = stream.get();
    stream.seekp(static_cast<std::streamoff>(at));
    stream.put(static_cast<char>(static_cast<unsigned>(byte) ^ flips));
  }
  // Flips each single bit, and all bits, of each byte in [from, to), and expects the error `message`.
  void expect_found(std::uint64_t from, std::uint64_t to, const std::string& message) const {
    for (std::uint64_t at = from; at < to; ++at)
      for (const unsigned flips : {0x01u, 0x02u, 0x04u, 0x08u, 0x10u, 0x20u, 0x40u, 0x80u, 0xFFu}) {
        change_byte(at, flips);
        ASSERT_THAT(error(), HasSubstr(message)) << at << ' ' << flips;
        change_byte(at, flips);
      }
    ASSERT_EQ(error(), "none");
  }
};

TEST_F(FlashImageTest, AllOfItOutlivesTheRun) {
  {
    FlashImage image(geometry, file);
    image.program({1, 2, 0}, page, {.logical = 1, .sequence = 2, .kind = 3});
    image.add_bit_errors({1, 2, 0}, 7);
    image.tear_program({0, 0, 0}, page, {});
    image.erase({0, 1});
    image.mark_bad({0, 1});
  }
  FlashImage again(geometry, file);
  EXPECT_EQ(again.state({1, 2, 0}), State::programmed);
  EXPECT_EQ(again.page({1, 2, 0})[511], std::byte(0x5A));
  EXPECT_EQ(again.spare({1, 2, 0}), (PageSpare{1, 2, 3}));
  EXPECT_EQ(again.bit_errors({1, 2, 0}), 7u);
  EXPECT_EQ(again.next_page({1, 2}), 1u);
  EXPECT_EQ(again.state({0, 0, 0}), State::torn);
  EXPECT_EQ(again.erase_count({0, 1}), 1u);
  EXPECT_TRUE(again.is_bad({0, 1}));
  EXPECT_FALSE(again.is_bad({0, 0}));
}

TEST_F(FlashImageTest, InMemoryItIsTheSameButForTheFile) {
  FlashImage image(geometry);
  image.program({1, 2, 0}, page, {.logical = 1, .sequence = 2, .kind = 3});
  EXPECT_EQ(image.page({1, 2, 0})[511], std::byte(0x5A));
  image.erase({1, 2});
  EXPECT_EQ(image.state({1, 2, 0}), State::erased);
  EXPECT_EQ(image.next_page({1, 2}), 0u);
}

TEST_F(FlashImageTest, WhatWasWrittenEverOutlivesErasesAndTheRun) {
  {
    FlashImage image(geometry, file);
    EXPECT_EQ(image.written(), 0_B);
    image.program({1, 2, 0}, page, {});
    image.tear_program({1, 2, 1}, page, {});
    image.program({0, 1, 0}, page, {});
    EXPECT_EQ(image.written(), 3 * 512_B);
    image.erase({1, 2});
    image.mark_bad({1, 2});
    EXPECT_EQ(image.written(), (4 + 1) * 512_B) << "an erase counts all pages of the block as written";
  }
  EXPECT_EQ(FlashImage(geometry, file).written(), 5 * 512_B);
}

TEST_F(FlashImageTest, WhatWasNeverProgrammedTakesNoSpace) {
  const FlashGeometry large{.packages = 8, .blocks = 64, .pages_per_block = 512, .page = 16_KiB};
  FlashImage(large, file).program({3, 9, 0}, std::vector<std::byte>(16384), {});
  EXPECT_GT(std::filesystem::file_size(file), 4ull << 30);
  EXPECT_LT(std::filesystem::file_size(file), 5ull << 30);
  struct ::stat info {};
  ASSERT_EQ(::stat(file.c_str(), &info), 0);
  EXPECT_LT(info.st_blocks * 512, 64 * 1024);
}

TEST_F(FlashImageTest, AnotherGeometryIsRefusedWithBothNamed) {
  { FlashImage image(geometry, file); }
  FlashGeometry other = geometry;
  other.packages = 1;
  other.planes = 2;
  EXPECT_EQ(
      error(other),
      ": flash image has 1 channels x 2 packages x 1 dies x 1 planes x 3 blocks x 4 pages of 512 bytes, but "
      "the node has 1 channels x 1 packages x 1 dies x 2 planes x 3 blocks x 4 pages of 512 bytes");
}

TEST_F(FlashImageTest, AFileOfAnotherLengthIsRefusedAndLeftAsItIs) {
  { FlashImage image(geometry, file); }
  std::filesystem::resize_file(file, 20'000);
  EXPECT_EQ(error(), ": flash image is truncated: 20000 bytes, expected 24576");
  EXPECT_EQ(std::filesystem::file_size(file), 20'000u);
  std::filesystem::resize_file(file, 24'577);
  EXPECT_EQ(error(), ": flash image is too long: 24577 bytes, expected 24576");
}

TEST_F(FlashImageTest, AnyOtherFileIsRefused) {
  std::ofstream(file) << "just text";
  EXPECT_EQ(error(), ": is not a flash image of this program (version 2)");
}

TEST_F(FlashImageTest, AFolderIsRefused) {
  file = folder.path();
  EXPECT_THAT(error(), HasSubstr(": cannot be opened for writing: Is a directory"));
  file = "/dev/null";
  EXPECT_EQ(error(), ": flash image is not a regular file");
}

TEST_F(FlashImageTest, TwoRunsDoNotShareAnImage) {
  FlashImage first(geometry, file);
  EXPECT_EQ(error(), ": flash image is in use by another run");
}

TEST_F(FlashImageTest, AFolderThatDoesNotExistIsReported) {
  file = "/nonexistent/flash.img";
  EXPECT_EQ(error(), ": cannot be opened for writing: No such file or directory");
}

// ---- bytes that something else has changed ----

struct ChangedImageTest : FlashImageTest {
  ChangedImageTest() {
    FlashImage image(geometry, file);
    image.erase({1, 2});
    for (std::uint32_t i = 0; i < 3; ++i)
      image.program({1, 2, i}, page, {.logical = i + 1, .sequence = 9, .kind = 3});
  }
  static constexpr std::uint64_t page_index = (1 * 3 + 2) * 4 + 1;  // plane 1, block 2, page 1
};

TEST_F(ChangedImageTest, AreFoundInTheHeader) {
  expect_found(0, 20, "is not a flash image of this program");
  expect_found(20, header, "the header of the flash image is not what was written");
}

TEST_F(ChangedImageTest, AreFoundInTheRecordOfABlock) {
  constexpr std::uint64_t at = blocks_at + 5 * 8;
  expect_found(at, at + 8, "the record of plane 1, block 2 is not what was written");
}

TEST_F(ChangedImageTest, AreFoundInSpareAndStateOfAPage) {
  constexpr std::uint64_t at = records_at + page_index * record;
  expect_found(at, at + record, "plane 1, block 2, page 1 is not what was written");
}

TEST_F(ChangedImageTest, AreFoundInContents) {
  constexpr std::uint64_t at = pages_at + page_index * 512;
  expect_found(at, at + 512, "plane 1, block 2, page 1 is not what was written");
}

TEST_F(ChangedImageTest, AreOfNoInterestInATornPage) {
  { FlashImage(geometry, file).tear_program({0, 0, 0}, page, {}); }
  change_byte(pages_at, 0xFF);
  EXPECT_EQ(error(), "none");
}

// ---- a simulator that is killed ----

TEST_F(FlashImageTest, AFileWhoseMakerWasKilledBeforeItsHeaderIsNew) {
  std::ofstream{file};
  std::filesystem::resize_file(file, 24576);
  EXPECT_EQ(error(), "none");
}

TEST_F(FlashImageTest, ABlockWhoseEraseWasKilledIsTorn) {
  {
    FlashImage image(geometry, file);
    for (std::uint32_t i = 0; i < 3; ++i) image.program({0, 0, i}, page, {});
  }
  for (std::uint64_t byte = 24; byte < 28; ++byte) {  // the state of page 0
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(static_cast<std::streamoff>(records_at + byte));
    stream.put(0);
  }
  FlashImage image(geometry, file);
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(image.state({0, 0, i}), State::torn);
  EXPECT_EQ(image.next_page({0, 0}), 3u);
}

// Programs and erases until the process is killed. The contents of a page follow from its spare area.
[[noreturn]] void work(const FlashGeometry& g, const std::string& file, std::uint64_t seed) {
  FlashImage image(g, file);
  Random random(seed);
  for (;;) {
    const FlashBlock block{static_cast<std::uint32_t>(random.below(g.all_planes())),
                           static_cast<std::uint32_t>(random.below(g.blocks))};
    const std::uint32_t next = image.next_page(block);
    if (next == g.pages_per_block || random.below(8) == 0) {
      image.erase(block);
      continue;
    }
    const std::uint64_t number = random.next();
    image.program({block.plane, block.block, next}, std::vector<std::byte>(g.page.count(), std::byte(number)),
                  {.logical = number});
  }
}

TEST_F(FlashImageTest, SurvivesAKillAtAnyInstant) {
  geometry.page = 16_KiB;
  std::uint64_t programmed = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const pid_t child = fork();
    if (child == 0) work(geometry, file, seed);
    usleep(static_cast<useconds_t>(2000 + Random(seed).next() % 3000));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    ASSERT_EQ(error(), "none") << seed;
    const FlashImage image(geometry, file);
    for (std::uint32_t i = 0; i < 24; ++i) {
      const FlashAddress at{i / 12, i / 4 % 3, i % 4};
      if (at.page < image.next_page(at.whole_block())) {
        EXPECT_NE(image.state(at), State::erased);
      }
      if (image.state(at) != State::programmed) continue;
      ++programmed;
      EXPECT_EQ(image.page(at)[16383], std::byte(image.spare(at).logical));
    }
  }
  EXPECT_GT(programmed, 0u);
}

}  // namespace
}  // namespace asterism
