// PL011 UART (Arm DDI 0183): output by waiting for room, input by interrupt into a ring of 256 characters.
// Without the hardware FIFO, so that every character interrupts at once and none waits for a receive timeout.
#pragma once

#include <stdbool.h>

void pl011_initialize(void);
void pl011_put(char c);
void pl011_print(const char* text);
char pl011_get(void);  // sleeps in WFI until a character has come
