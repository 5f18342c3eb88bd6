// Accesses an unmapped address: the guest takes its own exception (a synchronous data abort on QEMU's virt
// machine; an SError if the fabric answers with a bus error). Exit status 60; 1 if nothing happened.
//
//   unmapped_access [address=0x0d000000] [write=on|off]
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "apps/faults/holes.h"
#include "boot/arguments.h"
#include "boot/exit_status.h"
#include "boot/interrupts.h"
#include "drivers/mmio.h"

int main(int argc, char** argv) {
  uint64_t address = HOLE_ADDRESS;
  bool write = false;
  const Argument table[] = {
      {"address", argument_number, &address, 0, UINT64_MAX, "address of the access"},
      {"write", argument_switch, &write, 0, 0, "write instead of read"},
  };
  if (!arguments_read(argc, argv, table, 2)) return exit_usage;
  printf("unmapped_access: %s 0x%llx\n", write ? "writing" : "reading", (unsigned long long)address);
  if (write)
    mmio_write(address, 1);
  else
    mmio_read(address);
  data_synchronization_barrier();  // an SError is asynchronous: it has arrived by here
  for (volatile int i = 0; i < 10000; ++i) {
  }
  printf("unmapped_access: no exception\n");
  return exit_failed;
}
