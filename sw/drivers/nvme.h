// Driver of an NVMe disk (NVM Express revision 1.4) with one pair of I/O queues: one command at a time, whose
// end is awaited in WFI, with the alarm of the core (drivers/generic_timer.h), which it takes. Blocks have
// 4 KiB.
//
//   if (nvme_probe()) { nvme_write(0, page, 1, nvme_cached); nvme_flush(); }
//
// A write that has ended is in the cache of the disk, and may be lost if the power fails, unless it was
// nvme_durable or an nvme_flush() has ended since. A block is written as a whole or not at all.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { nvme_block_bytes = 4096, nvme_blocks_limit = 32 };  // of a command

// Status code type and status code, as the specification numbers them (section 4.6.1).
typedef enum {
  nvme_ok = 0,
  nvme_invalid_field = 0x002,
  nvme_data_transfer_error = 0x004,  // memory does not answer at the address of the data, or has poison there
  nvme_out_of_range = 0x080,
  nvme_write_fault = 0x280,
  nvme_unrecovered_read = 0x281,
  nvme_fatal = 0xFFFF,  // the controller does not answer any more: CSTS.CFS
} NvmeStatus;

typedef enum { nvme_cached, nvme_durable } NvmeWrite;

// Finds the disk, enables it and creates the queues. False: there is none, it does not become ready, or there
// is too little memory.
bool nvme_probe(void);
const char* nvme_model(void);
uint64_t nvme_blocks(void);

// `data` begins at a multiple of 4 KiB; count is at most nvme_blocks_limit.
NvmeStatus nvme_read(uint64_t first, void* data, uint32_t count);
NvmeStatus nvme_write(uint64_t first, const void* data, uint32_t count, NvmeWrite how);
NvmeStatus nvme_write_zeroes(uint64_t first, uint32_t count);
NvmeStatus nvme_flush(void);
// Informs the disk that the contents are not needed any more.
NvmeStatus nvme_deallocate(uint64_t first, uint32_t count);
// Makes everything durable that was written, before the power is switched off. False: the controller has
// failed, or needs more than 30 s.
bool nvme_shut_down(void);
