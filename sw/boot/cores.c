#include "boot/cores.h"

#include <stddef.h>

#include "boot/interrupts.h"
#include "drivers/cpu.h"
#include "drivers/device_tree.h"
#include "drivers/gic.h"
#include "drivers/psci.h"

enum { wake_interrupt = 0, spins_before_sleep = 50 };

extern void secondary_entry(void);

static struct {
  unsigned running;   // number of running cores, including core 0; 0 before cores_start
  uint32_t online;    // one bit for each secondary core that has reached its loop
  uint32_t sleepers;  // one bit for each core that may be in WFI and needs an interrupt
  uint32_t job;       // changes when a job begins
  CoresFunction function;
  void* argument;
  bool inside;          // core 0 runs the function
  uint32_t arrived;     // barrier: number of waiting cores
  uint32_t generation;  // barrier: changes when it opens
} state;

static struct {
  bool found, started;
  uint32_t first, count;  // from the device tree, which core 0 reads once
  uint32_t job;           // as above
  uint32_t left;          // number of cores that have not returned; changes when one does
  CoresFunction function;
  void* argument;
} auxiliary;

static void find_auxiliary(void) {
  if (auxiliary.found) return;
  auxiliary.first = MAX_CORES;
  auxiliary.count = device_tree_auxiliary_cores(&auxiliary.first);
  auxiliary.found = true;
}

// Sets this core's bit first and then tests the word; a core that changes the word does the reverse, so that
// one of them sees the other. Returns false if the word has changed.
static bool sleep_once(const uint32_t* word, uint32_t value, bool (*ready)(void)) {
  interrupts_mask();
  __atomic_fetch_or(&state.sleepers, 1u << cpu_index(), __ATOMIC_SEQ_CST);
  const bool same = __atomic_load_n(word, __ATOMIC_SEQ_CST) == value;
  if (same && (ready == NULL || !ready())) wait_for_interrupt();
  interrupts_unmask();
  return same;
}

static void wait_while_equal(const uint32_t* word, uint32_t value) {
  for (int i = 0; i < spins_before_sleep; ++i) {
    if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value) return;
    __asm__ volatile("yield");  // informs a simulator that nothing changes before another core has run
  }
  while (sleep_once(word, value, NULL)) {
  }
}

static void wake(void) {
  const uint32_t sleepers = __atomic_exchange_n(&state.sleepers, 0, __ATOMIC_SEQ_CST);
  if (sleepers != 0) gic_send(wake_interrupt, sleepers);
}

static void change_and_wake(uint32_t* word, uint32_t value) {
  __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
  wake();
}

static void woken(void) {}

void cores_signal(uint32_t* word) {
  __atomic_add_fetch(word, 1, __ATOMIC_SEQ_CST);
  wake();
}

void cores_wait_while(const uint32_t* word, uint32_t value) { wait_while_equal(word, value); }

void cores_doze(const uint32_t* word, uint32_t value, bool (*ready)(void)) { sleep_once(word, value, ready); }

void cores_barrier(void) {
  const uint32_t generation = __atomic_load_n(&state.generation, __ATOMIC_ACQUIRE);
  if (__atomic_add_fetch(&state.arrived, 1, __ATOMIC_ACQ_REL) == state.running) {
    state.arrived = 0;
    change_and_wake(&state.generation, generation + 1);
  } else {
    wait_while_equal(&state.generation, generation);
  }
}

static _Noreturn void auxiliary_loop(unsigned index, unsigned count) {
  uint32_t job = 0;
  for (;;) {
    wait_while_equal(&auxiliary.job, job);
    job = __atomic_load_n(&auxiliary.job, __ATOMIC_ACQUIRE);
    auxiliary.function(index, count, auxiliary.argument);
    __atomic_sub_fetch(&auxiliary.left, 1, __ATOMIC_SEQ_CST);
    wake();
  }
}

_Noreturn void secondary_main(uint64_t core) {
  gic_initialize_core();
  interrupts_unmask();
  if (core >= auxiliary.first) auxiliary_loop((unsigned)core - auxiliary.first, auxiliary.count);
  uint32_t job = __atomic_load_n(&state.job, __ATOMIC_ACQUIRE);
  __atomic_fetch_or(&state.online, 1u << core, __ATOMIC_RELEASE);
  for (;;) {
    wait_while_equal(&state.job, job);
    job = __atomic_load_n(&state.job, __ATOMIC_ACQUIRE);
    state.function((unsigned)core, state.running, state.argument);
    cores_barrier();
  }
}

// Starts a core by its release address if the device tree has one, else by PSCI. False: the core does not
// exist or cannot be started.
static bool turn_on(uint32_t core) {
  uint64_t release;
  if (!device_tree_release_address(core, &release))
    return psci_cpu_on(core, (uintptr_t)secondary_entry, core) == psci_success;
  *(volatile uint64_t*)(uintptr_t)release = (uintptr_t)secondary_entry;
  __asm__ volatile("dsb sy\n sev" ::: "memory");
  return true;
}

unsigned cores_start(unsigned at_most) {
  if (state.running != 0) return state.running;
  gic_enable(wake_interrupt, woken);
  interrupts_unmask();
  find_auxiliary();
  unsigned core = 1;
  for (; core < at_most && core < auxiliary.first; ++core) {
    if (!turn_on(core)) break;
    while ((__atomic_load_n(&state.online, __ATOMIC_ACQUIRE) & (1u << core)) == 0) {
    }
  }
  state.running = core;
  return core;
}

void cores_run(CoresFunction function, void* argument) {
  cores_start(1);  // if no other core was started, core 0 runs the function alone
  if (state.inside) {
    function(0, 1, argument);
    return;
  }
  state.inside = true;
  state.function = function;
  state.argument = argument;
  change_and_wake(&state.job, state.job + 1);
  function(0, state.running, argument);
  cores_barrier();
  state.inside = false;
}

unsigned cores_auxiliary(void) {
  find_auxiliary();
  return auxiliary.count;
}

void cores_run_auxiliary(CoresFunction function, void* argument) {
  cores_start(1);
  auxiliary.function = function;
  auxiliary.argument = argument;
  auxiliary.left = auxiliary.count;
  change_and_wake(&auxiliary.job, auxiliary.job + 1);
  for (uint32_t core = auxiliary.first; core < auxiliary.first + auxiliary.count && !auxiliary.started;
       ++core)
    turn_on(core);
  auxiliary.started = true;
}

void cores_join_auxiliary(void) {
  for (uint32_t left; (left = __atomic_load_n(&auxiliary.left, __ATOMIC_ACQUIRE)) != 0;)
    wait_while_equal(&auxiliary.left, left);
}
