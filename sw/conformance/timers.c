// The virtual and the physical timer of a core: compare values and countdowns, status, mask, interrupts, the
// order of expiries. Prints no absolute times, so that the output is the same for simulated and real time.
// QEMU should be run with -icount, so that its time follows instructions.
//
//   conformance_timers
//
// Left out: CNT*_CTL.ISTATUS of a disabled timer, which the manual makes UNKNOWN; the event stream
// (CNTKCTL.EVNTEN).
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "boot/cores.h"
#include "boot/exit_status.h"
#include "boot/interrupts.h"
#include "conformance/yes_no.h"
#include "drivers/cpu.h"
#include "drivers/generic_timer.h"
#include "drivers/gic.h"

enum { virtual_interrupt = 27, physical_interrupt = 30, timers = 2 };
enum { enable = 1, mask = 2, status = 4 };

#define READ(name)                                                    \
  static uint64_t read_##name(void) {                                 \
    uint64_t value;                                                   \
    __asm__ volatile("isb\n mrs %0, " #name : "=r"(value)::"memory"); \
    return value;                                                     \
  }
#define WRITE(name)                                                      \
  static void write_##name(uint64_t value) {                             \
    __asm__ volatile("msr " #name ", %0\n isb" ::"r"(value) : "memory"); \
  }
// clang-format off
READ(cntvct_el0)
READ(cntpct_el0)
READ(cntv_ctl_el0) WRITE(cntv_ctl_el0)
READ(cntv_cval_el0) WRITE(cntv_cval_el0)
READ(cntv_tval_el0) WRITE(cntv_tval_el0)
READ(cntp_ctl_el0) WRITE(cntp_ctl_el0)
READ(cntp_cval_el0) WRITE(cntp_cval_el0)
READ(cntp_tval_el0) WRITE(cntp_tval_el0)
    // clang-format on

    typedef struct {
  const char* name;
  uint32_t interrupt;
  uint64_t (*count)(void);
  uint64_t (*control)(void);
  uint64_t (*compare)(void);
  uint64_t (*countdown)(void);
  void (*set_control)(uint64_t);
  void (*set_compare)(uint64_t);
  void (*set_countdown)(uint64_t);
} Timer;

static const Timer timer[timers] = {
    {"virtual", virtual_interrupt, read_cntvct_el0, read_cntv_ctl_el0, read_cntv_cval_el0, read_cntv_tval_el0,
     write_cntv_ctl_el0, write_cntv_cval_el0, write_cntv_tval_el0},
    {"physical", physical_interrupt, read_cntpct_el0, read_cntp_ctl_el0, read_cntp_cval_el0,
     read_cntp_tval_el0, write_cntp_ctl_el0, write_cntp_cval_el0, write_cntp_tval_el0},
};

enum { order_length = 16 };
static char order[order_length + 1];
static volatile unsigned fired;
static volatile bool stopped[timers];

// Records the timer's letter and disables the timer, which clears its level.
static void expired(unsigned which, char letter) {
  if (fired < order_length) order[fired] = letter;
  ++fired;
  timer[which].set_control(0);
  stopped[which] = true;
}
static void virtual_expired(void) { expired(0, 'v'); }
static void physical_expired(void) { expired(1, 'p'); }

static void begin(void) {
  interrupts_mask();
  fired = 0;
  for (unsigned i = 0; i <= order_length; ++i) order[i] = 0;
  for (unsigned i = 0; i < timers; ++i) {
    stopped[i] = false;
    timer[i].set_control(0);
  }
  interrupts_unmask();
}

static void await(unsigned number) {
  for (;;) {
    interrupts_mask();
    if (fired >= number) break;
    wait_for_interrupt();
    interrupts_unmask();
  }
  interrupts_unmask();
}

static void pass(uint64_t ticks) {
  for (const uint64_t start = read_cntpct_el0(); read_cntpct_el0() - start < ticks;) {
  }
}

static void counters(void) {
  printf("frequency: %llu Hz\n", (unsigned long long)generic_timer_frequency());
  uint64_t last = read_cntvct_el0();
  bool forwards = true;
  for (int i = 0; i < 1000; ++i) {
    const uint64_t now = i % 2 ? read_cntpct_el0() : read_cntvct_el0();
    forwards = forwards && now >= last;
    last = now;
  }
  yes_no("both counters are one and never go backwards", forwards);
  const uint64_t before = read_cntvct_el0();
  pass(1000);
  yes_no("it counts", read_cntvct_el0() - before >= 1000);
}

static void registers_of(const Timer* t) {
  printf("-- %s\n", t->name);
  begin();
  interrupts_mask();
  printf("control after 0: %u\n", (unsigned)t->control() & (enable | mask));
  t->set_compare(0x123456789abcdef0);
  printf("compare value: 0x%llx\n", (unsigned long long)t->compare());
  t->set_compare(~0ull);
  t->set_control(~0ull);
  printf("control after all ones, far away: %u\n", (unsigned)t->control());
  t->set_control(enable);
  printf("far away: %u\n", (unsigned)t->control());
  t->set_compare(0);
  printf("long ago: %u\n", (unsigned)t->control());
  t->set_control(enable | mask);
  printf("long ago, masked: %u\n", (unsigned)t->control());
  t->set_control(enable);

  uint64_t now = t->count();
  t->set_countdown(1000000);
  const uint64_t compare = t->compare();
  yes_no("a countdown is a compare value ahead of the counter",
         compare >= now + 1000000 && compare <= t->count() + 1000000);
  uint64_t left = t->countdown();
  yes_no("it counts down", left <= 1000000 && (pass(100), t->countdown() < left));
  t->set_compare(t->count() - 5000);
  yes_no("below 0 it is negative, in 32 bits", (int32_t)t->countdown() <= -5000 && t->countdown() >> 32 == 0);
  now = t->count();
  t->set_countdown(0xffffff00);
  yes_no("a negative countdown is a compare value behind it",
         t->compare() < t->count() && t->compare() >= now - 0x100);
  printf("at once: %u\n", (unsigned)t->control());
  now = t->count();
  t->set_countdown(0x7fffffff);
  yes_no("the largest countdown is ahead", t->compare() - now >= 0x7fffffff);
  t->set_countdown(0x1100000000ull + 2000000);
  yes_no("of a countdown 32 bits count", t->compare() - t->count() <= 2000000);
  t->set_compare(t->count() + 500);
  const bool early = (t->control() & status) != 0 && t->count() < t->compare();
  pass(1000);
  yes_no("no status before its time", !early);
  printf("status behind its time: %u\n", (unsigned)t->control());
  t->set_compare(t->count() + 10000000);
  printf("moved ahead again: %u\n", (unsigned)t->control());
  t->set_control(0);
  interrupts_unmask();
}

static void interrupts_of(unsigned which) {
  const Timer* const t = &timer[which];
  begin();
  const uint64_t due = t->count() + 20000;
  t->set_compare(due);
  t->set_control(enable);
  await(1);
  yes_no("not before its time", t->count() >= due);
  begin();
  t->set_compare(0);
  t->set_control(enable | mask);
  pass(5000);
  printf("masked: %u interrupts\n", fired);
  t->set_control(enable);
  await(1);
  pass(5000);
  printf("unmasked, then disabled by its handler: %u\n", fired);
  begin();
  interrupts_mask();
  t->set_compare(0);
  t->set_control(enable);
  pass(1000);
  t->set_control(0);
  pass(1000);
  interrupts_unmask();
  pass(1000);
  printf("gone before it was taken, as a level is: %u\n", fired);
  begin();
  interrupts_mask();
  t->set_compare(0);
  t->set_control(enable);
  wait_for_interrupt();
  printf("WFI continues for a pending one that is masked: %u\n", fired);
  interrupts_unmask();
  await(1);
  printf("and then it is taken: %u\n", fired);
  begin();
  interrupts_mask();
  t->set_compare(t->count() + 20000);
  t->set_control(enable);
  t->set_compare(~0ull);
  interrupts_unmask();
  pass(30000);
  printf("put off for ever: %u\n", fired);
  t->set_control(0);
}

// Each pair of countdowns with both timers, in ticks of 16 ns.
static void expire(uint64_t virtual_ticks, uint64_t physical_ticks, const char* name) {
  begin();
  interrupts_mask();
  const uint64_t now = read_cntpct_el0();
  timer[0].set_compare(now + virtual_ticks);
  timer[1].set_compare(now + physical_ticks);
  timer[0].set_control(enable);
  timer[1].set_control(enable);
  interrupts_unmask();
  await(2);
  printf("%s: %s\n", name, order);
}

static void both_late(void) {
  begin();
  interrupts_mask();
  timer[1].set_compare(0);
  timer[1].set_control(enable);
  timer[0].set_compare(0);
  timer[0].set_control(enable);
  pass(1000);
  interrupts_unmask();
  await(2);
  printf("both late, the physical one for longer: %s\n", order);
}

// Sets the virtual timer again from its handler, with the physical one in between.
static void again(void) {
  virtual_expired();
  if (fired < 6) {
    timer[0].set_countdown(100000);
    timer[0].set_control(enable);
  }
}

static void repeated(void) {
  begin();
  gic_enable(virtual_interrupt, again);
  interrupts_mask();
  const uint64_t now = read_cntpct_el0();
  timer[0].set_compare(now + 100000);
  timer[1].set_compare(now + 350000);
  timer[0].set_control(enable);
  timer[1].set_control(enable);
  interrupts_unmask();
  await(6);
  printf("every 100,000 ticks, the other one at 350,000: %s\n", order);
  gic_enable(virtual_interrupt, virtual_expired);
}

// Every core uses its own timers; the one with the smallest countdown expires first.
static struct {
  uint32_t next;
  unsigned core[MAX_CORES];
  volatile bool done[MAX_CORES];
} across;

static void expired_here(void) {
  const unsigned core = cpu_index();
  timer[0].set_control(0);
  across.core[__atomic_fetch_add(&across.next, 1, __ATOMIC_SEQ_CST)] = core;
  across.done[core] = true;
}

static void wait_here(unsigned core, unsigned cores, void* argument) {
  (void)argument;
  gic_enable(virtual_interrupt, expired_here);
  cores_barrier();
  interrupts_mask();
  timer[0].set_countdown(200000 * (cores - core));
  timer[0].set_control(enable);
  interrupts_unmask();
  sleep_until(&across.done[core]);
}

int main(void) {
  counters();
  gic_enable(virtual_interrupt, virtual_expired);
  gic_enable(physical_interrupt, physical_expired);
  for (unsigned i = 0; i < timers; ++i) {
    registers_of(&timer[i]);
    interrupts_of(i);
  }
  printf("-- order\n");
  expire(100000, 300000, "virtual first");
  expire(300000, 100000, "physical first");
  expire(200000, 200000, "at once: the lower interrupt number");
  both_late();
  repeated();
  const unsigned cores = cores_start(4);
  cores_run(wait_here, NULL);
  printf("of %u cores, the last one first:", cores);
  for (unsigned i = 0; i < cores; ++i) printf(" %u", across.core[i]);
  printf("\n");
  return exit_passed;
}
