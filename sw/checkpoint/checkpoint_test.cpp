// The checkpoint library on the host, with a device that is a map in memory. The device's behaviour under
// power loss is tested with its model.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "checkpoint/test_machine.h"

extern "C" {
#include "checkpoint/checkpoint.h"
}

namespace {

class CheckpointTest : public testing::Test {
 protected:
  void SetUp() override {
    machine.reset();
    ASSERT_EQ(checkpoint_initialize(), checkpoint_ok);
    for (size_t i = 0; i < sizeof memory; ++i) memory[i] = static_cast<uint8_t>(i * 7 + i / 256);
  }
  alignas(4096) static inline uint8_t memory[16 * 4096];
};

TEST_F(CheckpointTest, AnAlignedRegionIsRestoredFromAHeaderAndItsPages) {
  checkpoint_protect(0, memory, 3 * 4096);
  ASSERT_EQ(checkpoint_write("a", 1), checkpoint_ok);
  EXPECT_EQ(machine.flash.at({"a", 1}).size(), 4u);
  const std::vector<uint8_t> before(memory, memory + 3 * 4096);
  std::memset(memory, 0, 3 * 4096);
  ASSERT_EQ(checkpoint_restore("a", 1), checkpoint_ok);
  EXPECT_EQ(std::memcmp(memory, before.data(), before.size()), 0);
}

// For every start and end within a page, from one byte to more than two pages, the contents must be restored
// and the neighbouring bytes unchanged.
TEST_F(CheckpointTest, UnalignedRegionsAreRestoredAndTheirNeighboursUnchanged) {
  for (const size_t start : {0u, 1u, 8u, 4088u, 4095u, 4096u})
    for (const size_t bytes : {1u, 7u, 8u, 100u, 4095u, 4096u, 4097u, 8192u, 9999u}) {
      checkpoint_initialize();
      checkpoint_protect(0, memory + 4096 + start, bytes);
      checkpoint_protect(1, memory + 9 * 4096 + 50, 20);
      ASSERT_EQ(checkpoint_write("a", 1), checkpoint_ok);
      std::vector<uint8_t> expected(memory, memory + sizeof memory);
      for (auto& byte : memory) byte ^= 0xff;
      std::vector<uint8_t> wanted(memory, memory + sizeof memory);
      std::copy_n(expected.begin() + 4096 + start, bytes, wanted.begin() + 4096 + start);
      std::copy_n(expected.begin() + 9 * 4096 + 50, 20, wanted.begin() + 9 * 4096 + 50);
      ASSERT_EQ(checkpoint_restore("a", 1), checkpoint_ok) << start << " " << bytes;
      ASSERT_EQ(std::memcmp(memory, wanted.data(), wanted.size()), 0) << start << " " << bytes;
    }
}

TEST_F(CheckpointTest, NewestVersionIsFoundUpToALimit) {
  checkpoint_protect(0, memory, 8);
  for (const uint64_t version : {5u, 10u, 15u}) ASSERT_EQ(checkpoint_write("a", version), checkpoint_ok);
  uint64_t version = 0;
  EXPECT_EQ(checkpoint_find_newest("a", checkpoint_any_version, &version), checkpoint_ok);
  EXPECT_EQ(version, 15u);
  EXPECT_EQ(checkpoint_find_newest("a", 14, &version), checkpoint_ok);
  EXPECT_EQ(version, 10u);
  EXPECT_EQ(checkpoint_find_newest("a", 4, &version), checkpoint_not_found);
  EXPECT_EQ(checkpoint_find_newest("b", checkpoint_any_version, &version), checkpoint_not_found);
}

TEST_F(CheckpointTest, DiscardedVersionIsGone) {
  checkpoint_protect(0, memory, 8);
  ASSERT_EQ(checkpoint_write("a", 1), checkpoint_ok);
  EXPECT_EQ(checkpoint_discard("a", 1), checkpoint_ok);
  EXPECT_EQ(checkpoint_discard("a", 1), checkpoint_not_found);
  EXPECT_EQ(checkpoint_restore("a", 1), checkpoint_not_found);
}

TEST_F(CheckpointTest, MissingVersionIsNotReplacedByAnOlderOne) {
  checkpoint_protect(0, memory, 8);
  ASSERT_EQ(checkpoint_write("a", 1), checkpoint_ok);
  EXPECT_EQ(checkpoint_restore("a", 2), checkpoint_not_found);
}

TEST_F(CheckpointTest, OtherRegionsAreRefused) {
  checkpoint_protect(0, memory, 4096);
  checkpoint_protect(1, memory + 8192, 16);
  ASSERT_EQ(checkpoint_write("a", 1), checkpoint_ok);
  const auto restore_into = [](int id, size_t bytes, size_t offset) {
    checkpoint_initialize();
    checkpoint_protect(0, memory, 4096);
    checkpoint_protect(id, memory + 8192 + offset, bytes);
    return checkpoint_restore("a", 1);
  };
  EXPECT_EQ(restore_into(1, 16, 0), checkpoint_ok);
  // Other regions with the same number of pages.
  EXPECT_EQ(restore_into(1, 4096, 0), checkpoint_other_regions);
  EXPECT_EQ(restore_into(1, 8192, 0), checkpoint_other_regions);  // regions with more pages
  EXPECT_EQ(restore_into(1, 24, 0), checkpoint_other_regions);
  EXPECT_EQ(restore_into(2, 16, 0), checkpoint_other_regions);
  EXPECT_EQ(restore_into(1, 16, 8), checkpoint_other_regions);
}

// One bit is flipped in every 64-byte line of the used part of the header page and of the contents.
TEST_F(CheckpointTest, AnyChangedLineIsTorn) {
  checkpoint_protect(0, memory, 2 * 4096);
  ASSERT_EQ(checkpoint_write("a", 1), checkpoint_ok);
  auto& pages = machine.flash.at({"a", 1});
  for (size_t page = 0; page < pages.size(); ++page)
    for (size_t line = 0; line < (page == 0 ? 832u : 4096u); line += 64) {
      pages[page][line] ^= 0x80;
      EXPECT_EQ(checkpoint_restore("a", 1), checkpoint_torn) << page << " " << line;
      pages[page][line] ^= 0x80;
    }
  EXPECT_EQ(checkpoint_restore("a", 1), checkpoint_ok);
}

TEST_F(CheckpointTest, PagesOfTwoVersionsMixedAreTorn) {
  checkpoint_protect(0, memory, 2 * 4096);
  ASSERT_EQ(checkpoint_write("a", 1), checkpoint_ok);
  memory[5000] ^= 1;
  ASSERT_EQ(checkpoint_write("a", 2), checkpoint_ok);
  machine.flash.at({"a", 2})[2] = machine.flash.at({"a", 1})[2];
  EXPECT_EQ(checkpoint_restore("a", 2), checkpoint_torn);
}

TEST_F(CheckpointTest, DeviceErrorsKeepTheirNames) {
  checkpoint_protect(0, memory, 8);
  const std::map<DimmSsdError, std::string> names = {
      {dimm_ssd_no_space, "no space on the device"},
      {dimm_ssd_uncorrectable, "uncorrectable error of flash or PCRAM"},
      {dimm_ssd_bus_error, "request refused by the device"},
      {dimm_ssd_busy, "another checkpoint is not durable yet"},
      {dimm_ssd_aborted, "aborted"},
      {dimm_ssd_worn_out, "flash or PCRAM is worn out"}};
  for (const auto& [error, name] : names) {
    machine.next_error = error;
    EXPECT_EQ(checkpoint_text(checkpoint_write("a", 1)), name);
  }
}

TEST_F(CheckpointTest, BadRequestsAreRefusedBeforeTheDevice) {
  EXPECT_EQ(checkpoint_write("a", 1), checkpoint_bad_argument);  // nothing protected
  EXPECT_EQ(checkpoint_protect(0, memory, 0), checkpoint_bad_argument);
  EXPECT_EQ(checkpoint_protect(0, nullptr, 1), checkpoint_bad_argument);
  checkpoint_protect(0, memory, 8);
  EXPECT_EQ(checkpoint_write("", 1), checkpoint_bad_argument);
  EXPECT_EQ(checkpoint_write(std::string(32, 'n').c_str(), 1), checkpoint_bad_argument);
  EXPECT_EQ(checkpoint_write(std::string(31, 'n').c_str(), 1), checkpoint_ok);
  EXPECT_EQ(checkpoint_write("a", checkpoint_any_version), checkpoint_bad_argument);
  checkpoint_protect(0, memory, size_t{8192} * 4096);
  EXPECT_EQ(checkpoint_write("a", 1), checkpoint_too_large);
  EXPECT_EQ(checkpoint_restore("a", 1), checkpoint_too_large);
}

TEST_F(CheckpointTest, ThirtyTwoRegionsAndNoMore) {
  for (int id = 0; id < 32; ++id) ASSERT_EQ(checkpoint_protect(id, memory + id * 100, 50), checkpoint_ok);
  EXPECT_EQ(checkpoint_protect(32, memory, 8), checkpoint_too_large);
  EXPECT_EQ(checkpoint_protect(31, memory, 8), checkpoint_ok);  // replaces
  EXPECT_EQ(checkpoint_write("a", 1), checkpoint_ok);
}

TEST_F(CheckpointTest, WithoutADeviceEveryCallReportsIt) {
  machine.has_dimm_ssd = false;
  EXPECT_EQ(checkpoint_initialize(), checkpoint_no_device);
  checkpoint_protect(0, memory, 8);
  uint64_t version;
  EXPECT_EQ(checkpoint_write("a", 1), checkpoint_no_device);
  EXPECT_EQ(checkpoint_find_newest("a", 1, &version), checkpoint_no_device);
  EXPECT_EQ(checkpoint_restore("a", 1), checkpoint_no_device);
}

}  // namespace
