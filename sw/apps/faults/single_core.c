// Never starts its secondary cores. Exit status 0: a core that is off must not keep the run from ending.
#include <stdio.h>

#include "boot/exit_status.h"

int main(void) {
  printf("single_core: one core is enough\n");
  return exit_passed;
}
