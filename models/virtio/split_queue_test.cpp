#include "virtio/split_queue.h"

#include <gmock/gmock.h>

#include "base/random.h"
#include "base/thrown.h"
#include "virtio/flat_memory.h"

namespace asterism {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct SplitQueueTest : testing::Test {
  static constexpr std::uint64_t descriptors = 0x1000, available = 0x2000, used = 0x3000, table = 0x4000;
  enum Flag : std::uint16_t { none = 0, next = 1, writable = 2, indirect = 4 };
  FlatMemory memory{64_KiB};
  SplitQueue queue;
  std::uint16_t offered = 0;

  SplitQueueTest() { queue.start({4, Address(descriptors), Address(available), Address(used)}); }
  void put(std::uint64_t at, std::uint64_t first, std::uint32_t size, unsigned flags,
           std::uint16_t following = 0) {
    memory.set(at, first);
    memory.set(at + 8, size);
    memory.set(at + 12, static_cast<std::uint16_t>(flags));
    memory.set(at + 14, following);
  }
  void descriptor(unsigned index, std::uint64_t first, std::uint32_t size, unsigned flags,
                  std::uint16_t following = 0) {
    put(descriptors + 16 * index, first, size, flags, following);
  }
  void offer(std::uint16_t head) {
    memory.set(available + 4 + 2u * (offered % 4), head);
    memory.set(available + 2, ++offered);
  }
  std::string mistake() {
    return thrown<QueueError>([&] { queue.pop(memory); });
  }
};

constexpr AddressRange range(std::uint64_t first, std::uint64_t size) {
  return {Address(first), Bytes(size)};
}

TEST_F(SplitQueueTest, GivesChainsInTheirOrder) {
  descriptor(0, 0x8000, 16, next, 2);
  descriptor(2, 0x9000, 512, next | writable, 3);
  descriptor(3, 0xA000, 1, writable);
  descriptor(1, 0xB000, 8, none);
  EXPECT_FALSE(queue.pop(memory));
  offer(0);
  offer(1);
  const auto first = queue.pop(memory), second = queue.pop(memory);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->head, 0);
  EXPECT_THAT(first->readable, ElementsAre(range(0x8000, 16)));
  EXPECT_THAT(first->writable, ElementsAre(range(0x9000, 512), range(0xA000, 1)));
  EXPECT_EQ(second->head, 1);
  EXPECT_TRUE(second->writable.empty());
  EXPECT_FALSE(queue.pop(memory));
}

TEST_F(SplitQueueTest, FollowsAnIndirectTableAfterDirectDescriptors) {
  descriptor(0, 0x8000, 4, next, 1);
  descriptor(1, table, 48, indirect);
  put(table, 0x9000, 4, next, 2);
  put(table + 32, 0xA000, 4, writable);
  offer(0);
  const auto chain = queue.pop(memory);
  ASSERT_TRUE(chain);
  EXPECT_THAT(chain->readable, ElementsAre(range(0x8000, 4), range(0x9000, 4)));
  EXPECT_THAT(chain->writable, ElementsAre(range(0xA000, 4)));
}

TEST_F(SplitQueueTest, ReturnsChainsWithTheirLengthAndWrapsAround) {
  descriptor(3, 0x8000, 4, writable);
  for (std::uint32_t i = 0; i < 70'000; ++i) {
    offer(3);
    const auto chain = queue.pop(memory);
    ASSERT_TRUE(chain);
    ASSERT_TRUE(queue.push(memory, chain->head, i));
    ASSERT_EQ(memory.get<std::uint16_t>(used + 2), static_cast<std::uint16_t>(i + 1));
    ASSERT_EQ(memory.get<std::uint32_t>(used + 4 + 8 * (i % 4)), 3u);
    ASSERT_EQ(memory.get<std::uint32_t>(used + 8 + 8 * (i % 4)), i);
  }
}

TEST_F(SplitQueueTest, TheDriverMayWantNoInterrupt) {
  memory.set<std::uint16_t>(available, 1);
  EXPECT_FALSE(queue.push(memory, 0, 0));
  memory.set<std::uint16_t>(available, 0);
  EXPECT_TRUE(queue.push(memory, 0, 0));
}

TEST_F(SplitQueueTest, NothingIsReturnedToAQueueThatHasBeenStopped) {
  queue.stop();
  EXPECT_FALSE(queue.push(memory, 0, 0));
  EXPECT_FALSE(queue.pop(memory));
  EXPECT_EQ(memory.get<std::uint16_t>(used + 2), 0);
}

TEST_F(SplitQueueTest, BrokenRulesAreErrors) {
  offer(4);
  EXPECT_EQ(mistake(), "descriptor 4 of a table of 4 is chained");
  descriptor(0, 0x8000, 4, next, 9);
  memory.set<std::uint16_t>(available + 4, 0);
  EXPECT_EQ(mistake(), "descriptor 9 of a table of 4 is chained");
  descriptor(0, 0x8000, 4, next, 0);
  EXPECT_EQ(mistake(), "a chain has more than 4 descriptors");
  descriptor(0, 0x8000, 0, none);
  EXPECT_EQ(mistake(), "a descriptor has no bytes");
  descriptor(0, ~std::uint64_t{0}, 2, none);
  EXPECT_EQ(mistake(), "a buffer goes beyond the last address");
  descriptor(0, 0x8000, 4, writable | next, 1);
  descriptor(1, 0x8000, 4, none);
  EXPECT_EQ(mistake(), "a buffer that the device reads follows one that it writes");
  descriptor(0, table, 17, indirect);
  EXPECT_EQ(mistake(), "an indirect table has 17 bytes");
  descriptor(0, table, 0, indirect);
  EXPECT_EQ(mistake(), "an indirect table has 0 bytes");
  descriptor(0, table, 16, indirect | next, 1);
  EXPECT_EQ(mistake(), "an indirect descriptor is followed by another one");
  descriptor(0, table, 16, indirect);
  put(table, table, 16, indirect);
  EXPECT_EQ(mistake(), "an indirect table has an indirect descriptor");
  put(table, 0x8000, 4, next, 1);
  EXPECT_EQ(mistake(), "descriptor 1 of a table of 1 is chained");
  descriptor(0, 0xFFFF'0000, 16, indirect);
  EXPECT_EQ(mistake(), "memory does not answer");
  memory.set<std::uint16_t>(available + 2, 5);
  EXPECT_EQ(mistake(), "5 chains are available in a queue of 4");
}

TEST_F(SplitQueueTest, SetupsThatCannotBeUsed) {
  const auto problem = [](std::uint16_t size, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    return SplitQueue::problem_of({size, Address(a), Address(b), Address(c)});
  };
  EXPECT_EQ(problem(256, 16, 2, 4), "");
  EXPECT_EQ(problem(1, 0, 0, 0), "");
  EXPECT_THAT(problem(0, 16, 2, 4), HasSubstr("its size is 0"));
  EXPECT_THAT(problem(3, 16, 2, 4), HasSubstr("power of two"));
  EXPECT_THAT(problem(512, 16, 2, 4), HasSubstr("up to 256"));
  EXPECT_THAT(problem(4, 8, 2, 4), HasSubstr("descriptors"));
  EXPECT_THAT(problem(4, 16, 1, 4), HasSubstr("available ring"));
  EXPECT_THAT(problem(4, 16, 2, 2), HasSubstr("used ring"));
}

// Any contents of memory end with a chain, without one, or with an error.
TEST_F(SplitQueueTest, TakesAnyMemory) {
  Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    queue.start({4, Address(descriptors), Address(available), Address(used)});
    for (std::uint64_t at = descriptors; at < descriptors + 64; at += 16)
      put(at, random.below(3) ? random.below(0x10000) : random.next(),
          static_cast<std::uint32_t>(random.below(600)), static_cast<unsigned>(random.below(8)),
          static_cast<std::uint16_t>(random.below(6)));
    memory.set(available + 2, static_cast<std::uint16_t>(random.below(6)));
    memory.set(available + 4, static_cast<std::uint16_t>(random.below(6)));
    try {
      if (const auto chain = queue.pop(memory)) {
        EXPECT_LE(chain->readable.size() + chain->writable.size(), 4u);
        queue.push(memory, chain->head, 0);
      }
    } catch (const QueueError&) {
    }
  }
}

TEST(BufferSequence, IsReadAndWrittenAcrossBuffers) {
  FlatMemory memory(64_KiB);
  BufferSequence out(memory, {range(0x100, 3), range(0x200, 5)});
  EXPECT_EQ(out.left(), 8_B);
  BufferSequence end = out.split_off(6_B);
  EXPECT_EQ(out.left(), 2_B);
  EXPECT_EQ(end.left(), 6_B);
  const std::uint64_t bytes = 0x0807060504030201;
  end.write(std::as_bytes(std::span(&bytes, 1)).first(6));
  EXPECT_EQ(end.left(), 0_B);
  EXPECT_EQ(memory.get<std::uint8_t>(0x102), 1);
  EXPECT_EQ(memory.get<std::uint32_t>(0x200), 0x05040302u);
  EXPECT_EQ(memory.get<std::uint8_t>(0x204), 6);
  BufferSequence in(memory, {range(0x102, 1), range(0x200, 5)});
  std::uint64_t back = 0;
  in.read(std::as_writable_bytes(std::span(&back, 1)).first(6));
  EXPECT_EQ(back, bytes & 0xFFFFFFFFFFFFu);
}

}  // namespace
}  // namespace asterism
