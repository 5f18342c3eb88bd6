// The bytes of a GPU's memory, by channel and offset in it. What was never written to reads as 0 and takes no
// room in the simulator; contents may be left out altogether.
//
// reset: cold, power_loss (and the loss of the GPU) empty it; warm keeps it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/reset.h"
#include "base/units.h"
#include "gpu/address_swizzle.h"

namespace asterism {

enum class MemoryContents : bool { none, bytes };

class DeviceMemory {
 public:
  static constexpr Bytes page = 64_KiB;

  DeviceMemory(std::uint32_t channels, Bytes channel_size, MemoryContents contents);

  bool keeps_contents() const { return contents_ == MemoryContents::bytes; }
  // Within one channel. Without contents a read gives zeros.
  void read(ChannelAddress at, std::span<std::byte> data) const;
  void write(ChannelAddress at, std::span<const std::byte> data);
  Bytes touched() const;  // whole pages
  // Of what is not, all bytes are 0. Zeros that are written there leave it so.
  bool touched(ChannelAddress at, Bytes size) const;

  void reset(Reset kind);

 private:
  using Page = std::unique_ptr<std::byte[]>;

  MemoryContents contents_;
  std::uint64_t pages_per_channel_;
  std::vector<Page> pages_;
};

}  // namespace asterism
