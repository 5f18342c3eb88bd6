// Runs a piece of code until its first exception and returns what the core reported. It runs at EL1 with its
// own vectors.
//
// trap_run() restores CPACR_EL1, SCTLR_EL1, SPSel, DAIF and the exception level. Traps nest: a hook may call
// trap_run().
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  bool taken;       // false: the code returned, and the rest is 0
  unsigned vector;  // offset in the vector table: 0x000, 0x080, ... 0x780
  uint64_t esr, elr, far, spsr;
} Trap;

// The registers that a hook may read and change before the interrupted code continues.
typedef struct {
  uint64_t x[31];
  uint64_t elr, spsr;
} TrapFrame;

// Called at an exception, with all exceptions masked, on the stack of EL1. If it returns true, the code
// continues with the frame; otherwise trap_run() returns.
typedef bool (*TrapHook)(TrapFrame* frame, const Trap* trap);

void trap_initialize(void);  // call it once; it sets VBAR_EL1

typedef struct {
  void (*code)(
      uint64_t argument);  // starts with flags clear and all exceptions masked; at EL0 it must not return
  uint64_t argument;
  bool at_el0;            // runs at EL0, on a stack of its own
  void (*prepare)(void);  // called at EL1 just before the code; may be NULL
  TrapHook hook;          // may be NULL: the first exception ends the code
} TrapRun;
Trap trap_run(const TrapRun* what);
