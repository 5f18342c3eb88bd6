// The bytes of a GPU's memory, by channel and offset in it. Memory that was never written reads as 0 and
// takes no space in the simulator; contents may be omitted altogether.
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
  // Access within one channel. Without contents a read returns zeros.
  void read(ChannelAddress at, std::span<std::byte> data) const;
  void write(ChannelAddress at, std::span<const std::byte> data);
  Bytes touched() const;  // whole pages
  // Whether any of the bytes was written. If not, all of them are 0, and writing zeros does not change this.
  bool touched(ChannelAddress at, Bytes size) const;

  void reset(Reset kind);

 private:
  using Page = std::unique_ptr<std::byte[]>;

  MemoryContents contents_;
  std::uint64_t pages_per_channel_;
  std::vector<Page> pages_;
};

}  // namespace asterism
