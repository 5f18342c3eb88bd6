#include "virtio/virtio_console.h"

#include <algorithm>
#include <array>
#include <memory>

#include "base/fields.h"

namespace asterism {
namespace {

constexpr std::uint32_t console_device = 3;
constexpr unsigned input_queue = 0;

const RegisteredDevice<VirtioConsole> virtio_console_type{
    "virtio_console", "A virtio console: a serial line whose characters a run shows and logs."};

}  // namespace

static_assert(member_count<VirtioConsoleConfig>() == 1);
void describe(Fields& f, VirtioConsoleConfig& c) { describe(f, c.line); }

VirtioConsoleRegisters::VirtioConsoleRegisters()
    : VirtioRegisters("VIRTIO_CONSOLE",
                      "Virtio console (Virtual I/O Device version 1.2, section 5.3), behind memory-mapped "
                      "registers.",
                      console_device) {
  for (Register* each : {&size, &ports}) each->any_width();
}

DeviceShape VirtioConsole::shape(const Config& config, const NodeFacts&) {
  DeviceShape shape = VirtioDevice::shape(std::make_shared<VirtioConsoleRegisters>());
  add_to(shape, config.line);
  return shape;
}

VirtioConsole::VirtioConsole(const sc_core::sc_module_name& name, const Config& config,
                             const DeviceContext& context)
    : VirtioDevice(name, std::make_unique<VirtioConsoleRegisters>(), 0, 2, context), HostLine(config.line) {
  open(config.line, this->name());
}

void VirtioConsole::receive(std::string_view characters) {
  waiting_.insert(waiting_.end(), characters.begin(), characters.end());
  if (!waiting_.empty()) attend(input_queue);
}

bool VirtioConsole::is_due(unsigned queue) const { return queue != input_queue || !waiting_.empty(); }

std::uint32_t VirtioConsole::serve(unsigned queue, BufferSequence& readable, BufferSequence& writable) {
  std::array<std::byte, 64> piece;
  const auto part_of = [&](std::uint64_t count) {
    return std::span(piece).first(std::min<std::size_t>(piece.size(), count));
  };
  std::uint32_t written = 0;
  while (queue == input_queue && writable.left() != 0_B && !waiting_.empty()) {
    const auto part = part_of(std::min<std::uint64_t>(writable.left().count(), waiting_.size()));
    for (std::size_t i = 0; i < part.size(); ++i) part[i] = static_cast<std::byte>(waiting_[i]);
    writable.write(part);
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(part.size()));
    received_ += part.size();
    written += static_cast<std::uint32_t>(part.size());
  }
  while (queue != input_queue && readable.left() != 0_B) {
    const auto part = part_of(readable.left().count());
    readable.read(part);
    transmitted_ += part.size();
    for (const std::byte each : part) transmit(std::to_integer<std::uint8_t>(each));
  }
  return written;
}

void VirtioConsole::report(Statistics& statistics) const {
  VirtioDevice::report(statistics);
  statistics.add("transmitted", transmitted_);
  statistics.add("received", received_);
}

}  // namespace asterism
