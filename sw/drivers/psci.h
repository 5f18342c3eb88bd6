// Power State Coordination Interface 1.0 by HVC (Arm DEN0022): starts cores and turns the node off.
#pragma once

#include <stdint.h>

typedef enum {
  psci_success = 0,
  psci_not_supported = -1,
  psci_invalid_parameters = -2,  // no such core
  psci_denied = -3,
  psci_already_on = -4,
} PsciStatus;

PsciStatus psci_cpu_on(uint64_t mpidr, uint64_t entry,
                       uint64_t context);  // starts a core at `entry` with x0 = context
_Noreturn void psci_system_off(void);      // the run ends with status 0
