// Sizes that the start code, the linker script and C share.
#pragma once

#ifdef ASTERISM_MANY_CORES  // boot/many_cores.h
#define MAX_CORES 576       // what a GICv3 serves here
#define STACK_BYTES 0x4000  // a core
#else
#define MAX_CORES 8         // a GICv2 serves eight
#define STACK_BYTES 0x8000  // a core
#endif
#define EXIT_EXCEPTION 60  // boot/exit_status.h
#define CLUSTER_CORES 16   // cores that Aff0 of MPIDR_EL1 counts, as a GICv3 has them
#define FRAME_BYTES 0x2d0  // registers that an interrupt saves (start.S)
