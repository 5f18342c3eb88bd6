// A virtio disk (Virtual I/O Device version 1.2, section 5.2) with one queue.
//
// It serves reads, writes, flushes and the request for its name, one after the other; others are answered as
// not supported. A read or a write takes `latency`, and the time of its data at `bandwidth`, besides the
// accesses to memory; a flush takes `latency`. With write_cache a write may be lost by a power failure until
// a flush has ended (virtio/disk_image.h).
//
// reset: power loss loses what is in the cache; every other kind keeps it.
#pragma once

#include <string>

#include "base/random.h"
#include "virtio/disk_image.h"
#include "virtio/virtio_device.h"

namespace asterism {

struct VirtioBlockConfig {
  std::string image = {};  // a file of the host; empty: a disk that is zero at first
  Bytes size = 0_B;        // 0: that of the file
  bool copy_on_write = true;
  bool read_only = false;
  bool write_cache = true;
  Picoseconds latency = 80_us;
  Bandwidth bandwidth = 500_MBps;
};
void describe(Fields& f, VirtioBlockConfig& c);

struct VirtioBlockRegisters : VirtioRegisters {
  // clang-format off
  Register capacity{*this, configuration_space, "CAPACITY", Access::read_only, varies, "The number of sectors of 512 bytes: the lower 32 bits, then the upper ones", {}, 2};
  Register segment_size{*this, configuration_space + 0x8, "SIZE_MAX", Access::read_only, 0, "Not used"};
  Register segments{*this, configuration_space + 0xC, "SEG_MAX", Access::read_only, SplitQueue::max_size - 2, "The buffers of data that a request may have"};
  Register geometry{*this, configuration_space + 0x10, "GEOMETRY", Access::read_only, 0, "Not used"};
  Register block_size{*this, configuration_space + 0x14, "BLK_SIZE", Access::read_only, 512, "The bytes of a sector"};
  // clang-format on
  VirtioBlockRegisters();
};

class VirtioBlock final : public VirtioDevice {
 public:
  using Config = VirtioBlockConfig;
  static DeviceShape shape(const Config& config, const NodeFacts&);
  static std::vector<DeviceTreeNode> device_tree(const Config&, const DevicePlace& place) {
    return VirtioDevice::device_tree(place);
  }

  // Throws DeviceError for an image that cannot be used.
  VirtioBlock(const sc_core::sc_module_name& name, const Config& config, const DeviceContext& context);

  void reset(Reset kind) override;
  void report(Statistics& statistics) const override;

 private:
  enum class Result : std::uint8_t { ok = 0, error = 1, unsupported = 2 };

  std::uint32_t serve(unsigned queue, BufferSequence& readable, BufferSequence& writable) override;
  Result obey(std::uint32_t request, std::uint64_t sector, BufferSequence& readable,
              BufferSequence& writable);
  Result transfer(bool is_write, std::uint64_t sector, BufferSequence& data);

  const Config config_;
  Random random_;
  DiskImage image_;
  std::uint64_t reads_ = 0, writes_ = 0, flushes_ = 0;
  Bytes read_, written_;
};

}  // namespace asterism
