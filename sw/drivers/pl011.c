#include "drivers/pl011.h"

#include <stdint.h>

#include "asterism/platform.h"
#include "boot/interrupts.h"
#include "drivers/device_tree.h"
#include "drivers/gic.h"
#include "drivers/mmio.h"

enum {
  receive_interrupts = UART0_IMSC_RX_MASK | UART0_IMSC_RT_MASK,
  word_8_bits = 3 << UART0_LCR_H_WLEN_SHIFT,
  enable_transmit_receive = UART0_CR_UARTEN_MASK | UART0_CR_TXE_MASK | UART0_CR_RXE_MASK,
  ring_size = 256,
};

static Device uart = {.base = UART0_BASE, .interrupt = 32 + UART0_INTERRUPT};
static volatile char ring[ring_size];
static volatile unsigned written, taken;  // counts; their difference is the number of waiting characters
static volatile bool waiting;             // a character is in the ring

static void receive(void) {
  while ((mmio_read(uart.base + UART0_FR) & UART0_FR_RXFE_MASK) == 0) {
    const char c = (char)mmio_read(uart.base + UART0_DR);
    if (written - taken < ring_size) ring[written++ % ring_size] = c;
  }
  mmio_write(uart.base + UART0_ICR, receive_interrupts);
  waiting = written != taken;
}

void pl011_initialize(void) {
  Device found;
  if (device_tree_find("arm,pl011", &found)) uart = found;
  mmio_write(uart.base + UART0_CR, 0);
  mmio_write(uart.base + UART0_LCR_H, word_8_bits);
  mmio_write(uart.base + UART0_CR, enable_transmit_receive);
  gic_enable(uart.interrupt, receive);
  mmio_write(uart.base + UART0_IMSC, receive_interrupts);
  interrupts_unmask();
}

void pl011_put(char c) {
  while ((mmio_read(uart.base + UART0_FR) & UART0_FR_TXFF_MASK) != 0) {
  }
  mmio_write(uart.base + UART0_DR, (uint8_t)c);
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
