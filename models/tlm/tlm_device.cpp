#include "tlm/tlm_device.h"

namespace asterism {

TlmDevice::TlmDevice(const sc_core::sc_module_name& name, const DeviceContext& context)
    : sc_module(name), masters_(context.masters) {}

void TlmDevice::reset(Reset kind) {
  for (const auto& reset : resets_) reset->start();
  on_reset(kind);
}

// The first start is not after a reset.
void TlmDevice::power_up() {
  for (const auto& reset : resets_) reset->start();
}

void TlmDevice::reset_input(sc_core::sc_in<bool>& port, Picoseconds time, bool level) {
  auto pulse = std::make_shared<Pulse>("reset", time, level);
  pulse->line.bind(bound_signal(port, !level));
  resets_.push_back(std::move(pulse));
}

}  // namespace asterism
