// Sizes that the start code, the linker script and C share.
#pragma once

#define MAX_CORES 8         // a GICv2 serves eight
#define STACK_BYTES 0x8000  // a core
#define FRAME_BYTES 0x2d0   // registers that an interrupt saves (start.S)
