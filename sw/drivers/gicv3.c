// GICv3 (Arm IHI 0069): distributor, redistributors, CPU interface by system registers. All interrupts are of
// group 1.
#include <stddef.h>

#include "asterism/platform.h"
#include "boot/exit_status.h"
#include "boot/interrupts.h"
#include "boot/layout.h"
#include "drivers/cpu.h"
#include "drivers/device_tree.h"
#include "drivers/gic.h"
#include "drivers/mmio.h"
#include "drivers/semihosting.h"

enum {
  interrupts_known = 1020,  // 32 private, 988 shared
  private_interrupts = 32,
  first_spurious = 1020,
  redistributor_bytes = 0x20000,
  lowest_priority_mask = 0xff,
  priority = 0x80,
};

static struct { uint64_t base, bytes; } regions[2];
static uint64_t distributor;
static InterruptHandler handlers[interrupts_known];

#define icc_pmr "S3_0_C4_C6_0"
#define icc_iar1 "S3_0_C12_C12_0"
#define icc_eoir1 "S3_0_C12_C12_1"
#define icc_sgi1r "S3_0_C12_C11_5"
#define icc_sre "S3_0_C12_C12_5"
#define icc_igrpen1 "S3_0_C12_C12_7"
#define read_icc(name)                                          \
  ({                                                            \
    uint64_t value_;                                            \
    __asm__ volatile("mrs %0, " name : "=r"(value_)::"memory"); \
    value_;                                                     \
  })
#define write_icc(name, value) __asm__ volatile("msr " name ", %0\n isb" ::"r"((uint64_t)(value)) : "memory")

static uint32_t affinity(void) {
  uint64_t mpidr;
  __asm__ volatile("mrs %0, mpidr_el1" : "=r"(mpidr));
  return (uint32_t)(mpidr & 0xffffff);
}

// The redistributor of this core; they are in the order of the cores. 0: there is none.
static uint64_t redistributor(void) {
  const uint32_t mine = affinity();
  uint64_t offset = (uint64_t)cpu_index() * redistributor_bytes;
  for (unsigned i = 0; i < 2; ++i) {
    if (offset < regions[i].bytes) {
      const uint64_t base = regions[i].base + offset;
      return mmio_read(base + GICV3R_TYPER_HIGH) == mine ? base : 0;
    }
    offset -= regions[i].bytes;
  }
  return 0;
}

void gic_initialize_distributor(void) {
  uint64_t bytes;
  if (!device_tree_range("arm,gic-v3", 0, &distributor, &bytes)) {
    semihosting_print("this firmware is made for a GICv3, and the device tree has none\n");
    semihosting_exit(exit_unavailable);
  }
  for (unsigned i = 0; i < 2; ++i)
    if (!device_tree_range("arm,gic-v3", i + 1, &regions[i].base, &regions[i].bytes)) regions[i].bytes = 0;
  mmio_write(distributor + GICV3D_CTLR, GICV3D_CTLR_AFFINITY_ROUTING_MASK | GICV3D_CTLR_ENABLE_GROUP1_MASK);
}

void gic_initialize_core(void) {
  const uint64_t mine = redistributor();
  if (mine == 0) {
    semihosting_print("this core has no redistributor where the device tree says\n");
    semihosting_exit(exit_unavailable);
  }
  mmio_write(mine + GICV3R_WAKER, 0);
  while (mmio_read(mine + GICV3R_WAKER) & GICV3R_WAKER_CHILDREN_ASLEEP_MASK) {
  }
  mmio_write(mine + GICV3R_IGROUPR0, 0xffffffff);
  for (unsigned i = 0; i < private_interrupts; i += 4)
    mmio_write(mine + GICV3R_IPRIORITYR + i, priority * 0x01010101u);
  for (uint32_t interrupt = 0; interrupt < private_interrupts; ++interrupt)
    if (handlers[interrupt] != NULL) mmio_write(mine + GICV3R_ISENABLER0, 1u << interrupt);
  write_icc(icc_sre, read_icc(icc_sre) | 1);
  write_icc(icc_pmr, lowest_priority_mask);
  write_icc(icc_igrpen1, 1);
}

void gic_enable(uint32_t interrupt, InterruptHandler handler) {
  if (interrupt >= interrupts_known) return;
  handlers[interrupt] = handler;
  data_synchronization_barrier();
  if (interrupt < private_interrupts) {
    mmio_write(redistributor() + GICV3R_ISENABLER0, 1u << interrupt);
    return;
  }
  const uint32_t spi = interrupt - private_interrupts, word = interrupt / 32 * 4;
  const uint64_t bits = distributor + word;
  volatile uint8_t* const priorities = (volatile uint8_t*)(uintptr_t)(distributor + GICV3D_IPRIORITYR);
  mmio_write(bits + GICV3D_IGROUPR, mmio_read(bits + GICV3D_IGROUPR) | 1u << interrupt % 32);
  priorities[interrupt] = priority;
  mmio_write(distributor + GICV3D_IROUTER + 8 * spi, affinity());
  mmio_write(distributor + GICV3D_IROUTER + 8 * spi + 4, 0);
  mmio_write(bits + GICV3D_ISENABLER, 1u << interrupt % 32);
}

void gic_disable(uint32_t interrupt) {
  if (interrupt < private_interrupts)
    mmio_write(redistributor() + GICV3R_ICENABLER0, 1u << interrupt);
  else
    mmio_write(distributor + GICV3D_ICENABLER + interrupt / 32 * 4, 1u << interrupt % 32);
}

void gic_send_to_cluster(uint32_t interrupt, uint32_t cluster, uint32_t cores) {
  data_synchronization_barrier();  // a core that wakes sees what was written before
  write_icc(icc_sgi1r, (uint64_t)interrupt << 24 | (uint64_t)cluster << 16 | (cores & 0xffff));
}

void gic_send(uint32_t interrupt, uint32_t cores) {
  for (uint32_t cluster = 0; cores != 0; ++cluster, cores >>= CLUSTER_CORES)
    if ((cores & 0xffff) != 0) gic_send_to_cluster(interrupt, cluster, cores & 0xffff);
}

// Called by the IRQ vector.
void gic_dispatch(void) {
  const uint32_t interrupt = (uint32_t)read_icc(icc_iar1) & 0xffffff;
  if (interrupt >= first_spurious) return;
  if (interrupt < interrupts_known && handlers[interrupt] != NULL) {
    handlers[interrupt]();
  } else {
    gic_disable(interrupt);  // without a handler it would recur for ever
  }
  data_synchronization_barrier();
  write_icc(icc_eoir1, interrupt);
}
