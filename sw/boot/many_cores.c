#include "boot/many_cores.h"

#include <stddef.h>

#include "boot/interrupts.h"
#include "drivers/cpu.h"
#include "drivers/device_tree.h"
#include "drivers/gic.h"
#include "drivers/psci.h"

enum {
  wake_interrupt = 0,
  spins_before_sleep = 8,
  clusters_at_most = (MAX_CORES + CLUSTER_CORES - 1) / CLUSTER_CORES,
};

extern void secondary_entry(void);

typedef struct {
  OWN_LINE uint32_t value;
} Word;

static struct {
  unsigned running;  // number of running cores, including core 0; 0 before cores_start
  CoresFunction function;
  void* argument;
  Word online;                      // number of secondary cores that have reached their loop
  Word job;                         // changes when a job begins
  Word generation;                  // barrier: changes when it opens
  Word clusters;                    // barrier: number of groups whose cores all wait
  Word arrived[clusters_at_most];   // barrier: number of waiting cores in a group
  Word sleepers[clusters_at_most];  // one bit for each core that may be in WFI and needs an interrupt
} state;

// A core's place in the tree of cores_all_reduce: its children are 2 * core + 1 and 2 * core + 2.
static struct {
  OWN_LINE uint32_t up[2];  // for each child: changes when its partial sum is available
  uint64_t partial[2];
  OWN_LINE uint32_t down;  // changes when the total is available
  uint64_t sum;
} places[MAX_CORES];

static uint64_t release_addresses[MAX_CORES];  // from the spin table; 0: the core is not in it

static unsigned cluster_of(unsigned core) { return core / CLUSTER_CORES; }
static uint32_t bit_of(unsigned core) { return 1u << core % CLUSTER_CORES; }
static uint32_t affinity_of(unsigned core) { return cluster_of(core) << 8 | core % CLUSTER_CORES; }

// Sets this core's bit first and then tests the word; a core that changes the word does the reverse, so that
// one of them sees the other. Returns false if the word has changed.
static bool sleep_once(const uint32_t* word, uint32_t value, bool (*ready)(void)) {
  const unsigned core = cpu_index();
  interrupts_mask();
  __atomic_fetch_or(&state.sleepers[cluster_of(core)].value, bit_of(core), __ATOMIC_SEQ_CST);
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
  for (unsigned cluster = 0; cluster <= cluster_of(state.running - 1); ++cluster) {
    const uint32_t sleepers = __atomic_exchange_n(&state.sleepers[cluster].value, 0, __ATOMIC_SEQ_CST);
    if (sleepers != 0) gic_send_to_cluster(wake_interrupt, cluster, sleepers);
  }
}

void cores_wake_one(unsigned core) {
  const unsigned cluster = cluster_of(core);
  const uint32_t bit = bit_of(core);
  if ((__atomic_fetch_and(&state.sleepers[cluster].value, ~bit, __ATOMIC_SEQ_CST) & bit) != 0)
    gic_send_to_cluster(wake_interrupt, cluster, bit);
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

static unsigned cores_in(unsigned cluster) {
  const unsigned first = cluster * CLUSTER_CORES;
  return state.running - first < CLUSTER_CORES ? state.running - first : CLUSTER_CORES;
}

void cores_barrier(void) {
  const uint32_t generation = __atomic_load_n(&state.generation.value, __ATOMIC_ACQUIRE);
  const unsigned cluster = cluster_of(cpu_index());
  uint32_t* const arrived = &state.arrived[cluster].value;
  bool last = __atomic_add_fetch(arrived, 1, __ATOMIC_ACQ_REL) == cores_in(cluster);
  if (last) {
    *arrived = 0;  // no core arrives again before the barrier opens
    last =
        __atomic_add_fetch(&state.clusters.value, 1, __ATOMIC_ACQ_REL) == cluster_of(state.running - 1) + 1;
  }
  if (last) {
    state.clusters.value = 0;
    change_and_wake(&state.generation.value, generation + 1);
  } else {
    wait_while_equal(&state.generation.value, generation);
  }
}

// Increments the word, for whose next value one reader waits.
static void signal_reader(uint32_t* word, unsigned reader) {
  __atomic_store_n(word, *word + 1, __ATOMIC_SEQ_CST);
  cores_wake_one(reader);
}

uint64_t cores_all_reduce(unsigned core, unsigned cores, uint64_t value) {
  static OWN_LINE uint32_t rounds[MAX_CORES];  // of each core
  const uint32_t round = rounds[core]++;
  for (unsigned child = 0; child < 2 && 2 * core + 1 + child < cores; ++child) {
    wait_while_equal(&places[core].up[child], round);
    value += places[core].partial[child];
  }
  if (core != 0) {
    const unsigned parent = (core - 1) / 2, child = (core - 1) % 2;
    places[parent].partial[child] = value;
    signal_reader(&places[parent].up[child], parent);
    wait_while_equal(&places[core].down, round);
    value = places[core].sum;
  }
  for (unsigned child = 2 * core + 1; child <= 2 * core + 2 && child < cores; ++child) {
    places[child].sum = value;
    signal_reader(&places[child].down, child);
  }
  return value;
}

_Noreturn void secondary_main(uint64_t core) {
  gic_initialize_core();
  interrupts_unmask();
  uint32_t job = __atomic_load_n(&state.job.value, __ATOMIC_ACQUIRE);
  __atomic_fetch_add(&state.online.value, 1, __ATOMIC_RELEASE);
  for (;;) {
    wait_while_equal(&state.job.value, job);
    job = __atomic_load_n(&state.job.value, __ATOMIC_ACQUIRE);
    state.function((unsigned)core, state.running, state.argument);
    cores_barrier();
  }
}

static void note_release_address(uint32_t affinity, uint64_t address) {
  const unsigned core = (affinity >> 8) * CLUSTER_CORES + (affinity & 0xff);
  if (core < MAX_CORES) release_addresses[core] = address;
}

// Starts a core by its release address if the device tree has one, else by PSCI. False: the core does not
// exist or cannot be started.
static bool turn_on(unsigned core, bool has_spin_table) {
  if (!has_spin_table)
    return psci_cpu_on(affinity_of(core), (uintptr_t)secondary_entry, core) == psci_success;
  if (release_addresses[core] == 0) return false;
  *(volatile uint64_t*)(uintptr_t)release_addresses[core] = (uintptr_t)secondary_entry;
  __asm__ volatile("dsb sy\n sev" ::: "memory");
  return true;
}

// All cores are started before the first one is awaited.
unsigned cores_start(unsigned at_most) {
  if (state.running != 0) return state.running;
  gic_enable(wake_interrupt, woken);
  interrupts_unmask();
  uint64_t release;
  const bool has_spin_table = device_tree_release_address(affinity_of(1), &release);
  if (has_spin_table) device_tree_release_addresses(note_release_address);
  uint32_t set_aside = UINT32_MAX;  // an affinity
  device_tree_auxiliary_cores(&set_aside);
  unsigned core = 1;
  while (core < at_most && affinity_of(core) < set_aside && turn_on(core, has_spin_table)) ++core;
  while (__atomic_load_n(&state.online.value, __ATOMIC_ACQUIRE) != core - 1) __asm__ volatile("yield");
  state.running = core;
  return core;
}

void cores_run(CoresFunction function, void* argument) {
  static bool inside;  // core 0 runs the function
  cores_start(1);      // if no other core was started, core 0 runs the function alone
  if (inside) {
    function(0, 1, argument);
    return;
  }
  inside = true;
  state.function = function;
  state.argument = argument;
  change_and_wake(&state.job.value, state.job.value + 1);
  function(0, state.running, argument);
  cores_barrier();
  inside = false;
}

unsigned cores_auxiliary(void) { return 0; }
void cores_run_auxiliary(CoresFunction function, void* argument) {
  (void)function;
  (void)argument;
}
void cores_join_auxiliary(void) {}
