#include "nic/nic_module.h"

#include "base/random.h"
#include "cluster/event_queue_module.h"
#include "memory/memory_controller.h"
#include "tlm/log.h"
#include "tlm/register_fuzz.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"
#include "tlm/test_writes.h"

namespace asterism {
namespace {

constexpr std::uint64_t dram = 0x4000'0000;
constexpr std::uint64_t send_ring = 0x1000, checkpoint_ring = 0x2000, slots = 0x1'0000, data = 0x8'0000;

enum Interrupt : std::uint32_t { received = 1, membership = 2, sent = 4, error = 8 };

// A NIC with its memory, and a core that accesses both.
struct Node : sc_core::sc_module {
  MemoryController memory;
  TestInitiator guest{"guest"}, core{"core"}, memory_core{"memory_core"};
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> memory_irq{"memory_irq"}, irq{"irq"};
  NicModule nic{"nic", {Address(dram), 1_MiB}};
  NicRegisters map;
  ForeignWrites written{memory.writes()};

  Node(const sc_core::sc_module_name& name, EventLog& events)
      : sc_module(name),
        memory("memory",
               {.config = {.size = 1_MiB, .dram = {.refresh = RefreshMode::none}},
                .part = {},
                .base = Address(dram)},
               2, events) {
    nic.memory.bind(memory.ports[0]);
    memory_core.socket.bind(memory.ports[1]);
    core.socket.bind(nic.target);
    nic.interrupt.bind(irq);
    guest.socket.bind(memory.target);
    memory.interrupt.bind(memory_irq);
  }
  void set(const Register& of, std::uint64_t value) {
    core.write32(of.offset(), static_cast<std::uint32_t>(value));
  }
  std::uint32_t get(const Register& of) { return core.read32(of.offset()); }
  template <class T>
  T word(std::uint64_t at) {
    return memory_core.read<T>(at);
  }
  void open_rings(std::uint32_t entries = 8) {
    set(map.send0_base_low, dram + send_ring);
    set(map.send0_entries, entries);
    set(map.send1_base_low, dram + checkpoint_ring);
    set(map.send1_entries, entries);
    set(map.receive_base_low, dram + slots);
    set(map.receive_entries, entries);
    set(map.interrupt_enable, received | membership | sent | error);
  }
  void describe(std::uint64_t ring, std::uint32_t index, std::uint64_t address, std::uint32_t length,
                NodeNumber to) {
    memory_core.write<std::uint64_t>(ring + index * 16, address);
    memory_core.write<std::uint32_t>(ring + index * 16 + 8, length);
    memory_core.write<std::uint32_t>(ring + index * 16 + 12, to);
  }
  void fill(std::uint64_t at, std::uint64_t size, std::uint64_t value) {
    for (std::uint64_t i = 0; i < size; i += 8) memory_core.write<std::uint64_t>(at + i, value + i);
  }
  bool holds(std::uint64_t at, std::uint64_t size, std::uint64_t value) {
    for (std::uint64_t i = 0; i < size; i += 8)
      if (word<std::uint64_t>(at + i) != value + i) return false;
    return true;
  }
  // Returns the interrupts that have occurred since the last call.
  std::uint32_t causes() {
    const std::uint32_t all = get(map.interrupt_status);
    set(map.interrupt_status, all);
    return all;
  }
};

struct NicModuleTest : SystemCTest {
  NoEventLog events;
  EventQueue event_queue;
  Network network{event_queue,
                  {.bandwidth = 1_GBps, .latency = 2_us, .application_tickets = 5, .checkpoint_tickets = 2},
                  4,
                  1};
  EventQueueModule clock{"event_queue", event_queue};
  Management management{event_queue, network, 2, 10_us, events};
  Node a{"a", events}, b{"b", events}, spare{"spare", events};

  NicModuleTest() {
    NodeNumber number = 0;
    for (Node* node : {&a, &b, &spare})
      node->nic.attach(
          {.clock = clock, .network = network, .node = number++, .management = &management, .storage = 3});
    clock.at_now([&] { management.begin(); });
  }
  void begin() {
    for (Node* node : {&a, &b, &spare}) {
      node->open_rings();
      node->causes();
    }
    settle();
  }
  // Sends a frame from a to b.
  void send(std::uint32_t length, std::uint64_t value) {
    a.fill(data, length, value);
    a.describe(send_ring, 0, dram + data, length, 1);
    a.set(a.map.send0_head, 1);
  }
  // The time from the doorbell to the interrupt, for a frame of this length.
  Picoseconds time_of(std::uint32_t length) {
    begin();
    send(length, 1);
    const Picoseconds start = now();
    while (!b.irq.read()) wait(b.irq.value_changed_event());
    EXPECT_EQ(b.causes(), received);
    return now() - start;
  }
};

SYSTEMC_TEST_F(NicModuleTest, AFrameArrivesInTheOtherNodesMemory) {
  begin();
  send(4160, 0x1234'0000);
  EXPECT_EQ(b.get(b.map.receive_head), 0u);
  wait_for(20_us);
  EXPECT_EQ(b.get(b.map.receive_head), 1u);
  EXPECT_EQ(b.word<std::uint32_t>(slots), 0u);
  EXPECT_EQ(b.word<std::uint32_t>(slots + 4), 4160u);
  EXPECT_TRUE(b.holds(slots + 16, 4160, 0x1234'0000));
  EXPECT_EQ(a.get(a.map.send0_tail), 1u);
  EXPECT_EQ(a.causes(), sent);
  EXPECT_EQ(b.causes(), received);
  EXPECT_EQ(b.written.ranges, (std::vector<AddressRange>{{Address(dram + slots), 4_KiB},
                                                         {Address(dram + slots + 4096), 128_B}}));
}

SYSTEMC_TEST_F(NicModuleTest, MemoryAccessesTakeTimeInAdditionToTheWire) {
  const Picoseconds shortest = time_of(8), longest = time_of(4160);
  EXPECT_GT(shortest, 2_us + 32_ns);
  EXPECT_LT(shortest, 3_us);
  EXPECT_GT(longest, shortest + 4152_ns);  // the wire alone takes this time
}

SYSTEMC_TEST_F(NicModuleTest, TheInterruptIsTheLevelOfStatusAndEnable) {
  begin();
  a.set(a.map.interrupt_enable, received);
  send(8, 1);
  wait_for(20_us);
  EXPECT_FALSE(a.irq.read());
  EXPECT_TRUE(b.irq.read());
  b.set(b.map.interrupt_status, sent);
  settle();
  EXPECT_TRUE(b.irq.read());
  b.set(b.map.interrupt_status, received);
  settle();
  EXPECT_FALSE(b.irq.read());
  a.set(a.map.interrupt_enable, sent);
  settle();
  EXPECT_TRUE(a.irq.read());
}

SYSTEMC_TEST_F(NicModuleTest, BothQueuesReachTheNetwork) {
  begin();
  a.fill(data, 64, 1);
  for (const std::uint64_t ring : {send_ring, checkpoint_ring}) a.describe(ring, 0, dram + data, 64, 1);
  a.set(a.map.send0_head, 1);
  a.set(a.map.send1_head, 1);
  wait_for(20_us);
  EXPECT_EQ(network.frames_sent(0, SendQueue::application), 1u);
  EXPECT_EQ(network.frames_sent(0, SendQueue::checkpoint), 1u);
  EXPECT_EQ(b.get(b.map.receive_head), 2u);
}

SYSTEMC_TEST_F(NicModuleTest, ShowsTheMembership) {
  wait_for(1_us);
  EXPECT_EQ(a.causes(), membership);
  EXPECT_EQ(a.get(a.map.id), 0x4e49'4300u);
  EXPECT_EQ(b.get(b.map.node), 1u);
  EXPECT_EQ(b.get(b.map.nodes), 4u);
  EXPECT_EQ(b.get(b.map.epoch), 1u);
  EXPECT_EQ(b.get(b.map.rank), 1u);
  EXPECT_EQ(b.get(b.map.ranks), 2u);
  EXPECT_EQ(spare.get(spare.map.rank), ~0u);
  EXPECT_EQ(b.get(b.map.storage_node), 3u);
  EXPECT_EQ(b.get(b.map.rank_node), 0u);
  b.set(b.map.rank_select, 1);
  EXPECT_EQ(b.get(b.map.rank_node), 1u);
  for (const std::uint32_t none : {2u, ~0u}) {
    b.set(b.map.rank_select, none);
    EXPECT_EQ(b.get(b.map.rank_node), ~0u);
  }
}

SYSTEMC_TEST_F(NicModuleTest, ASpareIsNotifiedOfItsRank) {
  begin();
  clock.at_now([&] { management.lost(1, Loss::node); });
  expect_earliest(now() + 10_us, [&] { return spare.irq.read(); });
  EXPECT_EQ(spare.causes(), membership);
  EXPECT_EQ(spare.get(spare.map.rank), 1u);
  EXPECT_EQ(spare.get(spare.map.epoch), 2u);
  EXPECT_EQ(a.get(a.map.epoch), 2u);
}

SYSTEMC_TEST_F(NicModuleTest, RanksReportTheirResults) {
  begin();
  const std::uint64_t results[] = {0x1111'2222'3333'4444, 5};
  Node* const nodes[] = {&a, &b};
  for (const int i : {0, 1}) {
    EXPECT_EQ(a.get(a.map.run), 0u);
    nodes[i]->set(a.map.result_low, results[i]);
    nodes[i]->set(a.map.result_high, results[i] >> 32);
    nodes[i]->set(a.map.report, 1);
  }
  ASSERT_TRUE(management.outcome());
  EXPECT_TRUE(management.outcome()->finished);
  EXPECT_EQ(a.get(a.map.run), 1u);
  EXPECT_EQ(spare.causes(), membership);
}

SYSTEMC_TEST_F(NicModuleTest, ReportsTheRanksThatCannotBeRecovered) {
  begin();
  a.set(a.map.result_low, 0b1010);
  a.set(a.map.report, 3);
  EXPECT_FALSE(management.outcome());
  a.set(a.map.report, 2);
  ASSERT_TRUE(management.outcome());
  EXPECT_FALSE(management.outcome()->finished);
  EXPECT_EQ(management.outcome()->reason, "no checkpoint is left of every rank: none at all of rank 1, 3");
}

SYSTEMC_TEST_F(NicModuleTest, TicketsAreTheNetworksUntilSoftwareSetsThem) {
  wait_for(1_us);
  EXPECT_EQ(a.get(a.map.application_tickets), 5u);
  EXPECT_EQ(a.get(a.map.checkpoint_tickets), 2u);
  a.set(a.map.application_tickets, 0);
  a.set(a.map.checkpoint_tickets, ~0u);
  EXPECT_EQ(network.tickets(0, SendQueue::application), 1u);
  EXPECT_EQ(network.tickets(0, SendQueue::checkpoint), ~0u);
  a.nic.reset(Reset::warm);
  EXPECT_EQ(a.get(a.map.application_tickets), 5u);
}

SYSTEMC_TEST_F(NicModuleTest, StatusShowsABadDescriptorUntilTheRingIsOpenedAgain) {
  begin();
  send(8, 1);
  a.describe(send_ring, 1, dram + data, 8, 4);
  a.set(a.map.send0_head, 2);
  wait_for(20_us);
  EXPECT_EQ(a.get(a.map.status), 0x101u);
  EXPECT_EQ(a.get(a.map.send0_tail), 1u);
  EXPECT_EQ(a.causes(), sent | error);
  a.set(a.map.send0_base_low, dram + send_ring);
  EXPECT_EQ(a.get(a.map.status), 0u);
  EXPECT_EQ(a.get(a.map.send0_entries), 0u);
  a.set(a.map.send0_entries, 8);
  a.set(a.map.send0_head, 1);
  wait_for(20_us);
  EXPECT_EQ(b.get(b.map.receive_head), 2u);
}

SYSTEMC_TEST_F(NicModuleTest, AnAddressOutsideMemoryStopsTheRing) {
  begin();
  for (const std::uint64_t address : {dram - 8, dram + 0x10'0000 - 4, ~std::uint64_t{0} - 7}) {
    a.describe(send_ring, 0, address, 8, 1);
    a.set(a.map.send0_base_low, dram + send_ring);
    a.set(a.map.send0_entries, 8);
    a.set(a.map.send0_head, 1);
    wait_for(20_us);
    EXPECT_EQ(a.get(a.map.status), 0x103u) << address;
  }
  b.set(b.map.receive_base_low, 0);
  b.set(b.map.receive_base_high, 1);
  b.set(b.map.receive_entries, 8);
  a.open_rings();
  send(8, 1);
  wait_for(20_us);
  EXPECT_EQ(b.get(b.map.status), 0x403u);
}

SYSTEMC_TEST_F(NicModuleTest, TheManagementIsNotifiedOfMarksAtOnce) {
  struct Reported {
    NodeNumber node;
    Rank rank;
    RankMark mark;
    std::uint64_t number;
    Picoseconds at;
    bool operator==(const Reported&) const = default;
  };
  std::vector<Reported> reported;
  management.on_mark = [&](NodeNumber node, Rank rank, RankMark mark, std::uint64_t number) {
    reported.push_back({node, rank, mark, number, event_queue.now()});
  };
  begin();
  wait_for(3_us);
  b.set(b.map.result_low, 7);
  b.set(b.map.result_high, 1);
  b.set(b.map.mark, static_cast<std::uint32_t>(RankMark::dumped));
  wait_for(2_us);
  spare.set(spare.map.mark, static_cast<std::uint32_t>(RankMark::restored));
  EXPECT_EQ(reported, (std::vector<Reported>{{1, 1, RankMark::dumped, 0x1'0000'0007, reported.at(0).at},
                                             {2, no_rank, RankMark::restored, 0, now()}}));
  EXPECT_GE(reported[1].at, reported[0].at + 2_us);
  set_log_levels({{"b.nic", LogLevel::off}});
  for (const std::uint32_t none : {0u, 11u, 15u}) b.set(b.map.mark, none);
  EXPECT_EQ(reported.size(), 2u);
}

SYSTEMC_TEST_F(NicModuleTest, AWriteToAPageThatIsYetToBeCopiedWaitsUntilItIs) {
  const Address page(dram + slots + 4096);
  TestTracker tracker(b.memory.writes(), {page, 4_KiB});
  tracker.closed = true;
  begin();
  send(4160, 1);
  wait_for(20_us);
  EXPECT_EQ(b.get(b.map.status), 0u);
  EXPECT_EQ(b.get(b.map.receive_head), 0u);
  EXPECT_TRUE(tracker.reported.empty());
  tracker.open();
  wait_for(1_us);
  EXPECT_EQ(b.get(b.map.receive_head), 1u);
  EXPECT_EQ(tracker.reported, (std::vector<PageLines>{{page, 0b11}}));  // 80 bytes are two lines
}

SYSTEMC_TEST_F(NicModuleTest, AfterARingIsClearedAWriteThatWaitedDoesNotHappen) {
  TestTracker tracker(b.memory.writes(), {Address(dram + slots), 4_KiB});
  tracker.closed = true;
  begin();
  send(8, 0x1234);
  wait_for(20_us);
  b.set(b.map.receive_base_low, 0);
  tracker.open();
  wait_for(1_us);
  EXPECT_TRUE(tracker.reported.empty());
  b.open_rings();
  wait_for(1_us);
  EXPECT_EQ(b.get(b.map.receive_head), 1u);  // the same frame
  EXPECT_EQ(b.word<std::uint64_t>(slots + 16), 0x1234u);
}

// Random writes to random registers, with frames in progress and resets in between.
SYSTEMC_TEST_F(NicModuleTest, AcceptsAnyValueOfARegister) {
  set_log_levels({{"a.nic", LogLevel::off}, {"b.nic", LogLevel::off}});
  const NicRegisters list;
  for (std::uint64_t at = 0; at < 0x4000; at += 16) {
    a.memory_core.write<std::uint64_t>(at, dram + data);
    a.memory_core.write<std::uint64_t>(at + 8, std::uint64_t{1} << 32 | 64);
  }
  RegisterFuzz fuzz(a.core, list, {dram, dram + send_ring, dram + slots, dram + 0xff000, 8, 16, 1, 2, 3}, 17);
  begin();
  for (int i = 0; i < 20'000; ++i) {
    fuzz.touch();
    if (fuzz.random.below(20) == 0) wait_for(Picoseconds(fuzz.random.below(20'000'000)));
    if (fuzz.random.below(200) != 0) continue;
    a.nic.reset(static_cast<Reset>(fuzz.random.below(3)));
    a.nic.power_up();
  }
}

// At any time, received frames are complete, and nothing from before the reset remains.
SYSTEMC_TEST_F(NicModuleTest, AResetDropsTheFramesInProgress) {
  for (unsigned trial = 0; trial < 40; ++trial) {
    begin();
    std::vector<Reset> reported;
    a.nic.on_reset = [&](Reset kind) { reported.push_back(kind); };
    a.fill(data, 4160, trial);
    for (std::uint32_t i = 0; i < 4; ++i) a.describe(send_ring, i, dram + data, 4160, 1);
    a.set(a.map.send0_head, 4);
    wait_for(trial * 300_ns);
    const Reset kind = trial % 2 ? Reset::warm : Reset::power_loss;
    a.nic.reset(kind);
    a.nic.power_up();
    EXPECT_EQ(reported, std::vector{kind});
    settle();
    EXPECT_FALSE(a.irq.read());
    EXPECT_EQ(a.get(a.map.send0_entries), 0u);
    EXPECT_EQ(a.get(a.map.interrupt_enable), 0u);
    wait_for(40_us);
    EXPECT_EQ(a.get(a.map.interrupt_status), 0u);
    const std::uint32_t count = b.get(b.map.receive_head);
    EXPECT_LE(count, 4u);
    for (std::uint32_t i = 0; i < count; ++i) EXPECT_TRUE(b.holds(slots + i * 8192 + 16, 4160, trial));
  }
}

SYSTEMC_TEST_F(NicModuleTest, FramesToANodeWithoutPowerAreLost) {
  begin();
  b.nic.reset(Reset::power_loss);
  send(8, 1);
  wait_for(20_us);
  b.nic.power_up();
  b.open_rings();
  wait_for(20_us);
  EXPECT_EQ(b.get(b.map.receive_head), 0u);
  EXPECT_EQ(a.get(a.map.send0_tail), 1u);
}

// The link loses queued frames; the ring continues when the NIC is notified.
SYSTEMC_TEST_F(NicModuleTest, ALinkThatIsDownDoesNotBlockTheRing) {
  begin();
  a.fill(data, 4160, 1);
  for (std::uint32_t i = 0; i < 7; ++i) a.describe(send_ring, i, dram + data, 4160, 1);
  a.set(a.map.send0_head, 7);
  wait_for(4_us);
  clock.at_now([&] { management.lost(0, Loss::link); });
  wait_for(100_us);
  EXPECT_EQ(a.get(a.map.send0_tail), 7u);
  clock.at_now([&] { management.returned(0); });
  a.describe(send_ring, 7, dram + data, 8, 1);
  const std::uint32_t before = b.get(b.map.receive_head);
  a.set(a.map.send0_head, 0);
  wait_for(20_us);
  EXPECT_EQ(b.get(b.map.receive_head), before + 1);
}

SYSTEMC_TEST_F(NicModuleTest, AnswersAfterAnyWrite) {
  set_log_levels({{"a.nic", LogLevel::off}});
  Random random(11);
  for (std::uint64_t at = 0; at < 0x10'0000; at += 8) a.memory_core.write<std::uint64_t>(at, random.next());
  for (std::uint32_t i = 0; i < 64; ++i)
    a.describe(send_ring, i, dram + data + random.below(0x8000), 1 + random.below(4160), i % 4);
  b.open_rings(64);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint32_t value = static_cast<std::uint32_t>(random.below(4)   ? random.below(4)
                                                           : random.below(2) ? dram + random.below(256) * 4096
                                                                             : random.next());
    a.core.write32(random.below(0xc4) & ~3u, value);
    a.core.read32(random.below(0xc4) & ~3u);
    if (random.below(8) == 0) {
      a.open_rings();
      a.set(a.map.send0_head, random.below(8));
      a.set(a.map.send1_head, random.below(8));
    }
    if (random.below(4) == 0) wait_for(Picoseconds(random.below(2'000'000)));
  }
  EXPECT_GT(network.frames_sent(0, SendQueue::application), 100u);
  wait_for(1_ms);
  for (Node* node : {&a, &b}) node->nic.reset(Reset::warm);
  begin();
  send(8, 1);
  wait_for(20_us);
  EXPECT_EQ(b.get(b.map.receive_head), 1u);
}

struct IsolatedNicTest : SystemCTest {
  NoEventLog events;
  EventQueue event_queue;
  Network network{event_queue, {}, 1, 1};
  EventQueueModule clock{"event_queue", event_queue};
  Node node{"node", events};
  IsolatedNicTest() { node.nic.attach({.clock = clock, .network = network}); }
};

SYSTEMC_TEST_F(IsolatedNicTest, SendsToItself) {
  node.open_rings();
  node.fill(data, 64, 5);
  node.describe(send_ring, 0, dram + data, 64, 0);
  node.set(node.map.send0_head, 1);
  wait_for(20_us);
  EXPECT_TRUE(node.holds(slots + 16, 64, 5));
  EXPECT_EQ(node.causes(), received | sent);
}

SYSTEMC_TEST_F(IsolatedNicTest, IsInNoCluster) {
  EXPECT_EQ(node.get(node.map.nodes), 1u);
  EXPECT_EQ(node.get(node.map.epoch), 0u);
  EXPECT_EQ(node.get(node.map.rank), ~0u);
  EXPECT_EQ(node.get(node.map.ranks), 0u);
  EXPECT_EQ(node.get(node.map.rank_node), ~0u);
  EXPECT_EQ(node.get(node.map.storage_node), ~0u);
  set_log_levels({{"node.nic", LogLevel::off}});
  node.set(node.map.report, 1);
  node.set(node.map.mark, 1);
  EXPECT_EQ(node.get(node.map.run), 0u);
}

}  // namespace
}  // namespace asterism
