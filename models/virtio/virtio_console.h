// A virtio console (Virtual I/O Device version 1.2, section 5.3) with one port: a queue for receiving and one
// for sending.
//
// What the driver sends is on the line when the device has read it from memory. What comes from the host
// (tlm/host_line.h) is in memory as soon as the driver has a buffer for it; until then it waits on the line.
#pragma once

#include <cstdint>
#include <deque>

#include "tlm/host_line.h"
#include "virtio/virtio_device.h"

namespace asterism {

struct VirtioConsoleConfig {
  HostLineConfig line = {};
};
void describe(Fields& f, VirtioConsoleConfig& c);

struct VirtioConsoleRegisters : VirtioRegisters {
  // clang-format off
  Register size{*this, configuration_space, "SIZE", Access::read_only, 0, "Not used"};
  Register ports{*this, configuration_space + 0x4, "MAX_NR_PORTS", Access::read_only, 0, "Not used"};
  // clang-format on
  VirtioConsoleRegisters();
};

class VirtioConsole final : public VirtioDevice, public HostLine {
 public:
  using Config = VirtioConsoleConfig;
  static DeviceShape shape(const Config& config, const NodeFacts&);
  static std::vector<DeviceTreeNode> device_tree(const Config&, const DevicePlace& place) {
    return VirtioDevice::device_tree(place);
  }

  // Throws std::invalid_argument if the input file cannot be read.
  VirtioConsole(const sc_core::sc_module_name& name, const Config& config, const DeviceContext& context);

  void receive(std::string_view characters) override;
  void report(Statistics& statistics) const override;

 private:
  std::uint32_t serve(unsigned queue, BufferSequence& readable, BufferSequence& writable) override;
  bool is_due(unsigned queue) const override;

  std::deque<char> waiting_;  // on the line to the driver
  std::uint64_t received_ = 0, transmitted_ = 0;
};

}  // namespace asterism
