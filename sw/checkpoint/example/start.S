// Start code and vectors for a program that uses only the checkpoint library: EL1, one core, MMU and caches
// off. An interrupt calls take_interrupt (hooks.c).

  .section .text.start, "ax"
  .global _start
_start:
  mov     x0, #(3 << 20)             // CPACR_EL1.FPEN: no trap on floating point and SIMD
  msr     cpacr_el1, x0
  ldr     x0, =vectors
  msr     vbar_el1, x0
  isb
  ldr     x0, =__stack_end
  mov     sp, x0
  ldr     x0, =__bss_start
  ldr     x1, =__bss_end
1:cmp     x0, x1
  b.hs    2f
  stp     xzr, xzr, [x0], #16        // the linker script aligns both ends to 16
  b       1b
2:bl      interrupts_start
  bl      main
  b       semihosting_exit           // with what main returned

  .macro unexpected count            // ends the run with a status of its own
  .rept \count
  .balign 0x80
  mov     w0, #60
  b       semihosting_exit
  .endr
  .endm

  .balign 0x800
vectors:
  unexpected 5
  .balign 0x80                       // an interrupt at EL1
  b       interrupted
  unexpected 10

interrupted:                         // saves what a C function may clobber; interrupts do not nest
  stp     x0, x1, [sp, #-16]!
  stp     x2, x3, [sp, #-16]!
  stp     x4, x5, [sp, #-16]!
  stp     x6, x7, [sp, #-16]!
  stp     x8, x9, [sp, #-16]!
  stp     x10, x11, [sp, #-16]!
  stp     x12, x13, [sp, #-16]!
  stp     x14, x15, [sp, #-16]!
  stp     x16, x17, [sp, #-16]!
  stp     x18, x30, [sp, #-16]!
  sub     sp, sp, #512
  mov     x0, sp
  st1     {v0.2d-v3.2d}, [x0], #64
  st1     {v4.2d-v7.2d}, [x0], #64
  st1     {v8.2d-v11.2d}, [x0], #64
  st1     {v12.2d-v15.2d}, [x0], #64
  st1     {v16.2d-v19.2d}, [x0], #64
  st1     {v20.2d-v23.2d}, [x0], #64
  st1     {v24.2d-v27.2d}, [x0], #64
  st1     {v28.2d-v31.2d}, [x0], #64
  bl      take_interrupt
  ld1     {v0.2d-v3.2d}, [sp], #64
  ld1     {v4.2d-v7.2d}, [sp], #64
  ld1     {v8.2d-v11.2d}, [sp], #64
  ld1     {v12.2d-v15.2d}, [sp], #64
  ld1     {v16.2d-v19.2d}, [sp], #64
  ld1     {v20.2d-v23.2d}, [sp], #64
  ld1     {v24.2d-v27.2d}, [sp], #64
  ld1     {v28.2d-v31.2d}, [sp], #64
  ldp     x18, x30, [sp], #16
  ldp     x16, x17, [sp], #16
  ldp     x14, x15, [sp], #16
  ldp     x12, x13, [sp], #16
  ldp     x10, x11, [sp], #16
  ldp     x8, x9, [sp], #16
  ldp     x6, x7, [sp], #16
  ldp     x4, x5, [sp], #16
  ldp     x2, x3, [sp], #16
  ldp     x0, x1, [sp], #16
  eret
