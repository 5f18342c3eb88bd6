#include "apps/memory_timing/chain.h"

Chain chain_begin(void* memory, uint64_t stride) {
  Chain chain = {.first = memory, .stride = stride, .lines = 1, .random = 0x9e3779b97f4a7c15};
  chain.first->next = chain.first;
  return chain;
}

// A number below `bound`, by xorshift64.
static uint64_t random_below(Chain* chain, uint64_t bound) {
  chain->random ^= chain->random << 13;
  chain->random ^= chain->random >> 7;
  chain->random ^= chain->random << 17;
  return (chain->random >> 32) * bound >> 32;
}

// Each line goes behind a random one of those before it, so that all cycles are equally probable (Sattolo).
void chain_extend(Chain* chain, uint64_t lines) {
  for (; chain->lines < lines; ++chain->lines) {
    ChainLine* const line = chain->first + chain->lines * chain->stride;
    ChainLine* const before = chain->first + random_below(chain, chain->lines) * chain->stride;
    line->next = before->next;
    before->next = line;
  }
}

// In assembly, so that nothing but the loads counts: the loop adds two instructions to 256.
ChainLine* chase(ChainLine* line, uint64_t loads) {
  uint64_t times = loads / chase_unit;
  __asm__ volatile(
      "1:\n"
      ".rept 256\n"
      "ldr %[line], [%[line]]\n"
      ".endr\n"
      "subs %[times], %[times], #1\n"
      "b.ne 1b\n"
      : [line] "+&r"(line), [times] "+&r"(times)
      :
      : "memory", "cc");
  return line;
}
