// The code of each case of conformance/debug.c; x0 is the argument of the case. Each begins with a NOP, like
// those of exception_cases.S. At EL1 the second word unmasks debug exceptions. All end in SVC if no exception
// was taken.

  .macro begin name
  .section .text.debug_\name, "ax"
  .global debug_\name
  .type debug_\name, %function
debug_\name:
  nop
  .endm

  .macro case name, code:vararg                    // the code is the third word
  begin \name
  msr     daifclr, #8
  \code
  svc     #0
  .size debug_\name, . - debug_\name
  .endm

  case move, mov x5, #1
  case load, ldr x5, [x0]
  case load_byte, ldrb w5, [x0]
  case load_pair, ldp x5, x6, [x0]
  case load_vector, ldr q5, [x0]
  case load_exclusive, ldxr x5, [x0]
  case load_acquire, ldar x5, [x0]
  case store, str x5, [x0]
  case store_byte, strb w5, [x0]
  case store_pair, stp x5, x6, [x0]
  case store_release, stlr x5, [x0]
  case zero_line, dc zva, x0
  case prefetch, prfm pldl1keep, [x0]
  case brk, brk #0x12

  begin masked                                     // PSTATE.D stays set
  nop
  mov     x5, #1
  svc     #0

  begin move_at_el0
  nop
  mov     x5, #1
  svc     #0
  begin load_at_el0
  nop
  ldr     x5, [x0]
  svc     #0

  begin steps                                      // the hook of debug.c begins to step at SVC #1
  svc     #1
  mov     x5, #1
  b       1f
  mov     x5, #2
1:
  ldxr    x6, [x0]
  stxr    w7, x6, [x0]
  ldxr    x6, [x0]
  clrex
  add     x5, x5, #1
  brk     #2

  begin steps_at_el0
  mov     x5, #1
  add     x5, x5, #1
  cbz     xzr, 1f
  nop
1:
  svc     #2
