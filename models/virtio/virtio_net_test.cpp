#include "virtio/virtio_net.h"

#include "base/random.h"
#include "cluster/event_queue_module.h"
#include "devices/device_fuzz.h"
#include "tlm/log.h"
#include "virtio/virtio_rig.h"

namespace asterism {
namespace {

constexpr std::uint64_t packets = dram + 0x8000;
constexpr std::uint32_t packet_size = 1526;
constexpr unsigned receive_queue = 0, transmit_queue = 1;
using Payload = std::vector<std::byte>;

MacAddress mac(std::uint64_t number) { return {0x0200'0000'0000 + number}; }
constexpr MacAddress broadcast{0xffff'ffff'ffff};

Payload frame(MacAddress to, MacAddress from, unsigned char fill, std::size_t size = 100) {
  Payload bytes(size, std::byte{fill});
  for (unsigned i = 0; i < 6; ++i) {
    bytes[i] = static_cast<std::byte>(to.value >> 8 * (5 - i));
    bytes[6 + i] = static_cast<std::byte>(from.value >> 8 * (5 - i));
  }
  return bytes;
}

// Another node of the network.
struct NetworkPeer : NetworkPort {
  std::vector<std::pair<Picoseconds, Payload>> received;
  void receive(Frame arrived) override { received.emplace_back(now(), std::move(arrived.payload)); }
};

struct VirtioNetTest : VirtioRig {
  EventQueue event_queue;
  Network network{event_queue, {.bandwidth = 1_GBps, .latency = 10_us}, 3, 1};
  EventQueueModule clock{"event_queue", event_queue};
  NetworkPeer zero, two;
  VirtioNet net{"net", {}, context};

  VirtioNetTest() {
    bind(net);
    queues = 2;
    network.attach(0, zero);
    network.attach(2, two);
    net.attach({.clock = clock, .network = network, .node = 1});
  }
  // Offers packets for the driver to receive.
  void offer_buffers(unsigned count, std::uint32_t bytes = packet_size) {
    queue = receive_queue;
    for (unsigned i = 0; i < count; ++i) offer({{packets + 0x800 * i, bytes, true}});
    set(map.queue_notify, queue);
  }
  void send(const Payload& bytes) {
    queue = transmit_queue;
    std::fill_n(ram.bytes.begin() + (packets + 0x8000 - dram), 12, 0);
    std::memcpy(ram.bytes.data() + (packets + 0x8000 - dram) + 12, bytes.data(), bytes.size());
    request({{packets + 0x8000, 12, false},
             {packets + 0x8000 + 12, static_cast<std::uint32_t>(bytes.size()), false}});
  }
  void arrive(NodeNumber from, const Payload& bytes) {
    clock.at_now([&] { network.send({from, 1, bytes}, SendQueue::application); });
    wait_for(30_us);
  }
  Payload packet(unsigned number, std::size_t size) {
    const auto* const first =
        reinterpret_cast<std::byte*>(ram.bytes.data() + (packets - dram)) + 0x800 * number;
    return {first, first + size};
  }
  std::uint64_t count(const std::string& name) {
    Statistics statistics;
    net.report(statistics);
    for (const auto& [key, value] : statistics.entries())
      if (key == name) return std::get<std::uint64_t>(value);
    ADD_FAILURE() << name;
    return 0;
  }
};

SYSTEMC_TEST_F(VirtioNetTest, HasTheAddressOfItsNumber) {
  EXPECT_EQ(get(map.device_id), 1u);
  EXPECT_EQ(offered(), 1ull << 32 | 1u << 28 | 1u << 16 | 1u << 5 | 1u << 3);
  for (unsigned i = 0; i < 6; ++i) EXPECT_EQ(cpu.read<std::uint8_t>(0x100 + i), i == 0 ? 2 : i == 5 ? 1 : 0);
  EXPECT_EQ(cpu.read<std::uint16_t>(0x106), 1u);
  EXPECT_EQ(cpu.read<std::uint16_t>(0x10A), 1500u);
}

SYSTEMC_TEST_F(VirtioNetTest, AFrameToAnUnknownAddressGoesToAllAndThenToItsNode) {
  start();
  send(frame(mac(2), mac(1), 7));
  wait_for(20_us);
  ASSERT_EQ(zero.received.size(), 1u);
  ASSERT_EQ(two.received.size(), 1u);
  EXPECT_EQ(two.received[0].second, frame(mac(2), mac(1), 7));
  offer_buffers(1);
  arrive(2, frame(mac(1), mac(2), 8));
  send(frame(mac(2), mac(1), 9));
  send(frame(broadcast, mac(1), 10));
  wait_for(20_us);
  EXPECT_EQ(zero.received.size(), 2u);
  EXPECT_EQ(two.received.size(), 3u);
  EXPECT_EQ(count("frames_sent"), 3u);
}

SYSTEMC_TEST_F(VirtioNetTest, AFrameTakesTheTimesOfTheNetwork) {
  start();
  const Picoseconds begun = now();
  send(frame(mac(2), mac(1), 7, 1000));
  wait_for(30_us);
  const Picoseconds taken = two.received.at(0).first - begun, wire = transfer_time(1024_B, 1_GBps) + 10_us;
  EXPECT_GE(taken, wire);
  EXPECT_LE(taken, wire + 3_us);
}

SYSTEMC_TEST_F(VirtioNetTest, AReceivedFrameFollowsAHeader) {
  start();
  offer_buffers(2);
  arrive(0, frame(mac(1), mac(0), 5));
  EXPECT_EQ(used_chains(), 1);
  EXPECT_EQ(last_used().written, 112u);
  EXPECT_TRUE(line.read());
  Payload expected(12);
  expected[10] = std::byte{1};
  const Payload whole = frame(mac(1), mac(0), 5);
  expected.insert(expected.end(), whole.begin(), whole.end());
  EXPECT_EQ(packet(0, 112), expected);
  EXPECT_EQ(count("frames_received"), 1u);
}

SYSTEMC_TEST_F(VirtioNetTest, FramesWithoutABufferAreDroppedAndCounted) {
  arrive(0, frame(mac(1), mac(0), 1));  // there is no driver yet
  EXPECT_EQ(count("frames_dropped"), 1u);
  start();
  arrive(0, frame(mac(1), mac(0), 2));
  EXPECT_EQ(count("frames_dropped"), 2u);
  offer_buffers(1, 60);
  arrive(0, frame(mac(1), mac(0), 3));  // does not fit
  EXPECT_EQ(count("frames_dropped"), 3u);
  EXPECT_EQ(used_chains(), 1);
  EXPECT_EQ(last_used().written, 0u);
  offer_buffers(1);
  arrive(0, Payload(13));  // no frame of Ethernet
  EXPECT_EQ(count("frames_dropped"), 4u);
  arrive(0, frame(mac(1), mac(0), 4));
  EXPECT_EQ(count("frames_dropped"), 4u);
  EXPECT_EQ(last_used().written, 112u);
  EXPECT_FALSE(broken());
}

SYSTEMC_TEST_F(VirtioNetTest, TheLinkHoldsBackTheDriver) {
  start();
  queue = transmit_queue;
  network.set_bandwidth(1, 1_MBps);  // a frame of 1000 bytes takes 1 ms
  for (unsigned i = 0; i < 4; ++i) {
    ram.set<std::uint64_t>(packets, 0);
    offer({{packets, 12 + 976, false}});
  }
  set(map.queue_notify, queue);
  wait_for(100_us);
  EXPECT_EQ(used_chains(), 3);  // one is on the wire
  wait_for(1_ms);
  EXPECT_EQ(used_chains(), 4);
}

SYSTEMC_TEST_F(VirtioNetTest, TheDriverIsNotifiedOfTheLink) {
  start();
  clock.at_now([&] { network.set_link(1, false); });
  settle();
  EXPECT_EQ(get(map.interrupt_status), 2u);
  EXPECT_EQ(get(map.config_generation), 1u);
  EXPECT_EQ(cpu.read<std::uint16_t>(0x106), 0u);
  for (int i = 0; i < 5; ++i) send(frame(mac(2), mac(1), 7));  // nothing waits for a link that is down
  set(map.interrupt_ack, 3);
  clock.at_now([&] { network.set_link(1, true); });
  settle();
  EXPECT_EQ(cpu.read<std::uint16_t>(0x106), 1u);
  EXPECT_TRUE(line.read());
  send(frame(mac(2), mac(1), 8));
  wait_for(30_us);
  EXPECT_EQ(two.received.size(), 1u);
}

SYSTEMC_TEST_F(VirtioNetTest, AResetDropsWhatWaitsAndForgetsAddresses) {
  std::vector<Reset> resets;
  net.on_reset = [&](Reset kind) { resets.push_back(kind); };
  start();
  offer_buffers(1);
  arrive(2, frame(mac(1), mac(2), 1));
  network.set_bandwidth(1, 1_MBps);
  for (int i = 0; i < 3; ++i) send(frame(mac(2), mac(1), 7, 976));
  net.reset(Reset::power_loss);
  EXPECT_EQ(network.waiting(1, SendQueue::application), 0u);
  EXPECT_EQ(resets, std::vector{Reset::power_loss});
  arrive(2, frame(mac(1), mac(2), 2));
  wait_for(3_ms);
  EXPECT_EQ(count("frames_dropped"), 1u);
  EXPECT_EQ(two.received.size(), 1u);  // that was on the wire
  start();
  send(frame(mac(2), mac(1), 8));
  wait_for(1_ms);
  EXPECT_EQ(zero.received.size(), 1u);
}

SYSTEMC_TEST_F(VirtioNetTest, APacketThatBreaksARuleNeedsAReset) {
  set_log_levels({{"net", LogLevel::off}});
  start();
  queue = transmit_queue;
  ram.set<std::uint8_t>(packets, 1);  // asks for a checksum
  request({{packets, 112, false}});
  EXPECT_TRUE(broken());
  arrive(0, frame(mac(1), mac(0), 1));
  EXPECT_EQ(count("frames_dropped"), 1u);
  start();
  send(frame(mac(2), mac(1), 8));
  EXPECT_FALSE(broken());
}

SYSTEMC_TEST_F(VirtioNetTest, AnswersAnyPayload) {
  set_log_levels({{"net", LogLevel::off}});
  expect_an_answer_to_any_payload(cpu, 4_KiB, 1);
}

// A driver that writes random bytes where its queues are, while frames arrive.
SYSTEMC_TEST_F(VirtioNetTest, SurvivesAnyDriver) {
  set_log_levels({{"net", LogLevel::off}});
  Random random(1);
  for (int i = 0; i < 1'000; ++i) {
    if (i % 4 == 0 || broken()) start();
    write_any_queue(random, packets, 3000);
    set(map.queue_notify, random.below(8) ? queue : random.next());
    clock.at_now([&] {
      for (std::uint64_t j = random.below(4); j > 0; --j)
        network.send({0, 1, Payload(random.below(2000))}, SendQueue::application);
    });
    wait_for(Picoseconds(random.below((50_us).count())));
  }
  start();
  send(frame(mac(2), mac(1), 8));
  EXPECT_FALSE(broken());
  EXPECT_GT(count("frames_received"), 100u);
  EXPECT_GT(count("frames_sent"), 100u);
}

}  // namespace
}  // namespace asterism
