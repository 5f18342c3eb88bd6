// Jumps to an unmapped address: an instruction abort, reported with ELR at that address. Exit status 60; 1 if
// the call returned.
#include <stdio.h>

#include "apps/faults/holes.h"
#include "boot/exit_status.h"

int main(void) {
  printf("jump_to_hole: jumping to 0x%x\n", HOLE_ADDRESS);
  void (*volatile hole)(void) = (void (*)(void))HOLE_ADDRESS;
  hole();
  printf("jump_to_hole: returned\n");
  return exit_failed;
}
