#include "dimm_ssd/request_descriptor.h"

#include <gtest/gtest.h>

#include <cstring>

namespace asterism {
namespace {

constexpr AddressRange memory{Address(0x4000'0000), 1_MiB};

std::vector<std::byte> raw(std::uint32_t page_count, const std::vector<std::uint64_t>& pages) {
  std::vector<std::byte> bytes(RequestDescriptor::header_bytes + 8 * pages.size());
  const std::uint64_t version = 0x1'0000'0007;
  const std::uint32_t method = 8;
  std::memcpy(&bytes[0], "cg", 2);
  std::memcpy(&bytes[32], &version, 8);
  std::memcpy(&bytes[40], &page_count, 4);
  std::memcpy(&bytes[44], &method, 4);
  for (std::size_t i = 0; i < pages.size(); ++i)
    std::memcpy(&bytes[RequestDescriptor::header_bytes + 8 * i], &pages[i], 8);
  return bytes;
}

TEST(RequestDescriptorTest, IsReadFieldByField) {
  const RequestDescriptor request = decode_request(raw(2, {0x4000'1000, 0x4000'0000, 5}));
  EXPECT_EQ(request.name, "cg");
  EXPECT_EQ(request.version, 0x1'0000'0007u);
  EXPECT_EQ(request.page_count, 2u);
  EXPECT_EQ(method_of(request, CheckpointMethod::late), CheckpointMethod::early_late_consolidate);
  EXPECT_EQ(request.pages, (std::vector<Address>{Address(0x4000'1000), Address(0x4000'0000)}));
}

// The device fetches the list line by line and decodes it after each line.
TEST(RequestDescriptorTest, TheListIsEmptyUntilAllOfItIsThere) {
  const RequestDescriptor request = decode_request(raw(3, {0x4000'0000, 0x4000'1000}));
  EXPECT_EQ(request.page_count, 3u);
  EXPECT_TRUE(request.pages.empty());
}

TEST(RequestDescriptorTest, TheFirstBadPageIsFound) {
  const auto bad = [](const std::vector<std::uint64_t>& numbers) {
    return first_bad_page(decode_request(raw(static_cast<std::uint32_t>(numbers.size()), numbers)).pages,
                          memory);
  };
  EXPECT_EQ(bad({0x4000'0000, 0x400F'F000}), std::nullopt);
  EXPECT_EQ(bad({0x4000'0000, 0}), 1u);
  EXPECT_EQ(bad({0x4000'0040}), 0u);
  EXPECT_EQ(bad({0x4000'0000, 0x4010'0000}), 1u);
  EXPECT_EQ(bad({0x3FFF'F000}), 0u);
  EXPECT_EQ(bad({0xFFFF'FFFF'FFFF'F000}), 0u);
  EXPECT_EQ(bad({0x4000'0000, 0x4000'1000, 0x4000'0000}), 2u);
}

}  // namespace
}  // namespace asterism
