// Drives the memory's codec through its contract, for a lockstep with RTL: under normal and strong ECC it
// reads blocks in which one chip is wrong, for each chip, and blocks that two chips have made uncorrectable
// while a third one has an error in another codeword.
//
// Errors are injected with the fault controller, and the data of every read are checked. Exit status: 0 all
// reads were as the code promises, 1 one was not, 3 the machine lacks a fault controller, a second rank, or
// the profile strict.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "boot/exit_status.h"
#include "boot/guarded_copy.h"
#include "boot/memory.h"
#include "drivers/memory_controller.h"
#include "drivers/power.h"

enum { chips = 18, beats = 8, block_words = 8 };

typedef struct {
  const char* name;
  uint64_t* words;
  unsigned next;  // the block that is used next
} Page;

static unsigned wrong;

static uint64_t pattern(uint64_t i) { return (i + 1) * 0x9e3779b97f4a7c15; }

static uint64_t* next_block(Page* page) {
  uint64_t* const block = page->words + (uint64_t)page->next * block_words;
  page->next = (page->next + 1) % (page_bytes / 64);
  for (unsigned i = 0; i < block_words; ++i) block[i] = pattern(block_words * page->next + i);
  return block;
}

static void inject(const uint64_t* block, MemoryFaultKind kind, unsigned chip, unsigned bit) {
  wrong += !power_inject((MemoryFault){kind, block, chip, bit, false});
}

static void expect(const Page* page, const uint64_t* block, bool readable, unsigned chip) {
  uint64_t copy[block_words];
  bool right = memory_copy_guarded(copy, block, sizeof copy) == readable;
  for (unsigned i = 0; i < block_words && readable; ++i)
    right = right && copy[i] == pattern(block_words * page->next + i);
  if (right) return;
  if (wrong++ == 0) printf("stress_codec: %s ECC, chip %u: wrong\n", page->name, chip);
}

static void one_wrong_chip(Page* page, unsigned chip) {
  for (unsigned beat = 0; beat < beats; ++beat) {
    const MemoryFaultKind kind = beat % 2 == 0 ? memory_fault_bit : memory_fault_word;
    const uint64_t* const block = next_block(page);
    inject(block, kind, chip, 4 * beat + (chip + beat) % 4);
    expect(page, block, true, chip);
  }
}

// Two chips with an error in the same beat, and so in the same codeword, and another one in the other half of
// the block.
static void lost(Page* page, unsigned chip) {
  for (unsigned half = 0; half < 2; ++half) {
    uint64_t* const block = next_block(page);
    inject(block, memory_fault_bit, chip, 16 * half + chip % 4);
    inject(block, memory_fault_bit, (chip + 5) % chips, 16 * half + 1);
    inject(block, memory_fault_bit, (chip + 9) % chips, 16 * (1 - half) + 6);
    expect(page, block, false, chip);
    for (unsigned i = 0; i < block_words; ++i) block[i] = 0;
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
  Page normal = {"normal", memory_allocate(page_bytes), 0},
       strong = {"strong", memory_allocate(page_bytes), 0};
  const EccRange range = {.first = (uintptr_t)strong.words, .bytes = page_bytes, .mode = ecc_strong};
  for (unsigned i = 0; i < page_bytes / 8; ++i) normal.words[i] = strong.words[i] = 0;
  if (memory_controller_set_range(3, range) != range_ok) return exit_unavailable;
  for (unsigned chip = 0; chip < chips; ++chip) {
    one_wrong_chip(&normal, chip);
    one_wrong_chip(&strong, chip);
    lost(&normal, chip);
    lost(&strong, chip);
    MemoryError error;
    while (memory_controller_oldest_error(&error)) memory_controller_drop_oldest_error();
  }
  printf("stress_codec: %u wrong\n", wrong);
  return wrong == 0 ? exit_passed : exit_failed;
}
