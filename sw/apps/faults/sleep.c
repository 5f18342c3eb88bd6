// Lets all cores sleep in WFI for ever with no interrupt enabled: an idle node. The run's time limit ends it.
#include <stdio.h>

#include "boot/cores.h"
#include "boot/exit_status.h"
#include "boot/interrupts.h"

static void sleep_for_ever(unsigned core, unsigned cores, void* argument) {
  (void)core, (void)cores, (void)argument;
  for (;;) wait_for_interrupt();
}

int main(void) {
  const unsigned cores = cores_start(MAX_CORES);
  printf("sleep: %u cores in WFI for ever\n", cores);
  cores_run(sleep_for_ever, NULL);
  return exit_failed;  // not reached
}
