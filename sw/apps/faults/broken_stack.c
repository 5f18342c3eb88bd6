// Takes an exception on a stack that has failed, which no firmware survives: how=pointer sets the stack
// pointer to an unmapped address, how=memory kills two chips under a stack in the last rank
// (node.memory.mapping=RaRoBaCoCh node.memory.ranks=2). The report of the exception fails for the same
// reason: the run ends with exit status 60 and the report of second_exception.S, not by the time limit.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "boot/arguments.h"
#include "boot/exit_status.h"
#include "boot/memory.h"
#include "boot/ranks.h"
#include "drivers/memory_controller.h"
#include "drivers/power.h"

enum { stack_bytes = 4 * page_bytes };

// Executes an undefined instruction with a stack pointer to an unmapped address.
static void break_pointer(void) { __asm__ volatile("mov sp, %0\n udf #0" ::"r"((uint64_t)16) : "memory"); }

static void kill_chips_below(void) {
  volatile uint64_t words[64];
  for (unsigned i = 0; i < 64; ++i) words[i] = i;
  for (unsigned chip = 2; chip < 4; ++chip)
    power_inject((MemoryFault){.kind = memory_fault_chip, .at = &words[0], .chip = chip, .stuck = true});
  uint64_t sum = 0;
  for (unsigned i = 0; i < 64; ++i) sum += words[i];  // returns ones, and raises an SError
  printf("broken_stack: %llu\n", (unsigned long long)sum);
}

static void break_memory(void) {
  if (!power_probe() || !memory_controller_probe()) return;
  ranks_initialize(false);
  if (ranks_choose() <= 0) return;
  uint8_t* const stack = memory_allocate(stack_bytes);
  if (stack == NULL) return;
  memset(stack, 0, stack_bytes);
  __asm__ volatile(
      "mov x19, sp\n mov sp, %0\n blr %1\n mov sp, x19" ::"r"(stack + stack_bytes), "r"(kill_chips_below)
      : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15",
        "x16", "x17", "x18", "x19", "x30", "cc", "memory");
}

int main(int argc, char** argv) {
  static const char* const ways[] = {"pointer", "memory"};
  ArgumentChoice how = {ways, 2, 0};
  const Argument table[] = {{"how", argument_choice, &how, 0, 0, "how the stack fails"}};
  if (!arguments_read(argc, argv, table, 1)) return exit_usage;
  if (how.index == 0)
    break_pointer();
  else
    break_memory();
  printf("broken_stack: there are no two ranks of which one could fail\n");
  return exit_unavailable;
}
