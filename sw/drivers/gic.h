// The interrupt controller: distributor, the calling core's interface, handlers. Interrupts are level sensitive and have one
// priority. Numbers are the GIC's: 0-15 software generated, 16-31 private, 32 + n is shared peripheral interrupt n.
//
// Programs are linked with the driver of one: gicv2.c (GIC-400), or gicv3.c with boot/many_cores.h.
#pragma once

#include <stdint.h>

typedef void (*InterruptHandler)(void);

void gic_initialize_distributor(void);  // core 0, once
void gic_initialize_core(void);         // every core
// Calls the handler on the calling core, with interrupts masked, whenever the interrupt is pending. The
// handler quietens its device. Needs interrupts_unmask() of the core. With gicv3.c handlers are shared by all cores, and every
// core enables its own private interrupts.
void gic_enable(uint32_t interrupt, InterruptHandler handler);
void gic_disable(uint32_t interrupt);
void gic_send(uint32_t interrupt, uint32_t cores);  // software generated, to a bit mask of cores

// Only gicv3.c: to a bit mask of the 16 cores of a cluster.
void gic_send_to_cluster(uint32_t interrupt, uint32_t cluster, uint32_t cores);
