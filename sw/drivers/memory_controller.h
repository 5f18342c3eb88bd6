// Driver of the memory controller: the ECC of ranges of memory, the error log, the patrol scrubber. It is
// found by the device tree; QEMU's virt machine has none. Addresses are physical.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { ecc_none = 0, ecc_normal = 1, ecc_strong = 2 } EccMode;

// How the decoder treats errors: as published (thesis), with error locations beyond the code refused
// (strict), or also correcting both symbols of one chip (chip).
typedef enum { profile_thesis = 0, profile_strict = 1, profile_chip = 2 } EccProfile;

typedef struct {
  EccMode mode;  // of pages outside all ranges
  EccProfile profile;
  unsigned ranges;      // entries of the range table
  unsigned ranks;       // per channel
  uint64_t rank_bytes;  // if a rank is one range of addresses, else 0
} MemoryProperties;

typedef struct {
  uint64_t first, bytes;  // whole pages
  EccMode mode;           // ecc_none: the entry is not used
} EccRange;

typedef enum {
  range_ok = 0,
  range_unaligned = 1,
  range_outside = 2,
  range_overlap = 3,
  range_one_rank = 4,  // strong ECC keeps parity in another rank
  range_no_code = 5,
  range_no_space = 6,  // there is no space for parity: the memory uses all rows
  range_reserved_mode = 7,
} RangeProblem;

typedef enum { error_by_demand = 0, error_by_scrub = 1, error_by_conversion = 2 } ErrorSource;

enum { chip_unknown = 31 };

typedef struct {
  bool uncorrectable;
  ErrorSource source;
  bool strong;  // the block's mode
  uint64_t address;
  unsigned channel, rank, bank;
  unsigned chip;      // the lowest chip that was corrected, or chip_unknown
  unsigned codeword;  // the first wrong codeword of the block
  uint32_t syndrome;  // of that codeword, symbol 0 in the low byte
  unsigned lost;      // later errors that were not logged because the log was full
} MemoryError;

// Selects the controllers of another memory, in the order of the device tree; at first the first are
// selected. False: there are none, and the selection is as before.
bool memory_controller_select(unsigned instance);
bool memory_controller_probe(void);  // call the other functions only after it has returned true
MemoryProperties memory_controller_properties(void);

// An entry of the range table. Setting a range converts its contents in place; the table survives a warm
// reset.
EccRange memory_controller_range(unsigned entry);
RangeProblem memory_controller_set_range(unsigned entry, EccRange range);
const char* memory_controller_problem_text(RangeProblem problem);

// Error counts and log survive a warm reset.
uint32_t memory_controller_corrected(void);
uint32_t memory_controller_uncorrectable(void);
bool memory_controller_oldest_error(MemoryError* error);  // false: the log is empty
void memory_controller_drop_oldest_error(void);

// "corrected error at 0x80001000" and "channel 0 rank 1 bank 3 chip 5, normal ECC, syndrome 0x0000abcd"
void memory_controller_error_text(const MemoryError* error, char* text, size_t bytes);
void memory_controller_place_text(const MemoryError* error, char* text, size_t bytes);

void memory_controller_scrub(
    uint32_t nanoseconds);                  // sets the time between two blocks; 0: the scrubber is off
uint32_t memory_controller_scrubbed(void);  // completed passes over memory
