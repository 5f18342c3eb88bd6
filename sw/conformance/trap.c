#include "conformance/trap.h"

#include <setjmp.h>
#include <stddef.h>

extern char trap_vectors[];
extern void trap_enter(void (*code)(uint64_t), uint64_t argument);
extern void trap_enter_el0(void (*code)(uint64_t), uint64_t argument, uint64_t stack);

typedef struct Run {
  jmp_buf back;
  Trap trap;
  TrapHook hook;
  struct Run* outer;
} Run;

static Run* innermost;
static uint64_t usual_sctlr;
static uint64_t el0_stack[256] __attribute__((aligned(16)));

static void restore_controls(void) {
  __asm__ volatile("msr sctlr_el1, %0\n msr cpacr_el1, %1\n isb" ::"r"(usual_sctlr), "r"(3ull << 20)
                   : "memory");
}

void trap_initialize(void) {
  __asm__ volatile("mrs %0, sctlr_el1" : "=r"(usual_sctlr));
  __asm__ volatile("msr vbar_el1, %0\n isb" ::"r"(trap_vectors));
}

// Called by every vector; returning resumes the interrupted code with the frame.
void trap_taken(unsigned vector, TrapFrame* frame, uint64_t esr, uint64_t far) {
  restore_controls();
  Run* const run = innermost;
  run->trap = (Trap){true, vector, esr, frame->elr, far, frame->spsr};
  if (run->hook != NULL && run->hook(frame, &run->trap)) return;
  longjmp(run->back, 1);
}

Trap trap_run(const TrapRun* what) {
  Run this = {.hook = what->hook, .outer = innermost};
  uint64_t mask, stack_pointer;
  __asm__ volatile("mrs %0, daif\n msr daifset, #15\n mrs %1, sp_el0" : "=r"(mask), "=r"(stack_pointer));
  innermost = &this;
  if (setjmp(this.back) == 0) {
    if (what->prepare != NULL) what->prepare();
    if (what->at_el0)
      trap_enter_el0(what->code, what->argument, (uint64_t)(uintptr_t)(el0_stack + 256));
    else
      trap_enter(what->code, what->argument);
  }
  innermost = this.outer;
  restore_controls();
  __asm__ volatile("msr sp_el0, %1\n msr daif, %0\n isb" ::"r"(mask), "r"(stack_pointer) : "memory");
  return this.trap;
}
