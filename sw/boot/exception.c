#include "boot/exception.h"

#include <stdio.h>

#include "boot/exit_status.h"
#include "boot/layout.h"
#include "drivers/cpu.h"
#include "drivers/semihosting.h"

static const char* const kinds[4] = {"synchronous", "IRQ", "FIQ", "SError"};
static const char* const origins[4] = {"current EL with SP_EL0", "current EL", "lower EL, AArch64",
                                       "lower EL, AArch32"};

static const char* exception_class(uint64_t esr) {
  switch ((esr >> 26) & 0x3f) {
    case 0x00:
      return "unknown reason (undefined instruction)";
    case 0x01:
      return "trapped WFI or WFE";
    case 0x07:
      return "access to SIMD or floating point";
    case 0x0e:
      return "illegal execution state";
    case 0x15:
      return "SVC";
    case 0x16:
      return "HVC";
    case 0x17:
      return "SMC";
    case 0x18:
      return "trapped MSR, MRS or system instruction";
    case 0x20:
      return "instruction abort from a lower EL";
    case 0x21:
      return "instruction abort";
    case 0x22:
      return "PC alignment";
    case 0x24:
      return "data abort from a lower EL";
    case 0x25:
      return "data abort";
    case 0x26:
      return "SP alignment";
    case 0x2c:
      return "floating point";
    case 0x2f:
      return "SError";
    case 0x3c:
      return "BRK";
    default:
      return "see the Arm ARM, ESR_EL1.EC";
  }
}

// This does not use printf: the exception may have occurred inside it, or on a core that does not own the
// console.
_Noreturn void exception_report(uint64_t vector, uint64_t esr, uint64_t elr, uint64_t far, uint64_t spsr) {
  char text[320];
  snprintf(text, sizeof text,
           "*** %s exception (%s) on core %u\n"
           "    ESR_EL1 0x%016llx: class 0x%02x, %s; syndrome 0x%07x\n"
           "    ELR_EL1 0x%016llx  FAR_EL1 0x%016llx  SPSR_EL1 0x%08x\n",
           kinds[vector & 3], origins[(vector >> 2) & 3], cpu_index(), (unsigned long long)esr,
           (unsigned)((esr >> 26) & 0x3f), exception_class(esr), (unsigned)(esr & 0x1ffffff),
           (unsigned long long)elr, (unsigned long long)far, (unsigned)spsr);
  semihosting_print(text);
  semihosting_exit(exit_exception);
}

typedef enum { guard_off, guard_on, guard_triggered } Guard;

static volatile Guard guards[MAX_CORES];
static SerrorHandler serror_handler;

// Afterwards, all earlier accesses have been answered and the core has passed a block boundary.
static void synchronize_errors(void) {
  __asm__ volatile(
      "dsb sy\n isb\n"
      "b 1f\n 1: b 2f\n 2: b 3f\n 3:" ::
          : "memory");
}

void exception_on_serror(SerrorHandler handler) { serror_handler = handler; }

void exception_guard(void) {
  synchronize_errors();  // an earlier SError does not belong to this guard
  guards[cpu_index()] = guard_on;
}

bool exception_guard_end(void) {
  synchronize_errors();
  const unsigned core = cpu_index();
  const bool triggered = guards[core] == guard_triggered;
  guards[core] = guard_off;
  return triggered;
}

// Called by the SError vector; returning resumes the interrupted code.
void exception_serror(uint64_t esr, uint64_t elr, uint64_t far, uint64_t spsr) {
  const unsigned core = cpu_index();
  if (guards[core] != guard_off)
    guards[core] = guard_triggered;
  else if (serror_handler == NULL || !serror_handler())
    exception_report(7, esr, elr, far, spsr);
}

// The next two are called by abort.S and are with it, behind all else.
#define ABORT_SECTION __attribute__((section(".abort")))

// A load of copy_guarded was aborted.
ABORT_SECTION void exception_guard_trigger(void) { guards[cpu_index()] = guard_triggered; }

// Another load was aborted. If this returns, the abort is reported.
ABORT_SECTION void exception_external_abort(void) {
  if (serror_handler != NULL) serror_handler();
}
