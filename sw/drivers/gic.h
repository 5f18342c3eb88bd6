// Driver of the interrupt controller: distributor, interface of the calling core, handlers. Interrupts are
// level sensitive and all have the same priority. Numbers are those of the GIC: 0-15 software generated,
// 16-31 private, 32 + n is shared peripheral interrupt n.
//
// A program is linked with one driver: gicv2.c (GIC-400), or gicv3.c with boot/many_cores.h. On a node
// without its controller, gicv2.c does nothing, and the summary of a run that ends in WFI says so; gicv3.c
// ends the program.
#pragma once

#include <stdint.h>

typedef void (*InterruptHandler)(void);

void gic_initialize_distributor(void);  // core 0, once
void gic_initialize_core(void);         // every core
// Calls the handler on the calling core, with interrupts masked, whenever the interrupt is pending. The
// handler must clear the interrupt in its device, and the core must call interrupts_unmask(). With gicv3.c
// all cores share the handlers, and every core must enable its own private interrupts.
void gic_enable(uint32_t interrupt, InterruptHandler handler);
void gic_disable(uint32_t interrupt);
void gic_send(uint32_t interrupt, uint32_t cores);  // software generated interrupt to a bit mask of cores

// Only gicv3.c: software generated interrupt to a bit mask of the 16 cores that share this Aff1 of MPIDR_EL1.
void gic_send_to_cluster(uint32_t interrupt, uint32_t cluster, uint32_t cores);
