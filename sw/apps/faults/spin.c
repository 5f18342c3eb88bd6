// Loops for ever: the run's time limit ends it.
//
//   spin [cores=1]
#include <stdint.h>
#include <stdio.h>

#include "boot/arguments.h"
#include "boot/cores.h"
#include "boot/exit_status.h"

static void loop(unsigned core, unsigned cores, void* argument) {
  (void)core, (void)cores, (void)argument;
  for (;;) __asm__ volatile("");
}

int main(int argc, char** argv) {
  uint64_t cores = 1;
  const Argument table[] = {{"cores", argument_number, &cores, 1, MAX_CORES, "cores that spin"}};
  if (!arguments_read(argc, argv, table, 1)) return exit_usage;
  cores_start((unsigned)cores);
  printf("spin: looping for ever\n");
  cores_run(loop, NULL);
  return exit_failed;  // not reached
}
