// Cores that wait in a spin table: each is released by its own address, in any order, starts with x0 to x3 =
// 0 at EL1 with exceptions masked, and is controlled by PSCI from then on. Exit status: 0, else 1; 3 if the
// device tree has no spin table.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "boot/exit_status.h"
#include "boot/layout.h"
#include "drivers/device_tree.h"
#include "drivers/psci.h"

typedef struct {
  uint64_t x[4], level, masks, core, arrived;
} Arrival;

Arrival arrivals[MAX_CORES];  // of each core, which finds its own by MPIDR_EL1

// Records the state with which the core has started, then turns the core off by PSCI CPU_OFF.
extern void arrive(void);
__asm__(
    "  .section .text.arrive, \"ax\"\n"
    "  .global arrive\n"
    "arrive:\n"
    "  mrs x9, mpidr_el1\n"
    "  and x9, x9, #0xff\n"
    "  ldr x10, =arrivals\n"
    "  add x10, x10, x9, lsl #6\n"
    "  stp x0, x1, [x10]\n"
    "  stp x2, x3, [x10, #16]\n"
    "  mrs x11, CurrentEL\n"
    "  mrs x12, daif\n"
    "  stp x11, x12, [x10, #32]\n"
    "  str x9, [x10, #48]\n"
    "  ldr x11, [x10, #56]\n"
    "  add x11, x11, #1\n"
    "  add x12, x10, #56\n"
    "  stlr x11, [x12]\n"
    "  ldr w0, =0x84000002\n"
    "  hvc #0\n"
    "  b .\n"
    "  .ltorg\n"
    "  .text\n");
_Static_assert(sizeof(Arrival) == 64, "a shift by 6 above");

static void wait_for(const Arrival* arrival, uint64_t times) {
  while (__atomic_load_n(&arrival->arrived, __ATOMIC_ACQUIRE) < times) __asm__ volatile("yield");
}

static bool check(const char* what, bool is_so) {
  printf("spin_table: %s: %s\n", what, is_so ? "yes" : "NO");
  return is_so;
}

static bool came_well(uint32_t core) {
  const Arrival* const a = &arrivals[core];
  return (a->x[0] | a->x[1] | a->x[2] | a->x[3]) == 0 && a->level == 1 << 2 && a->masks == 0x3c0 &&
         a->core == core;
}

int main(void) {
  uint64_t release[MAX_CORES];
  uint32_t cores = 0;
  while (cores < MAX_CORES && device_tree_release_address(cores, &release[cores])) ++cores;
  if (cores < 2) {
    printf("spin_table: the device tree has none for two cores\n");
    return exit_unavailable;
  }
  printf("spin_table: %u cores\n", (unsigned)cores);
  bool right = true, zero = true;
  for (uint32_t core = 0; core < cores; ++core)
    zero = zero && *(volatile uint64_t*)(uintptr_t)release[core] == 0;
  right = check("all release addresses are 0", zero) && right;
  right =
      check("PSCI says that they are on", psci_cpu_on(1, (uintptr_t)arrive, 0) == psci_already_on) && right;
  for (uint32_t core = cores - 1; core > 0; --core) {
    for (uint32_t other = 1; other < core; ++other) right = right && arrivals[other].arrived == 0;
    *(volatile uint64_t*)(uintptr_t)release[core] = (uintptr_t)arrive;
    __asm__ volatile("dsb sy\n sev" ::: "memory");
    wait_for(&arrivals[core], 1);
    printf("spin_table: core %u, ", (unsigned)core);
    right = check("as the protocol has it, and no other", came_well(core)) && right;
  }
  PsciStatus status;
  while ((status = psci_cpu_on(1, (uintptr_t)arrive, 0)) == psci_already_on)
    __asm__ volatile("yield");  // until it is off
  if (status == psci_success) wait_for(&arrivals[1], 2);
  right = check("off, and started by PSCI", status == psci_success) && right;
  return right ? exit_passed : exit_failed;
}
