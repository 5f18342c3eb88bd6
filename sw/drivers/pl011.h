// Driver of the PL011 UART (Arm DDI 0183): output waits until the UART can take a character, input is by
// interrupt into a ring buffer of 256 characters. The hardware FIFO is off, so that every character
// interrupts at once instead of waiting for a receive timeout.
#pragma once

#include <stdbool.h>

void pl011_initialize(void);
void pl011_put(char c);
void pl011_print(const char* text);
char pl011_get(void);  // sleeps in WFI until a character has come
