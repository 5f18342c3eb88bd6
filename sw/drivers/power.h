// Driver of the power and fault controller: the cause of the node's start, its power, injected faults of its
// memory. It is found by the device tree; QEMU's virt machine has none.
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum { reset_cold = 0, reset_warm = 1, reset_power_loss = 2 } ResetCause;

bool power_probe(void);  // call the other functions only after it has returned true
ResetCause power_reset_cause(void);
const char* power_reset_cause_text(void);
uint32_t power_boot_count(void);  // number of starts of the node
// Simulates a power failure: DRAM loses its contents, and power returns after this time. The core continues
// until the device acts.
void power_fail(uint32_t microseconds);
__attribute__((noreturn)) void power_warm_reset(void);  // restarts the node; memory keeps its contents

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
  unsigned chip;  // 0..15 data, 16 and 17 parity; with a code of a DDR5 rank 0..7, and 8 and 9
  unsigned bit;   // of the chip's 32 (of such a rank 64) in the block: 4 * beat + pin
  bool stuck;     // the fault remains when the block is written again
} MemoryFault;

bool power_inject(MemoryFault fault);  // false: there is no memory at this place

typedef enum {
  recovered_from_memory = 1,
  recovered_from_dimm_ssd = 2,
  recovered_from_pcram = 3,
  recovered_from_cluster = 4,  // from other nodes
  recovered_from_cxl = 5,
  recovered_from_nvme = 6,
} RecoverySource;
void power_recovered(RecoverySource source);  // reports that the app resumes from a checkpoint after an error

typedef enum { rank_from_own_copy = 1, rank_from_gpu_copy = 2, rank_from_parity = 3 } RankSource;
// Reports what the state of a rank was made from; `gpu` is the GPU that had the copy, otherwise 0.
void power_rank_restored(unsigned rank, RankSource source, unsigned gpu);

typedef enum { located_in_memory = 1, located_on_dimm_ssd = 2, located_nowhere = 3 } CheckpointLocated;
// Reports the location selected for a checkpoint, and the LocationReason (checkpoint/location.h).
void power_checkpoint_located(uint64_t version, CheckpointLocated where, unsigned reason);
