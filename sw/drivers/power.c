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

void power_fail(uint32_t microseconds) {
  mmio_write(device.base + POWER_RESTORE_DELAY, microseconds);
  data_synchronization_barrier();
  mmio_write(device.base + POWER_CONTROL,
             POWER_CONTROL_OPERATION_FAIL_POWER << POWER_CONTROL_OPERATION_SHIFT);
}

_Noreturn void power_warm_reset(void) {
  data_synchronization_barrier();
  mmio_write(device.base + POWER_CONTROL,
             POWER_CONTROL_OPERATION_WARM_RESET << POWER_CONTROL_OPERATION_SHIFT);
  for (;;) wait_for_interrupt();
}

bool power_inject(MemoryFault fault) {
  const uint64_t address = (uintptr_t)fault.at;
  mmio_write(device.base + POWER_FAULT_ADDRESS_LOW, (uint32_t)address);
  mmio_write(device.base + POWER_FAULT_ADDRESS_HIGH, (uint32_t)(address >> 32));
  mmio_write(device.base + POWER_FAULT_PLACE,
             fault.chip << POWER_FAULT_PLACE_CHIP_SHIFT | fault.bit << POWER_FAULT_PLACE_BIT_SHIFT);
  data_synchronization_barrier();
  mmio_write(device.base + POWER_FAULT_INJECT, (uint32_t)fault.kind << POWER_FAULT_INJECT_KIND_SHIFT |
                                                   (fault.stuck ? POWER_FAULT_INJECT_STUCK_MASK : 0));
  const uint32_t status = mmio_read(device.base + POWER_FAULT_STATUS);
  return (status & POWER_FAULT_STATUS_PROBLEM_MASK) == POWER_FAULT_STATUS_PROBLEM_NONE
                                                           << POWER_FAULT_STATUS_PROBLEM_SHIFT;
}

void power_recovered(RecoverySource source) {
  mmio_write(device.base + POWER_RECOVERY, (uint32_t)source << POWER_RECOVERY_SOURCE_SHIFT);
}

void power_rank_restored(unsigned rank, RankSource source, unsigned gpu) {
  mmio_write(device.base + POWER_RANK_RESTORED, rank << POWER_RANK_RESTORED_RANK_SHIFT |
                                                    (uint32_t)source << POWER_RANK_RESTORED_SOURCE_SHIFT |
                                                    gpu << POWER_RANK_RESTORED_GPU_SHIFT);
}

void power_checkpoint_located(uint64_t version, CheckpointLocated where, unsigned reason) {
  mmio_write(device.base + POWER_CHECKPOINT_VERSION_LOW, (uint32_t)version);
  mmio_write(device.base + POWER_CHECKPOINT_VERSION_HIGH, (uint32_t)(version >> 32));
  mmio_write(device.base + POWER_CHECKPOINT_LOCATION,
             (uint32_t)where << POWER_CHECKPOINT_LOCATION_LOCATION_SHIFT |
                 reason << POWER_CHECKPOINT_LOCATION_REASON_SHIFT);
}
