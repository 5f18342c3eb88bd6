#include "drivers/pl011.h"

#include <stdint.h>

#include "asterism/platform.h"
#include "boot/interrupts.h"
#include "drivers/device_tree.h"
#include "drivers/gic.h"
#include "drivers/mmio.h"

static const char compatible[] = "arm,pl011";

enum {
  receive_interrupts = UART0_IMSC_RX_MASK | UART0_IMSC_RT_MASK,
  word_8_bits = 3 << UART0_LCR_H_WLEN_SHIFT,
  enable_transmit_receive = UART0_CR_UARTEN_MASK | UART0_CR_TXE_MASK | UART0_CR_RXE_MASK,
  ring_size = 256,
};

typedef struct {
  Device device;
  volatile char ring[ring_size];
  volatile unsigned written, taken;  // counts; their difference is the number of waiting characters
  volatile bool waiting;             // a character is in the ring
} State;

static State uart = {.device = {.base = UART0_BASE, .interrupt = 32 + UART0_INTERRUPT}};  // the selected one
static State unselected[pl011_limit];
static unsigned selected;

static void receive(void) {
  while ((mmio_read(uart.device.base + UART0_FR) & UART0_FR_RXFE_MASK) == 0) {
    const char c = (char)mmio_read(uart.device.base + UART0_DR);
    if (uart.written - uart.taken < ring_size) uart.ring[uart.written++ % ring_size] = c;
  }
  mmio_write(uart.device.base + UART0_ICR, receive_interrupts);
  uart.waiting = uart.written != uart.taken;
}

static InterruptHandler handler = receive;  // for all UARTs, as soon as a second one is selected

void pl011_initialize(void) {
  Device found;
  if (device_tree_find_instance(compatible, selected, &found)) uart.device = found;
  mmio_write(uart.device.base + UART0_CR, 0);
  mmio_write(uart.device.base + UART0_LCR_H, word_8_bits);
  mmio_write(uart.device.base + UART0_CR, enable_transmit_receive);
  gic_enable(uart.device.interrupt, handler);
  mmio_write(uart.device.base + UART0_IMSC, receive_interrupts);
  interrupts_unmask();
}

void pl011_put(char c) {
  while ((mmio_read(uart.device.base + UART0_FR) & UART0_FR_TXFF_MASK) != 0) {
  }
  mmio_write(uart.device.base + UART0_DR, (uint8_t)c);
}

void pl011_print(const char* text) {
  while (*text != 0) pl011_put(*text++);
}

char pl011_get(void) {
  sleep_until(&uart.waiting);
  interrupts_mask();
  const char c = uart.ring[uart.taken++ % ring_size];
  uart.waiting = uart.written != uart.taken;
  interrupts_unmask();
  return c;
}

// With interrupts masked.
static void exchange(unsigned instance) {
  unselected[selected] = uart;
  uart = unselected[instance];
  selected = instance;
}

static void receive_all(void) {
  const unsigned before = selected;
  for (unsigned instance = 0; instance < pl011_limit; ++instance) {
    exchange(instance);
    if (uart.device.base != 0) receive();
  }
  exchange(before);
}

bool pl011_select(unsigned instance) {
  Device found;
  if (instance >= pl011_limit || !device_tree_find_instance(compatible, instance, &found)) return false;
  gic_enable(uart.device.interrupt, receive_all);
  handler = receive_all;
  interrupts_mask();
  exchange(instance);
  interrupts_unmask();
  return true;
}
