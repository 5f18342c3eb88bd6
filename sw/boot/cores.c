#include "boot/cores.h"

#include <stdbool.h>
#include <stddef.h>

#include "boot/interrupts.h"
#include "drivers/cpu.h"
#include "drivers/gicv2.h"
#include "drivers/psci.h"

enum { wake_interrupt = 0, spins_before_sleep = 50 };

extern void secondary_entry(void);

static struct {
  unsigned running;   // cores started, core 0 among them; 0 before cores_start
  uint32_t online;    // one bit a secondary that has reached its loop
  uint32_t sleepers;  // one bit a core that may be in WFI and needs an interrupt
  uint32_t job;       // changes when a job begins
  CoresFunction function;
  void* argument;
  uint32_t arrived;     // barrier: cores that wait
  uint32_t generation;  // barrier: changes when it opens
} state;

static void wait_while_equal(const uint32_t* word, uint32_t value) {
  for (int i = 0; i < spins_before_sleep; ++i) {
    if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value) return;
    __asm__ volatile("yield");  // tells a simulator that nothing changes before another core has run
  }
  const uint32_t self = 1u << cpu_index();
  for (;;) {
    interrupts_mask();
    // First the own bit, then the look: whoever changes the word does it the other way round, so one sees the
    // other.
    __atomic_fetch_or(&state.sleepers, self, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != value) break;
    wait_for_interrupt();
    interrupts_unmask();
  }
  interrupts_unmask();
}

static void change_and_wake(uint32_t* word, uint32_t value) {
  __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
  const uint32_t sleepers = __atomic_exchange_n(&state.sleepers, 0, __ATOMIC_SEQ_CST);
  if (sleepers != 0) gic_send(wake_interrupt, sleepers);
}

static void woken(void) {}

void cores_barrier(void) {
  const uint32_t generation = __atomic_load_n(&state.generation, __ATOMIC_ACQUIRE);
  if (__atomic_add_fetch(&state.arrived, 1, __ATOMIC_ACQ_REL) == state.running) {
    state.arrived = 0;
    change_and_wake(&state.generation, generation + 1);
  } else {
    wait_while_equal(&state.generation, generation);
  }
}

_Noreturn void secondary_main(uint64_t core) {
  gic_initialize_core();
  interrupts_unmask();
  uint32_t job = __atomic_load_n(&state.job, __ATOMIC_ACQUIRE);
  __atomic_fetch_or(&state.online, 1u << core, __ATOMIC_RELEASE);
  for (;;) {
    wait_while_equal(&state.job, job);
    job = __atomic_load_n(&state.job, __ATOMIC_ACQUIRE);
    state.function((unsigned)core, state.running, state.argument);
    cores_barrier();
  }
}

unsigned cores_start(unsigned at_most) {
  if (state.running != 0) return state.running;
  gic_enable(wake_interrupt, woken);
  interrupts_unmask();
  unsigned core = 1;
  for (; core < at_most && core < MAX_CORES; ++core) {
    const PsciStatus status = psci_cpu_on(core, (uintptr_t)secondary_entry, core);
    if (status != psci_success) break;
    while ((__atomic_load_n(&state.online, __ATOMIC_ACQUIRE) & (1u << core)) == 0) {
    }
  }
  state.running = core;
  return core;
}

void cores_run(CoresFunction function, void* argument) {
  cores_start(1);  // in case nobody has: then core 0 is alone
  state.function = function;
  state.argument = argument;
  change_and_wake(&state.job, state.job + 1);
  function(0, state.running, argument);
  cores_barrier();
}
