#include <gtest/gtest.h>

#include <array>
#include <vector>

extern "C" {
#include "auxiliary/storage_message.h"
}

namespace {

using Header = std::array<std::uint8_t, storage_header_bytes>;

Header header_of(const StorageMessage& message) {
  Header bytes{};
  storage_encode(&message, bytes.data());
  return bytes;
}

TEST(StorageMessageTest, IsDecodedAsItWasEncoded) {
  const StorageMessage sent = {.kind = storage_fetch,
                               .status = storage_refused,
                               .number = 0x1122334455667788,
                               .version = 0x99aabbccddeeff00,
                               .hash = 0x0123456789abcdef,
                               .client = 3,
                               .chunk = 1023,
                               .count = 0xfffffffe,
                               .copies = 2};
  const Header bytes = header_of(sent);
  StorageMessage got = {};
  ASSERT_TRUE(storage_decode(bytes.data(), bytes.size(), &got));
  EXPECT_EQ(got.kind, sent.kind);
  EXPECT_EQ(got.status, sent.status);
  EXPECT_EQ(got.number, sent.number);
  EXPECT_EQ(got.version, sent.version);
  EXPECT_EQ(got.hash, sent.hash);
  EXPECT_EQ(got.client, sent.client);
  EXPECT_EQ(got.chunk, sent.chunk);
  EXPECT_EQ(got.count, sent.count);
  EXPECT_EQ(got.copies, sent.copies);
}

TEST(StorageMessageTest, IsLittleEndian) {
  StorageMessage message = {};
  message.kind = storage_store;
  message.number = 0x0102;
  message.client = 0x0304;
  const Header bytes = header_of(message);
  EXPECT_EQ(bytes[0], storage_store);
  EXPECT_EQ(bytes[8], 2);
  EXPECT_EQ(bytes[9], 1);
  EXPECT_EQ(bytes[32], 4);
  EXPECT_EQ(bytes[33], 3);
}

TEST(StorageMessageTest, RefusesInvalidMessages) {
  std::vector<std::uint8_t> bytes(storage_header_bytes + storage_data_limit + 1);
  StorageMessage message = {};
  const auto is_one = [&](std::size_t size) { return storage_decode(bytes.data(), size, &message); };
  bytes[0] = storage_answer;
  EXPECT_TRUE(is_one(storage_header_bytes));
  EXPECT_TRUE(is_one(storage_header_bytes + storage_data_limit));
  EXPECT_FALSE(is_one(storage_header_bytes - 1));
  EXPECT_FALSE(is_one(0));
  EXPECT_FALSE(is_one(bytes.size()));
  for (const int kind : {0, storage_fetch + 1, 255}) {
    bytes[0] = static_cast<std::uint8_t>(kind);
    EXPECT_FALSE(is_one(storage_header_bytes)) << kind;
  }
  bytes[0] = storage_answer;
  bytes[4] = storage_silent;  // a status that is never sent
  EXPECT_FALSE(is_one(storage_header_bytes));
}

}  // namespace
