// The power and fault controller of a node, a device of Asterism: software switches the power of its node
// with it (power_supply.h), injects faults into memory, and reports what it does. It runs on standby power.
//
// An operation that is written to CONTROL takes effect after the write has returned.
//
// Reset: RESTORE_DELAY, the FAULT and the CHECKPOINT registers return to their reset values on every kind;
// RESET_CAUSE and BOOT_COUNT survive warm and power_loss, and are reset by cold.
#pragma once

#include <cstdint>
#include <systemc>

#include "base/event_log.h"
#include "base/reset.h"
#include "base/statistics.h"
#include "devices/power_supply.h"
#include "tlm/device.h"
#include "tlm/register_socket.h"

namespace asterism {

struct PowerRegisters : RegisterBank {
  // clang-format off
  Register id{*this, 0x00, "ID", Access::read_only, 0x5046'5200, "\"PFR\" in ASCII, then revision 0: the device is a power and fault controller"};
  Register reset_cause{*this, 0x04, "RESET_CAUSE", Access::read_only, varies, "Why the node started last",
      {{"cause", 0, 2, "The kind of reset",
          {{"cold", 0, "the first start of the run"}, {"warm", 1, "memory kept its contents"}, {"power_loss", 2, "memory lost them"}}}}};
  Register boot_count{*this, 0x08, "BOOT_COUNT", Access::read_only, varies,
      "Number of starts since the cold one, including it"};
  struct Control : Register {
    using Register::Register;
    FieldOf<std::uint32_t> operation{*this, {"operation", 0, 2, "The operation, which starts when the write has returned",
        {{"power_off", 1, "the power is switched off for good and the run ends"},
         {"warm_reset", 2, "the node restarts and memory keeps its contents"},
         {"fail_power", 3, "the power fails, and returns after RESTORE_DELAY"}}}};
    FieldOf<std::uint32_t> reserved{*this, {"reserved", 2, 30, "", {}, Field::Kind::reserved}};
  } control{*this, 0x0C, "CONTROL", Access::write_only, 0, "Switches the node's power"};
  Register restore_delay{*this, 0x10, "RESTORE_DELAY", Access::read_write, 1000,
      "Microseconds until the power returns after fail_power"};
  Register fault_address_low{*this, 0x20, "FAULT_ADDRESS_LOW", Access::read_write, 0,
      "Physical address of a byte in the block of memory where the fault is injected, bits 31:0"};
  Register fault_address_high{*this, 0x24, "FAULT_ADDRESS_HIGH", Access::read_write, 0,
      "Physical address of a byte in the block of memory where the fault is injected, bits 63:32"};
  struct FaultPlace : Register {
    using Register::Register;
    FieldOf<std::uint32_t> chip{*this, {"chip", 0, 5, "Chip of the rank: 0 to 15 hold data, 16 and 17 parity; of DDR5 0 to 7, and 8 and 9"}};
    FieldOf<std::uint32_t> bit{*this, {"bit", 8, 6, "Bit of the chip's 32, or of 64 with ecc_rank_code, in the block: 4 * beat + pin"}};
  } fault_place{*this, 0x28, "FAULT_PLACE", Access::read_write, 0, "Place of the fault in the block"};
  struct FaultInject : Register {
    using Register::Register;
    FieldOf<std::uint32_t> kind{*this, {"kind", 0, 3, "What fails (docs/memory.md)",
        {{"bit", 1}, {"pin", 2}, {"column", 3}, {"word", 4}, {"chip", 5}, {"row", 6}}}};
    FieldOf<bool> stuck{*this, {"stuck", 8, 1, "The fault persists when the block is written again"}};
  } fault_inject{*this, 0x2C, "FAULT_INJECT", Access::write_only, 0, "Injects a fault into memory, at FAULT_ADDRESS and FAULT_PLACE"};
  struct FaultStatus : Register {
    using Register::Register;
    FieldOf<FaultOutcome> problem{*this, {"problem", 0, 2, "Why no fault was injected",
        {{"none", 0, "the fault was injected"}, {"no_memory", 1, "there is no memory at FAULT_ADDRESS"},
         {"no_such_place", 2, "there is no such chip, bit or kind"}}}};
  } fault_status{*this, 0x30, "FAULT_STATUS", Access::read_only, 0, "Result of the last injection"};
  struct Recovery : Register {
    using Register::Register;
    FieldOf<std::uint32_t> source{*this, {"source", 0, 3, "Where the checkpoint was stored",
        {{"dram", 1}, {"dimm_ssd", 2}, {"pcram", 3}, {"cluster", 4, "in other nodes of the cluster"},
         {"cxl", 5, "in the memory of a CXL expander"}, {"nvme", 6, "on an NVMe disk"}}}};
  } recovery{*this, 0x34, "RECOVERY", Access::write_only, 0, "Firmware reports that it resumes from a checkpoint"};
  Register checkpoint_version_low{*this, 0x38, "CHECKPOINT_VERSION_LOW", Access::read_write, 0,
      "Version of the checkpoint that CHECKPOINT_LOCATION reports, bits 31:0"};
  Register checkpoint_version_high{*this, 0x3C, "CHECKPOINT_VERSION_HIGH", Access::read_write, 0,
      "Version of the checkpoint that CHECKPOINT_LOCATION reports, bits 63:32"};
  struct CheckpointLocation : Register {
    using Register::Register;
    FieldOf<std::uint32_t> location{*this, {"location", 0, 2, "Where the checkpoint is stored",
        {{"dram", 1}, {"dimm_ssd", 2}, {"none", 3, "no checkpoint is taken"}}}};
    FieldOf<std::uint32_t> reason{*this, {"reason", 4, 3, "The reason for the decision",
        {{"first", 1}, {"allowed", 2}, {"lifetime", 3}, {"loss", 4}, {"size", 5}, {"forced", 6}}}};
  } checkpoint_location{*this, 0x40, "CHECKPOINT_LOCATION", Access::write_only, 0,
      "Firmware reports where it stores a checkpoint, and why (sw/checkpoint/location.h)"};
  struct RankRestored : Register {
    using Register::Register;
    FieldOf<std::uint32_t> rank{*this, {"rank", 0, 8, "The rank"}};
    FieldOf<std::uint32_t> source{*this, {"source", 8, 3, "What its state was made from",
        {{"own_copy", 1, "what the rank itself had left"},
         {"gpu_copy", 2, "a copy in the memory of the GPU in the field gpu"},
         {"parity", 3, "parity in the memories of the other GPUs, and their ranks' own copies"}}}};
    FieldOf<std::uint32_t> gpu{*this, {"gpu", 16, 8, "The GPU whose memory had the copy"}};
  } rank_restored{*this, 0x44, "RANK_RESTORED", Access::write_only, 0,
      "Firmware reports where the state of a rank of a parallel program came from"};
  // clang-format on
  PowerRegisters()
      : RegisterBank("POWER", 4_KiB,
                     "Power and fault controller: switches the node's power, injects faults into memory, and "
                     "records how firmware recovers. It runs on standby power, which is always on.") {}
};

struct PowerControllerConfig {};
void describe(Fields& f, PowerControllerConfig& c);

class PowerController final : public sc_core::sc_module, public Device, public PowerControl {
 public:
  using Config = PowerControllerConfig;
  static DeviceShape shape(const Config&, const NodeFacts&);
  static std::vector<DeviceTreeNode> device_tree(const Config&, const DevicePlace& place);

  PowerController(const sc_core::sc_module_name& name, EventLog& events);
  PowerController(const sc_core::sc_module_name& name, const Config&, const DeviceContext& context)
      : PowerController(name, context.events) {}

  PowerRegisters registers;
  RegisterSocket target;

  void control(PowerSupply& supply) override;
  std::uint64_t recoveries() const override { return recoveries_; }
  std::vector<tlm::tlm_target_socket<>*> targets() override { return {&target}; }
  void reset(Reset kind) override;
  void report(Statistics& statistics) const override;

 private:
  void request(std::uint32_t value);
  void inject_fault(std::uint32_t value);
  void recovered(std::uint32_t value);
  void located(std::uint32_t value);
  void rank_restored(std::uint32_t value);

  EventLog& events_;
  PowerSupply* supply_ = nullptr;
  std::uint64_t recoveries_ = 0;
};

}  // namespace asterism
