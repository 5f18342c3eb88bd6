#include "cluster/message.h"

#include <gtest/gtest.h>

namespace asterism {
namespace {

Message sample() {
  Message message{.kind = MessageKind::chunk, .epoch = 0x0102'0304, .to = 5, .from = storage_rank};
  message.number = 0x1112'1314'1516'1718;
  message.offset = 0x2122'2324'2526'2728;
  message.total = 0x3132'3334'3536'3738;
  message.owner = 0x4142'4344;
  message.data = {std::byte{0xaa}, std::byte{0xbb}};
  return message;
}

TEST(MessageTest, HasTheDocumentedLayout) {
  const auto payload = sample().encode();
  ASSERT_EQ(payload.size(), Message::header_size + 2);
  std::vector<unsigned> bytes;
  for (const std::byte b : payload) bytes.push_back(std::to_integer<unsigned>(b));
  EXPECT_EQ(bytes, (std::vector<unsigned>{2,    0,    0,    0,    0x04, 0x03, 0x02, 0x01,  // kind, epoch
                                          5,    0,    0,    0,    0xfe, 0xff, 0xff, 0xff,  // to, from
                                          0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11,  // number
                                          0x28, 0x27, 0x26, 0x25, 0x24, 0x23, 0x22, 0x21,  // offset
                                          0x38, 0x37, 0x36, 0x35, 0x34, 0x33, 0x32, 0x31,  // total
                                          0x44, 0x43, 0x42, 0x41, 0,    0,    0,    0,
                                          0xaa, 0xbb}));  // owner, data
}

TEST(MessageTest, IsReadAsItWasWritten) {
  const auto payload = sample().encode();
  const auto read = Message::decode(payload);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->encode(), payload);
  EXPECT_EQ(read->total, sample().total);
  EXPECT_EQ(read->from, storage_rank);
}

TEST(MessageTest, RefusesShortMessagesAndUnknownKinds) {
  auto payload = sample().encode();
  payload.resize(Message::header_size - 1);
  EXPECT_FALSE(Message::decode(payload));
  for (const unsigned kind : {0u, static_cast<unsigned>(last_message_kind) + 1}) {
    payload = sample().encode();
    payload[0] = static_cast<std::byte>(kind);
    EXPECT_FALSE(Message::decode(payload)) << kind;
  }
  payload[0] = static_cast<std::byte>(last_message_kind);
  EXPECT_TRUE(Message::decode(payload));
}

}  // namespace
}  // namespace asterism
