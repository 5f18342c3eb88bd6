// Runs a piece of code until its first exception, and says what the core told of it. EL1, vectors of its own.
//
// Whatever the code changed of CPACR_EL1, SCTLR_EL1, SPSel, DAIF and the exception level is as before when trap_run
// returns. Traps nest: the hook below may call trap_run.
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  bool taken;       // false: the code returned, and the rest is 0
  unsigned vector;  // offset in the vector table: 0x000, 0x080, ... 0x780
  uint64_t esr, elr, far, spsr;
} Trap;

// What a hook may look at and change before the interrupted code goes on.
typedef struct {
  uint64_t x[31];
  uint64_t elr, spsr;
} TrapFrame;

// Called at an exception, with all exceptions masked, on the stack of EL1. True: the code goes on with the frame; false: it is
// over and trap_run returns.
typedef bool (*TrapHook)(TrapFrame* frame, const Trap* trap);

void trap_initialize(void);  // once; from then on VBAR_EL1 is this one's

typedef struct {
  void (*code)(
      uint64_t argument);  // begins with flags clear and all exceptions masked; at EL0 it must not return
  uint64_t argument;
  bool at_el0;            // on a stack of its own
  void (*prepare)(void);  // just before the code, at EL1; NULL: nothing
  TrapHook hook;          // NULL: the first exception ends it
} TrapRun;
Trap trap_run(const TrapRun* what);
