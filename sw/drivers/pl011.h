// Driver of the PL011 UART (Arm DDI 0183): output waits until the UART can take a character, input is by
// interrupt into a ring buffer of 256 characters. The hardware FIFO is off, so that every character
// interrupts at once instead of waiting for a receive timeout. A node may have several UARTs; all functions
// are about the one that is selected, at first the first one in the device tree.
#pragma once

#include <stdbool.h>

enum { pl011_limit = 4 };
// Selects UART `instance` of the device tree; each one that is used must be initialized once. False: there
// is none, and the selection is as before.
bool pl011_select(unsigned instance);
void pl011_initialize(void);
void pl011_put(char c);
void pl011_print(const char* text);
char pl011_get(void);  // sleeps in WFI until a character has come
