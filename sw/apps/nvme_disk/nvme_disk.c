// Keeps rounds of data on an NVMe disk, and continues after a power failure from the last round that it was
// promised, with an identical result.
//
//   nvme_disk [rounds=24] [blocks=48] [flush=on|off] [cxl=on|off]
//
// A round writes all blocks, flushes, and then writes its number to a block of its own with Force Unit
// Access. At the start the app reads that number: each block must then be as that round or a later one has
// left it, from its first byte to its last. flush=off leaves out the flush, so that promises are broken.
// With cxl=on, the disk writes from the memory of a CXL expander and reads into it.
//
// Exit status: 0 all rounds are there, 1 a promise was broken or the disk failed, 2 a wrong argument, 3 no
// disk, no expander or too little memory. result.txt holds a checksum of the disk by which two runs are
// compared.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "apps/result/result.h"
#include "boot/arguments.h"
#include "boot/exit_status.h"
#include "boot/memory.h"
#include "drivers/cxl.h"
#include "drivers/generic_timer.h"
#include "drivers/nvme.h"
#include "drivers/power.h"

typedef unsigned long long Printable;

enum { number_block = 0, first_block = 4, words = nvme_block_bytes / sizeof(uint64_t), per_command = 16 };

static uint64_t rounds = 24, blocks = 48;
static bool flushes = true, is_in_cxl = false;
static uint64_t* buffer;  // per_command blocks

static uint64_t word_of(uint64_t round, uint64_t block, uint64_t word) {
  return (round << 40 | block << 16 | word) * 0x9E3779B97F4A7C15u;
}

static bool ended(const char* what, NvmeStatus status) {
  if (status == nvme_ok) return true;
  printf("nvme_disk: %s: status %#x\n", what, (unsigned)status);
  return false;
}

static bool write_round(uint64_t round) {
  for (uint64_t first = 0; first < blocks; first += per_command) {
    const uint64_t count = blocks - first < per_command ? blocks - first : per_command;
    for (uint64_t i = 0; i < count; ++i)
      for (uint64_t word = 0; word < words; ++word)
        buffer[i * words + word] = word_of(round, first + i, word);
    if (!ended("write", nvme_write(first_block + first, buffer, (uint32_t)count, nvme_cached))) return false;
  }
  if (flushes && !ended("flush", nvme_flush())) return false;
  memset(buffer, 0, nvme_block_bytes);
  buffer[0] = round;
  return ended("number", nvme_write(number_block, buffer, 1, nvme_durable));
}

// The round that a block is of; ~0: of none as a whole.
static uint64_t round_of(const uint64_t* data, uint64_t block, uint64_t from, uint64_t to) {
  for (uint64_t round = from; round <= to; ++round) {
    uint64_t word = 0;
    while (word < words && data[word] == (round == 0 ? 0 : word_of(round, block, word))) ++word;
    if (word == words) return round;
  }
  return ~UINT64_C(0);
}

// Compares all blocks with the round that was promised and the next one.
static bool check(uint64_t promised) {
  bool kept = true;
  uint64_t later = 0;
  for (uint64_t block = 0; block < blocks; ++block) {
    if (!ended("read", nvme_read(first_block + block, buffer, 1))) return false;
    const uint64_t round = round_of(buffer, block, promised, promised + 1);
    if (round == ~UINT64_C(0)) {
      printf("nvme_disk: block %llu is not of round %llu or later\n", (Printable)block, (Printable)promised);
      kept = false;
    } else if (round != promised) {
      ++later;
    }
  }
  if (promised != 0)
    printf("nvme_disk: round %llu is there, %llu of %llu blocks are of the next one\n", (Printable)promised,
           (Printable)later, (Printable)blocks);
  return kept;
}

static bool write_result(void) {
  uint64_t sum = 0;
  for (uint64_t block = 0; block < blocks; ++block) {
    if (!ended("read", nvme_read(first_block + block, buffer, 1))) return false;
    for (uint64_t word = 0; word < words; ++word) sum = sum * 31 + buffer[word];
  }
  char text[80];
  snprintf(text, sizeof text, "rounds %llu checksum %016llx\n", (Printable)rounds, (Printable)sum);
  return result_write(text);
}

int main(int argc, char** argv) {
  const Argument table[] = {
      {"rounds", argument_number, &rounds, 1, 1000000, "rounds of writes"},
      {"blocks", argument_number, &blocks, 1, 100000, "blocks of 4 KiB that a round writes"},
      {"flush", argument_switch, &flushes, 0, 0, "flush before the number of a round is written"},
      {"cxl", argument_switch, &is_in_cxl, 0, 0, "the data are in the memory of a CXL expander"},
  };
  if (!arguments_read(argc, argv, table, sizeof table / sizeof *table)) return exit_usage;
  CxlMemory cxl = {0};
  if (is_in_cxl && !cxl_probe(&cxl)) {
    printf("nvme_disk: there is no CXL expander\n");
    return exit_unavailable;
  }
  buffer = is_in_cxl ? (uint64_t*)cxl.first : memory_allocate(per_command * nvme_block_bytes);
  if (buffer == NULL || !nvme_probe()) {
    printf("nvme_disk: there is no NVMe disk, or too little memory\n");
    return exit_unavailable;
  }
  printf("nvme_disk: %s, %llu MiB\n", nvme_model(), (Printable)(nvme_blocks() * nvme_block_bytes >> 20));
  if (!ended("number", nvme_read(number_block, buffer, 1))) return exit_failed;
  const uint64_t promised = buffer[0];
  if (!check(promised)) return exit_failed;
  if (promised != 0 && power_probe()) power_recovered(recovered_from_nvme);
  const uint64_t start = generic_timer_now();
  for (uint64_t round = promised + 1; round <= rounds; ++round)
    if (!write_round(round)) return exit_failed;
  const uint64_t microseconds = (generic_timer_now() - start) * 1000000 / generic_timer_frequency();
  if (promised < rounds)
    printf("nvme_disk: rounds %llu to %llu took %llu us\n", (Printable)(promised + 1), (Printable)rounds,
           (Printable)microseconds);
  if (!check(rounds) || !write_result() || !nvme_shut_down()) return exit_failed;
  return exit_passed;
}
