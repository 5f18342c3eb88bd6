// A device that exists in RTL alone: a block of the contract bus_device, whose block.json says which
// interrupt lines and bus master the device has, and what software sees of it (docs/devices.md).
//
//   "mine": { "type": "rtl", "base": "0x0b07_0000", "interrupt": [22, 23], "block": "mine/block.json",
//             "clock": "10MHz", "parameters": { "CountBits": 16 } }
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/fields.h"
#include "base/swap_config.h"
#include "platform/rtl/block_config.h"
#include "tlm/device.h"

namespace asterism {

struct BlockDeviceConfig {
  Impl impl = Impl::rtl;
  std::string block = {};
  Frequency clock = 10_MHz;
  std::map<std::string, std::uint32_t> parameters = {};
  SwapTrace trace = {};
};
void describe(Fields& f, BlockDeviceConfig& c);

// The type; the platform builds the device from its RtlUse.
struct BlockDevice {
  using Config = BlockDeviceConfig;
  using Parts = BlockConfig;  // the block.json
  // Throws InputMissing for a block.json that does not exist, and ConfigError for one that is wrong, of
  // another contract, or without one of the parameters.
  static BlockConfig load(const BlockDeviceConfig& config, DeviceFiles&);
  static DeviceShape shape(const BlockDeviceConfig&, const BlockConfig& block, const NodeFacts&);
  static std::vector<RtlUse> rtl(const BlockDeviceConfig& config, const NodeView&);
  static std::vector<DeviceTreeNode> device_tree(const BlockDeviceConfig& config, const BlockConfig& block,
                                                 const DevicePlace& place);
};

}  // namespace asterism
