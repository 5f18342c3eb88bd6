#include "virtio/network_packet.h"

#include <fmt/format.h>

#include <array>

namespace asterism {
namespace {

constexpr std::size_t mac_size = 6;

MacAddress mac_at(std::span<const std::byte> bytes) {
  MacAddress address;
  for (const std::byte each : bytes.first(mac_size))
    address.value = address.value << 8 | std::to_integer<std::uint8_t>(each);
  return address;
}

}  // namespace

std::optional<MacAddress> MacAddress::parse(const std::string& text) {
  constexpr std::size_t digits_and_colon = 3;
  if (text.size() != digits_and_colon * mac_size - 1) return std::nullopt;
  MacAddress address;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_colon = i % digits_and_colon == digits_and_colon - 1;
    if (is_colon) {
      if (c != ':') return std::nullopt;
      continue;
    }
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return std::nullopt;
    address.value = address.value << 4 | static_cast<unsigned>(digit);
  }
  return address;
}

std::vector<std::byte> take_frame(BufferSequence& readable, Bytes max) {
  if (readable.left() < packet_header + frame_header || readable.left() > packet_header + max)
    throw QueueError(fmt::format("a packet has {} bytes, expected {} to {}", readable.left().count(),
                                 (packet_header + frame_header).count(), (packet_header + max).count()));
  std::array<std::byte, packet_header.count()> header;
  readable.read(header);
  // The flags, and the type of segmentation.
  if (header[0] != std::byte{0} || header[1] != std::byte{0})
    throw QueueError("a packet asks for a checksum or for segmentation, which the device does not offer");
  std::vector<std::byte> frame(readable.left().count());
  readable.read(frame);
  return frame;
}

std::uint32_t put_frame(BufferSequence& writable, std::span<const std::byte> frame) {
  if (writable.left() < packet_header + Bytes(frame.size())) return 0;
  std::array<std::byte, packet_header.count()> header{};
  header[10] = std::byte{1};  // it is in one chain
  writable.write(header);
  writable.write(frame);
  return static_cast<std::uint32_t>(header.size() + frame.size());
}

MacAddress destination_of(std::span<const std::byte> frame) { return mac_at(frame); }
MacAddress source_of(std::span<const std::byte> frame) { return mac_at(frame.subspan(mac_size)); }

void LearnedAddresses::learn(MacAddress address, std::uint32_t node) {
  if (address.is_group()) return;
  if (nodes_.size() == max_size && !nodes_.contains(address)) nodes_.clear();
  nodes_[address] = node;
}

std::optional<std::uint32_t> LearnedAddresses::node_of(MacAddress address) const {
  const auto found = nodes_.find(address);
  return found == nodes_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace asterism
