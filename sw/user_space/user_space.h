// The checkpoint library in a process of Linux. It is the library of bare-metal programs, with the driver of
// the DIMM-SSD below it; this folder provides what both need from Linux. A program calls user_space_open()
// before all functions of the library, and has its arrays in memory from memory_allocate():
//
//   if (user_space_open(bytes) != checkpoint_ok) puts(user_space_problem());
//   double* const x = memory_allocate(bytes);
//   checkpoint_initialize();
//   checkpoint_protect(0, x, bytes);
//
// Regions smaller than a page may be anywhere, as the library copies them. If another region is not in that
// memory, checkpoint_write() and checkpoint_begin() return checkpoint_device_error.
//
// The process maps the registers of the first DIMM-SSD of the device tree (/dev/mem), and gives it physical
// addresses (/proc/self/pagemap); both ask for root. The memory is a file of huge pages,
// /dev/hugepages/asterism. Its frames are pinned while the process lives, and belong to the file when it has
// ended: a command that a killed process has left behind reads or writes no memory of anyone else.
//
// Levels besides the DIMM-SSD are those of a whole node: the functions that choose them return that the node
// has none (checkpoint_no_strong_memory, checkpoint_no_pcram). Call all functions from one thread.
#pragma once

#include <stddef.h>

#include "boot/memory.h"
#include "checkpoint/checkpoint.h"

// Gets the DIMM-SSD and at least `bytes` bytes for memory_allocate(), and lets the device end what an earlier
// process has begun: its versions are durable afterwards, or failed. Errors, which user_space_problem()
// explains:
//   checkpoint_no_device   there is no DIMM-SSD, or the process may not use it
//   checkpoint_too_large   there are not enough huge pages (/proc/sys/vm/nr_hugepages)
//   checkpoint_busy        another process uses the DIMM-SSD
CheckpointStatus user_space_open(size_t bytes);
// A line about the last error of user_space_open().
const char* user_space_problem(void);
