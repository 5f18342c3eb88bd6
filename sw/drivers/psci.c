#include "drivers/psci.h"

static int32_t call(uint64_t function, uint64_t a, uint64_t b, uint64_t c) {
  register uint64_t x0 __asm__("x0") = function;
  register uint64_t x1 __asm__("x1") = a;
  register uint64_t x2 __asm__("x2") = b;
  register uint64_t x3 __asm__("x3") = c;
  __asm__ volatile("hvc #0"
                   : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3)
                   :
                   : "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16",
                     "x17", "memory");
  return (int32_t)x0;
}

PsciStatus psci_cpu_on(uint64_t mpidr, uint64_t entry, uint64_t context) {
  return (PsciStatus)call(0xc4000003, mpidr, entry, context);
}

_Noreturn void psci_system_off(void) {
  for (;;) call(0x84000008, 0, 0, 0);
}
