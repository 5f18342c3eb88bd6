// The parts of the checkpoint log that work on values only: format, directory, merge.
#include <gtest/gtest.h>

#include "dimm_ssd/checkpoint_log_directory.h"
#include "dimm_ssd/checkpoint_log_merge.h"

namespace asterism {
namespace {

constexpr std::uint64_t all = ~std::uint64_t{0};

LogEntry entry(std::uint32_t page, std::uint64_t lines, std::uint32_t data_page = 2,
               std::uint16_t first = 0) {
  LogEntry e{page, data_page, 0, 0, first, 0};
  e.set_lines(lines);
  return e;
}
CheckpointDirectory::Body body(std::vector<LogEntry> entries = {}) {
  return std::make_shared<CheckpointBody>(CheckpointBody{std::move(entries), {}, 0, false});
}
StoredCheckpoint version(std::uint64_t number, bool full, const std::string& name = "cg") {
  StoredCheckpoint checkpoint;
  checkpoint.name = name;
  checkpoint.version = number;
  checkpoint.full = full;
  return checkpoint;
}
std::vector<std::uint64_t> versions(const CheckpointDirectory& directory) {
  std::vector<std::uint64_t> result;
  for (const auto& stored : directory.stored()) result.push_back(stored.version);
  return result;
}
const auto none_continued = [](const std::string&) { return false; };

TEST(CheckpointLogFormat, RootComesBackAsItWas) {
  const Root root{7,
                  12,
                  64,
                  {{"cg", 3, 11, 100, 20, 2, 40, 0x1234, true, false, false},
                   {"a name of thirty-one characters", 4, 12, 1, 0, 0, 0, 0, false, true, true}}};
  const auto page = encode_root(root, 512);
  EXPECT_EQ(page.size(), 512u);
  EXPECT_EQ(decode_root(page), root);
  EXPECT_EQ(root_bytes(root), 40u + 2 * 32 + 2 * 40);
  EXPECT_THROW(encode_root(root, 143), std::length_error);
}

TEST(CheckpointLogFormat, AnyFlippedByteOfARootIsFound) {
  const Root root{7, 12, 64, {{"cg", 3, 11, 100, 20, 2, 40, 0x1234, true, false, false}}};
  const auto page = encode_root(root, 512);
  for (std::size_t i = 0; i < root_bytes(root); ++i) {
    auto flipped = page;
    flipped[i] ^= std::byte{1};
    EXPECT_FALSE(decode_root(flipped)) << i;
  }
  EXPECT_FALSE(decode_root(std::vector<std::byte>(512)));
  EXPECT_FALSE(decode_root({}));
}

TEST(CheckpointLogFormat, MetadataIsTakenOnlyWithItsChecksum) {
  const std::vector<LogEntry> entries = {entry(5, all), entry(6, 0b1010, 9, 64)};
  const auto page = encode_metadata(entries, 77, 0xabcd, 512);
  const auto decoded = decode_metadata(page, page_crc(page));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->next, 77u);
  EXPECT_EQ(decoded->next_crc, 0xabcdu);
  EXPECT_EQ(decoded->entries, entries);
  EXPECT_FALSE(decode_metadata(page, page_crc(page) + 1));
  EXPECT_EQ(entries_per_metadata_page(16384), 818u);
}

TEST(CheckpointDirectoryTest, RunsAreHiddenOnesWithTheVisibleOneBehindThem) {
  CheckpointDirectory directory;
  directory.add(version(1, true), body(), 2);
  directory.add(version(2, false), body(), 2);
  EXPECT_TRUE(directory.runs().empty());
  directory.add(version(3, false), body(), 2);
  directory.add(version(9, true, "mg"), body(), 2);
  using Runs = std::vector<std::vector<std::uint64_t>>;
  EXPECT_EQ(directory.runs(), (Runs{{1, 2}}));
  directory.add(version(4, false), body(), 2);
  EXPECT_EQ(directory.runs(), (Runs{{1, 2, 3}}));
  directory.hide(3);
  EXPECT_EQ(directory.runs(), (Runs{{1, 2, 3, 5}}));
}

TEST(CheckpointDirectoryTest, RunOfIncrementalsStaysIncremental) {
  CheckpointDirectory directory;
  directory.add(version(1, true), body(), 3);
  directory.add(version(2, false), body(), 3);
  directory.add(version(3, false), body(), 3);
  directory.hide(2);
  ASSERT_EQ(directory.runs().size(), 1u);
  EXPECT_TRUE(directory.replace(directory.runs()[0], body()));
  EXPECT_EQ(versions(directory), (std::vector<std::uint64_t>{1, 3}));
  EXPECT_FALSE(directory.stored()[1].full);
  EXPECT_EQ(directory.chain(1).size(), 2u);
}

TEST(CheckpointDirectoryTest, RunThatIsNotThereAnyMoreIsNotReplaced) {
  CheckpointDirectory directory;
  directory.add(version(1, true), body(), 1);
  directory.add(version(2, false), body(), 1);
  const auto run = directory.runs()[0];
  directory.hide(2);
  directory.prune(none_continued);
  EXPECT_TRUE(directory.stored().empty());
  EXPECT_FALSE(directory.replace(run, body()));
}

TEST(CheckpointDirectoryTest, LostVersionIsNotReplaced) {
  CheckpointDirectory directory;
  directory.add(version(1, true), body(), 1);
  directory.set_readable(0, false);
  directory.prune(none_continued);
  ASSERT_TRUE(directory.body(0).lost);
  EXPECT_FALSE(directory.replace({directory.stored()[0].sequence}, body()));
  EXPECT_TRUE(directory.body(0).lost);
}

TEST(CheckpointDirectoryTest, VersionThatCannotBeReadIsNeverPutTogetherFromOthers) {
  CheckpointDirectory directory;
  directory.add(version(1, true), body(), 2);
  directory.add(version(2, true), body(), 2);
  directory.add(version(3, false), body(), 2);
  directory.set_readable(2, false);
  directory.hide(2);
  directory.prune(none_continued);
  EXPECT_EQ(versions(directory), (std::vector<std::uint64_t>{3}));
  EXPECT_TRUE(directory.body(0).lost);
  EXPECT_TRUE(directory.chain(0).empty());
  EXPECT_FALSE(directory.can_continue("cg"));
}

TEST(CheckpointDirectoryTest, NamesDoNotTouchEachOther) {
  CheckpointDirectory directory;
  directory.add(version(1, true, "a"), body(), 1);
  directory.add(version(1, true, "b"), body(), 1);
  directory.add(version(2, true, "b"), body(), 1);
  directory.prune(none_continued);
  EXPECT_EQ(directory.newest("a", 9)->version, 1u);
  EXPECT_EQ(directory.newest("b", 9)->version, 2u);
  EXPECT_EQ(directory.find("b", 1), nullptr);
}

TEST(CheckpointMerge, LeavesOutWhatWasOverwritten) {
  const CheckpointBody old{{entry(1, 0b1111, 2), entry(2, 0b0011, 3)}, {}, 0, false};
  const CheckpointBody young{{entry(2, 0b0111, 4), entry(1, 0b1000, 5)}, {}, 0, false};
  const CheckpointBody* const bodies[] = {&old, &young};
  EXPECT_EQ(merge_entries(bodies),
            (std::vector<LogEntry>{entry(1, 0b1111, 2), entry(2, 0b0111, 4), entry(1, 0b1000, 5)}));
}

TEST(CheckpointMerge, ImageHasEveryLineOnceInTheOrderOfDataPages) {
  const CheckpointBody old{{entry(1, 0b1111, 7)}, {}, 0, false};
  const CheckpointBody young{{entry(1, 0b1000, 5, 3), entry(1, 0b1100, 4)}, {}, 0, false};
  const CheckpointBody* const bodies[] = {&old, &young};
  const auto image = image_of(bodies);
  ASSERT_EQ(image.size(), 2u);
  EXPECT_EQ(image[0].entry.data_page, 4u);
  EXPECT_EQ(image[0].lines, 0b1100u);
  EXPECT_EQ(image[1].entry.data_page, 7u);
  EXPECT_EQ(image[1].lines, 0b0011u);
}

TEST(CheckpointMerge, LinesAreFoundAmongThoseThatWereStored) {
  std::vector<std::byte> stored(16), out;
  for (std::size_t i = 0; i < stored.size(); ++i) stored[i] = std::byte(i);
  append_lines(stored, entry(0, 0b11010, 2, 1), 0b10010, 4, out);
  EXPECT_EQ(out, (std::vector<std::byte>{std::byte(4), std::byte(5), std::byte(6), std::byte(7),
                                         std::byte(12), std::byte(13), std::byte(14), std::byte(15)}));
}

}  // namespace
}  // namespace asterism
