// Synchronous exceptions and IRQ at EL1 and from EL0: for each case, the vector and the values of ESR, ELR,
// FAR and SPSR. Prints a line for each case, which is the same on every implementation of Armv8-A that
// follows the manual (DDI 0487, D1 and D17); tests/platform/conformance_test.cpp compares it with QEMU.
//
// Left out, since QEMU 7.2 and the manual differ, or since the manual leaves the choice:
// - SError: QEMU's virt machine never raises one. For an access to an unmapped address it raises a
//   synchronous external abort; Asterism raises an SError, as the manual allows and GIC-400 systems do.
//   `unmapped_access` shows both.
// - SP alignment (SCTLR_EL1.SA): QEMU does not check it, nor does Asterism.
// - DC CVAC and IC IVAU to an address that is not mapped: QEMU treats them as no operation, the manual lets
//   them fault.
// - WFE trapped by SCTLR_EL1.nTWE: the manual traps a WFE that would sleep, QEMU's WFE never sleeps.
// - FAR_EL1 where the manual makes it UNKNOWN: for all exceptions except aborts and PC alignment. ESR_EL1.ISS
//   of an instruction abort and FAR_EL1 of a load that crosses into a page with a fault are compared, since
//   both implementations follow the pseudocode.
// - A jump to a misaligned address without a translation: by the manual, PC alignment has priority
//   (D1.3.5.4), as in Asterism; QEMU raises an instruction abort.
// - MSR DAIFSet at EL0: QEMU exchanges Op1 and Op2 in the ISS; Asterism has them where the manual puts them.
// - SCTLR_EL1.WXN: this program's own code is in writable memory.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "boot/exit_status.h"
#include "boot/interrupts.h"
#include "conformance/trap.h"
#include "drivers/gic.h"

typedef unsigned long long Printable;
typedef void (*Code)(uint64_t);

enum {
  class_shift = 26,
  sctlr_mmu = 1 << 0,
  sctlr_alignment = 1 << 1,
  sctlr_uma = 1 << 9,
  sctlr_uct = 1 << 15,
  sctlr_ntwi = 1 << 16,
};

// ---- A translation regime for the faults of the MMU: 39 bits of addresses, 4 KiB pages, 32 bits of physical
// addresses ----

enum {
  entry_block = 1,
  entry_table = 3,
  entry_page = 3,
  el0_too = 1 << 6,
  read_only = 1 << 7,
  inner_shareable = 3 << 8,
  accessed = 1 << 10,
  normal_memory = 1 << 2,  // MAIR attribute 1
  usual = normal_memory | inner_shareable | accessed,
};
#define NEVER_EXECUTED (3ull << 53)
#define NOT_AT_EL1 (1ull << 53)
#define NOT_AT_EL0 (1ull << 54)
#define TOO_LARGE (1ull << 36)  // an output address beyond TCR_EL1.IPS

// Where the pages with faults are, in a gigabyte of their own.
#define PAGES 0x80000000ull
#define PAGE(n) (PAGES + (n)*0x1000ull)
#define BLOCK(n) (PAGES + (n)*0x200000ull)
#define GIGABYTE(n) ((n)*0x40000000ull)

enum Pages {
  page_plain,
  page_read_only,
  page_not_accessed,
  page_never_executed,
  page_absent,
  page_too_large,
  page_of_el0,
  page_code,
  page_code_of_el1,
  page_code_of_el0,
};

static uint64_t level1[512] __attribute__((aligned(4096)));
static uint64_t level2[512] __attribute__((aligned(4096)));
static uint64_t level3[512] __attribute__((aligned(4096)));
static uint64_t data[512] __attribute__((aligned(4096)));
static uint32_t code_page[1024] __attribute__((aligned(4096)));

static uint64_t at(const void* address) { return (uint64_t)(uintptr_t)address; }

static void make_tables(void) {
  level1[0] = GIGABYTE(0) | entry_block | accessed | NEVER_EXECUTED;  // devices
  level1[1] = GIGABYTE(1) | entry_block | usual;                      // DRAM
  level1[2] = at(level2) | entry_table;
  level1[4] = TOO_LARGE | entry_table;
  level1[5] = GIGABYTE(1) | entry_block | normal_memory | inner_shareable;
  level2[0] = at(level3) | entry_table;
  level2[2] = 0x40000000 | entry_block | normal_memory | inner_shareable;
  level2[3] = 0x40000000 | entry_block | usual | read_only;
  level2[4] = TOO_LARGE | entry_block | usual;
  level3[page_plain] = at(data) | entry_page | usual;
  level3[page_read_only] = at(data) | entry_page | usual | read_only;
  level3[page_not_accessed] = at(data) | entry_page | normal_memory | inner_shareable;
  level3[page_never_executed] = at(code_page) | entry_page | usual | NEVER_EXECUTED;
  level3[page_too_large] = TOO_LARGE | entry_page | usual;
  level3[page_of_el0] = at(data) | entry_page | usual | el0_too;
  level3[page_code] = at(code_page) | entry_page | usual | el0_too | read_only;
  level3[page_code_of_el1] = at(code_page) | entry_page | usual | el0_too | read_only | NOT_AT_EL0;
  level3[page_code_of_el0] = at(code_page) | entry_page | usual | el0_too | read_only | NOT_AT_EL1;
}

static void copy_code(Code code) {
  memcpy(code_page, (const void*)(uintptr_t)code, 64);
  __asm__ volatile("dc cvau, %0\n dsb sy\n ic ialluis\n dsb sy\n isb" ::"r"(code_page) : "memory");
}

static void change_sctlr(uint64_t ones, uint64_t zeros) {
  uint64_t value;
  __asm__ volatile("mrs %0, sctlr_el1" : "=r"(value));
  __asm__ volatile("msr sctlr_el1, %0\n isb" ::"r"((value | ones) & ~zeros) : "memory");
}

static void mmu_on(void) {
  const uint64_t tcr = 25 | 1 << 8 | 1 << 10 | 3 << 12 | 1 << 23;  // T0SZ, cacheable, EPD1; IPS 0: 32 bits
  __asm__ volatile(
      "msr mair_el1, %0\n msr tcr_el1, %1\n msr ttbr0_el1, %2\n isb\n tlbi vmalle1\n dsb sy\n isb" ::"r"(
          0xff00ull),
      "r"(tcr), "r"(level1)
      : "memory");
  change_sctlr(sctlr_mmu, 0);
}
static void alignment_on(void) { change_sctlr(sctlr_alignment, 0); }
static void mmu_and_alignment_on(void) {
  mmu_on();
  alignment_on();
}
static void fp_off(void) { __asm__ volatile("msr cpacr_el1, xzr\n isb"); }
static void fp_off_at_el0(void) { __asm__ volatile("msr cpacr_el1, %0\n isb" ::"r"(1ull << 20)); }
static void wfi_traps(void) { change_sctlr(0, sctlr_ntwi); }
static void el0_may_mask(void) { change_sctlr(sctlr_uma, 0); }
static void el0_may_see_caches(void) { change_sctlr(sctlr_uct, 0); }
static void el0_may_not_see_timers(void) { __asm__ volatile("msr cntkctl_el1, xzr\n isb"); }
static void el0_may_see_timers(void) { __asm__ volatile("msr cntkctl_el1, %0\n isb" ::"r"(0x303ull)); }

// ---- The cases ----

#define CASES(of)                                                                                           \
  of(svc) of(svc_largest) of(brk) of(hvc) of(smc) of(udf) of(unallocated) of(no_such_register)              \
      of(read_only_register) of(register_of_el2) of(register_of_el3) of(system_instruction_of_el2)          \
          of(hlt_of_nobody) of(flags) of(masks) of(stack_of_el0) of(stack_of_el0_brk) of(jump)              \
              of(illegal_return) of(fp_add) of(fp_load) of(simd_add) of(fp_status) of(el0_fp_add) of(load)  \
                  of(load_byte) of(load_pair) of(load_simd) of(load_exclusive) of(load_acquire) of(store)   \
                      of(store_byte) of(store_pair) of(store_release) of(store_exclusive) of(store_back)    \
                          of(load_back) of(zero_line) of(prefetch) of(el0_svc) of(el0_brk) of(el0_udf)      \
                              of(el0_hvc) of(el0_smc) of(el0_register_of_el1) of(el0_daif)                  \
                                  of(el0_cache_type) of(el0_counter) of(el0_timer) of(el0_physical_timer)   \
                                      of(el0_zero_line) of(el0_clean_line) of(el0_tlbi) of(el0_eret)        \
                                          of(el0_wfi) of(el0_load) of(el0_store) of(el0_flags) of(el0_jump) \
                                              of(go_on) of(interrupt)
#define DECLARE(name) extern void case_##name(uint64_t);
CASES(DECLARE)

typedef enum { at_el1, at_el0, in_page, at_el0_in_page } Kind;

typedef struct {
  const char* name;
  Code code;
  uint64_t argument;
  void (*prepare)(void);
  Kind kind;
} Case;

static const Case cases[] = {
    {"svc", case_svc, 0, NULL, at_el1},
    {"svc with the largest immediate", case_svc_largest, 0, NULL, at_el1},
    {"brk", case_brk, 0, NULL, at_el1},
    {"hvc that PSCI does not know", case_hvc, 0, NULL, at_el1},
    {"smc without EL3", case_smc, 0, NULL, at_el1},
    {"udf", case_udf, 0, NULL, at_el1},
    {"an unallocated word", case_unallocated, 0, NULL, at_el1},
    {"a system register that is not there", case_no_such_register, 0, NULL, at_el1},
    {"a write to a register that is read only", case_read_only_register, 0, NULL, at_el1},
    {"a register of EL2", case_register_of_el2, 0, NULL, at_el1},
    {"a register of EL3", case_register_of_el3, 0, NULL, at_el1},
    {"tlbi of EL2", case_system_instruction_of_el2, 0, NULL, at_el1},
    {"hlt that is not semihosting's", case_hlt_of_nobody, 0, NULL, at_el1},
    {"flags", case_flags, 0, NULL, at_el1},
    {"masks", case_masks, 0, NULL, at_el1},
    {"svc with SP_EL0", case_stack_of_el0, 0, NULL, at_el1},
    {"brk with SP_EL0", case_stack_of_el0_brk, 0, NULL, at_el1},
    {"jump to an odd address", case_jump, 0x40300001, NULL, at_el1},
    {"jump to half a word", case_jump, 0x40300002, NULL, at_el1},
    {"return to EL2", case_illegal_return, 0x3c9, NULL, at_el1},
    {"return to EL3", case_illegal_return, 0x3cd, NULL, at_el1},
    {"return to EL0h", case_illegal_return, 0x3c1, NULL, at_el1},
    {"return to AArch32 that is reserved", case_illegal_return, 0x3dc, NULL, at_el1},
    {"return with IL set", case_illegal_return, 0x1003c5, NULL, at_el1},

    {"FP add while FP traps", case_fp_add, 0, fp_off, at_el1},
    {"FP load while FP traps", case_fp_load, PAGES, fp_off, at_el1},
    {"SIMD add while FP traps", case_simd_add, 0, fp_off, at_el1},
    {"FPSR while FP traps", case_fp_status, 0, fp_off, at_el1},
    {"FP add while FP of EL0 traps", case_fp_add, 0, fp_off_at_el0, at_el1},
    {"FP add at EL0 while FP of EL0 traps", case_el0_fp_add, 0, fp_off_at_el0, at_el0},

    {"load, level 0", case_load, 1ull << 39, mmu_on, at_el1},
    {"load, the upper half without tables", case_load, 0xffffff8000000000, mmu_on, at_el1},
    {"load, neither half", case_load, 0x0010000000000000, mmu_on, at_el1},
    {"load, translation, level 1", case_load, GIGABYTE(3) + 0x18, mmu_on, at_el1},
    {"load, translation, level 2", case_load, BLOCK(1) + 0x28, mmu_on, at_el1},
    {"load, translation, level 3", case_load, PAGE(page_absent) + 0x38, mmu_on, at_el1},
    {"load, access flag, level 1", case_load, GIGABYTE(5), mmu_on, at_el1},
    {"load, access flag, level 2", case_load, BLOCK(2), mmu_on, at_el1},
    {"load, access flag, level 3", case_load, PAGE(page_not_accessed), mmu_on, at_el1},
    {"load, address size, level 1", case_load, GIGABYTE(4), mmu_on, at_el1},
    {"load, address size, level 2", case_load, BLOCK(4), mmu_on, at_el1},
    {"load, address size, level 3", case_load, PAGE(page_too_large), mmu_on, at_el1},
    {"store, translation, level 1", case_store, GIGABYTE(3) + 0x18, mmu_on, at_el1},
    {"store, translation, level 2", case_store, BLOCK(1) + 0x28, mmu_on, at_el1},
    {"store, translation, level 3", case_store, PAGE(page_absent) + 0x38, mmu_on, at_el1},
    {"store, access flag, level 3", case_store, PAGE(page_not_accessed), mmu_on, at_el1},
    {"store, permission, level 2", case_store, BLOCK(3), mmu_on, at_el1},
    {"store, permission, level 3", case_store, PAGE(page_read_only) + 8, mmu_on, at_el1},
    {"load of a byte", case_load_byte, PAGE(page_absent) + 1, mmu_on, at_el1},
    {"load of a pair", case_load_pair, PAGE(page_absent), mmu_on, at_el1},
    {"load of four vectors", case_load_simd, PAGE(page_absent), mmu_on, at_el1},
    {"load exclusive", case_load_exclusive, PAGE(page_absent), mmu_on, at_el1},
    {"load acquire", case_load_acquire, PAGE(page_absent), mmu_on, at_el1},
    {"load with write-back", case_load_back, PAGE(page_absent), mmu_on, at_el1},
    {"store of a byte", case_store_byte, PAGE(page_absent) + 1, mmu_on, at_el1},
    {"store of a pair", case_store_pair, PAGE(page_absent), mmu_on, at_el1},
    {"store release", case_store_release, PAGE(page_read_only), mmu_on, at_el1},
    {"store exclusive, read only", case_store_exclusive, PAGE(page_read_only), mmu_on, at_el1},
    {"store with write-back", case_store_back, PAGE(page_absent) + 8, mmu_on, at_el1},
    {"a pair that crosses into an absent page", case_load_pair, PAGE(page_absent) - 8, mmu_on, at_el1},
    {"a word that crosses into an absent page", case_load, PAGE(page_absent) - 4, mmu_on, at_el1},
    {"dc zva, absent", case_zero_line, PAGE(page_absent) + 8, mmu_on, at_el1},
    {"dc zva, read only", case_zero_line, PAGE(page_read_only), mmu_on, at_el1},
    {"prefetch of an absent page", case_prefetch, PAGE(page_absent), mmu_on, at_el1},
    {"load from a page of EL0", case_load, PAGE(page_of_el0), mmu_on, at_el1},

    {"unaligned load", case_load, 0x40300001, alignment_on, at_el1},
    {"unaligned pair, in Normal memory", case_load_pair, PAGE(page_plain) + 4, mmu_and_alignment_on, at_el1},
    {"unaligned store, in Normal memory", case_store, PAGE(page_plain) + 2, mmu_and_alignment_on, at_el1},
    {"unaligned load of an absent page", case_load, PAGE(page_absent) + 2, mmu_and_alignment_on, at_el1},
    {"unaligned load exclusive", case_load_exclusive, PAGE(page_plain) + 4, mmu_on, at_el1},
    {"unaligned load acquire", case_load_acquire, PAGE(page_plain) + 4, mmu_on, at_el1},

    {"fetch, level 0", case_jump, 1ull << 39, mmu_on, at_el1},
    {"fetch, translation, level 1", case_jump, GIGABYTE(3), mmu_on, at_el1},
    {"fetch, translation, level 2", case_jump, BLOCK(1), mmu_on, at_el1},
    {"fetch, translation, level 3", case_jump, PAGE(page_absent), mmu_on, at_el1},
    {"fetch, access flag, level 3", case_jump, PAGE(page_not_accessed), mmu_on, at_el1},
    {"fetch, address size, level 3", case_jump, PAGE(page_too_large), mmu_on, at_el1},
    {"fetch, never executed", case_jump, PAGE(page_never_executed), mmu_on, at_el1},
    {"fetch, not at EL1", case_jump, PAGE(page_code_of_el0), mmu_on, at_el1},
    {"fetch, EL0 may write it", case_jump, PAGE(page_of_el0), mmu_on, at_el1},
    {"svc in a page", case_svc, PAGE(page_code), mmu_on, in_page},

    {"EL0: svc", case_el0_svc, 0, NULL, at_el0},
    {"EL0: brk", case_el0_brk, 0, NULL, at_el0},
    {"EL0: udf", case_el0_udf, 0, NULL, at_el0},
    {"EL0: hvc", case_el0_hvc, 0, NULL, at_el0},
    {"EL0: smc", case_el0_smc, 0, NULL, at_el0},
    {"EL0: eret", case_el0_eret, 0, NULL, at_el0},
    {"EL0: flags", case_el0_flags, 0, NULL, at_el0},
    {"EL0: a register of EL1", case_el0_register_of_el1, 0, NULL, at_el0},
    {"EL0: tlbi", case_el0_tlbi, 0, NULL, at_el0},
    {"EL0: daif", case_el0_daif, 0, NULL, at_el0},
    {"EL0: daif, allowed", case_el0_daif, 0, el0_may_mask, at_el0},
    {"EL0: ctr_el0", case_el0_cache_type, 0, NULL, at_el0},
    {"EL0: ctr_el0, allowed", case_el0_cache_type, 0, el0_may_see_caches, at_el0},
    {"EL0: counter", case_el0_counter, 0, el0_may_not_see_timers, at_el0},
    {"EL0: timer", case_el0_timer, 0, el0_may_not_see_timers, at_el0},
    {"EL0: physical timer", case_el0_physical_timer, 0, el0_may_not_see_timers, at_el0},
    {"EL0: physical timer, allowed", case_el0_physical_timer, 0, el0_may_see_timers, at_el0},
    {"EL0: dc zva", case_el0_zero_line, 0x40300000, NULL, at_el0},
    {"EL0: dc cvac", case_el0_clean_line, 0x40300000, NULL, at_el0},
    {"EL0: wfi", case_el0_wfi, 0, wfi_traps, at_el0},
    {"EL0: jump to half a word", case_el0_jump, 0x40300002, NULL, at_el0},
    {"EL0: load from a page of EL1", case_el0_load, PAGE(page_plain), mmu_on, at_el0_in_page},
    {"EL0: store to a page that is read only", case_el0_store, PAGE(page_code), mmu_on, at_el0_in_page},
    {"EL0: load from an absent page", case_el0_load, PAGE(page_absent), mmu_on, at_el0_in_page},
    {"EL0: load from its page", case_el0_load, PAGE(page_of_el0), mmu_on, at_el0_in_page},
    {"EL0: fetch, absent", case_el0_jump, PAGE(page_absent), mmu_on, at_el0_in_page},
    {"EL0: fetch, not at EL0", case_el0_jump, PAGE(page_code_of_el1), mmu_on, at_el0_in_page},
};

static const char* class_name(unsigned class) {
  switch (class) {
    case 0x00:
      return "unknown";
    case 0x01:
      return "WFI or WFE";
    case 0x07:
      return "FP access";
    case 0x0e:
      return "illegal state";
    case 0x15:
      return "SVC";
    case 0x18:
      return "MSR or MRS";
    case 0x20:
      return "instruction abort of EL0";
    case 0x21:
      return "instruction abort";
    case 0x22:
      return "PC alignment";
    case 0x24:
      return "data abort of EL0";
    case 0x25:
      return "data abort";
    case 0x3c:
      return "BRK";
    default:
      return "?";
  }
}

static bool far_is_valid(unsigned class) { return class >= 0x20 && class <= 0x25; }

// Prints ELR as an offset in the case, or unchanged if the case was left.
static void print(const char* name, const Trap* trap, uint64_t start) {
  if (!trap->taken) {
    printf("%s: no exception\n", name);
    return;
  }
  const unsigned class = trap->esr >> class_shift & 0x3f;
  printf("%s: vector 0x%03x, ESR 0x%08llx (%s), ELR ", name, trap->vector, (Printable)trap->esr,
         class_name(class));
  if (trap->elr - start < 64)
    printf("+%u", (unsigned)(trap->elr - start));
  else
    printf("0x%llx", (Printable)trap->elr);
  if (far_is_valid(class)) printf(", FAR 0x%llx", (Printable)trap->far);
  printf(", SPSR 0x%08llx\n", (Printable)trap->spsr);
}

static Trap simply(Code code, uint64_t argument, TrapHook hook) {
  return trap_run(&(TrapRun){.code = code, .argument = argument, .hook = hook});
}

static void run(const Case* c) {
  uint64_t timers;
  __asm__ volatile("mrs %0, cntkctl_el1" : "=r"(timers));
  Code code = c->code;
  if (c->kind == in_page || c->kind == at_el0_in_page) {
    copy_code(code);
    code = (Code)(uintptr_t)PAGE(page_code);
  }
  const bool el0 = c->kind == at_el0 || c->kind == at_el0_in_page;
  const Trap trap = trap_run(&(TrapRun){code, c->argument, el0, c->prepare, NULL});
  __asm__ volatile("msr cntkctl_el1, %0\n isb" ::"r"(timers));
  print(c->name, &trap, (uint64_t)(uintptr_t)code);
}

// ---- Exceptions within exceptions, and their return ----

static bool nest_and_go_on(TrapFrame* frame, const Trap* trap) {
  if ((trap->esr & 0xffff) == 2) {
    printf("going on: x0 was 42 behind the first svc: %s, SPSR 0x%08llx\n", frame->x[9] == 42 ? "yes" : "no",
           (Printable)frame->spsr);
    return false;
  }
  const Trap inner = simply(case_brk, 0, NULL);
  print("brk in the handler of svc", &inner, (uint64_t)(uintptr_t)case_brk);
  const Trap abort = simply(case_illegal_return, 0x3c5, NULL);
  print("return to EL1h in the handler of svc", &abort, (uint64_t)(uintptr_t)case_illegal_return);
  frame->x[0] = 42;
  return true;
}

static bool nest_deeper(TrapFrame* frame, const Trap* trap) {
  static int depth;
  (void)frame;
  printf("depth %d: ESR 0x%08llx\n", ++depth, (Printable)trap->esr);
  if (depth < 5) {
    const Code code = depth % 2 ? case_udf : case_svc;
    const Trap inner = simply(code, 0, nest_deeper);
    print("back from the inner one", &inner, (uint64_t)(uintptr_t)code);
  }
  return false;
}

extern void gic_dispatch(void);

// Ends the interrupt in the GIC, which the vectors of boot/ would do.
static bool end_interrupt(TrapFrame* frame, const Trap* trap) {
  (void)frame, (void)trap;
  gic_dispatch();
  return false;
}

static void nothing(void) {}

static void take_interrupts(void) {
  gic_enable(5, nothing);
  gic_send(5, 1);
  Trap trap = simply(case_interrupt, 0, end_interrupt);
  print("IRQ", &(Trap){trap.taken, trap.vector, 0, trap.elr, 0, trap.spsr},
        (uint64_t)(uintptr_t)case_interrupt);
  trap = simply(case_interrupt, 0, end_interrupt);
  print("IRQ once more", &trap, (uint64_t)(uintptr_t)case_interrupt);
}

int main(void) {
  interrupts_mask();
  trap_initialize();
  make_tables();
  copy_code(case_svc);
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; ++i) run(&cases[i]);
  const Trap gone_on = simply(case_go_on, 0, nest_and_go_on);
  print("nested, and gone on", &gone_on, (uint64_t)(uintptr_t)case_go_on);
  const Trap deep = simply(case_svc, 0, nest_deeper);
  print("five deep", &deep, (uint64_t)(uintptr_t)case_svc);
  take_interrupts();
  return exit_passed;
}
