// A device with registers that RTL replaces, or that runs in lockstep with RTL: the common interface of both
// cases for the netlist of a node.
//
//   Pl031 rtc("rtc", config);
//   DeviceSwap swap("rtc", swap_settings(config.swap), block, 4_KiB, quantum, options,
//                   DeviceSwap::Model{rtc.registers, rtc.target});
//   fabric.add_target(swap.target(), range, "rtc");
//   rtc.interrupt.bind(gic.spi[2]);
//   swap.interrupt(gic.spi[2]);
//
// A device that exists in RTL alone, with two interrupt lines and a master port:
//
//   DeviceSwap dma("dma", config, block, 4_KiB, quantum, options, std::nullopt,
//                  {.interrupts = 2, .master = 1030});
//   for (unsigned line = 0; line < 2; ++line) dma.interrupt(line, gic.spi[22 + line]);
//   dma.master()->bind(fabric.master[5]);
//
// Construct it within the parent module. Impl::rtl needs no model; lockstep does not support a master port.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "base/swap_config.h"
#include "cosim/lockstep_device.h"
#include "cosim/rtl_device.h"

namespace asterism {

// What the device has beside its registers.
struct DeviceSwapPorts {
  unsigned interrupts = 1;              // lines
  std::optional<unsigned> master = {};  // the master id of its own accesses, if it makes any
};

class DeviceSwap {
 public:
  struct Model {
    const RegisterBank& registers;
    tlm::tlm_target_socket<>& target;
  };
  // `device` is the device's name within its parent, "rtc". Throws RtlError for a library that does not fit:
  // another contract, other parameters, another number of interrupt lines, or a master port where the device
  // has none, or none where it has one.
  DeviceSwap(const std::string& device, const SwapSettings& config, const DeviceLibrary& block, Bytes size,
             Picoseconds quantum, const RtlOptions& options, const std::optional<Model>& model,
             const DeviceSwapPorts& ports = {});

  tlm::tlm_target_socket<>& target();
  tlm::tlm_initiator_socket<>* master();  // nullptr without a master port
  void interrupt(unsigned line, sc_core::sc_signal_inout_if<bool>& wire);
  void interrupt(sc_core::sc_signal_inout_if<bool>& wire) { interrupt(0, wire); }

  // Called for the first differences, or for the failure of the RTL.
  std::function<void(const Lockstep::Mismatch&)> on_mismatch;

  void reset(Reset kind);
  void finish();  // call it at the end of a run
  const std::string& instance() const { return instance_; }
  // For the summary of a run: the number of accesses, and the coverage.
  std::vector<std::string> summary() const;
  std::uint64_t mismatches() const;
  std::optional<BlockCoverage> coverage() const;  // nullopt unless it is in lockstep
  void report(Statistics& statistics) const;

 private:
  std::string instance_;
  Impl impl_;
  std::optional<RtlDevice> rtl_;
  std::optional<LockstepDevice> lockstep_;
};

}  // namespace asterism
