// Drives the memory's codec through its contract, for a lockstep with RTL: under normal and strong ECC it
// reads blocks in which one chip is wrong, for each chip, and blocks that two chips have made uncorrectable
// while a third one has an error in another codeword.
//
// Errors are injected with the fault controller, and the data of every read are checked. Exit status: 0 all
// reads were as the code promises, 1 one was not, 3 the machine lacks a fault controller, a second rank, or
// the profile strict.
#include <stdint.h>
#include <stdio.h>

#include "apps/stress/faulty_page.h"
#include "boot/exit_status.h"
#include "boot/memory.h"
#include "drivers/memory_controller.h"
#include "drivers/power.h"

enum { chips = 18, beats = 8 };

// Two chips with an error in the same beat, and so in the same codeword, and another one in the other half of
// the block.
static void lost(FaultyPage* page, unsigned chip) {
  for (unsigned half = 0; half < 2; ++half) {
    uint64_t* const block = faulty_page_block(page);
    faulty_page_inject(block, memory_fault_bit, chip, 16 * half + chip % 4);
    faulty_page_inject(block, memory_fault_bit, (chip + 5) % chips, 16 * half + 1);
    faulty_page_inject(block, memory_fault_bit, (chip + 9) % chips, 16 * (1 - half) + 6);
    faulty_page_expect(page, block, false, chip);
    faulty_page_clear(block);
  }
}

int main(void) {
  if (!power_probe() || !memory_controller_probe()) {
    printf("stress_codec: no fault controller or no memory controller\n");
    return exit_unavailable;
  }
  const MemoryProperties memory = memory_controller_properties();
  if (memory.ranks < 2 || memory.mode != ecc_normal || memory.profile != profile_strict) {
    printf("stress_codec: needs two ranks, ecc=normal and ecc_profile=strict\n");
    return exit_unavailable;
  }
  FaultyPage normal = {"stress_codec, normal ECC", memory_allocate(page_bytes), 0},
             strong = {"stress_codec, strong ECC", memory_allocate(page_bytes), 0};
  const EccRange range = {.first = (uintptr_t)strong.words, .bytes = page_bytes, .mode = ecc_strong};
  for (unsigned i = 0; i < page_bytes / 8; ++i) normal.words[i] = strong.words[i] = 0;
  if (memory_controller_set_range(3, range) != range_ok) return exit_unavailable;
  for (unsigned chip = 0; chip < chips; ++chip) {
    faulty_page_one_chip(&normal, chip, beats);
    faulty_page_one_chip(&strong, chip, beats);
    lost(&normal, chip);
    lost(&strong, chip);
    faulty_page_empty_log();
  }
  printf("stress_codec: %u wrong\n", faulty_page_wrong());
  return faulty_page_wrong() == 0 ? exit_passed : exit_failed;
}
