// The driver of @NAME@, and a test of it.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "@NAME@.h"
#include "boot/exit_status.h"
#include "boot/interrupts.h"
#include "drivers/device_tree.h"
#include "drivers/gic.h"
#include "drivers/mmio.h"

// ---- the driver ----

static Device device;
static volatile bool has_ended;
static volatile uint32_t status;

static void on_interrupt(void) {
  status = mmio_read(device.base + @UPPER @_STATUS);
  mmio_write(device.base + @UPPER @_CLEAR, 1);
  has_ended = true;
}

static bool probe(void) {
  if (!device_tree_find("acme,@NAME@", &device)) return false;
  gic_initialize_distributor();
  gic_initialize_core();
  gic_enable(device.interrupt, on_interrupt);
  return true;
}

// Returns whether the whole range could be read. Sleeps until then.
static bool sum_of(uint64_t address, uint32_t bytes, uint32_t* sum) {
  has_ended = false;
  data_synchronization_barrier();
  mmio_write(device.base + @UPPER @_ADDRESS, (uint32_t)address);
  mmio_write(device.base + @UPPER @_LENGTH, bytes);
  mmio_write(device.base + @UPPER @_CONTROL, @UPPER @_CONTROL_START_MASK);
  sleep_until(&has_ended);
  *sum = mmio_read(device.base + @UPPER @_SUM);
  return (status & @UPPER @_STATUS_ERROR_MASK) == 0;
}

// ---- the test ----

static uint32_t words[1000];

int main(void) {
  if (!probe()) {
    printf("@NAME@: there is no such device\n");
    return exit_unavailable;
  }
  uint32_t expected = 0, sum = 0;
  for (uint32_t i = 0; i < 1000; ++i) expected += words[i] = i * i;
  const bool is_read = sum_of((uintptr_t)words, sizeof words, &sum);
  const bool is_refused = !sum_of(0, 4, &(uint32_t){0});  // nothing answers there
  printf("@NAME@: the sum is %u, expected %u\n", (unsigned)sum, (unsigned)expected);
  return is_read && sum == expected && is_refused ? exit_passed : exit_failed;
}
