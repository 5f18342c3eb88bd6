// A virtio source of random numbers (Virtual I/O Device version 1.2, section 5.4): fills the buffers of its
// queue. The numbers follow from the seed of the run, so that a run is repeatable; they are no secret.
#pragma once

#include "base/random.h"
#include "virtio/virtio_device.h"

namespace asterism {

struct VirtioRandomConfig {
  Bandwidth bandwidth = 10_MBps;
};
void describe(Fields& f, VirtioRandomConfig& c);

struct VirtioRandomRegisters : VirtioRegisters {
  VirtioRandomRegisters();
};

class VirtioRandom final : public VirtioDevice {
 public:
  using Config = VirtioRandomConfig;
  static DeviceShape shape(const Config&, const NodeFacts&);
  static std::vector<DeviceTreeNode> device_tree(const Config&, const DevicePlace& place) {
    return VirtioDevice::device_tree(place);
  }

  VirtioRandom(const sc_core::sc_module_name& name, const Config& config, const DeviceContext& context);

 private:
  std::uint32_t serve(unsigned queue, BufferSequence& readable, BufferSequence& writable) override;

  const Config config_;
  Random random_;
};

}  // namespace asterism
