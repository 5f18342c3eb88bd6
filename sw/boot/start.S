// Entry of core 0 and of the secondary cores, and the exception vectors. EL1; MMU and caches are off unless
// the core says that it has data caches (sw/README.md gives the reason). This code reads only memory that it
// has written or that is in the ELF: DRAM contains a pattern after power-up.

#include "boot/layout.h"

  .cfi_sections .debug_frame

  .section .text.start, "ax"
  .global _start
  .type _start, %function
_start:
  .cfi_startproc
  .cfi_undefined x30                 // a backtrace ends here
  // A boot loader may pass the device tree in x0; QEMU's virt machine leaves it undefined for an ELF. It
  // stays there for start_main.
  bl      prepare_core
  ldr     x1, =__stacks_start
  add     sp, x1, #STACK_BYTES       // core 0 owns the first stack

  ldr     x1, =__bss_start
  ldr     x2, =__bss_end
1:cmp     x1, x2
  b.hs    2f
  stp     xzr, xzr, [x1], #16        // the linker script aligns both ends to 16
  b       1b
2:
  ldr     x1, =__tls_start           // errno of picolibc: thread pointer = block - 16 (AArch64 TLS variant 1)
  sub     x1, x1, #16
  msr     tpidr_el0, x1
  bl      start_main                 // never returns
  b       .
  .cfi_endproc
  .size _start, . - _start

// PSCI CPU_ON and the release from a spin table enter here. The core's number is taken from MPIDR_EL1
// (drivers/cpu.h), since a spin table passes no argument.
  .global secondary_entry
  .type secondary_entry, %function
secondary_entry:
  .cfi_startproc
  .cfi_undefined x30
  mrs     x0, mpidr_el1
#if MAX_CORES > CLUSTER_CORES
  ubfx    x1, x0, #8, #8
  and     x0, x0, #0xff
  mov     x2, #CLUSTER_CORES
  madd    x0, x1, x2, x0
#else
  and     x0, x0, #0xff
#endif
  bl      prepare_core
  ldr     x1, =__stacks_start
  mov     x2, #STACK_BYTES
  madd    x1, x0, x2, x1
  add     sp, x1, #STACK_BYTES
  ldr     x1, =__tls_start
  sub     x1, x1, #16
  msr     tpidr_el0, x1
  bl      secondary_main             // never returns
  b       .
  .cfi_endproc
  .size secondary_entry, . - secondary_entry

prepare_core:                        // preserves x0
  mov     x1, #(3 << 20)             // CPACR_EL1.FPEN: no trap on floating point and SIMD
  msr     cpacr_el1, x1
  ldr     x1, =exception_vectors
  msr     vbar_el1, x1
  msr     tpidr_el1, xzr             // no exception is being handled
  mrs     x1, clidr_el1
  tbnz    x1, #31, use_caches        // ICB: an L2 or a higher level holds inner cacheable memory; 0 gives no information
1:isb
  msr     daifclr, #4                // a bus error is an SError: unmask it from the first instruction on
  ret

// Memory is cached where a translation says so. Virtual addresses equal physical ones, in blocks of 1 GiB.
// The first block and those from 256 GiB on are devices and not executable; all blocks between are Write-Back
// memory.
#define DEVICES      0x401           // AttrIndx 0, AF, block
#define MEMORY       0x705           // AttrIndx 1, AF, inner shareable, block
#define NEVER_FETCH  (3 << 53)
use_caches:
  adrp    x1, __translation_table
  msr     ttbr0_el1, x1
  mrs     x2, mpidr_el1
  and     x2, x2, #0xffffff
  cbnz    x2, 4f                     // core 0 has made the table before other cores run
  mov     x2, #DEVICES
  orr     x2, x2, #NEVER_FETCH
  mov     x3, #MEMORY
  mov     x4, #(1 << 30)
  mov     x5, #1
  str     x2, [x1], #8
2:madd    x6, x4, x5, x3
  madd    x7, x4, x5, x2
  cmp     x5, #256
  csel    x6, x6, x7, lo
  str     x6, [x1], #8
  add     x5, x5, #1
  cmp     x5, #512
  b.lo    2b
4:mov     x1, #0xff00                // attributes: 0 Device-nGnRnE, 1 Write-Back
  msr     mair_el1, x1
  mov     x1, #0x3519                // TCR_EL1: 39 bits in; pages of 4 KiB; tables cached, inner shareable;
  movk    x1, #0x80, lsl #16         // no upper half;
  movk    x1, #4, lsl #32            // 44 bits out
  msr     tcr_el1, x1
  tlbi    vmalle1
  dsb     sy
  isb
  mrs     x1, sctlr_el1
  mov     x2, #0x1005                // M, C, I
  orr     x1, x1, x2
  msr     sctlr_el1, x1
  b       1b

// Every vector saves the registers that a C function may clobber, then calls one of three C functions.
  .macro save_registers
  sub     sp, sp, #FRAME_BYTES
  stp     x0, x1, [sp, #0x00]
  stp     x2, x3, [sp, #0x10]
  stp     x4, x5, [sp, #0x20]
  stp     x6, x7, [sp, #0x30]
  stp     x8, x9, [sp, #0x40]
  stp     x10, x11, [sp, #0x50]
  stp     x12, x13, [sp, #0x60]
  stp     x14, x15, [sp, #0x70]
  stp     x16, x17, [sp, #0x80]
  stp     x18, x29, [sp, #0x90]
  str     x30, [sp, #0xa0]
  .endm

  .macro save_the_rest               // saves the other registers that a C function may clobber; uses x0..x3
  mrs     x0, elr_el1
  mrs     x1, spsr_el1
  stp     x0, x1, [sp, #0xb0]
  mrs     x0, fpsr
  mrs     x1, fpcr
  stp     x0, x1, [sp, #0xc0]
  add     x2, sp, #0xd0
  stp     q0, q1, [x2, #0x00]
  stp     q2, q3, [x2, #0x20]
  stp     q4, q5, [x2, #0x40]
  stp     q6, q7, [x2, #0x60]
  add     x3, x2, #0x80
  stp     q16, q17, [x3, #0x00]
  stp     q18, q19, [x3, #0x20]
  stp     q20, q21, [x3, #0x40]
  stp     q22, q23, [x3, #0x60]
  stp     q24, q25, [x3, #0x80]
  stp     q26, q27, [x3, #0xa0]
  stp     q28, q29, [x3, #0xc0]
  stp     q30, q31, [x3, #0xe0]
  add     x2, sp, #0x250             // q8..q15: a callee keeps the low halves only
  stp     q8, q9, [x2, #0x00]
  stp     q10, q11, [x2, #0x20]
  stp     q12, q13, [x2, #0x40]
  stp     q14, q15, [x2, #0x60]
  .endm

  .macro return_from_exception       // undoes save_the_rest and save_registers
  add     x2, sp, #0x250
  ldp     q8, q9, [x2, #0x00]
  ldp     q10, q11, [x2, #0x20]
  ldp     q12, q13, [x2, #0x40]
  ldp     q14, q15, [x2, #0x60]
  add     x2, sp, #0xd0
  ldp     q0, q1, [x2, #0x00]
  ldp     q2, q3, [x2, #0x20]
  ldp     q4, q5, [x2, #0x40]
  ldp     q6, q7, [x2, #0x60]
  add     x3, x2, #0x80
  ldp     q16, q17, [x3, #0x00]
  ldp     q18, q19, [x3, #0x20]
  ldp     q20, q21, [x3, #0x40]
  ldp     q22, q23, [x3, #0x60]
  ldp     q24, q25, [x3, #0x80]
  ldp     q26, q27, [x3, #0xa0]
  ldp     q28, q29, [x3, #0xc0]
  ldp     q30, q31, [x3, #0xe0]
  ldp     x0, x1, [sp, #0xc0]
  msr     fpsr, x0
  msr     fpcr, x1
  ldp     x0, x1, [sp, #0xb0]
  msr     elr_el1, x0
  msr     spsr_el1, x1
  ldp     x0, x1, [sp, #0x00]
  ldp     x2, x3, [sp, #0x10]
  ldp     x4, x5, [sp, #0x20]
  ldp     x6, x7, [sp, #0x30]
  ldp     x8, x9, [sp, #0x40]
  ldp     x10, x11, [sp, #0x50]
  ldp     x12, x13, [sp, #0x60]
  ldp     x14, x15, [sp, #0x70]
  ldp     x16, x17, [sp, #0x80]
  ldp     x18, x29, [sp, #0x90]
  ldr     x30, [sp, #0xa0]
  add     sp, sp, #FRAME_BYTES
  eret
  .endm

// TPIDR_EL1 and TPIDRRO_EL0 record the exception that a core handles, so that a second exception, caused by a
// broken stack or broken code, can be reported without memory and does not lead to a third one. TPIDR_EL1:
// ESR_EL1 << 8 | 0x80 | vector, 0 for none; bit 63 is set by the second exception. TPIDRRO_EL0: ELR_EL1.
  .macro note_exception kind
  msr     sp_el0, x0                 // this firmware does not use it otherwise
  mrs     x0, tpidr_el1
  cbnz    x0, 9f
  mrs     x0, elr_el1
  msr     tpidrro_el0, x0
  mrs     x0, esr_el1
  lsl     x0, x0, #8
  add     x0, x0, #(0x80 + \kind)
  msr     tpidr_el1, x0
  mrs     x0, sp_el0
  .endm
  .macro or_a_second_one
9:tbnz    x0, #63, end_broken_run
  b       second_exception
  .endm

  .macro report kind                 // an unexpected exception: does not return
  .balign 0x80
  note_exception \kind
  save_registers
  mov     x0, #\kind
  b       report_exception
  or_a_second_one
  .endm

  .balign 0x800
  .global exception_vectors
exception_vectors:
  .cfi_startproc
  .cfi_undefined x30                 // the interrupted address is in ELR_EL1
  report  0                          // current EL with SP_EL0
  report  1
  report  2
  report  3
  .balign 0x80                       // current EL with SP_ELx: this firmware
  note_exception 4
  save_registers
  mov     x0, #4
  b       take_synchronous           // abort.S
  or_a_second_one
  .balign 0x80
  save_registers
  b       take_interrupt
  report  6
  .balign 0x80
  note_exception 7
  save_registers
  b       take_serror
  or_a_second_one
  report  8                          // lower EL: never entered by this firmware
  report  9
  report  10
  report  11
  report  12
  report  13
  report  14
  report  15
  .balign 0x80

  .global report_exception
report_exception:
  mrs     x1, esr_el1
  mrs     x2, elr_el1
  mrs     x3, far_el1
  mrs     x4, spsr_el1
  bl      exception_report
  b       .

take_interrupt:
  save_the_rest
  bl      gic_dispatch
  return_from_exception

// A bus error or poisoned data. exception_serror returns if the interrupted code may continue.
take_serror:
  save_the_rest
  mrs     x0, esr_el1
  mrs     x1, elr_el1
  mrs     x2, far_el1
  mrs     x3, spsr_el1
  bl      exception_serror
  msr     tpidr_el1, xzr
  return_from_exception

// SYS_EXIT; if even that cannot be read, the core does nothing.
  .global end_broken_run
end_broken_run:
  adr     x1, 2f
  mov     x0, #0x18
  hlt     #0xf000
1:wfi
  b       1b
  .balign 8
2:.quad   0x20026, EXIT_EXCEPTION
  .cfi_endproc
