// An exception on a core that already handles one: the stack or the code that a report would need has failed.
// It is reported from registers alone, on the UART, and the run ends; nothing is saved or recovered.
#include "asterism/platform.h"

  .section .exception, "ax"

  .macro say text
  adr     x0, \text
  bl      put_text
  .endm
  .macro show register
  mov     x0, \register
  bl      put_hex
  .endm

  // x0: the first exception, in the format of TPIDR_EL1 (start.S).
  .global second_exception
  .type second_exception, %function
second_exception:
  .cfi_startproc
  .cfi_undefined x30
  orr     x1, x0, #(1 << 63)
  msr     tpidr_el1, x1              // a third exception ends the run without a report
  mov     x19, x0
  mrs     x20, tpidrro_el0           // where the first exception occurred
  mov     x21, sp
  mov     x22, #UART0_BASE
  mov     w1, #(3 << UART0_LCR_H_WLEN_SHIFT)
  str     w1, [x22, #UART0_LCR_H]
  mov     w1, #UART0_CR_UARTEN_MASK
  orr     w1, w1, #UART0_CR_TXE_MASK
  str     w1, [x22, #UART0_CR]
  mrs     x1, mpidr_el1
  say     on_core
  show    x1
  say     first_vector
  and     x1, x19, #0xf
  show    x1
  say     its_esr
  ubfx    x1, x19, #8, #32
  show    x1
  say     its_elr
  show    x20
  say     this_esr
  mrs     x1, esr_el1
  show    x1
  say     its_elr
  mrs     x1, elr_el1
  show    x1
  say     this_far
  mrs     x1, far_el1
  show    x1
  say     this_sp
  show    x21
  say     what_it_means
  b       end_broken_run

  // x0: a NUL terminated text, or a word that memory has marked as wrong: all ones. Preserves x1.
put_text:
  ldrb    w2, [x0], #1
  cbz     w2, 1f
  tbnz    w2, #7, 1f
  str     w2, [x22, #UART0_DR]
  b       put_text
1:ret

  // Prints x0 in 16 digits.
put_hex:
  mov     w3, #16
1:ror     x0, x0, #60
  and     w2, w0, #0xf
  cmp     w2, #10
  add     w4, w2, #('a' - 10)
  add     w2, w2, #'0'
  csel    w2, w2, w4, lo
  str     w2, [x22, #UART0_DR]
  subs    w3, w3, #1
  b.ne    1b
  ret
  .cfi_endproc
  .size second_exception, . - second_exception

on_core:
  .asciz  "*** exception while another was handled, MPIDR_EL1 0x"
first_vector:
  .asciz  "\n    first   vector  0x"
its_esr:
  .asciz  "\n            ESR_EL1 0x"
its_elr:
  .asciz  "  ELR_EL1 0x"
this_esr:
  .asciz  "\n    second  ESR_EL1 0x"
this_far:
  .asciz  "\n            FAR_EL1 0x"
this_sp:
  .asciz  "  SP      0x"
what_it_means:
  .asciz  "\n    The stack or the code of this core is broken: nothing can be recovered.\n"
  .balign 4
