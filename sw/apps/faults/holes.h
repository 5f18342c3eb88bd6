// An address at which neither virt nor Asterism has anything.
#pragma once

#define HOLE_ADDRESS 0x0d000000
