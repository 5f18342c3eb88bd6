// Exceptions that are no interrupts.
//
// One that nobody handles ends the run: three lines on the semihosting console name the vector, ESR_EL1 with
// its class, ELR_EL1 and FAR_EL1; then the run ends with exit_exception. Any core may come here.
//
// One that comes while its core handles or reports another, because the stack or the code has failed, is told
// from registers alone, on the UART, and ends the run in the same way (second_exception.S).
//
// An SError is a bus error or data that the memory controller has marked as wrong (poison). It is asynchronous:
// it comes at a block boundary up to 256 instructions after the access, whose load has returned ones. Who reads
// what may be poisoned does it under a guard (boot/guarded_copy.h); for all others an app may name a handler.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// vector: 0..15 in the order of the vector table.
_Noreturn void exception_report(uint64_t vector, uint64_t esr, uint64_t elr, uint64_t far, uint64_t spsr);

// Called with all exceptions masked on the core that took an SError outside of a guard. False: it is not the
// handler's, and is reported. True: the interrupted code goes on, with whatever it has loaded. A handler must not
// use stdio: the SError may have struck inside it.
typedef bool (*SerrorHandler)(void);
void exception_on_serror(SerrorHandler handler);

// Between the two an SError of this core is noted and the code goes on. Guards do not nest.
void exception_guard(void);
bool exception_guard_end(
    void);  // whether one came; one for which an access before this call is to blame has come
