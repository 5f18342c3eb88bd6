#include "drivers/pl011.h"

#include <stdint.h>

#include "asterism/platform.h"
#include "boot/interrupts.h"
#include "drivers/device_tree.h"
#include "drivers/gicv2.h"
#include "drivers/mmio.h"

enum {
  data = 0x000,
  flags = 0x018,
  line_control = 0x02c,
  control = 0x030,
  interrupt_mask = 0x038,
  interrupt_clear = 0x044,
  flag_receive_empty = 1 << 4,
  flag_transmit_full = 1 << 5,
  interrupt_receive = 1 << 4,
  interrupt_receive_timeout = 1 << 6,
  word_8_bits = 3 << 5,
  enable_transmit_receive = 0x301,
  ring_size = 256,
};

static Device uart = {.base = UART0_BASE, .interrupt = 32 + UART0_INTERRUPT};
static volatile char ring[ring_size];
static volatile unsigned written, taken;  // counts; the difference is what waits
static volatile bool waiting;             // a character is in the ring

static void receive(void) {
  while ((mmio_read(uart.base + flags) & flag_receive_empty) == 0) {
    const char c = (char)mmio_read(uart.base + data);
    if (written - taken < ring_size) ring[written++ % ring_size] = c;
  }
  mmio_write(uart.base + interrupt_clear, interrupt_receive | interrupt_receive_timeout);
  waiting = written != taken;
}

void pl011_initialize(void) {
  Device found;
  if (device_tree_find("arm,pl011", &found)) uart = found;
  mmio_write(uart.base + control, 0);
  mmio_write(uart.base + line_control, word_8_bits);
  mmio_write(uart.base + control, enable_transmit_receive);
  gic_enable(uart.interrupt, receive);
  mmio_write(uart.base + interrupt_mask, interrupt_receive | interrupt_receive_timeout);
  interrupts_unmask();
}

void pl011_put(char c) {
  while ((mmio_read(uart.base + flags) & flag_transmit_full) != 0) {
  }
  mmio_write(uart.base + data, (uint8_t)c);
}

void pl011_print(const char* text) {
  while (*text != 0) pl011_put(*text++);
}

char pl011_get(void) {
  sleep_until(&waiting);
  interrupts_mask();
  const char c = ring[taken++ % ring_size];
  waiting = written != taken;
  interrupts_unmask();
  return c;
}
