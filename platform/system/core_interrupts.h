// Connects the cores of a node to its interrupt controller. Without one, interrupts reach no core.
#pragma once

#include <deque>
#include <optional>
#include <systemc>

#include "core/core_module.h"
#include "tlm/device_roles.h"

namespace asterism {

class CoreInterrupts final : private CpuInterface {
 public:
  // `controller` may be nullptr. With system registers, it is also the CPU interface of the cores.
  CoreInterrupts(InterruptController* controller, bool has_system_registers)
      : controller_(controller), has_system_registers_(has_system_registers) {}

  // During elaboration.
  void connect(CoreModule& core);

 private:
  using Wire = InterruptController::Wire;

  Wire& irq(unsigned core);
  Wire& private_line(unsigned core, unsigned id);
  Wire& unconnected();
  std::optional<std::uint64_t> read(unsigned core, SystemRegister which) override;
  bool write(unsigned core, SystemRegister which, std::uint64_t value) override;

  InterruptController* const controller_;
  const bool has_system_registers_;
  std::deque<Wire> unconnected_;
};

}  // namespace asterism
