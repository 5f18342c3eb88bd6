// The GICv2 as seen by a core: priorities, mask, preemption and binary point, running priority, active and
// pending states, both modes of the end of an interrupt, software-generated interrupts and their sources,
// level and edge, targets. IAR is read with interrupts masked in the core, so that the order is that of the
// GIC; the last part takes interrupts, nested.
//
//   conformance_interrupts
//
// Left out, since QEMU 7.2 and the architecture (IHI 0048B) differ:
// - A disabled group with a pending interrupt of the other group: in QEMU it can hide the other interrupt.
// - EOIR of an SPI on another core than the one that acknowledged it: in QEMU it ends the interrupt.
// - The low bits of priorities: GIC-400 has five bits, QEMU and this model have eight. Priorities here are
//   multiples of 8.
// - GICC_APR, which also depends on the number of bits.
// - Group 1, which needs FIQ: firmware at EL1 has only group 0.
#include "boot/interrupts.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "asterism/platform.h"
#include "boot/cores.h"
#include "boot/exit_status.h"
#include "drivers/cpu.h"
#include "drivers/gic.h"
#include "drivers/mmio.h"

enum { spi_a = 40, spi_b = 41, spi_c = 42, lowest_mask = 0xff, spurious = 1023 };

static uint32_t distributor(uint32_t offset) { return mmio_read(GICD_BASE + offset); }
static void set_distributor(uint32_t offset, uint32_t value) { mmio_write(GICD_BASE + offset, value); }
static uint32_t interface(uint32_t offset) { return mmio_read(GICC_BASE + offset); }
static void set_interface(uint32_t offset, uint32_t value) { mmio_write(GICC_BASE + offset, value); }

static bool bit(uint32_t offset, uint32_t interrupt) {
  return distributor(offset + interrupt / 32 * 4) >> interrupt % 32 & 1;
}
static void set_bit(uint32_t offset, uint32_t interrupt) {
  set_distributor(offset + interrupt / 32 * 4, 1u << interrupt % 32);
}

static void set_priority(uint32_t interrupt, uint8_t priority) {
  ((volatile uint8_t*)(uintptr_t)(GICD_BASE + GICD_IPRIORITYR))[interrupt] = priority;
}
static void set_targets(uint32_t interrupt, uint8_t cores) {
  ((volatile uint8_t*)(uintptr_t)(GICD_BASE + GICD_ITARGETSR))[interrupt] = cores;
}
static void set_edge(uint32_t interrupt) {
  const uint32_t offset = GICD_ICFGR + interrupt / 16 * 4;
  set_distributor(offset, distributor(offset) | 2u << interrupt % 16 * 2);
}

static void self(uint32_t interrupt) {
  set_distributor(GICD_SGIR, GICD_SGIR_FILTER_SELF << GICD_SGIR_FILTER_SHIFT | interrupt);
}

static uint32_t acknowledge(void) { return interface(GICC_IAR); }
static void end(uint32_t interrupt) { set_interface(GICC_EOIR, interrupt); }

static void state(const char* what) {
  printf("%s: running 0x%02x, highest pending %u\n", what, interface(GICC_RPR), interface(GICC_HPPIR));
}
static void of(const char* what, uint32_t interrupt) {
  printf("%s: %s%s%s\n", what, bit(GICD_ISENABLER, interrupt) ? "enabled" : "disabled",
         bit(GICD_ISPENDR, interrupt) ? ", pending" : "", bit(GICD_ISACTIVER, interrupt) ? ", active" : "");
}

static void usual(void) {
  set_interface(GICC_PMR, lowest_mask);
  set_interface(GICC_BPR, 0);
  set_interface(GICC_CTLR, GICC_CTLR_ENABLE_GROUP0_MASK);
}

static void prepare(uint32_t interrupt, uint8_t priority) {
  set_priority(interrupt, priority);
  if (interrupt >= 32) {
    set_targets(interrupt, 1);
    set_edge(interrupt);
  }
  set_bit(GICD_ISENABLER, interrupt);
}

static void order(void) {
  printf("-- order of acknowledgement\n");
  prepare(1, 0x80);
  prepare(2, 0x40);
  prepare(3, 0x40);
  prepare(spi_a, 0x20);
  prepare(spi_b, 0x80);
  self(1);
  self(3);
  self(2);
  set_bit(GICD_ISPENDR, spi_b);
  set_bit(GICD_ISPENDR, spi_a);
  for (int i = 0; i < 6; ++i) {
    const uint32_t interrupt = acknowledge();
    printf("%u\n", interrupt);
    end(interrupt);
  }
}

static void masked(void) {
  printf("-- priority mask\n");
  prepare(1, 0x40);
  self(1);
  static const uint8_t masks[] = {0x00, 0x38, 0x40, 0x48, 0xf8};
  for (unsigned i = 0; i < sizeof masks; ++i) {
    set_interface(GICC_PMR, masks[i]);
    const uint32_t interrupt = acknowledge();
    printf("mask 0x%02x: reads 0x%02x, acknowledge %u\n", masks[i], interface(GICC_PMR), interrupt);
    if (interrupt < spurious) {
      end(interrupt);
      self(1);
    }
  }
  usual();
  end(acknowledge());
  printf("with the interface off: ");
  self(1);
  set_interface(GICC_CTLR, 0);
  printf("%u", acknowledge());
  usual();
  printf(", with the distributor off: ");
  set_distributor(GICD_CTLR, 0);
  printf("%u", acknowledge());
  set_distributor(GICD_CTLR, GICD_CTLR_ENABLE_GROUP0_MASK);
  const uint32_t interrupt = acknowledge();
  printf(", with both: %u\n", interrupt);
  end(interrupt);
  set_bit(GICD_ICENABLER, spi_a);
  set_bit(GICD_ISPENDR, spi_a);
  of("disabled and made pending", spi_a);
  printf("acknowledge %u\n", acknowledge());
  set_bit(GICD_ISENABLER, spi_a);
  end(acknowledge());
  of("enabled, acknowledged and ended", spi_a);
}

static void preempted(uint8_t binary_point) {
  set_interface(GICC_BPR, binary_point);
  printf("-- preemption, binary point %u\n", interface(GICC_BPR));
  prepare(1, 0xa0);
  prepare(2, 0x88);
  prepare(3, 0x50);
  prepare(4, 0x48);
  state("idle");
  uint32_t active[4];
  unsigned depth = 0;
  for (uint32_t interrupt = 1; interrupt <= 4; ++interrupt) {
    self(interrupt);
    const uint32_t taken = acknowledge();
    if (taken < spurious) active[depth++] = taken;
    printf("%u comes: acknowledge %u\n", interrupt, taken);
    state("  then");
  }
  while (depth > 0) {
    end(active[--depth]);
    printf("end of %u\n", active[depth]);
    state("  then");
  }
  for (uint32_t interrupt; (interrupt = acknowledge()) < spurious;) {
    printf("left over: %u\n", interrupt);
    end(interrupt);
  }
  usual();
}

static void states(void) {
  printf("-- pending and active\n");
  prepare(spi_a, 0x40);
  of("at first", spi_a);
  set_bit(GICD_ISPENDR, spi_a);
  of("made pending", spi_a);
  set_bit(GICD_ICPENDR, spi_a);
  of("taken back", spi_a);
  printf("acknowledge %u\n", acknowledge());
  set_bit(GICD_ISPENDR, spi_a);
  const uint32_t first = acknowledge();
  of("acknowledged", spi_a);
  set_bit(GICD_ISPENDR, spi_a);
  of("pending once more", spi_a);
  printf("acknowledge %u while it is active\n", acknowledge());
  end(first);
  of("ended", spi_a);
  const uint32_t second = acknowledge();
  printf("acknowledge %u\n", second);
  end(second);
  of("ended too", spi_a);

  set_bit(GICD_ISACTIVER, spi_b);
  prepare(spi_b, 0x40);
  set_bit(GICD_ISPENDR, spi_b);
  of("made active and pending", spi_b);
  printf("acknowledge %u\n", acknowledge());
  state("made active by hand");
  set_bit(GICD_ICACTIVER, spi_b);
  of("no longer active", spi_b);
  end(acknowledge());
  of("acknowledged and ended", spi_b);
}

static void ends(void) {
  printf("-- end of interrupt in two steps\n");
  set_interface(GICC_CTLR, GICC_CTLR_ENABLE_GROUP0_MASK | GICC_CTLR_EOI_MODE_MASK);
  printf("control 0x%x\n", interface(GICC_CTLR));
  prepare(1, 0x40);
  prepare(spi_a, 0x80);
  set_bit(GICD_ISPENDR, spi_a);
  const uint32_t lower = acknowledge();
  state("acknowledged");
  end(lower);
  state("priority dropped");
  of("still", lower);
  set_bit(GICD_ISPENDR, spi_a);
  printf("pending again: acknowledge %u\n", acknowledge());
  self(1);
  const uint32_t higher = acknowledge();
  printf("another one: acknowledge %u\n", higher);
  end(higher);
  set_interface(GICC_DIR, higher);
  of("it, deactivated", higher);
  set_interface(GICC_DIR, lower);
  of("the first, deactivated", lower);
  const uint32_t again = acknowledge();
  printf("acknowledge %u\n", again);
  end(again);
  set_interface(GICC_DIR, again);
  of("at last", lower);
  usual();

  printf("-- spurious\n");
  printf("nothing pending: %u\n", acknowledge());
  end(spurious);
  state("an end of 1023 changes nothing");
}

static void configured(void) {
  printf("-- registers\n");
  printf("distributor: interrupt lines of %u cores\n",
         ((distributor(GICD_TYPER) & GICD_TYPER_CORES_MASK) >> GICD_TYPER_CORES_SHIFT) + 1);
  printf("SGIs are enabled for good: 0x%04x", distributor(GICD_ISENABLER) & 0xffff);
  set_distributor(GICD_ICENABLER, 0xffff);
  printf(" and 0x%04x\n", distributor(GICD_ISENABLER) & 0xffff);
  printf("SGIs are edges: 0x%08x\n", distributor(GICD_ICFGR));
  set_distributor(GICD_ISPENDR, 0xffff);
  printf("an SGI is not made pending by ISPENDR: 0x%04x\n", distributor(GICD_ISPENDR) & 0xffff);
  printf("targets of SGIs and PPIs: 0x%08x 0x%08x\n", distributor(GICD_ITARGETSR),
         distributor(GICD_ITARGETSR + 28));
  set_targets(spi_c, 0x0f);
  printf("targets of an SPI: 0x%02x\n", distributor(GICD_ITARGETSR + spi_c / 4 * 4) >> spi_c % 4 * 8 & 0xff);
  set_priority(spi_c, 0x78);
  printf("priority of an SPI: 0x%02x\n",
         distributor(GICD_IPRIORITYR + spi_c / 4 * 4) >> spi_c % 4 * 8 & 0xff);
}

// ---- Software-generated interrupts between cores ----

enum { sgi_all = 7, sgi_one = 8, cores_wanted = 4 };

static struct { volatile uint32_t count[MAX_CORES]; } got;

static void sgi_handler(void) { ++got.count[cpu_index()]; }

static void pass_on(unsigned core, unsigned cores, void* argument) {
  (void)cores, (void)argument;
  gic_enable(sgi_all, sgi_handler);
  gic_enable(sgi_one, sgi_handler);
  cores_barrier();
  if (core == 1) set_distributor(GICD_SGIR, GICD_SGIR_FILTER_ALL_OTHERS << GICD_SGIR_FILTER_SHIFT | sgi_all);
  if (core == 2) set_distributor(GICD_SGIR, GICD_SGIR_FILTER_SELF << GICD_SGIR_FILTER_SHIFT | sgi_one);
  if (core == 3) gic_send(sgi_one, 0x5);  // cores 0 and 2
  static const uint8_t wanted[cores_wanted] = {2, 0, 3, 1};
  for (;;) {
    interrupts_mask();
    if (got.count[core] >= wanted[core]) break;
    wait_for_interrupt();
    interrupts_unmask();
  }
  interrupts_unmask();
  cores_barrier();
}

// SGIs of several cores wait for core 0, which then sees their senders. Accesses are bytes, since QEMU makes
// SGIs without a source pending when a word is written.
static volatile uint8_t* source_byte(uint32_t offset, uint32_t interrupt) {
  return (volatile uint8_t*)(uintptr_t)(GICD_BASE + offset) + interrupt;
}

static uint32_t core_0_is_deaf, sent;

static void wait_until(const uint32_t* word, uint32_t value) {
  while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value) __asm__ volatile("yield");
}

static void send_to_0(unsigned core, unsigned cores, void* argument) {
  (void)argument;
  enum { sgi = 9 };
  if (core != 0) {
    wait_until(&core_0_is_deaf, 1);
    gic_send(sgi, 1);
    __atomic_add_fetch(&sent, 1, __ATOMIC_RELEASE);
    return;
  }
  interrupts_mask();  // a barrier would unmask interrupts
  __atomic_store_n(&core_0_is_deaf, 1, __ATOMIC_RELEASE);
  wait_until(&sent, cores - 1);
  printf("sources of SGI %u: 0x%02x\n", sgi, *source_byte(GICD_SPENDSGIR, sgi));
  *source_byte(GICD_CPENDSGIR, sgi) = 0x04;
  printf("without core 2: 0x%02x\n", *source_byte(GICD_CPENDSGIR, sgi));
  *source_byte(GICD_SPENDSGIR, sgi) = 0x01;
  for (int i = 0; i < 4; ++i) {
    const uint32_t interrupt = acknowledge();
    if (interrupt == spurious)
      printf("acknowledge %u\n", spurious);
    else
      printf("acknowledge SGI %u of core %u\n", interrupt & GICC_IAR_ID_MASK,
             interrupt >> GICC_IAR_SOURCE_SHIFT & 7);
    end(interrupt);
  }
  interrupts_unmask();
}

static void between_cores(void) {
  printf("-- SGIs between cores\n");
  const unsigned cores = cores_start(cores_wanted);
  if (cores != cores_wanted) {
    printf("needs %u cores\n", cores_wanted);
    return;
  }
  cores_run(pass_on, NULL);
  printf("to all others, to itself, to a list: %u %u %u %u\n", got.count[0], got.count[1], got.count[2],
         got.count[3]);
  cores_run(send_to_0, NULL);
}

// ---- Taken by the core, nested ----

static void note(const char* what, uint32_t interrupt) {
  printf("%s %u, running 0x%02x\n", what, interrupt, interface(GICC_RPR));
}

static void taken_4(void) { note("in", 4); }
static void taken_3(void) {
  note("in", 3);
  self(4);
  interrupts_unmask();
  note("still in", 3);
  interrupts_mask();
}
static void taken_2(void) {
  note("in", 2);
  self(3);
  self(5);
  note("asked for 3 and 5, still masked in", 2);
  interrupts_unmask();
  note("unmasked, still in", 2);
  interrupts_mask();
}
static void taken_5(void) { note("in", 5); }

static void nested(void) {
  printf("-- taken, nested\n");
  gic_enable(2, taken_2);
  gic_enable(3, taken_3);
  gic_enable(4, taken_4);
  gic_enable(5, taken_5);
  prepare(2, 0x80);
  prepare(3, 0x60);
  prepare(4, 0x40);
  prepare(5, 0xa0);
  self(2);
  interrupts_unmask();
  __asm__ volatile("nop\n nop\n nop");
  interrupts_mask();
  state("all over");
}

int main(void) {
  interrupts_mask();
  usual();
  order();
  masked();
  preempted(2);
  preempted(3);
  preempted(5);
  preempted(7);
  states();
  ends();
  configured();
  nested();
  interrupts_unmask();
  between_cores();
  return exit_passed;
}
