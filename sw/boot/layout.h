// Sizes that the start code, the linker script and C share.
#pragma once

#ifdef ASTERISM_MANY_CORES  // boot/many_cores.h
#define MAX_CORES 576       // the limit with a GICv3
#define STACK_BYTES 0x4000  // per core
#else
#define MAX_CORES 8         // the limit with a GICv2
#define STACK_BYTES 0x8000  // per core
#endif
#define EXIT_EXCEPTION 60  // boot/exit_status.h
#define CLUSTER_CORES 16   // cores with the same Aff1 of MPIDR_EL1, with a GICv3
#define FRAME_BYTES 0x2d0  // registers that an interrupt saves (start.S)
