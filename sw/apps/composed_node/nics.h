// Messages between the NICs of a node, which are connected to each other.
#pragma once

#include <stdbool.h>
#include <stdint.h>

bool nics_open(unsigned nic);  // with memory from memory_allocate(); false: there is no such NIC
bool nics_send(unsigned from, unsigned to, const void* data, uint32_t bytes);
// Sleeps until a message has come. False: it is another one than expected.
bool nics_receive(unsigned at, unsigned from, void* data, uint32_t bytes);
