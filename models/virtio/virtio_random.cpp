#include "virtio/virtio_random.h"

#include <algorithm>
#include <array>
#include <memory>

#include "base/fields.h"

namespace asterism {
namespace {

constexpr std::uint32_t entropy_device = 4;

const RegisteredDevice<VirtioRandom> virtio_random_type{
    "virtio_random", "A virtio source of random numbers, which follow from the seed of the run."};

}  // namespace

static_assert(member_count<VirtioRandomConfig>() == 1);
void describe(Fields& f, VirtioRandomConfig& c) {
  f("bandwidth", c.bandwidth, "The rate at which numbers are given.", within(Bandwidth(1'000), 1000_GBps));
}

VirtioRandomRegisters::VirtioRandomRegisters()
    : VirtioRegisters("VIRTIO_RANDOM",
                      "Virtio source of random numbers (Virtual I/O Device version 1.2, section 5.4), behind "
                      "memory-mapped registers.",
                      entropy_device) {}

DeviceShape VirtioRandom::shape(const Config&, const NodeFacts&) {
  return VirtioDevice::shape(std::make_shared<VirtioRandomRegisters>());
}

VirtioRandom::VirtioRandom(const sc_core::sc_module_name& name, const Config& config,
                           const DeviceContext& context)
    : VirtioDevice(name, std::make_unique<VirtioRandomRegisters>(), 0, 1, context),
      config_(config),
      random_(context.seed) {}

std::uint32_t VirtioRandom::serve(unsigned, BufferSequence& readable, BufferSequence& writable) {
  if (readable.left() != 0_B) throw QueueError("a request has a buffer for the device to read");
  std::uint32_t written = 0;
  std::array<std::byte, 64> piece;
  while (writable.left() != 0_B) {
    const auto size = std::min<std::size_t>(piece.size(), writable.left().count());
    pass(transfer_time(Bytes(size), config_.bandwidth));
    for (std::byte& each : piece) each = static_cast<std::byte>(random_.next());
    writable.write(std::span(piece).first(size));
    written += static_cast<std::uint32_t>(size);
  }
  return written;
}

}  // namespace asterism
