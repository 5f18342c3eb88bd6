// The end of a firmware run on an exception that nobody handles: three lines on the semihosting console name
// the vector, ESR_EL1 with its class, ELR_EL1 and FAR_EL1; then the run ends with exit_exception. Any core
// may come here.
#pragma once

#include <stdint.h>

// vector: 0..15 in the order of the vector table.
_Noreturn void exception_report(uint64_t vector, uint64_t esr, uint64_t elr, uint64_t far, uint64_t spsr);
