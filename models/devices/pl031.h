// PL031 real-time clock (Arm DDI 0224C) as in QEMU's virt machine: seconds since 1970, and an interrupt when
// they reach the match register.
//
// Its time is simulated time after the configured start: the clock of a run does not depend on the host's.
// The counter steps at each whole second of simulated time. A write of MR or LR sets the alarm: the interrupt
// rises when the counter next equals MR, once, at exactly the tick. The clock always runs (CR reads 1).
//
// The counter is battery-backed: it continues through warm reset and loss of power, and restarts only on a
// cold reset. MR, IMSC and the interrupt return to zero on every kind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <systemc>

#include "base/reset.h"
#include "base/units.h"
#include "devices/pl031_config.h"
#include "tlm/alarm.h"
#include "tlm/device.h"
#include "tlm/register_socket.h"

namespace asterism {

class Fields;

struct Pl031Registers : RegisterBank {
  // clang-format off
  Register data{*this, 0x000, "DR", Access::read_only, varies, "Seconds since 1970; the initial value is the key start"};
  Register match{*this, 0x004, "MR", Access::read_write, 0, "Value of DR that raises the interrupt"};
  Register load{*this, 0x008, "LR", Access::read_write, 0, "A write sets DR; reads as the value last written"};
  Register control{*this, 0x00C, "CR", Access::read_write, 1, "Control", {{"start", 0, 1, "Reads as one: the clock always runs"}}};
  struct Mask : Register {
    using Register::Register;
    FieldOf<bool> match{*this, {"match", 0, 1, "DR has reached MR"}};
  } mask{*this, 0x010, "IMSC", Access::read_write, 0, "Interrupts that reach the line"};
  Register raw{*this, 0x014, "RIS", Access::read_only, 0, "Interrupts before the mask",
      {{"match", 0, 1, "DR has reached MR"}}};
  Register masked{*this, 0x018, "MIS", Access::read_only, 0, "Interrupts after the mask",
      {{"match", 0, 1, "DR has reached MR, and IMSC enables the interrupt"}}};
  Register clear{*this, 0x01C, "ICR", Access::write_only, 0, "Any write clears the interrupt",
      {{"match", 0, 1, "Any value clears it"}}};
  Register identity{*this, 0xFE0, "ID", Access::read_only, 0, "Peripheral id 0 to 3, then PrimeCell id 0 to 3: one byte each", {}, 8};
  // clang-format on
  Pl031Registers();
};

class Pl031 final : public sc_core::sc_module, public Device {
 public:
  using Config = Pl031Config;
  static DeviceShape shape(const Config& config, const NodeFacts&);
  static std::vector<RtlUse> rtl(const Config& config, const NodeView&);
  static std::vector<DeviceTreeNode> device_tree(const Config&, const DevicePlace& place);

  Pl031(const sc_core::sc_module_name& name, const RtcConfig& config);
  Pl031(const sc_core::sc_module_name& name, const Pl031Config& config, const DeviceContext&)
      : Pl031(name, config.clock) {}

  Pl031Registers registers;
  RegisterSocket target;
  sc_core::sc_out<bool> interrupt{"interrupt"};

  std::vector<tlm::tlm_target_socket<>*> targets() override { return {&target}; }
  std::vector<sc_core::sc_out<bool>*> interrupts() override { return {&interrupt}; }
  void reset(Reset kind) override;

 private:
  std::uint32_t count() const;
  void compare();  // call it after MR or the counter was written: match at once, or at a later tick
  void ring();
  void update();

  const std::uint32_t start_;
  std::uint32_t offset_;  // DR at time 0; the counter wraps after 32 bits
  bool raised_ = false;
  Alarm alarm_;
};

}  // namespace asterism
