// Makes a mistake that firmware often has, for the simulator's reports of it. Exit status 60 unless said
// otherwise; 1 if nothing happened.
//
//   mistakes what=null      stores through a null pointer
//   mistakes what=call      calls a null pointer
//   mistakes what=repeat    loads 1000 times through a null pointer, with SErrors masked: status 0
//   mistakes what=device    reads a register of a GPU that the node lacks
//   mistakes what=register  core 2 writes a read-only register: status 0
//   mistakes what=code      overwrites its own code, and executes it
//   mistakes what=stack     calls itself until the stack has overflown
//   mistakes what=barrier   core 3 misses a barrier: none, the run ends in a deadlock
//   mistakes what=reset     resets the node again and again: none, a time limit ends it
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "asterism/platform.h"
#include "boot/arguments.h"
#include "boot/cores.h"
#include "boot/exit_status.h"
#include "boot/interrupts.h"
#include "drivers/mmio.h"

#define NOT_INLINED __attribute__((noinline))

static volatile uint32_t* volatile null;
static void (*volatile null_function)(void);

NOT_INLINED static void leaf(volatile uint32_t* at) { *at = 7; }
NOT_INLINED static void middle(volatile uint32_t* at) {
  leaf(at);
  data_synchronization_barrier();
}

NOT_INLINED static uint32_t recurse(volatile uint32_t* above) {
  volatile uint32_t frame[1024];
  frame[0] = *above + 1;
  return frame[0] == 0 ? 0 : recurse(frame) + frame[0];
}

static void write_register(unsigned core, unsigned cores, void* argument) {
  (void)cores, (void)argument;
  if (core == 2) mmio_write(DIMM_SSD_BASE + DIMM_SSD_ID, 1);
}

static void miss_barrier(unsigned core, unsigned cores, void* argument) {
  (void)cores, (void)argument;
  if (core != 3) cores_barrier();
}

static void reset(void) {
  register uint64_t x0 __asm__("x0") = 0x84000009;  // PSCI SYSTEM_RESET
  __asm__ volatile("hvc #0" : "+r"(x0) : : "memory");
}

int main(int argc, char** argv) {
  const char* what = "null";
  const Argument table[] = {{"what", argument_text, &what, 1, 30, "the mistake"}};
  if (!arguments_read(argc, argv, table, 1)) return exit_usage;
  volatile uint32_t one = 1;
  if (!strcmp(what, "null")) middle(null);
  if (!strcmp(what, "call")) null_function();
  if (!strcmp(what, "repeat")) {
    __asm__ volatile("msr daifset, #4");
    for (int i = 0; i < 1000; ++i) one += *null;
    return exit_passed;
  }
  if (!strcmp(what, "device")) one += mmio_read(0x0b030000);
  if (!strcmp(what, "register")) {
    cores_start(4);
    cores_run(write_register, NULL);
    return exit_passed;
  }
  if (!strcmp(what, "code")) {
    uintptr_t code = (uintptr_t)&leaf;
    __asm__("" : "+r"(code));  // otherwise the compiler would store single bytes, as to any alignment
    *(volatile uint32_t*)code = 0;
    middle(&one);
  }
  if (!strcmp(what, "stack")) one += recurse(&one);
  if (!strcmp(what, "barrier")) {
    cores_start(4);
    cores_run(miss_barrier, NULL);
  }
  if (!strcmp(what, "reset")) reset();
  data_synchronization_barrier();
  printf("mistakes: nothing happened\n");
  return exit_failed;
}
