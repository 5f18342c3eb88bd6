// The vectors of conformance/trap.h.

#define TRAP_FRAME_BYTES 0x110     // 31 registers, ELR, SPSR, one of padding

  .section .text.trap, "ax"

  .global trap_enter
  .type trap_enter, %function
trap_enter:                        // (code, argument): with flags clear
  mov     x2, x0
  mov     x0, x1
  msr     nzcv, xzr
  stp     x29, x30, [sp, #-16]!
  blr     x2
  ldp     x29, x30, [sp], #16
  ret
  .size trap_enter, . - trap_enter

  .global trap_enter_el0
  .type trap_enter_el0, %function
trap_enter_el0:                    // (code, argument, stack)
  msr     sp_el0, x2
  msr     elr_el1, x0
  mov     x0, #0x3c0               // EL0t, exceptions masked
  msr     spsr_el1, x0
  mov     x0, x1
  eret
  .size trap_enter_el0, . - trap_enter_el0

  .macro trap_vector offset
  .balign 0x80
  sub     sp, sp, #TRAP_FRAME_BYTES
  stp     x0, x1, [sp]
  mov     x0, #\offset
  b       trap_common
  .endm

  .balign 0x800
  .global trap_vectors
trap_vectors:
  .irp offset, 0x000, 0x080, 0x100, 0x180, 0x200, 0x280, 0x300, 0x380, 0x400, 0x480, 0x500, 0x580, 0x600, 0x680, 0x700, 0x780
  trap_vector \offset
  .endr
  .balign 0x80

trap_common:
  stp     x2, x3, [sp, #0x10]
  stp     x4, x5, [sp, #0x20]
  stp     x6, x7, [sp, #0x30]
  stp     x8, x9, [sp, #0x40]
  stp     x10, x11, [sp, #0x50]
  stp     x12, x13, [sp, #0x60]
  stp     x14, x15, [sp, #0x70]
  stp     x16, x17, [sp, #0x80]
  stp     x18, x19, [sp, #0x90]
  stp     x20, x21, [sp, #0xa0]
  stp     x22, x23, [sp, #0xb0]
  stp     x24, x25, [sp, #0xc0]
  stp     x26, x27, [sp, #0xd0]
  stp     x28, x29, [sp, #0xe0]
  mrs     x1, elr_el1
  stp     x30, x1, [sp, #0xf0]
  mrs     x1, spsr_el1
  str     x1, [sp, #0x100]
  mov     x1, #(3 << 20)           // CPACR_EL1.FPEN: C code and longjmp use these registers
  msr     cpacr_el1, x1
  isb
  mov     x1, sp
  mrs     x2, esr_el1
  mrs     x3, far_el1
  bl      trap_taken
  ldr     x1, [sp, #0x100]
  msr     spsr_el1, x1
  ldp     x30, x1, [sp, #0xf0]
  msr     elr_el1, x1
  ldp     x2, x3, [sp, #0x10]
  ldp     x4, x5, [sp, #0x20]
  ldp     x6, x7, [sp, #0x30]
  ldp     x8, x9, [sp, #0x40]
  ldp     x10, x11, [sp, #0x50]
  ldp     x12, x13, [sp, #0x60]
  ldp     x14, x15, [sp, #0x70]
  ldp     x16, x17, [sp, #0x80]
  ldp     x18, x19, [sp, #0x90]
  ldp     x20, x21, [sp, #0xa0]
  ldp     x22, x23, [sp, #0xb0]
  ldp     x24, x25, [sp, #0xc0]
  ldp     x26, x27, [sp, #0xd0]
  ldp     x28, x29, [sp, #0xe0]
  ldp     x0, x1, [sp]
  add     sp, sp, #TRAP_FRAME_BYTES
  eret
