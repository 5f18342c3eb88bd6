#include "virtio/network_packet.h"

#include <gtest/gtest.h>

#include "virtio/flat_memory.h"

namespace asterism {
namespace {

struct NetworkPacketTest : testing::Test {
  FlatMemory memory{8_KiB};
  BufferSequence buffer(std::uint64_t size) {
    return {memory, {{Address(0), 5_B}, {Address(0x1000), Bytes(size) - 5_B}}};
  }
};

TEST_F(NetworkPacketTest, AnAddressIsSixBytes) {
  EXPECT_EQ(MacAddress::parse("02:00:5e:00:aB:01")->value, 0x0200'5e00'ab01u);
  EXPECT_TRUE(MacAddress::parse("01:00:5e:00:00:01")->is_group());
  EXPECT_FALSE(MacAddress::parse("02:00:5e:00:00:01")->is_group());
  for (const char* text : {"", "02:00:5e:00:00", "02-00-5e-00-00-01", "02:00:5e:00:00:0g",
                           "02:00:5e:00:00:01:", "0200:5e:00:00:01:"})
    EXPECT_FALSE(MacAddress::parse(text)) << text;
}

TEST_F(NetworkPacketTest, AFrameFollowsAHeaderThatIsZero) {
  for (unsigned i = 0; i < 60; ++i) memory.set(0x1000 + 7 + i, static_cast<std::uint8_t>(i + 1));
  BufferSequence packet = buffer(72);
  const auto frame = take_frame(packet, 60_B);
  EXPECT_EQ(frame.size(), 60u);
  EXPECT_EQ(destination_of(frame).value, 0x0102'0304'0506u);
  EXPECT_EQ(source_of(frame).value, 0x0708'090a'0b0cu);
  BufferSequence room = buffer(72), too_small = buffer(71);
  EXPECT_EQ(put_frame(too_small, frame), 0u);
  EXPECT_EQ(too_small.left(), 71_B);
  EXPECT_EQ(put_frame(room, frame), 72u);
  EXPECT_EQ(memory.get<std::uint16_t>(0x1000 + 5), 1);
}

TEST_F(NetworkPacketTest, APacketOfAnotherFormIsRefused) {
  for (const std::uint64_t size : {12u, 25u, 73u}) {
    BufferSequence packet = buffer(size);
    EXPECT_THROW(take_frame(packet, 60_B), QueueError) << size;
  }
  for (const unsigned byte : {0u, 1u}) {
    BufferSequence packet = buffer(72);
    memory.set<std::uint16_t>(0, 0);
    memory.set<std::uint8_t>(byte, 1);
    EXPECT_THROW(take_frame(packet, 60_B), QueueError);
  }
}

TEST(LearnedAddressesTest, TheLastNodeOfAnAddressCounts) {
  LearnedAddresses learned;
  const MacAddress one{0x0200'0000'0001}, group{0x0300'0000'0001};
  EXPECT_FALSE(learned.node_of(one));
  learned.learn(one, 4);
  learned.learn(one, 5);
  learned.learn(group, 6);
  EXPECT_EQ(learned.node_of(one), 5u);
  EXPECT_FALSE(learned.node_of(group));
  learned.clear();
  EXPECT_FALSE(learned.node_of(one));
}

TEST(LearnedAddressesTest, KeepsAtMostAThousandAddresses) {
  LearnedAddresses learned;
  for (std::uint64_t i = 0; i < LearnedAddresses::max_size; ++i) learned.learn({i}, 1);
  learned.learn({7}, 2);
  EXPECT_EQ(learned.node_of({0}), 1u);
  learned.learn({LearnedAddresses::max_size}, 3);
  EXPECT_FALSE(learned.node_of({0}));
  EXPECT_EQ(learned.node_of({LearnedAddresses::max_size}), 3u);
}

}  // namespace
}  // namespace asterism
