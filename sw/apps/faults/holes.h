// An address that is unmapped both on QEMU's virt machine and on Asterism.
#pragma once

#define HOLE_ADDRESS 0x0d000000
