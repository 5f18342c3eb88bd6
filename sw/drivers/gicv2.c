#include <stddef.h>

#include "asterism/platform.h"
#include "boot/interrupts.h"
#include "drivers/cpu.h"
#include "drivers/device_tree.h"
#include "drivers/gic.h"
#include "drivers/mmio.h"

enum {
  interrupts_known = 512,  // 32 private, 480 shared
  first_spurious = 1020,
};

static uint64_t distributor = GICD_BASE, core_interface = GICC_BASE;  // 0: there is none
static InterruptHandler handlers[interrupts_known];

// Without a device tree the controller is where the standard map has it; a device tree may have none.
void gic_initialize_distributor(void) {
  Device gic, memory;
  if (device_tree_find("arm,cortex-a15-gic", &gic) && gic.second_base != 0) {
    distributor = gic.base;
    core_interface = gic.second_base;
  } else if (device_tree_memory(&memory)) {
    distributor = core_interface = 0;
    return;
  }
  mmio_write(distributor + GICD_CTLR, GICD_CTLR_ENABLE_GROUP0_MASK);
}

void gic_initialize_core(void) {
  if (core_interface == 0) return;
  mmio_write(core_interface + GICC_PMR, 0xff);
  mmio_write(core_interface + GICC_CTLR, GICC_CTLR_ENABLE_GROUP0_MASK);
}

void gic_enable(uint32_t interrupt, InterruptHandler handler) {
  if (interrupt >= interrupts_known || distributor == 0) return;
  handlers[interrupt] = handler;
  volatile uint8_t* const targets = (volatile uint8_t*)(uintptr_t)(distributor + GICD_ITARGETSR);
  if (interrupt >= 32) targets[interrupt] = (uint8_t)(1u << cpu_index());
  data_synchronization_barrier();
  mmio_write(distributor + GICD_ISENABLER + interrupt / 32 * 4, 1u << interrupt % 32);
}

void gic_disable(uint32_t interrupt) {
  if (distributor == 0) return;
  mmio_write(distributor + GICD_ICENABLER + interrupt / 32 * 4, 1u << interrupt % 32);
}

void gic_send(uint32_t interrupt, uint32_t cores) {
  if (distributor == 0) return;
  data_synchronization_barrier();  // a core that wakes sees what was written before
  mmio_write(distributor + GICD_SGIR,
             (cores << GICD_SGIR_TARGETS_SHIFT & GICD_SGIR_TARGETS_MASK) | interrupt);
}

// Called by the IRQ vector. A software-generated interrupt's acknowledge carries the sender in bits 12:10,
// and the end of interrupt must carry it back.
void gic_dispatch(void) {
  const uint32_t acknowledge = mmio_read(core_interface + GICC_IAR);
  const uint32_t interrupt = acknowledge & GICC_IAR_ID_MASK;
  if (interrupt >= first_spurious) return;
  if (interrupt < interrupts_known && handlers[interrupt] != NULL) {
    handlers[interrupt]();
  } else {
    gic_disable(interrupt);  // without a handler it would recur for ever
  }
  data_synchronization_barrier();
  mmio_write(core_interface + GICC_EOIR, acknowledge);
}
