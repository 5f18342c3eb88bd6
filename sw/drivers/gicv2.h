// GICv2 (GIC-400): distributor, the calling core's interface, handlers. Interrupts are level sensitive and
// have one priority. Numbers are the GIC's: 0-15 software generated, 16-31 private, 32 + n is shared
// peripheral interrupt n.
#pragma once

#include <stdint.h>

typedef void (*InterruptHandler)(void);

void gic_initialize_distributor(void);  // core 0, once
void gic_initialize_core(void);         // every core
// Calls the handler on the calling core, with interrupts masked, whenever the interrupt is pending. The
// handler quietens its device. Needs interrupts_unmask() of the core.
void gic_enable(uint32_t interrupt, InterruptHandler handler);
void gic_disable(uint32_t interrupt);
void gic_send(uint32_t interrupt, uint32_t cores);  // software generated, to a bit mask of cores
