// The firmware's messages must equal those of the traffic nodes, byte by byte.
#include <gtest/gtest.h>

#include <cstring>
#include <span>
#include <vector>

#include "base/random.h"
#include "cluster/message.h"

extern "C" {
#include "message.h"
}

namespace {

asterism::Message random_message(asterism::Random& random, std::uint32_t kind) {
  asterism::Message m;
  m.kind = static_cast<asterism::MessageKind>(kind);
  m.epoch = static_cast<std::uint32_t>(random.next());
  m.to = static_cast<std::uint32_t>(random.next());
  m.from = static_cast<std::uint32_t>(random.next());
  m.number = random.next();
  m.offset = random.next();
  m.total = random.next();
  m.owner = static_cast<std::uint32_t>(random.next());
  m.data.resize(random.below(asterism::Message::max_data + 1));
  for (std::byte& byte : m.data) byte = static_cast<std::byte>(random.next());
  return m;
}

MessageHeader header_of(const asterism::Message& m) {
  return {static_cast<MessageKind>(m.kind), m.epoch, m.to, m.from, m.number, m.offset, m.total, m.owner};
}

TEST(FirmwareMessageTest, EncodesTheBytesOfTheTrafficNodes) {
  asterism::Random random(1);
  for (std::uint32_t kind = message_halo; kind <= message_traffic; ++kind) {
    const asterism::Message m = random_message(random, kind);
    const MessageHeader header = header_of(m);
    std::vector<std::uint8_t> bytes(message_header_bytes + m.data.size(), 0xee);
    message_encode(&header, bytes.data());
    if (!m.data.empty()) std::memcpy(bytes.data() + message_header_bytes, m.data.data(), m.data.size());
    const std::vector<std::byte> expected = m.encode();
    ASSERT_EQ(bytes.size(), expected.size());
    EXPECT_EQ(std::memcmp(bytes.data(), expected.data(), bytes.size()), 0) << "kind " << kind;
  }
}

TEST(FirmwareMessageTest, DecodesWhatTrafficNodesEncode) {
  asterism::Random random(2);
  for (std::uint32_t kind = message_halo; kind <= message_traffic; ++kind) {
    const asterism::Message m = random_message(random, kind);
    const std::vector<std::byte> bytes = m.encode();
    MessageHeader h;
    ASSERT_TRUE(message_decode(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), &h));
    EXPECT_EQ(static_cast<std::uint32_t>(h.kind), kind);
    EXPECT_EQ(h.epoch, m.epoch);
    EXPECT_EQ(h.to, m.to);
    EXPECT_EQ(h.from, m.from);
    EXPECT_EQ(h.number, m.number);
    EXPECT_EQ(h.offset, m.offset);
    EXPECT_EQ(h.total, m.total);
    EXPECT_EQ(h.owner, m.owner);
  }
}

TEST(FirmwareMessageTest, RefusesWhatTrafficNodesRefuse) {
  asterism::Random random(3);
  for (const std::uint32_t kind : {0u, 1u, 15u, 16u, 0xffff'ffffu}) {
    const std::vector<std::byte> bytes = random_message(random, kind).encode();
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{4}, std::size_t{47}, std::size_t{48}, bytes.size()}) {
      if (size > bytes.size()) continue;
      MessageHeader h;
      EXPECT_EQ(message_decode(reinterpret_cast<const std::uint8_t*>(bytes.data()), size, &h),
                asterism::Message::decode(std::span(bytes).first(size)).has_value())
          << "kind " << kind << ", " << size << " bytes";
    }
  }
}

TEST(FirmwareMessageTest, HasTheSameLimits) {
  EXPECT_EQ(std::size_t{message_header_bytes}, asterism::Message::header_size);
  EXPECT_EQ(std::size_t{message_data_limit}, asterism::Message::max_data);
  EXPECT_EQ(STORAGE_RANK, asterism::storage_rank);
  EXPECT_EQ(NO_RANK, asterism::no_rank);
  EXPECT_EQ(static_cast<std::uint32_t>(message_traffic),
            static_cast<std::uint32_t>(asterism::last_message_kind));
}

}  // namespace
