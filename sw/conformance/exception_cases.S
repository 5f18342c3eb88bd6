// The code of each case of conformance/exceptions.c; x0 is the argument of the case. Each begins with a NOP,
// after which PSTATE.BTYPE is 0 on cores that have it: the indirect branch to the case does not appear in
// SPSR.

  .macro begin name
  .section .text.case_\name, "ax"
  .global case_\name
  .type case_\name, %function
case_\name:
  nop
  .endm

  .macro case name, code:vararg
  begin \name
  \code
  ret
  .size case_\name, . - case_\name
  .endm

  .arch armv8.1-a

  case svc, svc #0x1234
  case svc_largest, svc #0xffff
  case brk, brk #0xf000
  case hvc, hvc #0x12
  case smc, smc #0x34
  case udf, .inst 0x00000000
  case unallocated, .inst 0xffffffff
  case no_such_register, .inst 0xd53bff00          // mrs x0, s3_3_c15_c15_0
  case read_only_register, .inst 0xd5180000        // msr midr_el1, x0
  case register_of_el2, mrs x0, hcr_el2
  case register_of_el3, mrs x0, scr_el3
  case system_instruction_of_el2, .inst 0xd50c871f // tlbi alle2
  case hlt_of_nobody, hlt #0x1

  begin flags                                      // NZCV of SPSR
  mov     x1, #0xa0000000
  msr     nzcv, x1
  svc     #1
  ret
  begin masks                                      // DAIF of SPSR
  msr     daifclr, #15
  msr     daifset, #5
  svc     #2
  ret
  begin stack_of_el0                               // current EL with SP_EL0
  mov     x1, sp
  msr     spsel, #0
  mov     sp, x1
  svc     #3
  ret
  begin stack_of_el0_brk
  mov     x1, sp
  msr     spsel, #0
  mov     sp, x1
  brk     #4
  ret

  begin jump                                       // to the argument; RET does not change BTYPE
  ret     x0
  begin illegal_return                             // to the state in x0
  adr     x1, 1f
  msr     elr_el1, x1
  msr     spsr_el1, x0
  eret
1:nop
  ret

  case fp_add, fadd d0, d0, d0
  case fp_load, ldr q0, [x0]
  case simd_add, add v0.4s, v0.4s, v0.4s
  case fp_status, mrs x0, fpsr
  begin el0_fp_add
  fadd    d0, d0, d0
  svc     #0

  case load, ldr x1, [x0]
  case load_byte, ldrb w1, [x0]
  case load_pair, ldp x1, x2, [x0]
  case load_simd, ld1 {v0.16b-v3.16b}, [x0]
  case load_exclusive, ldxr x1, [x0]
  case load_acquire, ldar x1, [x0]
  case store, str xzr, [x0]
  case store_byte, strb wzr, [x0]
  case store_pair, stp xzr, xzr, [x0]
  case store_release, stlr xzr, [x0]
  begin store_exclusive
  ldxr    x1, [x0]
  stxr    w2, x1, [x0]
  ret
  begin store_back                                 // the base register is as before
  mov     x9, x0
  str     xzr, [x9, #-8]!
  ret
  begin load_back
  mov     x9, x0
  ldr     x1, [x9], #8
  ret
  begin zero_line
  dc      zva, x0
  ret
  case prefetch, prfm pldl1keep, [x0]
  begin el0_svc
  svc     #0x55
  begin el0_brk
  brk     #0x66
  begin el0_udf
  .inst   0
  begin el0_hvc
  hvc     #0
  begin el0_smc
  smc     #0
  begin el0_register_of_el1
  mrs     x0, sctlr_el1
  begin el0_daif
  mrs     x0, daif
  svc     #0
  begin el0_cache_type
  mrs     x0, ctr_el0
  svc     #0
  begin el0_counter
  mrs     x0, cntvct_el0
  svc     #0
  begin el0_timer
  msr     cntv_ctl_el0, x3
  svc     #0
  begin el0_physical_timer
  mrs     x4, cntp_cval_el0
  svc     #0
  begin el0_zero_line
  dc      zva, x0
  begin el0_clean_line
  dc      cvac, x0
  begin el0_tlbi
  tlbi    vmalle1
  begin el0_eret
  eret
  begin el0_wfi
  wfi
  svc     #0
  begin el0_load
  ldr     x1, [x0]
  svc     #0
  begin el0_store
  str     xzr, [x0]
  svc     #0
  begin el0_flags
  mov     x1, #0x50000000
  msr     nzcv, x1
  svc     #0
  begin el0_jump
  ret     x0

  begin go_on                                      // SVC until the hook ends it; x9 then holds what it left in x0
  mov     x0, #7
  mov     x1, #0x60000000
  msr     nzcv, x1
  svc     #1
  mov     x9, x0
  svc     #2
  ret
  begin interrupt                                  // one is pending
  msr     daifclr, #2
  nop
  nop
  nop
  ret
