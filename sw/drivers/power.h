// Power and fault controller: why the node started, its power, faults of its memory. Found by the device tree; a machine
// without it (QEMU's virt) has no cause to tell.
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum { reset_cold = 0, reset_warm = 1, reset_power_loss = 2 } ResetCause;

bool power_probe(void);  // the others only after it has said true
ResetCause power_reset_cause(void);
const char* power_reset_cause_text(void);
uint32_t power_boot_count(void);         // as the device counts the starts of the node
void power_fail(uint32_t microseconds);  // DRAM loses its contents; power returns after this long. The core
                                         // runs on for what the device takes to act.
__attribute__((noreturn)) void power_warm_reset(void);  // the node starts again, memory keeps its contents

typedef enum {
  memory_fault_bit = 1,
  memory_fault_pin = 2,
  memory_fault_column = 3,
  memory_fault_word = 4,
  memory_fault_chip = 5,
  memory_fault_row = 6,
} MemoryFaultKind;

typedef struct {
  MemoryFaultKind kind;
  const volatile void*
      at;         // in the block whose rank, bank, row and column are meant, as far as the kind has them
  unsigned chip;  // 0..15 data, 16 and 17 parity
  unsigned bit;   // of the chip's 32 in the block: 4 * beat + pin
  bool stuck;     // stays when the block is written again
} MemoryFault;

bool power_inject(MemoryFault fault);  // false: there is no such place

typedef enum {
  recovered_from_memory = 1,
  recovered_from_dimm_ssd = 2,
  recovered_from_pcram = 3,
  recovered_from_cluster = 4,  // from other nodes
} RecoverySource;
void power_recovered(RecoverySource source);  // the app goes on from a checkpoint after an error

typedef enum { located_in_memory = 1, located_on_dimm_ssd = 2, located_nowhere = 3 } CheckpointLocated;
// Where the checkpoint goes, and the LocationReason why (checkpoint/location.h).
void power_checkpoint_located(uint64_t version, CheckpointLocated where, unsigned reason);
