// Lets the adder of the testbench add a table up, and compares its sum.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "boot/arguments.h"
#include "boot/exit_status.h"
#include "boot/interrupts.h"
#include "drivers/device_tree.h"
#include "drivers/gic.h"
#include "drivers/mmio.h"

enum { address = 0, count = 4, sum = 8, complete = 12, most_words = 4096 };
static uint32_t table[most_words];
static Device adder;
static volatile bool is_done;

static void finish(void) {
  mmio_write(adder.base + complete, 1);
  is_done = true;
}

int main(int argc, char** argv) {
  uint64_t words = 1000;
  const Argument arguments[] = {{"words", argument_number, &words, 1, most_words, "words of the table"}};
  if (!arguments_read(argc, argv, arguments, 1)) return exit_usage;
  if (!device_tree_find("acme,adder", &adder)) {
    printf("there is no adder\n");
    return exit_failed;
  }
  uint32_t expected = 0;
  for (uint32_t i = 0; i < words; ++i) expected += table[i] = i * i;
  gic_initialize_distributor();
  gic_initialize_core();
  gic_enable(adder.interrupt, finish);
  data_synchronization_barrier();
  mmio_write(adder.base + address, (uint32_t)(uintptr_t)table);
  mmio_write(adder.base + count, (uint32_t)words);
  sleep_until(&is_done);
  const uint32_t result = mmio_read(adder.base + sum);
  printf("the sum of %u words is %u\n", (unsigned)words, (unsigned)result);
  return result == expected ? exit_passed : exit_failed;
}
