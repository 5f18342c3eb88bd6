#include "drivers/power.h"

#include "asterism/platform.h"
#include "boot/interrupts.h"
#include "drivers/device_tree.h"
#include "drivers/mmio.h"

static Device device;

bool power_probe(void) { return device_tree_find("asterism,power-controller", &device); }

ResetCause power_reset_cause(void) {
  const uint32_t value = mmio_read(device.base + POWER_RESET_CAUSE);
  return (ResetCause)((value & POWER_RESET_CAUSE_CAUSE_MASK) >> POWER_RESET_CAUSE_CAUSE_SHIFT);
}

const char* power_reset_cause_text(void) {
  switch (power_reset_cause()) {
    case reset_cold:
      return "cold";
    case reset_warm:
      return "warm";
    case reset_power_loss:
      return "power_loss";
  }
  return "unknown";
}

uint32_t power_boot_count(void) { return mmio_read(device.base + POWER_BOOT_COUNT); }

void power_cut(uint32_t microseconds) {
  mmio_write(device.base + POWER_RESTORE_DELAY, microseconds);
  data_synchronization_barrier();
  mmio_write(device.base + POWER_CONTROL, POWER_CONTROL_OPERATION_CUT_POWER << POWER_CONTROL_OPERATION_SHIFT);
}
