// What a virtio network device finds in the buffers of its driver (Virtual I/O Device version 1.2, section
// 5.1.6): a header of 12 bytes, which is zero as long as no offload is agreed on, and a frame of Ethernet
// from its destination to the end of its data, without a check sequence. And whom such a frame is for.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "virtio/split_queue.h"

namespace asterism {

// An address of Ethernet; its first byte is in the bits 47:40.
struct MacAddress {
  std::uint64_t value = 0;

  // "02:00:00:00:00:01"; nullopt for anything else.
  static std::optional<MacAddress> parse(const std::string& text);
  // Whether several nodes may have it, as those of broadcasts.
  bool is_group() const { return value >> 40 & 1; }
  auto operator<=>(const MacAddress&) const = default;
};

constexpr Bytes packet_header{12}, frame_header{14};

// The frame of a packet that the driver sends. Throws QueueError if it is shorter than its headers or longer
// than `max`, or if the header asks for what was not agreed on.
std::vector<std::byte> take_frame(BufferSequence& readable, Bytes max);
// Writes a packet for the driver, if it fits: returns the number of bytes.
std::uint32_t put_frame(BufferSequence& writable, std::span<const std::byte> frame);

// Of a frame with its whole header.
MacAddress destination_of(std::span<const std::byte> frame);
MacAddress source_of(std::span<const std::byte> frame);

// At which nodes addresses were seen, as a switch learns it. Begins anew if it has too many of them.
class LearnedAddresses {
 public:
  static constexpr std::size_t max_size = 1024;

  void learn(MacAddress address, std::uint32_t node);
  // nullopt if it is not known, or of a group.
  std::optional<std::uint32_t> node_of(MacAddress address) const;
  void clear() { nodes_.clear(); }

 private:
  std::map<MacAddress, std::uint32_t> nodes_;
};

}  // namespace asterism
