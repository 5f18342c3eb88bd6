#include "drivers/gicv2.h"

#include <stddef.h>

#include "asterism/platform.h"
#include "boot/cores.h"
#include "boot/interrupts.h"
#include "drivers/mmio.h"

enum {
  gicd_ctlr = 0x000,
  gicd_isenabler = 0x100,
  gicd_icenabler = 0x180,
  gicd_ipriorityr = 0x400,
  gicd_itargetsr = 0x800,
  gicd_sgir = 0xf00,
  gicc_ctlr = 0x000,
  gicc_pmr = 0x004,
  gicc_iar = 0x00c,
  gicc_eoir = 0x010,
  interrupts_known = 64,  // 32 private, 32 shared
  first_spurious = 1020,
};

static InterruptHandler handlers[interrupts_known];

void gic_initialize_distributor(void) { mmio_write(GICD_BASE + gicd_ctlr, 1); }

void gic_initialize_core(void) {
  mmio_write(GICC_BASE + gicc_pmr, 0xff);
  mmio_write(GICC_BASE + gicc_ctlr, 1);
}

void gic_enable(uint32_t interrupt, InterruptHandler handler) {
  if (interrupt >= interrupts_known) return;
  handlers[interrupt] = handler;
  volatile uint8_t* const targets = (volatile uint8_t*)(uintptr_t)(GICD_BASE + gicd_itargetsr);
  if (interrupt >= 32) targets[interrupt] = (uint8_t)(1u << cores_this());
  data_synchronization_barrier();
  mmio_write(GICD_BASE + gicd_isenabler + interrupt / 32 * 4, 1u << interrupt % 32);
}

void gic_disable(uint32_t interrupt) {
  mmio_write(GICD_BASE + gicd_icenabler + interrupt / 32 * 4, 1u << interrupt % 32);
}

void gic_send(uint32_t interrupt, uint32_t cores) {
  data_synchronization_barrier();  // what was written before is seen by who wakes
  mmio_write(GICD_BASE + gicd_sgir, (cores & 0xff) << 16 | interrupt);
}

// Called by the IRQ vector. A software-generated interrupt's acknowledge carries the sender in bits 12:10,
// and the end of interrupt must carry it back.
void gic_dispatch(void) {
  const uint32_t acknowledge = mmio_read(GICC_BASE + gicc_iar);
  const uint32_t interrupt = acknowledge & 0x3ff;
  if (interrupt >= first_spurious) return;
  if (interrupt < interrupts_known && handlers[interrupt] != NULL) {
    handlers[interrupt]();
  } else {
    gic_disable(interrupt);  // nobody's: otherwise it would come for ever
  }
  data_synchronization_barrier();
  mmio_write(GICC_BASE + gicc_eoir, acknowledge);
}
