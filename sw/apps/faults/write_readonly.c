// Writes read-only registers: the write is ignored, the value does not change. Every machine has PL011's
// peripheral identification; the DIMM-SSD's ID is used if there is one. Exit status 0 if nothing changed.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "asterism/platform.h"
#include "boot/exit_status.h"
#include "drivers/device_tree.h"
#include "drivers/mmio.h"

static bool keeps(const char* name, uint64_t address) {
  const uint32_t before = mmio_read(address);
  mmio_write(address, ~before);
  const uint32_t after = mmio_read(address);
  printf("write_readonly: %s 0x%08x, after a write 0x%08x\n", name, (unsigned)before, (unsigned)after);
  return before == after;
}

int main(void) {
  Device uart, ssd;
  bool kept =
      keeps("PL011 PeriphID0", (device_tree_find("arm,pl011", &uart) ? uart.base : UART0_BASE) + 0xfe0);
  if (device_tree_find("asterism,dimm-ssd", &ssd))
    kept = keeps("DIMM-SSD ID", ssd.base + DIMM_SSD_ID) && kept;
  return kept ? exit_passed : exit_failed;
}
