// Exceptions other than interrupts.
//
// An exception without a handler ends the run: three lines on the semihosting console show the vector,
// ESR_EL1 with its class, ELR_EL1 and FAR_EL1; then the run ends with exit_exception. This works on any core.
//
// A second exception, while a core handles or reports another one, means that the stack or the code has
// failed. It is reported on the UART from registers alone, and ends the run in the same way
// (second_exception.S).
//
// An SError is a bus error, or data that the memory controller has marked as wrong (poison). It is
// asynchronous: it occurs at a block boundary up to 256 instructions after the access, whose load has
// returned ones. On cores with load_errors=abort, as silicon may do, such a load takes an external data abort
// instead and is not executed. Code that may read poison must use a guarded copy (boot/guarded_copy.h), which
// survives both; for all other accesses an app can set a handler.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// vector: 0..15 in the order of the vector table.
_Noreturn void exception_report(uint64_t vector, uint64_t esr, uint64_t elr, uint64_t far, uint64_t spsr);

// Called with all exceptions masked on the core that took an SError outside a guard, or an external data
// abort outside a guarded copy. If it returns false, the exception is reported as one without a handler. If
// it returns true, the code that an SError interrupted continues with the value that it has loaded; a load
// that was aborted has none, so its abort is reported. A handler must not use stdio: the load may have been
// inside it.
typedef bool (*SerrorHandler)(void);
void exception_on_serror(SerrorHandler handler);

// Between these two calls an SError of this core is recorded and the code continues. Guards do not nest.
// copy_guarded is a memcpy for use between them: it ends at a load that aborts, which is recorded, too.
void exception_guard(void);
void copy_guarded(void* destination, const void* source, size_t bytes);
bool exception_guard_end(
    void);  // whether an SError occurred; waits for those of all accesses before this call
