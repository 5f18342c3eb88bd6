#include "platform/system/core_interrupts.h"

namespace asterism {
namespace {

constexpr unsigned performance_monitors = 23, virtual_timer = 27, physical_timer = 30;  // PPIs

}  // namespace

void CoreInterrupts::connect(CoreModule& core) {
  const unsigned index = core.index();
  core.irq.bind(irq(index));
  core.virtual_timer.bind(private_line(index, virtual_timer));
  core.physical_timer.bind(private_line(index, physical_timer));
  core.performance_monitors.bind(private_line(index, performance_monitors));
  if (controller_ && has_system_registers_) core.set_cpu_interface(this);
}

CoreInterrupts::Wire& CoreInterrupts::irq(unsigned core) {
  return controller_ ? controller_->irq(core) : unconnected();
}

CoreInterrupts::Wire& CoreInterrupts::private_line(unsigned core, unsigned id) {
  return controller_ ? controller_->private_line(core, id) : unconnected();
}

CoreInterrupts::Wire& CoreInterrupts::unconnected() {
  return unconnected_.emplace_back(sc_core::sc_gen_unique_name("unconnected"));
}

std::optional<std::uint64_t> CoreInterrupts::read(unsigned core, SystemRegister which) {
  return controller_->read_system_register(core, which.code());
}

bool CoreInterrupts::write(unsigned core, SystemRegister which, std::uint64_t value) {
  return controller_->write_system_register(core, which.code(), value);
}

}  // namespace asterism
