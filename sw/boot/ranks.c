#include "boot/ranks.h"

#include <stddef.h>

#include "asterism/platform.h"
#include "boot/interrupts.h"
#include "boot/memory.h"

// This is in memory and not in the image, which a warm reset loads again.
typedef struct {
  uint64_t magic;
  uint64_t retired;  // one bit for each rank
  uint64_t resets;
  uint64_t check;  // DRAM contains a random pattern after power-up
} Kept;

extern Kept __kept_page;
static const uint64_t magic = 0x5452414e4b533031;  // "TRANKS01"

static uint64_t check_of(const Kept* kept) {
  return ~(kept->magic ^ kept->retired * 0x9e3779b97f4a7c15 ^ kept->resets * 0xbf58476d1ce4e5b9);
}

static void store(uint64_t retired, uint64_t resets) {
  Kept* const kept = &__kept_page;
  *kept = (Kept){.magic = magic, .retired = retired, .resets = resets};
  kept->check = check_of(kept);
  data_synchronization_barrier();
}

void ranks_initialize(bool warm) {
  const Kept* const kept = &__kept_page;
  if (!warm || kept->magic != magic || kept->check != check_of(kept)) store(0, 0);
}

unsigned ranks_read_log(ErrorVisitor visitor) {
  unsigned uncorrectable = 0;
  uint64_t retired = __kept_page.retired;
  MemoryError error;
  while (memory_controller_oldest_error(&error)) {
    if (error.uncorrectable) {
      ++uncorrectable;
      if (error.rank < 64) retired |= (uint64_t)1 << error.rank;
      // This precedes the removal of the entry: another core may reset this one in between.
      if (retired != __kept_page.retired) store(retired, __kept_page.resets);
    }
    if (visitor != NULL) visitor(&error);
    memory_controller_drop_oldest_error();
  }
  return uncorrectable;
}

bool ranks_retired(unsigned rank) { return rank < 64 && (__kept_page.retired >> rank & 1) != 0; }

int ranks_choose(void) {
  const MemoryProperties memory = memory_controller_properties();
  if (memory.rank_bytes == 0) return -1;
  unsigned rank = memory.ranks - 1;
  while (rank > 0 && ranks_retired(rank)) --rank;
  const uint64_t first = DRAM_BASE + rank * memory.rank_bytes;
  memory_allocate_from(first, first + memory.rank_bytes);
  return (int)rank;
}

unsigned ranks_resets(void) { return (unsigned)__kept_page.resets; }
void ranks_count_reset(void) { store(__kept_page.retired, __kept_page.resets + 1); }
