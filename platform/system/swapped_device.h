// A device whose model RTL replaces (Impl::rtl) or shadows (Impl::lockstep), or that exists in RTL alone, as
// a device and as a block of RTL. The block has the contract bus_device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cosim/device_swap.h"
#include "platform/system/rtl_blocks.h"
#include "tlm/device.h"

namespace asterism {

class SwappedDevice final : public Device {
 public:
  // `model` is nullptr if RTL replaces it, or if there is none. Throws RtlError for a library that does not
  // fit.
  SwappedDevice(const RtlUse& use, const DeviceShape& shape, const DeviceContext& context,
                const DeviceLibrary& library, std::unique_ptr<Device> model);

  std::vector<tlm::tlm_target_socket<>*> targets() override { return {&swap_.target()}; }
  std::vector<tlm::tlm_initiator_socket<>*> initiators() override;
  void connect_interrupt(std::size_t line, sc_core::sc_signal_inout_if<bool>& wire) override;
  void connect(const DevicePeers& peers) override;
  ResetPhase phase() const override { return phase_; }
  void reset(Reset kind) override;
  void power_up() override;
  void report(Statistics& statistics) const override;

  // This device as a block; it must be called once.
  std::unique_ptr<RtlBlock> block();

 protected:
  Device* implementation() override { return model_.get(); }

 private:
  class Block;
  std::unique_ptr<Device> model_;
  const ResetPhase phase_;
  DeviceSwap swap_;
};

}  // namespace asterism
