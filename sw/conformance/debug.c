// Self-hosted debug: breakpoints, watchpoints and software step that a program sets for itself (DDI 0487,
// D2). Prints a line for each case with its first exception; "SVC" is the end of a case whose breakpoint or
// watchpoint did not hit.
//
// Left out, since QEMU 7.2 and the manual differ, or since the manual leaves the choice:
// - fields of the control registers that are RES0: QEMU keeps the values that are written;
// - FAR_EL1 if the access begins below the watched bytes: the manual allows any address from there up to
// these
//   bytes;
// - the OS lock: QEMU tests OSLSR_EL1.OSLM instead of OSLK, so that debug exceptions are taken while it is
//   locked;
// - breakpoints on a context alone (DBGBCR.BT=2): QEMU never takes them.
#include <stdint.h>
#include <stdio.h>

#include "boot/exit_status.h"
#include "boot/interrupts.h"
#include "conformance/trap.h"

typedef unsigned long long Printable;
typedef void (*Code)(uint64_t);

enum {
  third_word = 8,
  mdscr_step = 1 << 0,
  mdscr_kernel = 1 << 13,
  mdscr_monitor = 1 << 15,
  both = mdscr_kernel | mdscr_monitor,
  spsr_step = 1 << 21,
  spsr_mask = 1 << 9,
};

// Fields of DBGBCR and DBGWCR.
enum {
  enabled = 1,
  at_el1 = 1 << 1,
  at_el0 = 2 << 1,
  anywhere = at_el1 | at_el0,
  loads = 1 << 3,
  stores = 2 << 3,
  either = loads | stores,
  linked = 1 << 20,
};
#define BYTES(mask) ((uint64_t)(mask) << 5)
#define LINK(to) ((uint64_t)(to) << 16)
#define MASK(bits) ((uint64_t)(bits) << 24)
#define BREAKPOINT (enabled | anywhere | BYTES(0xf))
#define WATCHPOINT(kinds, bytes) (enabled | anywhere | (kinds) | BYTES(bytes))

static uint64_t data[64] __attribute__((aligned(512)));

static struct { uint64_t bvr, bcr, wvr, wcr, mdscr, context; } set;

static uint64_t at(const void* address) { return (uint64_t)(uintptr_t)address; }

// The first breakpoint that compares contexts compares with 0x1234.
static void apply(void) {
  __asm__ volatile(
      "msr oslar_el1, xzr\n msr dbgbvr4_el1, %0\n msr dbgbcr4_el1, %1\n msr contextidr_el1, %2" ::"r"(
          0x1234ull),
      "r"(enabled | anywhere | BYTES(0xf) | 3ull << 20), "r"(set.context));
  __asm__ volatile("msr dbgbvr0_el1, %0\n msr dbgbcr0_el1, %1" ::"r"(set.bvr), "r"(set.bcr));
  __asm__ volatile("msr dbgwvr0_el1, %0\n msr dbgwcr0_el1, %1" ::"r"(set.wvr), "r"(set.wcr));
  __asm__ volatile("msr mdscr_el1, %0\n isb" ::"r"(set.mdscr));
}
static void take_back(void) { __asm__ volatile("msr mdscr_el1, xzr\n isb"); }

static const char* class_name(unsigned class) {
  switch (class) {
    case 0x15:
      return "SVC";
    case 0x30:
      return "breakpoint of EL0";
    case 0x31:
      return "breakpoint";
    case 0x32:
      return "step of EL0";
    case 0x33:
      return "step";
    case 0x34:
      return "watchpoint of EL0";
    case 0x35:
      return "watchpoint";
    case 0x3c:
      return "BRK";
    default:
      return "?";
  }
}

static void print(const char* name, const Trap* trap, Code start) {
  const unsigned class = trap->esr >> 26 & 0x3f;
  printf("%s: vector 0x%03x, ESR 0x%08llx (%s), ELR +%u", name, trap->vector, (Printable)trap->esr,
         class_name(class), (unsigned)(trap->elr - at((const void*)(uintptr_t)start)));
  if (class == 0x34 || class == 0x35) printf(", FAR data+%d", (int)(trap->far - at(data)));
  printf(", SPSR 0x%08llx\n", (Printable)trap->spsr);
}

#define CASES(of)                                                                                   \
  of(move) of(load) of(load_byte) of(load_pair) of(load_vector) of(load_exclusive) of(load_acquire) \
      of(store) of(store_byte) of(store_pair) of(store_release) of(zero_line) of(prefetch) of(brk)  \
          of(masked) of(move_at_el0) of(load_at_el0) of(steps) of(steps_at_el0)
#define DECLARE(name) extern void debug_##name(uint64_t);
CASES(DECLARE)

static void run(const char* name, Code code, const void* argument, bool el0) {
  const Trap trap = trap_run(&(TrapRun){code, at(argument), el0, apply, NULL});
  take_back();
  print(name, &trap, code);
}

// ---- breakpoints ----

typedef struct {
  const char* name;
  uint64_t control, mdscr, context;
  bool el0;
} Break;

static void breakpoint(const Break* b, Code code) {
  set.bvr = at((const void*)(uintptr_t)code) + third_word;
  set.bcr = b->control, set.mdscr = b->mdscr, set.context = b->context;
  set.wcr = 0;
  run(b->name, code, data, b->el0);
}

static void breakpoints(void) {
  static const Break cases[] = {
      {"breakpoint", BREAKPOINT, both, 0, false},
      {"not enabled", BREAKPOINT & ~1ull, both, 0, false},
      {"not of EL1", enabled | at_el0 | BYTES(0xf), both, 0, false},
      {"without MDE", BREAKPOINT, mdscr_kernel, 0, false},
      {"without KDE", BREAKPOINT, mdscr_monitor, 0, false},
      {"linked, of another context", BREAKPOINT | linked | LINK(4), both, 0x1235, false},
      {"linked, of its context", BREAKPOINT | linked | LINK(4), both, 0x1234, false},
      {"linked to one that compares addresses", BREAKPOINT | linked | LINK(1), both, 0x1234, false},
      {"EL0: breakpoint", BREAKPOINT, both, 0, true},
      {"EL0: without KDE", BREAKPOINT, mdscr_monitor, 0, true},
      {"EL0: without MDE", BREAKPOINT, mdscr_kernel, 0, true},
      {"EL0: not of EL0", enabled | at_el1 | BYTES(0xf), both, 0, true},
  };
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; ++i)
    breakpoint(&cases[i], cases[i].el0 ? debug_move_at_el0 : debug_move);
  breakpoint(&(Break){"PSTATE.D", BREAKPOINT, both, 0, false}, debug_masked);
  breakpoint(&(Break){"before BRK", BREAKPOINT, both, 0, false}, debug_brk);
  breakpoint(&(Break){"BRK without MDE", 0, 0, 0, false}, debug_brk);
}

// ---- watchpoints ----

typedef struct {
  const char* name;
  Code code;
  unsigned address, watched;  // bytes in data
  uint64_t control;
  bool el0;
} Watch;

static void watchpoints(void) {
  static const Watch cases[] = {
      {"load", debug_load, 0, 0, WATCHPOINT(either, 0xff), false},
      {"load, stores alone are watched", debug_load, 0, 0, WATCHPOINT(stores, 0xff), false},
      {"store", debug_store, 0, 0, WATCHPOINT(either, 0xff), false},
      {"store, loads alone are watched", debug_store, 0, 0, WATCHPOINT(loads, 0xff), false},
      {"not enabled", debug_store, 0, 0, WATCHPOINT(either, 0xff) & ~1ull, false},
      {"not of EL1", debug_store, 0, 0, enabled | at_el0 | either | BYTES(0xff), false},
      {"byte 2 of 2", debug_load_byte, 2, 0, WATCHPOINT(either, 0x04), false},
      {"byte 2 of 3", debug_load_byte, 2, 0, WATCHPOINT(either, 0x08), false},
      {"byte 8 of 0 to 7", debug_store_byte, 8, 0, WATCHPOINT(either, 0xff), false},
      {"word 4 by its own address", debug_store_byte, 4, 4, WATCHPOINT(either, 0x0f), false},
      {"word 4, the byte before", debug_store_byte, 3, 4, WATCHPOINT(either, 0x0f), false},
      {"pair", debug_load_pair, 0, 0, WATCHPOINT(either, 0xff), false},
      {"pair, the byte behind", debug_load_pair, 0, 16, WATCHPOINT(either, 0x01), false},
      {"pair of stores", debug_store_pair, 0, 0, WATCHPOINT(either, 0xff), false},
      {"vector", debug_load_vector, 0, 0, WATCHPOINT(either, 0xff), false},
      {"exclusive", debug_load_exclusive, 0, 0, WATCHPOINT(either, 0xff), false},
      {"acquire", debug_load_acquire, 0, 0, WATCHPOINT(either, 0xff), false},
      {"release", debug_store_release, 0, 0, WATCHPOINT(either, 0xff), false},
      {"16 bytes by mask", debug_store_byte, 15, 0, WATCHPOINT(either, 0xff) | MASK(4), false},
      {"behind 16 bytes by mask", debug_store_byte, 16, 0, WATCHPOINT(either, 0xff) | MASK(4), false},
      {"512 bytes by mask", debug_store_byte, 500, 0, WATCHPOINT(either, 0xff) | MASK(9), false},
      {"linked, of another context", debug_load, 0, 0, WATCHPOINT(either, 0xff) | linked | LINK(4), false},
      {"dc zva", debug_zero_line, 0, 0, WATCHPOINT(either, 0xff), false},
      {"prefetch", debug_prefetch, 0, 0, WATCHPOINT(either, 0xff), false},
      {"EL0: load", debug_load_at_el0, 0, 0, WATCHPOINT(either, 0xff), true},
      {"EL0: not of EL0", debug_load_at_el0, 0, 0, enabled | at_el1 | either | BYTES(0xff), true},
  };
  set.bcr = 0, set.mdscr = both, set.context = 0;
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const Watch* const w = &cases[i];
    set.wvr = at(data) + w->watched;
    set.wcr = w->control;
    run(w->name, w->code, (const char*)data + w->address, w->el0);
  }
}

// ---- software step ----

static Code stepped;

// Prints each step and continues with the next one, up to SVC #2 or BRK #2.
static bool step_on(TrapFrame* frame, const Trap* trap) {
  if ((trap->esr & 0xffff) == 2) return false;
  print("  step", trap, stepped);
  uint64_t control;
  __asm__("mrs %0, mdscr_el1" : "=r"(control));
  __asm__ volatile("msr mdscr_el1, %0\n isb" ::"r"(control | mdscr_step));
  frame->spsr = (frame->spsr | spsr_step) & ~(uint64_t)spsr_mask;
  return true;
}

static void step(const char* name, Code code, bool el0, uint64_t mdscr) {
  printf("%s\n", name);
  stepped = code;
  set.bcr = set.wcr = 0, set.mdscr = mdscr;
  const Trap trap = trap_run(&(TrapRun){code, at(data), el0, apply, step_on});
  take_back();
  print("  end", &trap, code);
}

int main(void) {
  interrupts_mask();
  trap_initialize();
  uint64_t features, lock;
  __asm__("mrs %0, id_aa64dfr0_el1\n mrs %1, oslsr_el1" : "=r"(features), "=r"(lock));
  printf("%u breakpoints, %u of contexts, %u watchpoints, debug version %u\n",
         (unsigned)(features >> 12 & 15) + 1, (unsigned)(features >> 28 & 15) + 1,
         (unsigned)(features >> 20 & 15) + 1, (unsigned)features & 15);
  printf("-- breakpoints\n");
  breakpoints();
  printf("-- watchpoints\n");
  watchpoints();
  printf("-- software step\n");
  step("at EL1", debug_steps, false, mdscr_kernel);
  step("at EL1, without KDE", debug_steps, false, 0);
  step("at EL0, pending at once", debug_steps_at_el0, true, mdscr_step);
  return exit_passed;
}
