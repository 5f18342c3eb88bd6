#include "nic/nic_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/random.h"

namespace asterism {
namespace {

using Ring = NicEngine::Ring;
using Error = NicEngine::Error;
using testing::ElementsAre;

constexpr Picoseconds access_time = 100_ns;

// A memory whose accesses take 100 ns, and a link from which the test takes frames.
struct NicEngineTest : testing::Test, MemoryPort, NicEngine::Sink {
  static constexpr std::uint64_t memory_size = 1 << 20;
  static constexpr Address send_base{0x1000}, checkpoint_base{0x2000}, slots{0x8'0000}, data{0x3'0000};

  NicEngineTest() { engine.set_nodes(4); }

  struct Access {
    std::uint64_t first, size;
    bool operator==(const Access&) const = default;
  };
  struct Sent {
    Picoseconds at;
    SendQueue queue;
    NodeNumber destination;
    std::vector<std::byte> payload;
  };

  bool is_memory(Address first, std::size_t size) const {
    return AddressRange{Address(0), Bytes(memory_size)}.contains(first, Bytes(size));
  }
  void read(Picoseconds from, Address first, Bytes size, OnAccessEnd ended) override {
    EXPECT_LE(first.value() % 4096 + size.count(), 4096u);
    reads.push_back({first.value(), size.count()});
    if (!is_memory(first, size.count())) return end({from, false}, ended);
    end({from + access_time, true, std::span(bytes).subspan(first.value(), size.count())}, ended);
  }
  void write(Picoseconds from, Address first, std::span<const std::byte> data, OnAccessEnd ended) override {
    EXPECT_LE(first.value() % 4096 + data.size(), 4096u);
    writes.push_back({first.value(), data.size()});
    if (!is_memory(first, data.size())) return end({from, false}, ended);
    std::ranges::copy(data, bytes.begin() + static_cast<std::ptrdiff_t>(first.value()));
    end({from + access_time}, ended);
  }
  void end(const AccessEnd& end, const OnAccessEnd& ended) {
    if (!holds) return ended(end);
    held.push_back({ended, end});
  }
  void abandon() override { held.clear(); }
  void transmit(SendQueue queue, NodeNumber destination, std::vector<std::byte> payload) override {
    sent.push_back({now, queue, destination, std::move(payload)});
    if (keeps) ++link[queue];
  }
  std::size_t waiting(SendQueue queue) const override { return link.contains(queue) ? link.at(queue) : 0; }
  void send_tail_moved() override { ++tail_moves; }
  void receive_head_moved() override { ++head_moves; }
  void ring_stopped() override { ++stops; }
  void overflowed() override { ++overflows; }

  void put(std::uint64_t at, std::uint64_t value, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) bytes[at + i] = static_cast<std::byte>(value >> 8 * i);
  }
  std::uint64_t get(std::uint64_t at, std::size_t size) const {
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[at + i]);
    return value;
  }
  void describe(Address ring, std::uint32_t index, std::uint64_t address, std::uint32_t length,
                NodeNumber destination) {
    const std::uint64_t at = ring.value() + index * 16;
    put(at, address, 8);
    put(at + 8, length, 4);
    put(at + 12, destination, 4);
  }
  void run() {
    while (const auto next = engine.next_event()) engine.advance_to(now = *next);
  }
  // The link takes a frame.
  void take(SendQueue queue) {
    --link[queue];
    engine.update(now);
  }
  static std::vector<std::byte> marked(std::size_t size, unsigned mark) {
    return std::vector<std::byte>(size, static_cast<std::byte>(mark));
  }
  void arrive(unsigned mark, std::size_t size = 8) { engine.receive(now, {2, 0, marked(size, mark)}); }
  unsigned mark_in(std::uint32_t slot) const {
    return static_cast<unsigned>(get(slots.value() + slot * 8192 + 16, 1));
  }

  std::vector<std::byte> bytes = std::vector<std::byte>(memory_size);
  std::vector<Access> reads, writes;
  std::vector<Sent> sent;
  std::map<SendQueue, std::size_t> link;
  struct Held {
    OnAccessEnd ended;
    AccessEnd end;
  };
  bool holds = false;  // accesses do not end before the test ends them
  std::vector<Held> held;
  bool keeps = false;  // with a slow link, frames wait until the test takes them
  int tail_moves = 0, head_moves = 0, stops = 0, overflows = 0;
  Picoseconds now;
  NicEngine engine{*this, *this, *this};
};

TEST_F(NicEngineTest, SendsTheFrameOfADescriptor) {
  std::ranges::copy(marked(100, 7), bytes.begin() + 0x3'0123);
  describe(send_base, 0, 0x3'0123, 100, 3);
  engine.open(now, Ring::application, send_base, 4);
  engine.set_head(now, SendQueue::application, 1);
  run();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].destination, 3u);
  EXPECT_EQ(sent[0].queue, SendQueue::application);
  EXPECT_EQ(sent[0].payload, marked(100, 7));
  EXPECT_EQ(sent[0].at, 200_ns);  // a descriptor, then its data
  EXPECT_EQ(engine.tail(Ring::application), 1u);
  EXPECT_EQ(tail_moves, 1);
}

TEST_F(NicEngineTest, ReadsPageByPage) {
  describe(send_base, 0, 0x3'0ff0, 4160, 1);
  engine.open(now, Ring::application, send_base, 4);
  engine.set_head(now, SendQueue::application, 1);
  run();
  EXPECT_THAT(reads, ElementsAre(Access{0x1000, 16}, Access{0x3'0ff0, 16}, Access{0x3'1000, 4096},
                                 Access{0x3'2000, 48}));
  EXPECT_EQ(sent.at(0).at, 400_ns);
}

TEST_F(NicEngineTest, ARingWrapsAround) {
  engine.open(now, Ring::application, send_base, 4);
  for (std::uint32_t i = 0; i < 10; ++i) {
    bytes[data.value() + i] = static_cast<std::byte>(i);
    describe(send_base, i % 4, data.value() + i, 1, 1);
    engine.set_head(now, SendQueue::application, (i + 1) % 4);
    if (i % 3 == 2) run();
  }
  run();
  ASSERT_EQ(sent.size(), 10u);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(sent[i].payload[0], static_cast<std::byte>(i));
  EXPECT_EQ(engine.tail(Ring::application), 2u);
  EXPECT_EQ(engine.head(Ring::application), 2u);
}

TEST_F(NicEngineTest, FetchesNoMoreThanTwoFramesAheadOfTheLink) {
  keeps = true;
  engine.open(now, Ring::application, send_base, 8);
  for (std::uint32_t i = 0; i < 6; ++i) describe(send_base, i, data.value(), 8, 1);
  engine.set_head(now, SendQueue::application, 6);
  run();
  EXPECT_EQ(sent.size(), 2u);
  EXPECT_EQ(engine.tail(Ring::application), 0u);
  take(SendQueue::application);
  run();
  EXPECT_EQ(sent.size(), 3u);
  EXPECT_EQ(engine.tail(Ring::application), 1u);
}

TEST_F(NicEngineTest, OneRingDoesNotWaitForTheOther) {
  keeps = true;
  engine.open(now, Ring::application, send_base, 8);
  engine.open(now, Ring::checkpoint, checkpoint_base, 8);
  for (std::uint32_t i = 0; i < 6; ++i) describe(checkpoint_base, i, data.value(), 8, 1);
  engine.set_head(now, SendQueue::checkpoint, 6);
  run();
  describe(send_base, 0, data.value(), 8, 2);
  engine.set_head(now, SendQueue::application, 1);
  run();
  ASSERT_EQ(sent.size(), 3u);
  EXPECT_EQ(sent[2].queue, SendQueue::application);
}

TEST_F(NicEngineTest, FetchesFromTheRingsAlternately) {
  for (const Address base : {send_base, checkpoint_base})
    for (std::uint32_t i = 0; i < 3; ++i) describe(base, i, data.value(), 8, 1);
  engine.open(now, Ring::application, send_base, 4);
  engine.open(now, Ring::checkpoint, checkpoint_base, 4);
  engine.set_head(now, SendQueue::application, 3);
  engine.set_head(now, SendQueue::checkpoint, 3);
  run();
  std::vector<SendQueue> order;
  for (const Sent& one : sent) order.push_back(one.queue);
  const auto a = SendQueue::application, c = SendQueue::checkpoint;
  EXPECT_THAT(order, ElementsAre(a, c, a, c, a, c));
}

TEST_F(NicEngineTest, StoresAFrameBehindItsHeader) {
  engine.open(now, Ring::receive, slots, 2);
  put(slots.value() + 8, ~std::uint64_t{0}, 8);
  arrive(9, 4160);
  run();
  EXPECT_EQ(now, 200_ns);
  EXPECT_THAT(writes, ElementsAre(Access{slots.value(), 4096}, Access{slots.value() + 4096, 80}));
  EXPECT_EQ(get(slots.value(), 4), 2u);
  EXPECT_EQ(get(slots.value() + 4, 4), 4160u);
  EXPECT_EQ(get(slots.value() + 8, 8), 0u);
  EXPECT_EQ(get(slots.value() + 16, 1), 9u);
  EXPECT_EQ(get(slots.value() + 16 + 4159, 1), 9u);
  EXPECT_EQ(engine.head(Ring::receive), 1u);
  EXPECT_EQ(head_moves, 1);
}

TEST_F(NicEngineTest, FramesWaitForASlotInOrder) {
  engine.open(now, Ring::receive, slots, 4);
  for (unsigned mark = 1; mark <= 6; ++mark) arrive(mark);
  run();
  EXPECT_EQ(engine.head(Ring::receive), 3u);  // one slot stays free
  EXPECT_THAT((std::vector{mark_in(0), mark_in(1), mark_in(2)}), ElementsAre(1u, 2u, 3u));
  engine.set_tail(now, 2);
  run();
  EXPECT_EQ(engine.head(Ring::receive), 1u);
  EXPECT_THAT((std::vector{mark_in(3), mark_in(0)}), ElementsAre(4u, 5u));
  engine.set_tail(now, 3);
  run();
  EXPECT_EQ(mark_in(1), 6u);
  EXPECT_EQ(head_moves, 6);
}

TEST_F(NicEngineTest, FramesWaitForARing) {
  arrive(1);
  run();
  EXPECT_TRUE(writes.empty());
  engine.open(now, Ring::receive, slots, 4);
  run();
  EXPECT_EQ(mark_in(0), 1u);
}

TEST_F(NicEngineTest, TooManyFramesAreDroppedAndCounted) {
  for (std::size_t i = 0; i < NicEngine::max_waiting + 3; ++i) arrive(1, 1);
  Statistics statistics;
  engine.report(statistics);
  const auto& entries = statistics.entries();
  const auto dropped = std::ranges::find(entries, "frames_dropped", [](const auto& e) { return e.first; });
  ASSERT_NE(dropped, entries.end());
  EXPECT_EQ(std::get<std::uint64_t>(dropped->second), 3u);
  EXPECT_EQ(overflows, 1);
}

struct BadDescriptorTest : NicEngineTest {
  // Returns the error that stops the ring if this is its second descriptor.
  Error error_of(std::uint64_t address, std::uint32_t length, NodeNumber destination) {
    describe(send_base, 0, data.value(), 8, 1);
    describe(send_base, 1, address, length, destination);
    describe(send_base, 2, data.value(), 8, 1);
    engine.clear(now, Ring::application);
    engine.open(now, Ring::application, send_base, 4);
    engine.set_head(now, SendQueue::application, 3);
    sent.clear();
    run();
    EXPECT_EQ(sent.size(), engine.is_stopped(Ring::application) ? 1u : 3u);
    return engine.error();
  }
};

TEST_F(BadDescriptorTest, IsASoftwareErrorThatStopsItsRing) {
  EXPECT_EQ(error_of(data.value(), 4160, 3), Error::none);
  EXPECT_EQ(error_of(data.value(), 0, 1), Error::bad_descriptor);
  EXPECT_EQ(error_of(data.value(), 4161, 1), Error::bad_descriptor);
  EXPECT_EQ(error_of(data.value(), ~0u, 1), Error::bad_descriptor);
  EXPECT_EQ(error_of(data.value(), 8, 4), Error::bad_descriptor);
  EXPECT_EQ(error_of(data.value(), 8, ~0u), Error::bad_descriptor);
  EXPECT_EQ(error_of(memory_size, 8, 1), Error::no_memory);
  EXPECT_EQ(error_of(memory_size - 4, 8, 1), Error::no_memory);
  EXPECT_EQ(error_of(~std::uint64_t{0}, 8, 1), Error::no_memory);
  EXPECT_EQ(stops, 8);
}

TEST_F(BadDescriptorTest, TheTailIsItsIndex) {
  error_of(data.value(), 0, 1);
  EXPECT_EQ(engine.tail(Ring::application), 1u);
}

TEST_F(BadDescriptorTest, TheOtherRingContinues) {
  error_of(data.value(), 0, 1);
  describe(checkpoint_base, 0, data.value(), 8, 1);
  engine.open(now, Ring::checkpoint, checkpoint_base, 4);
  engine.set_head(now, SendQueue::checkpoint, 1);
  run();
  EXPECT_EQ(engine.tail(Ring::checkpoint), 1u);
  EXPECT_EQ(engine.error(), Error::bad_descriptor);  // the error remains
}

TEST_F(NicEngineTest, RefusesInvalidRings) {
  const auto error_of = [&](Ring ring, Address base, std::uint32_t entries) {
    engine.clear(now, ring);
    engine.open(now, ring, base, entries);
    return engine.error();
  };
  for (const std::uint32_t entries : {0u, 1u, 3u, 1025u, 2048u, 0x8000'0000u})
    EXPECT_EQ(error_of(Ring::application, send_base, entries), Error::bad_ring) << entries;
  for (const std::uint32_t entries : {2u, 1024u})
    EXPECT_EQ(error_of(Ring::application, send_base, entries), Error::none) << entries;
  EXPECT_EQ(error_of(Ring::application, Address(0x1008), 4), Error::bad_ring);
  EXPECT_EQ(error_of(Ring::application, Address(0x1010), 4), Error::none);
  EXPECT_EQ(error_of(Ring::receive, Address(0x1010), 4), Error::bad_ring);
  EXPECT_EQ(error_of(Ring::receive, Address(0x1000), 4), Error::none);
}

TEST_F(NicEngineTest, RefusesInvalidIndices) {
  engine.set_head(now, SendQueue::application, 0);  // the ring is closed
  EXPECT_EQ(engine.error(), Error::bad_ring);
  engine.clear(now, Ring::application);
  EXPECT_EQ(engine.error(), Error::none);
  engine.open(now, Ring::application, send_base, 4);
  engine.set_head(now, SendQueue::application, 4);
  EXPECT_TRUE(engine.is_stopped(Ring::application));
  engine.open(now, Ring::receive, slots, 4);
  engine.set_tail(now, 4);
  EXPECT_TRUE(engine.is_stopped(Ring::receive));
  EXPECT_FALSE(engine.is_stopped(Ring::checkpoint));
}

TEST_F(NicEngineTest, AnOpenRingIsNotOpenedAgain) {
  engine.open(now, Ring::application, send_base, 4);
  engine.open(now, Ring::application, send_base, 8);
  EXPECT_EQ(engine.error(), Error::bad_ring);
  EXPECT_EQ(engine.entries(Ring::application), 4u);
}

TEST_F(NicEngineTest, AFrameForSlotsOutsideMemoryIsKept) {
  engine.open(now, Ring::receive, Address(memory_size), 4);
  arrive(5);
  run();
  EXPECT_EQ(engine.error(), Error::no_memory);
  EXPECT_EQ(engine.head(Ring::receive), 0u);
  engine.clear(now, Ring::receive);
  engine.open(now, Ring::receive, slots, 4);
  run();
  EXPECT_EQ(mark_in(0), 5u);
}

TEST_F(NicEngineTest, FramesOfAClearedRingDoNotMoveTheNewTail) {
  keeps = true;
  for (std::uint32_t i = 0; i < 3; ++i) describe(send_base, i, data.value(), 8, 1);
  engine.open(now, Ring::application, send_base, 4);
  engine.set_head(now, SendQueue::application, 2);
  run();
  engine.clear(now, Ring::application);
  engine.open(now, Ring::application, send_base, 4);
  engine.set_head(now, SendQueue::application, 1);
  run();
  EXPECT_EQ(sent.size(), 2u);  // there is no free place yet
  for (const std::uint32_t tail : {0u, 0u, 1u}) {
    take(SendQueue::application);
    run();
    EXPECT_EQ(engine.tail(Ring::application), tail);
  }
  EXPECT_EQ(sent.size(), 3u);
}

TEST_F(NicEngineTest, ClearedWhileItFetchesARingSendsNothing) {
  describe(send_base, 0, data.value(), 8, 1);
  engine.open(now, Ring::application, send_base, 4);
  engine.set_head(now, SendQueue::application, 1);
  engine.advance_to(now = 50_ns);
  engine.clear(now, Ring::application);
  run();
  EXPECT_TRUE(sent.empty());
}

TEST_F(NicEngineTest, FramesLostByTheLinkFreeTheirPlaces) {
  keeps = true;
  for (std::uint32_t i = 0; i < 3; ++i) describe(send_base, i, data.value(), 8, 1);
  engine.open(now, Ring::application, send_base, 4);
  engine.set_head(now, SendQueue::application, 3);
  run();
  link.clear();
  engine.update(now);
  run();
  EXPECT_EQ(engine.tail(Ring::application), 2u);
  EXPECT_EQ(sent.size(), 3u);
}

// Resets at every event of a frame in each direction.
TEST_F(NicEngineTest, AResetAtAnyEventLeavesNothing) {
  for (int events = 0; events < 5; ++events)
    for (const Reset kind : {Reset::cold, Reset::warm, Reset::power_loss}) {
      engine.power_up();
      sent.clear();
      head_moves = 0;
      describe(send_base, 0, data.value(), 4160, 1);
      engine.open(now, Ring::application, send_base, 4);
      engine.open(now, Ring::receive, slots, 4);
      engine.set_head(now, SendQueue::application, 1);
      arrive(1, 4160);
      for (int i = 0; i < events; ++i)
        if (const auto next = engine.next_event()) engine.advance_to(now = *next);
      engine.reset(kind);
      EXPECT_FALSE(engine.next_event());
      EXPECT_EQ(engine.entries(Ring::application), 0u);
      EXPECT_EQ(engine.head(Ring::receive), 0u);
      EXPECT_LE(sent.size(), events < 4 ? 0u : 1u);
      engine.power_up();
      engine.open(now, Ring::receive, slots, 4);
      const int moves = head_moves;
      run();
      EXPECT_EQ(head_moves, moves) << "a frame from before the reset was received";
      engine.reset(Reset::cold);
    }
}

TEST_F(NicEngineTest, WithoutPowerFramesAreLost) {
  engine.reset(Reset::power_loss);
  arrive(1);
  engine.power_up();
  engine.open(now, Ring::receive, slots, 4);
  arrive(2);
  run();
  EXPECT_EQ(mark_in(0), 2u);
  EXPECT_EQ(engine.head(Ring::receive), 1u);
}

TEST_F(NicEngineTest, ARingThatIsClearedAbandonsItsAccess) {
  holds = true;
  describe(send_base, 0, 0x3'0000, 8, 1);
  engine.open(now, Ring::application, send_base, 4);
  engine.open(now, Ring::receive, slots, 4);
  engine.set_head(now, SendQueue::application, 1);
  run();
  EXPECT_EQ(held.size(), 1u);
  engine.clear(now, Ring::receive);  // has no access
  EXPECT_EQ(held.size(), 1u);
  engine.clear(now, Ring::application);
  EXPECT_TRUE(held.empty());
  engine.open(now, Ring::receive, slots, 4);
  arrive(7);
  run();
  EXPECT_EQ(held.size(), 1u);
  engine.clear(now, Ring::receive);
  EXPECT_TRUE(held.empty());
  holds = false;
  engine.open(now, Ring::receive, slots, 4);
  run();
  EXPECT_EQ(mark_in(0), 7u);  // the frame is still the first that waits
  EXPECT_EQ(engine.error(), Error::none);
}

// Whatever software does, the engine must answer, must not access memory across a page, and must end.
TEST_F(NicEngineTest, AcceptsAnyCalls) {
  Random random(3);
  for (auto& byte : bytes) byte = static_cast<std::byte>(random.next());
  for (std::uint64_t at = 0x1000; at < 0x9000; at += 16)
    if (random.below(16) != 0)  // the other descriptors are random
      describe(Address(at), 0, data.value() + random.below(8192),
               static_cast<std::uint32_t>(random.below(4170)), static_cast<NodeNumber>(random.below(4)));
  const auto index = [&] {
    return static_cast<std::uint32_t>(random.below(16) ? random.below(4) : random.next());
  };
  std::uint64_t frames = 0;
  for (int i = 0; i < 100'000; ++i) {
    const auto ring = static_cast<Ring>(random.below(3));
    switch (random.below(8)) {
      case 0:
        engine.clear(now, ring);
        if (random.below(8) != 0)
          engine.open(now, ring, ring == Ring::receive ? slots : Address(0x1000 * (1 + random.below(8))),
                      4u << random.below(4));
        break;
      case 1:
        if (random.below(32) == 0) engine.open(now, ring, Address(0x1000 * random.below(9)), index());
        break;
      case 2:
        if (random.below(32) == 0) engine.open(now, ring, Address(random.next()), index());
        break;
      case 3:
        engine.set_head(now, static_cast<SendQueue>(random.below(2)), index());
        break;
      case 4:
        engine.set_tail(now, index());
        break;
      case 5:
        arrive(1, 1 + random.below(4160));
        break;
      default:
        for (int events = 0; events < 4; ++events)
          if (const auto next = engine.next_event()) {
            ASSERT_GE(*next, now);
            engine.advance_to(now = *next);
          }
    }
    if (random.below(1000) == 0) run();
    frames += sent.size();
    sent.clear();
    reads.clear();
    writes.clear();
  }
  EXPECT_GT(frames, 1000u);
  EXPECT_GT(head_moves, 1000);
  EXPECT_GT(stops, 1000);
}

}  // namespace
}  // namespace asterism
