// A load whose data memory cannot deliver: the data abort that it causes on cores with load_errors=abort,
// where the load is not executed, and a copy that survives it.
#include "boot/layout.h"

#define EXTERNAL_DATA_ABORT  0x94000010  // ESR_EL1: class 0x25, from this EL; DFSC 0x10, an external abort

  .section .abort, "ax"

  // The vector has saved the registers that a C function may clobber. x0: the vector.
  .global take_synchronous
  .type take_synchronous, %function
take_synchronous:
  .cfi_startproc
  .cfi_undefined x30
  mrs     x1, esr_el1
  ldr     w2, =0xfc00003f
  and     w1, w1, w2
  ldr     w2, =EXTERNAL_DATA_ABORT
  cmp     w1, w2
  b.ne    report_exception
  mrs     x1, elr_el1
  adr     x2, copy_guarded
  adr     x3, copy_aborted
  cmp     x1, x2
  ccmp    x1, x3, #2, hs             // as if it were higher, if it is before the copy
  b.hs    external_abort
  msr     elr_el1, x3
  msr     tpidr_el1, xzr
  ldp     x0, x1, [sp, #0x00]
  ldp     x2, x3, [sp, #0x10]
  add     sp, sp, #FRAME_BYTES
  eret
external_abort:
  bl      exception_external_abort   // returns if nobody handles it
  mov     x0, #4
  b       report_exception
  .cfi_endproc
  .size take_synchronous, . - take_synchronous

  // void copy_guarded(void* destination, const void* source, size_t bytes): the memcpy of boot/string.c, but
  // a load that aborts ends it and is recorded by the guard of this core.
  .global copy_guarded
  .type copy_guarded, %function
copy_guarded:
  .cfi_startproc
  mov     x4, x0
  eor     x3, x0, x1
  ands    x3, x3, #7
  b.ne    bytes                      // no word of both sides is aligned
align:
  cbz     x2, copied
  tst     x4, #7
  b.eq    words
  ldrb    w5, [x1], #1
  strb    w5, [x4], #1
  sub     x2, x2, #1
  b       align
words:
  ands    x6, x2, #~7
  b.eq    bytes
1:ldr     x5, [x1, x3]
  str     x5, [x4, x3]
  add     x3, x3, #8
  cmp     x6, x3
  b.ne    1b
  add     x1, x1, x6
  add     x4, x4, x6
  and     x2, x2, #7
bytes:
  cbz     x2, copied
  mov     x3, #0
1:ldrb    w5, [x1, x3]
  strb    w5, [x4, x3]
  add     x3, x3, #1
  cmp     x2, x3
  b.ne    1b
copied:
  ret
copy_aborted:
  b       exception_guard_trigger    // returns to the caller of copy_guarded
  .cfi_endproc
  .size copy_guarded, . - copy_guarded
