// The functions that the checkpoint library needs from the program, for a GIC-400 and only the DIMM-SSD.
#include <string.h>

#include "asterism/platform.h"
#include "drivers/device_tree.h"
#include "drivers/gic.h"
#include "drivers/mmio.h"

static InterruptHandler handlers[96];

void interrupts_start(void) {
  mmio_write(GICD_BASE + GICD_CTLR, GICD_CTLR_ENABLE_GROUP0_MASK);
  mmio_write(GICC_BASE + GICC_PMR, 0xff);
  mmio_write(GICC_BASE + GICC_CTLR, GICC_CTLR_ENABLE_GROUP0_MASK);
}

void take_interrupt(void) {
  const uint32_t acknowledge = mmio_read(GICC_BASE + GICC_IAR);
  const uint32_t interrupt = acknowledge & GICC_IAR_ID_MASK;
  if (interrupt >= sizeof handlers / sizeof *handlers) return;  // spurious
  if (handlers[interrupt] != NULL) handlers[interrupt]();
  mmio_write(GICC_BASE + GICC_EOIR, acknowledge);
}

void gic_enable(uint32_t interrupt, InterruptHandler handler) {
  handlers[interrupt] = handler;
  *(volatile uint8_t*)(uintptr_t)(GICD_BASE + GICD_ITARGETSR + interrupt) = 1;  // core 0
  mmio_write(GICD_BASE + GICD_ISENABLER + interrupt / 32 * 4, 1u << interrupt % 32);
}

bool device_tree_find(const char* compatible, Device* device) {
  if (strcmp(compatible, "asterism,dimm-ssd") != 0) return false;
  *device = (Device){.base = DIMM_SSD_BASE, .interrupt = 32 + DIMM_SSD_INTERRUPT};
  return true;
}
