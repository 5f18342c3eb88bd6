// For tests: a virtio device with a memory, and a driver that does what the specification asks of one.
// Addresses are offsets into the memory plus `dram`. What concerns a queue means that with the number
// `queue`.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

#include "base/event_log.h"
#include "base/random.h"
#include "tlm/payload.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"
#include "virtio/virtio_device.h"

namespace asterism {

constexpr std::uint64_t dram = 0x4000'0000;

// Answers at once.
struct VirtioMemory : sc_core::sc_module {
  tlm_utils::simple_target_socket<VirtioMemory> target{"target"};
  std::vector<unsigned char> bytes = std::vector<unsigned char>(1 << 20);
  Picoseconds latency = 100_ns;

  explicit VirtioMemory(const sc_core::sc_module_name& name) : sc_module(name) {
    target.register_b_transport(this, &VirtioMemory::transport);
  }
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    if (!accept(payload, Bytes(bytes.size()))) return;
    unsigned char* const place = bytes.data() + payload.get_address();
    if (payload.is_read()) std::memcpy(payload.get_data_ptr(), place, payload.get_data_length());
    if (payload.is_write()) std::memcpy(place, payload.get_data_ptr(), payload.get_data_length());
    delay += to_sc_time(latency);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  template <class T>
  T get(std::uint64_t at) const {
    T value;
    std::memcpy(&value, bytes.data() + (at - dram), sizeof value);
    return value;
  }
  template <class T>
  void set(std::uint64_t at, T value) {
    std::memcpy(bytes.data() + (at - dram), &value, sizeof value);
  }
};

struct VirtioNodeView final : NodeView {
  unsigned cores() const override { return 1; }
  std::optional<Peer> find(const std::string&) const override { return std::nullopt; }
};

struct VirtioRig : SystemCTest {
  static constexpr std::uint16_t size = 8;
  struct Buffer {
    std::uint64_t at;
    std::uint32_t size;
    bool writable;
  };

  VirtioMemory ram{"ram"};
  TestInitiator cpu{"cpu"};
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> line{"line"};
  NoEventLog events;
  VirtioNodeView view;
  DeviceContext context{.place = {.instance = "device", .ranges = {{Address(0), 4_KiB}}, .interrupts = {1}},
                        .masters = {7},
                        .memories = {{Address(dram), 1_MiB}},
                        .node = view,
                        .events = events};
  VirtioRegisters map{"", "", 0};
  unsigned queues = 1, queue = 0;

  std::uint64_t descriptors() const { return dram + 0x1000 + 0x100 * queue; }
  std::uint64_t available() const { return dram + 0x2000 + 0x100 * queue; }
  std::uint64_t used() const { return dram + 0x3000 + 0x100 * queue; }

  void bind(VirtioDevice& device) {
    cpu.socket.bind(device.target);
    device.memory.bind(ram.target);
    device.interrupt.bind(line);
  }
  void set(const Register& of, std::uint64_t value) {
    cpu.write32(of.offset(), static_cast<std::uint32_t>(value));
  }
  std::uint32_t get(const Register& of) { return cpu.read32(of.offset()); }

  std::uint64_t offered() {
    set(map.device_features_sel, 1);
    const std::uint64_t upper = get(map.device_features);
    set(map.device_features_sel, 0);
    return upper << 32 | get(map.device_features);
  }
  void accept_features(std::uint64_t features) {
    for (const unsigned half : {0u, 1u}) {
      set(map.driver_features_sel, half);
      set(map.driver_features, features >> 32 * half);
    }
  }
  void set_up_queue() {
    set(map.queue_sel, queue);
    set(map.queue_num, size);
    set(map.queue_desc_low, descriptors());
    set(map.queue_driver_low, available());
    set(map.queue_device_low, used());
    set(map.queue_ready, 1);
    next_[queue] = next_descriptor_[queue] = 0;
    for (const std::uint64_t ring : {available(), used()}) ram.set<std::uint32_t>(ring, 0);
  }
  // All that a driver does before the first request.
  void start() {
    set(map.status, 0);
    set(map.status, 3);
    accept_features(offered());
    set(map.status, 11);
    ASSERT_EQ(get(map.status), 11u);
    for (queue = queues; queue-- > 0;) set_up_queue();
    queue = 0;
    set(map.status, 15);
  }
  void put_descriptor(std::uint16_t index, const Buffer& buffer, std::uint16_t flags, std::uint16_t next) {
    const std::uint64_t at = descriptors() + 16 * index;
    ram.set(at, buffer.at);
    ram.set(at + 8, buffer.size);
    ram.set(at + 12, static_cast<std::uint16_t>(flags | (buffer.writable ? 2 : 0)));
    ram.set(at + 14, next);
  }
  // Makes a chain available, without a notification: returns its head.
  std::uint16_t offer(const std::vector<Buffer>& buffers) {
    std::uint16_t& free = next_descriptor_[queue];
    const std::uint16_t head = free;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      const auto next = static_cast<std::uint16_t>((free + 1) % size);
      put_descriptor(free, buffers[i], i + 1 < buffers.size() ? 1 : 0, next);
      free = next;
    }
    make_available(head);
    return head;
  }
  void make_available(std::uint16_t head) {
    ram.set(available() + 4 + 2u * (next_[queue] % size), head);
    ram.set(available() + 2, ++next_[queue]);
  }
  std::uint16_t used_chains() { return ram.get<std::uint16_t>(used() + 2); }
  struct Used {
    std::uint32_t head, written;
  };
  Used last_used() { return ram.get<Used>(used() + 4 + 8u * ((used_chains() - 1u) % size)); }
  // Offers a chain and waits until it has been used.
  Used request(const std::vector<Buffer>& buffers) {
    const auto before = used_chains();
    offer(buffers);
    set(map.queue_notify, queue);
    for (int i = 0; i < 10'000 && used_chains() == before && !broken(); ++i) wait_for(1_us);
    return last_used();
  }
  // Writes random descriptors to one of two queues, of which the first is for receiving, and makes some of
  // them available. Most have a buffer of less than `limit` bytes at `place` or behind it.
  void write_any_queue(Random& random, std::uint64_t place, std::uint64_t limit) {
    queue = static_cast<unsigned>(random.below(2));
    for (int j = 0; j < 8; ++j)
      put_descriptor(static_cast<std::uint16_t>(j),
                     {random.below(8) ? place + random.below(1 << 14) : random.next(),
                      static_cast<std::uint32_t>(random.below(4) ? random.below(limit) : random.next()),
                      random.below(4) ? queue == 0 : random.below(2) != 0},
                     static_cast<std::uint16_t>(random.below(4) ? 0 : random.below(8)),
                     static_cast<std::uint16_t>(random.below(10)));
    for (std::uint64_t j = random.below(4); j > 0; --j)
      make_available(static_cast<std::uint16_t>(random.below(9)));
  }
  bool broken() { return get(map.status) & 0x40; }

 private:
  std::array<std::uint16_t, 2> next_{}, next_descriptor_{};
};

}  // namespace asterism
