// Power and fault controller: why the node started, and its power. Found by the device tree; a machine
// without it (QEMU's virt) has no cause to tell.
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum { reset_cold = 0, reset_warm = 1, reset_power_loss = 2 } ResetCause;

bool power_probe(void);  // the others only after it has said true
ResetCause power_reset_cause(void);
const char* power_reset_cause_text(void);
uint32_t power_boot_count(void);        // as the device counts the starts of the node
void power_cut(uint32_t microseconds);  // DRAM loses its contents; power returns after this long. The core
                                        // runs on for what the device takes to act.
