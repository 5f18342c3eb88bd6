// Fuzzes a virtqueue: any bytes in the memory of its driver. A chain has at most as many buffers as the queue
// has entries, and taking its bytes neither ends early nor late; a packet of a network device is refused or
// whole. The corpus is in tests/fuzz/virtqueue.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#include "virtio/flat_memory.h"
#include "virtio/network_packet.h"

using namespace asterism;

namespace {

constexpr std::uint16_t size = 8;

void expect(bool condition) {
  if (!condition) std::abort();
}

// Takes the bytes in pieces whose sizes differ, from both ends.
void take(BufferSequence buffers, bool writes) {
  std::array<std::byte, 64> piece{};
  const Bytes all = buffers.left();
  const BufferSequence end = buffers.split_off(std::min(all, 3_B));
  expect(buffers.left() + end.left() == all);
  for (std::size_t next = 1; buffers.left() != 0_B; next = next * 3 % piece.size() + 1) {
    const Bytes before = buffers.left();
    const auto part = std::span(piece).first(std::min<std::size_t>(next, before.count()));
    writes ? buffers.write(part) : buffers.read(part);
    expect(before - buffers.left() == Bytes(part.size()));
  }
}

// Sends the chain as a packet, and receives what was sent in it.
void take_packet(BufferSequence readable, BufferSequence writable) try {
  constexpr Bytes max{100};
  const Bytes sent = readable.left(), room = writable.left();
  const std::vector<std::byte> frame = take_frame(readable, max);
  expect(Bytes(frame.size()) >= frame_header && Bytes(frame.size()) <= max);
  expect(packet_header + Bytes(frame.size()) == sent && readable.left() == 0_B);
  LearnedAddresses learned;
  learned.learn(source_of(frame), 1);
  expect(!destination_of(frame).is_group() || !learned.node_of(destination_of(frame)));
  const Bytes written(put_frame(writable, frame));
  expect(written == (sent <= room ? sent : 0_B) && writable.left() == room - written);
} catch (const QueueError&) {
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t length) {
  FlatMemory memory(4_KiB);  // the descriptors, the available ring, the used ring, and buffers
  const auto bytes = std::as_bytes(std::span(data, std::min(length, memory.bytes.size())));
  std::ranges::copy(bytes, memory.bytes.begin());
  SplitQueue queue;
  queue.start({size, Address(0), Address(0x80), Address(0xA0)});
  try {
    for (int i = 0; i < 2 * size; ++i) {
      const auto chain = queue.pop(memory);
      if (!chain) break;
      expect(chain->head < size && chain->readable.size() + chain->writable.size() <= size);
      take_packet({memory, chain->readable}, {memory, chain->writable});
      take({memory, chain->readable}, false);
      take({memory, chain->writable}, true);
      queue.push(memory, chain->head, 1);
    }
  } catch (const QueueError&) {
  }
  return 0;
}
