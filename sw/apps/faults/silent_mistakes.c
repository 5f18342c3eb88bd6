// Makes a mistake that has no effect of its own on the node or under QEMU; node.checks finds it. Exit status
// 0, except for the stack overflow, which overwrites the program: then any.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "asterism/platform.h"
#include "boot/arguments.h"
#include "boot/exit_status.h"

static const uint32_t constant = 1;
static uint32_t returns[] = {0xd65f03c0};  // ret
static uint64_t words[16];

// Overflowing the stack is what this is for: the warning is right, and unwanted.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winfinite-recursion"
__attribute__((noinline)) static int recurse(volatile int* above) {
  volatile int here[1024];
  here[0] = *above + 1;
  return recurse(here) + here[0];
}
#pragma GCC diagnostic pop

__attribute__((noinline)) static void store_to(volatile uint32_t* at) { *at = 7; }

// An address of which the compiler does not know how it is aligned: it would access single bytes.
static volatile void* hidden(uintptr_t address) {
  __asm__("" : "+r"(address));
  return (volatile void*)address;
}

int main(int argc, char** argv) {
  static const char* const mistakes[] = {"none",      "read_only",     "no_execute",    "stack",
                                         "alignment", "register_byte", "register_pair", "zero_line"};
  ArgumentChoice what = {mistakes, sizeof mistakes / sizeof *mistakes, 0};
  const Argument table[] = {{"what", argument_choice, &what, 0, 0, "the mistake"}};
  if (!arguments_read(argc, argv, table, 1)) return exit_usage;
  const char* const chosen = mistakes[what.index];
  volatile int zero = 0;
  printf("silent_mistakes: %s\n", chosen);
  if (strcmp(chosen, "read_only") == 0) {
    for (int i = 0; i < 3; ++i) store_to((volatile uint32_t*)(uintptr_t)&constant);
    volatile uint32_t* const code = hidden((uintptr_t)main);
    *code = *code;
  }
  if (strcmp(chosen, "no_execute") == 0) ((void (*)(void))(uintptr_t)returns)();
  if (strcmp(chosen, "stack") == 0) return recurse(&zero);
  volatile uint64_t* const unaligned = hidden((uintptr_t)words + 3);
  if (strcmp(chosen, "alignment") == 0)
    for (int i = 0; i < 3; ++i) *unaligned += 1;
  if (strcmp(chosen, "zero_line") == 0) __asm__ volatile("dc zva, %0" ::"r"(words) : "memory");
  if (strcmp(chosen, "register_byte") == 0)
    for (int i = 0; i < 3; ++i) *(volatile uint8_t*)(DIMM_SSD_BASE + DIMM_SSD_INTERRUPT_ENABLE) = 1;
  if (strcmp(chosen, "register_pair") == 0) *(volatile uint64_t*)(DIMM_SSD_BASE + DIMM_SSD_INTERRUPT_ENABLE);
  printf("silent_mistakes: done\n");
  return exit_passed;
}
