// Time between the cores of a node: a core that follows a message reads a counter that is not earlier than
// the message, and no core receives a message before the work that it reports can be done.
//
//   causality [rounds=100 cores=`all`]
//
// A token goes round the cores, by every way to pass a flag: release and acquire, barriers, exclusives, LSE
// atomics, and plain accesses, which are not messages by Arm's memory model (DDI 0487, B2.3) but may be
// visible. In every other round the sender stamps the token with CNTVCT: a receiver that reads less is early.
// In the other rounds the sender reads CNTVCT, works for a while and then sends: a receiver that reads less
// than this time plus the work is hasty. With plain accesses such cases are counted but are no errors. Then
// all cores work one after another under a lock: together they must take at least as long as the work of all.
// Finally they spin on a lock of exclusives that each takes again at once: none may starve.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "boot/arguments.h"
#include "boot/cores.h"
#include "boot/exit_status.h"
#include "drivers/generic_timer.h"

typedef struct {
  uint64_t value;
  uint64_t rest_of_line[7];
} __attribute__((aligned(64))) Line;

typedef struct {
  const char* name;
  void (*send)(uint64_t* flag, uint64_t value);
  uint64_t (*receive)(uint64_t* flag);
  bool is_message, needs_lse;
} Way;

static void send_release(uint64_t* flag, uint64_t value) {
  __asm__ volatile("stlr %1, [%0]" ::"r"(flag), "r"(value) : "memory");
}
static uint64_t receive_acquire(uint64_t* flag) {
  uint64_t value;
  __asm__ volatile("ldar %0, [%1]" : "=r"(value) : "r"(flag) : "memory");
  return value;
}

static void send_barrier(uint64_t* flag, uint64_t value) {
  __asm__ volatile("dmb ish\n str %1, [%0]" ::"r"(flag), "r"(value) : "memory");
}
static void send_store_barrier(uint64_t* flag, uint64_t value) {
  __asm__ volatile("dmb ishst\n str %1, [%0]" ::"r"(flag), "r"(value) : "memory");
}
static uint64_t receive_barrier(uint64_t* flag) {
  uint64_t value;
  __asm__ volatile("ldr %0, [%1]\n dmb ishld" : "=r"(value) : "r"(flag) : "memory");
  return value;
}

static void send_exclusive(uint64_t* flag, uint64_t value) {
  uint64_t before;
  uint32_t failed;
  do
    __asm__ volatile("ldxr %0, [%2]\n stlxr %w1, %3, [%2]"
                     : "=&r"(before), "=&r"(failed)
                     : "r"(flag), "r"(value)
                     : "memory");
  while (failed);
}
static uint64_t receive_exclusive(uint64_t* flag) {
  uint64_t value;
  __asm__ volatile("ldaxr %0, [%1]\n clrex" : "=r"(value) : "r"(flag) : "memory");
  return value;
}

static void send_swap(uint64_t* flag, uint64_t value) {
  __asm__ volatile(".arch_extension lse\n swpl %1, xzr, [%0]" ::"r"(flag), "r"(value) : "memory");
}
static uint64_t receive_add(uint64_t* flag) {
  uint64_t value;
  __asm__ volatile(".arch_extension lse\n ldadda xzr, %0, [%1]" : "=r"(value) : "r"(flag) : "memory");
  return value;
}
static void send_compare_and_swap(uint64_t* flag, uint64_t value) {
  uint64_t before = value - 1;  // rounds count up
  __asm__ volatile(".arch_extension lse\n casl %0, %2, [%1]"
                   : "+r"(before)
                   : "r"(flag), "r"(value)
                   : "memory");
}
static uint64_t receive_compare_and_swap(uint64_t* flag) {
  uint64_t value = 0;
  __asm__ volatile(".arch_extension lse\n casa %0, xzr, [%1]" : "+r"(value) : "r"(flag) : "memory");
  return value;
}

static void send_plain(uint64_t* flag, uint64_t value) {
  __asm__ volatile("str %1, [%0]" ::"r"(flag), "r"(value) : "memory");
}
static uint64_t receive_plain(uint64_t* flag) {
  uint64_t value;
  __asm__ volatile("ldr %0, [%1]" : "=r"(value) : "r"(flag) : "memory");
  return value;
}

static const Way ways[] = {
    {"stlr, ldar", send_release, receive_acquire, true, false},
    {"dmb ish, dmb ishld", send_barrier, receive_barrier, true, false},
    {"dmb ishst, dmb ishld", send_store_barrier, receive_barrier, true, false},
    {"ldxr and stlxr, ldaxr", send_exclusive, receive_exclusive, true, false},
    {"swpl, ldadda", send_swap, receive_add, true, true},
    {"casl, casa", send_compare_and_swap, receive_compare_and_swap, true, true},
    {"str, ldr", send_plain, receive_plain, false, false},
};

enum { calibrated_iterations = 1 << 16, shortest_work = 100, longest_work = 2000, work_under_lock = 150 };

static struct {
  Line flags[MAX_CORES];
  Line token;  // a stamp: the time of sending, or the time before the work
  Line work;   // work done in between, in loop iterations
  Line lock;   // 0: open
  const Way* way;
  uint64_t rounds;
  unsigned cores;
  uint64_t calibrated;           // ticks that calibrated_iterations take
  uint32_t early, hasty, timed;  // counted by the core that has the token
} shared;

static void work(uint64_t iterations) {
  for (uint64_t i = iterations; i > 0; --i) __asm__ volatile("");
}
// The least increase of the counter in this time.
static uint64_t ticks_of(uint64_t iterations) {
  return iterations * shared.calibrated / calibrated_iterations - 1;
}

static void check_token(void) {
  const uint64_t now = generic_timer_now();
  if (now < shared.token.value) ++shared.early;
  if (shared.work.value == 0) return;
  ++shared.timed;
  if (now < shared.token.value + ticks_of(shared.work.value)) ++shared.hasty;
}

static void pass_on(unsigned core, uint64_t round, uint64_t iterations) {
  shared.token.value = generic_timer_now();
  shared.work.value = round % 2 == 0 ? iterations : 0;
  if (round % 2 == 0)
    work(iterations);
  else
    shared.token.value = generic_timer_now();
  shared.way->send(&shared.flags[(core + 1) % shared.cores].value, round);
}

static void relay(unsigned core, unsigned cores, void* argument) {
  (void)cores, (void)argument;
  uint32_t random = 12345 + 7919 * core;
  for (uint64_t round = 1; round <= shared.rounds; ++round) {
    random = random * 1664525 + 1013904223;
    const uint64_t iterations = shortest_work + (random >> 8) % (longest_work - shortest_work);
    if (core == 0) pass_on(core, round, iterations);
    while (shared.way->receive(&shared.flags[core].value) != round) {
    }
    check_token();
    if (core != 0) pass_on(core, round, iterations);
  }
}

static void work_under_one_lock(unsigned core, unsigned cores, void* argument) {
  (void)core, (void)cores, (void)argument;
  for (uint64_t round = 0; round < shared.rounds; ++round) {
    while (__atomic_exchange_n(&shared.lock.value, 1, __ATOMIC_ACQUIRE) != 0) {
    }
    work(work_under_lock);
    __atomic_store_n(&shared.lock.value, 0, __ATOMIC_RELEASE);
    work(work_under_lock / 2);
  }
}

static void take(volatile uint64_t* lock) {
  uint64_t held;
  uint32_t failed;
  __asm__ volatile(
      "1: ldaxr %0, %2\n"
      "cbnz %0, 1b\n"
      "stxr %w1, %3, %2\n"
      "cbnz %w1, 1b"
      : "=&r"(held), "=&r"(failed), "+Q"(*lock)
      : "r"((uint64_t)1)
      : "memory");
}

// Runs until one core has taken the lock often enough. Each core takes the lock again at once.
static void spin_on_lock(unsigned core, unsigned cores, void* argument) {
  (void)cores, (void)argument;
  volatile uint64_t* const acquisitions = &shared.flags[core].value;
  while (*acquisitions < shared.rounds * 20 && shared.token.value == 0) {
    take(&shared.lock.value);
    ++*acquisitions;
    work(work_under_lock / 8);
    __atomic_store_n(&shared.lock.value, 0, __ATOMIC_RELEASE);
  }
  shared.token.value = 1;
}

// True: no core has taken the lock less than an eighth as often as another.
static bool try_spinning(void) {
  for (unsigned core = 0; core < shared.cores; ++core) shared.flags[core].value = 0;
  shared.token.value = 0;
  cores_run(spin_on_lock, NULL);
  uint64_t least = shared.flags[0].value, most = least;
  for (unsigned core = 1; core < shared.cores; ++core) {
    const uint64_t acquisitions = shared.flags[core].value;
    if (acquisitions < least) least = acquisitions;
    if (acquisitions > most) most = acquisitions;
  }
  const bool is_fair = least * 8 >= most;
  printf("%-22s %s\n", "ldaxr, stxr lock", is_fair ? "no core starves" : "a core starves");
  return is_fair;
}

static bool has_lse(void) {
  uint64_t features;
  __asm__("mrs %0, id_aa64isar0_el1" : "=r"(features));
  return (features >> 20 & 0xf) >= 2;
}

// True: this way of passing messages meets the conditions.
static bool try_way(const Way* way) {
  for (unsigned core = 0; core < shared.cores; ++core) shared.flags[core].value = 0;
  shared.way = way;
  shared.early = shared.hasty = shared.timed = 0;
  cores_run(relay, NULL);
  const unsigned messages = (unsigned)shared.rounds * shared.cores;
  printf("%-22s %u messages, %u early; %u of %u hasty\n", way->name, messages, shared.early, shared.hasty,
         shared.timed);
  return shared.early == 0 && (shared.hasty == 0 || !way->is_message);
}

static bool try_lock(void) {
  const uint64_t began = generic_timer_now();
  cores_run(work_under_one_lock, NULL);
  const uint64_t took = generic_timer_now() - began;
  const uint64_t least = shared.rounds * shared.cores * ticks_of(work_under_lock);
  printf("%-22s %s\n", "lock", took < least ? "work of several cores at once" : "work of one core at a time");
  return took >= least;
}

int main(int argc, char** argv) {
  shared.rounds = 100;
  uint64_t cores = MAX_CORES;
  const Argument table[] = {{"rounds", argument_number, &shared.rounds, 2, 1000000, "rounds of the token"},
                            {"cores", argument_number, &cores, 2, MAX_CORES, "cores that take part"}};
  if (!arguments_read(argc, argv, table, sizeof table / sizeof *table)) return exit_usage;
  uint64_t began = generic_timer_now();
  work(calibrated_iterations);
  shared.calibrated = generic_timer_now() - began;
  shared.cores = cores_start((unsigned)cores);
  if (shared.cores < 2) {
    printf("causality: needs two cores\n");
    return exit_unavailable;
  }
  const bool lse = has_lse();
  bool holds = true;
  for (unsigned i = 0; i < sizeof ways / sizeof *ways; ++i)
    if (lse || !ways[i].needs_lse) holds = try_way(&ways[i]) && holds;
  holds = try_lock() && holds;
  holds = try_spinning() && holds;
  printf("causality: %u cores, %s\n", shared.cores, holds ? "holds" : "does not hold");
  return holds ? exit_passed : exit_failed;
}
