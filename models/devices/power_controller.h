// The power and fault controller of the node: it makes the power failures of a scenario, and lets firmware
// switch its own power. It is a device of Asterism and is always on: it runs on standby power, outside of
// what it switches.
//
// platform/ implements the sequence that powers down and up (PowerSequence). Its functions run as a method
// process, at exactly the scheduled picosecond. A request of firmware by CONTROL, or of a core by request(),
// takes effect in the next delta cycle of the same instant, after the write has returned. The last request of
// an instant counts.
//
// Reset: RESTORE_DELAY, the FAULT and the CHECKPOINT registers return to their reset values on every kind;
// RESET_CAUSE, BOOT_COUNT and the schedule survive warm and power_loss, and are reset by cold.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <systemc>
#include <vector>

#include "base/event_log.h"
#include "base/reset.h"
#include "base/statistics.h"
#include "devices/power_schedule.h"
#include "tlm/alarm.h"
#include "tlm/device_tree.h"
#include "tlm/register_socket.h"

namespace asterism {

class PowerSequence {
 public:
  virtual ~PowerSequence() = default;
  virtual void power_lost() = 0;  // everything that is not on standby power loses its power at this instant
  virtual void power_restored() = 0;  // and restarts
  virtual void warm_reset() = 0;      // the node restarts, and memory keeps its contents
  virtual void power_off() = 0;       // for good: the run ends
};

enum class PowerOperation : std::uint32_t { power_off = 1, warm_reset = 2, fail_power = 3 };
enum class FaultOutcome : std::uint32_t { none, no_memory, no_such_place };

struct PowerRegisters : RegisterBank {
  // clang-format off
  Register id{*this, 0x00, "ID", Access::read_only, 0x5046'5200, "\"PFR\" in ASCII, then revision 0: the device is a power and fault controller"};
  Register reset_cause{*this, 0x04, "RESET_CAUSE", Access::read_only, 0, "Why the node started last",
      {{"cause", 0, 2, "The kind of reset",
          {{"cold", 0, "the first start of the run"}, {"warm", 1, "memory kept its contents"}, {"power_loss", 2, "memory lost them"}}}}};
  Register boot_count{*this, 0x08, "BOOT_COUNT", Access::read_only, 1,
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
    FieldOf<std::uint32_t> chip{*this, {"chip", 0, 5, "Chip of the rank: 0 to 15 hold data, 16 and 17 parity"}};
    FieldOf<std::uint32_t> bit{*this, {"bit", 8, 5, "Bit of the chip's 32 in the block: 4 * beat + pin"}};
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
        {{"dram", 1}, {"dimm_ssd", 2}, {"pcram", 3}, {"cluster", 4, "in other nodes of the cluster"}}}};
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
  // clang-format on
  PowerRegisters()
      : RegisterBank("POWER", 4_KiB,
                     "Power and fault controller: switches the node's power, injects faults into memory, and "
                     "records how firmware recovers. It runs on standby power, which is always on.") {}
};

// A memory fault that the guest requests.
struct FaultRequest {
  Address address;
  std::uint32_t kind, chip, bit;  // as in the registers
  bool stuck;
};

class PowerController : public sc_core::sc_module, private PowerSchedule::Sink {
 public:
  PowerController(const sc_core::sc_module_name& name, std::vector<PowerLoss> losses, PowerSequence& sequence,
                  EventLog& events);

  PowerRegisters registers;
  RegisterSocket target;

  // The same as a write of CONTROL; for PSCI SYSTEM_OFF and SYSTEM_RESET.
  void request(PowerOperation operation);
  bool on() const { return schedule_.on(); }
  // The number of recoveries that the firmware has reported.
  std::uint64_t recoveries() const { return recoveries_; }
  // Schedules one more power loss.
  void add(PowerLoss loss);
  // Injects a fault into the memory; connected by the netlist.
  std::function<FaultOutcome(const FaultRequest&)> inject = [](const FaultRequest&) {
    return FaultOutcome::no_memory;
  };

  void reset(Reset kind);
  void report(Statistics& statistics) const;
  static DeviceTreeNode device_tree(AddressRange range);

 private:
  enum Cause : std::uint32_t { cold, warm, power_loss };

  void inject_fault(std::uint32_t value);
  void recovered(std::uint32_t value);
  void located(std::uint32_t value);
  void ring(Picoseconds now);
  void execute(PowerOperation operation, Picoseconds now);
  void count_start(Cause cause);
  void rearm();
  void lost(Picoseconds at, Picoseconds restore_after) override;
  void restored(Picoseconds at) override;
  void ignored(Picoseconds at) override;

  PowerSchedule schedule_;
  PowerSequence& sequence_;
  EventLog& events_;
  Alarm alarm_;
  std::optional<PowerOperation> requested_;
  std::uint64_t losses_ = 0, ignored_ = 0, warm_resets_ = 0, recoveries_ = 0;
};

}  // namespace asterism
