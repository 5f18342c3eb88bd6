#include "apps/stress/faulty_page.h"

#include <stdio.h>

#include "boot/guarded_copy.h"
#include "boot/memory.h"
#include "drivers/memory_controller.h"

static unsigned wrong;

static uint64_t pattern(uint64_t i) { return (i + 1) * 0x9e3779b97f4a7c15; }

uint64_t* faulty_page_block(FaultyPage* page) {
  uint64_t* const block = page->words + (uint64_t)page->next * block_words;
  page->next = (page->next + 1) % (page_bytes / 64);
  for (unsigned i = 0; i < block_words; ++i) block[i] = pattern(block_words * page->next + i);
  return block;
}

void faulty_page_inject(const uint64_t* block, MemoryFaultKind kind, unsigned chip, unsigned bit) {
  wrong += !power_inject((MemoryFault){kind, block, chip, bit, false});
}

void faulty_page_expect(const FaultyPage* page, const uint64_t* block, bool readable, unsigned chip) {
  uint64_t copy[block_words];
  bool right = memory_copy_guarded(copy, block, sizeof copy) == readable;
  for (unsigned i = 0; i < block_words && readable; ++i)
    right = right && copy[i] == pattern(block_words * page->next + i);
  if (right) return;
  if (wrong++ == 0) printf("%s: chip %u: the block was not read as expected\n", page->name, chip);
}

void faulty_page_one_chip(FaultyPage* page, unsigned chip, unsigned beats) {
  for (unsigned beat = 0; beat < beats; ++beat) {
    const MemoryFaultKind kind = beat % 2 == 0 ? memory_fault_bit : memory_fault_word;
    const uint64_t* const block = faulty_page_block(page);
    faulty_page_inject(block, kind, chip, 4 * beat + (chip + beat) % 4);
    faulty_page_expect(page, block, true, chip);
  }
}

void faulty_page_clear(uint64_t* block) {
  for (unsigned i = 0; i < block_words; ++i) block[i] = 0;
}

void faulty_page_empty_log(void) {
  MemoryError error;
  while (memory_controller_oldest_error(&error)) memory_controller_drop_oldest_error();
}

unsigned faulty_page_wrong(void) { return wrong; }
