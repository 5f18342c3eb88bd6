// Injects memory faults with the fault controller and checks how the memory controller, the error log and the
// core react: to a bit that is corrected, a dead chip under normal ECC (SError) and under strong ECC
// (corrected), and a second dead chip. Needs two ranks that are ranges of addresses
// (node.memory.mapping=RaRoBaCoCh node.memory.ranks=2), since a chip dies in a whole rank. The exit status is
// 0 if every register had the expected value.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "boot/exception.h"
#include "boot/exit_status.h"
#include "boot/guarded_copy.h"
#include "boot/interrupts.h"
#include "boot/memory.h"
#include "boot/ranks.h"
#include "drivers/memory_controller.h"
#include "drivers/power.h"

enum { words = page_bytes / 8, register_bytes = 32 * 16 + 12 * 8 };

static unsigned wrong;
static volatile unsigned serrors;
static uint64_t *normal, *strong;  // a page each, in the last rank

static void check(bool right, const char* what) {
  printf("bad_memory: %s: %s\n", what, right ? "yes" : "NO");
  wrong += !right;
}

// Uses every register that a C function may use, so that a register which the vector does not save is lost.
static bool count_serror(void) {
  ++serrors;
  __asm__ volatile(
      ".irp r, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
      "movi v\\r\\().16b, #0xee\n .endr\n"
      ".irp r, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17\n mov x\\r, #0xeee\n .endr\n" ::
          : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14",
            "x15", "x16", "x17", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11",
            "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25",
            "v26", "v27", "v28", "v29", "v30", "v31");
  return true;
}

// What is read or written next goes to memory, not to caches.
static void leave_caches(const void* first, unsigned bytes) {
  for (unsigned i = 0; i < bytes; i += 64)
    __asm__ volatile("dc civac, %0" ::"r"((const char*)first + i) : "memory");
  __asm__ volatile("dsb sy" ::: "memory");
}

static uint64_t pattern(uint64_t i) { return (i + 1) * 0x9e3779b97f4a7c15; }

static void fill(uint64_t* page) {
  for (uint64_t i = 0; i < words; ++i) page[i] = pattern(i);
  leave_caches(page, page_bytes);
}

static bool is_whole(const uint64_t* page) {
  uint64_t differences = 0;
  leave_caches(page, page_bytes);
  for (uint64_t i = 0; i < words; ++i) differences += page[i] != pattern(i);
  return differences == 0;
}

// The oldest entry of the log, or an entry that matches nothing.
static MemoryError take_error(void) {
  MemoryError error = {.chip = 99};
  if (memory_controller_oldest_error(&error)) memory_controller_drop_oldest_error();
  if (error.chip == 99) {
    printf("bad_memory: the log is empty\n");
    return error;
  }
  char text[100];
  memory_controller_error_text(&error, text, sizeof text);
  printf("bad_memory: %s\n", text);
  memory_controller_place_text(&error, text, sizeof text);
  printf("bad_memory: %s\n", text);
  return error;
}

static void empty_log(void) {
  MemoryError error;
  while (memory_controller_oldest_error(&error)) memory_controller_drop_oldest_error();
}

// x * 2^power in GF(2^8) with the polynomial 0x11d.
static uint8_t shifted(uint8_t x, unsigned power) {
  for (; power > 0; --power) x = (uint8_t)(x << 1 ^ ((x & 0x80) != 0 ? 0x1d : 0));
  return x;
}

// Syndromes of RS(36,32) for one wrong bit: e * alpha^(position * j), symbol 0 in the low byte.
static uint32_t syndrome_of(unsigned chip, unsigned bit) {
  const unsigned beat = bit / 4;
  const uint8_t error = (uint8_t)(1u << (bit % 4 + 4 * (beat % 2)));
  const unsigned position = 2 * chip + beat / 2 % 2;
  uint32_t syndrome = 0;
  for (unsigned j = 0; j < 4; ++j) syndrome |= (uint32_t)shifted(error, position * j) << 8 * j;
  return syndrome;
}

static void one_bit(void) {
  const unsigned chip = 5, bit = 22;  // beat 5, pin 2: symbol 2, codeword 1
  const uint32_t corrected = memory_controller_corrected();
  check(power_inject((MemoryFault){memory_fault_bit, &normal[100], chip, bit, false}), "a bit was broken");
  leave_caches(normal, page_bytes);
  check(normal[100] == pattern(100), "a broken bit is read as it was written");
  data_synchronization_barrier();
  check(memory_controller_corrected() == corrected + 1, "one error was corrected");
  const MemoryError error = take_error();
  check(error.address == ((uintptr_t)&normal[100] & ~(uintptr_t)63), "the log names the block");
  check(error.chip == chip && error.rank == 1 && !error.uncorrectable && error.source == error_by_demand,
        "the log names chip and rank");
  check(error.codeword == 1 && error.syndrome == syndrome_of(chip, bit), "the syndrome is that of the bit");
  check(is_whole(normal) && serrors == 0, "nobody else noticed");
}

static void one_word(void) {
  check(power_inject((MemoryFault){memory_fault_word, &normal[200], 17, 4 * 7, false}), "a word was broken");
  check(is_whole(normal), "a broken word is read as it was written");
  const MemoryError error = take_error();
  check(error.chip == 17 && !error.uncorrectable && error.address == (uintptr_t)&normal[200],
        "the log names block and parity chip");
  check(is_whole(normal) && take_error().chip == 99, "demand scrub has mended it");
}

// A bit in every beat: two symbols of each codeword, of which RS(36,32) corrects one.
static void one_pin(void) {
  check(power_inject((MemoryFault){memory_fault_pin, normal, 3, 1, false}), "a pin of the rank is broken");
  uint64_t word;
  leave_caches(normal, page_bytes);
  check(!memory_copy_guarded(&word, normal, sizeof word) && serrors == 0, "a guarded copy says so");
  check(take_error().uncorrectable, "the log says that it was lost");
  fill(normal);
  empty_log();
  const uint32_t errors = memory_controller_uncorrectable() + memory_controller_corrected();
  check(is_whole(normal), "data that were written again are whole");
  check(memory_controller_uncorrectable() + memory_controller_corrected() == errors, "without an error");
}

// Loads from `address` while all registers have known values, and stores them: the SError occurs in between.
static void load_with_known_registers(const void* address, const uint8_t* before, uint8_t* after) {
  register const void* x0 __asm__("x0") = address;
  register const uint8_t* x1 __asm__("x1") = before;
  register uint8_t* x2 __asm__("x2") = after;
  __asm__ volatile(
      ".irp r, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
      "ldr q\\r, [x1, #(16 * \\r)]\n .endr\n"
      ".irp r, 4,5,6,7,8,9,10,11,12,13,14,15\n ldr x\\r, [x1, #(480 + 8 * \\r)]\n .endr\n"
      "ldr x3, [x0]\n dsb sy\n isb\n b 1f\n 1: b 2f\n 2:\n"
      ".irp r, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
      "str q\\r, [x2, #(16 * \\r)]\n .endr\n"
      ".irp r, 4,5,6,7,8,9,10,11,12,13,14,15\n str x\\r, [x2, #(480 + 8 * \\r)]\n .endr\n"
      : "+r"(x0), "+r"(x1), "+r"(x2)
      :
      : "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "v0", "v1", "v2",
        "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17",
        "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31",
        "memory");
}

static void one_chip(void) {
  const uint32_t uncorrectable = memory_controller_uncorrectable();
  check(power_inject((MemoryFault){memory_fault_chip, normal, 3, 0, true}), "a chip of the rank is dead");
  static uint64_t copy[words];
  leave_caches(normal, page_bytes);
  check(!memory_copy_guarded(copy, &normal[8], 64) && serrors == 0,
        "a guarded copy under normal ECC says so");
  const MemoryError error = take_error();
  check(error.uncorrectable && error.rank == 1 && !error.strong && error.chip == chip_unknown &&
            error.address == (uintptr_t)&normal[8],
        "the log names the block as lost");
  check(memory_controller_uncorrectable() > uncorrectable, "it was counted");
  static uint8_t before[register_bytes] __attribute__((aligned(16))),
      after[register_bytes] __attribute__((aligned(16)));
  for (unsigned i = 0; i < register_bytes; ++i) before[i] = (uint8_t)(i * 37 + 11);
  load_with_known_registers(&normal[16], before, after);
  check(serrors == 1, "a load under normal ECC is an SError");
  check(memcmp(before, after, register_bytes) == 0, "no register was changed by it");
  empty_log();

  const uint32_t corrected = memory_controller_corrected();
  leave_caches(strong, page_bytes);
  check(memory_copy_guarded(copy, strong, sizeof copy) && is_whole(copy), "a copy under strong ECC is right");
  check(memory_controller_corrected() >= corrected + page_bytes / 64, "each of its blocks was corrected");
  const MemoryError first = take_error();
  check(first.strong && !first.uncorrectable && first.chip == 3 && first.address == (uintptr_t)strong,
        "the log names the dead chip");
  empty_log();
}

static void two_chips(void) {
  check(power_inject((MemoryFault){memory_fault_chip, normal, 9, 0, true}),
        "a second chip of the rank is dead");
  uint64_t word;
  leave_caches(strong, page_bytes);
  check(!memory_copy_guarded(&word, strong, sizeof word) && serrors == 1, "a copy under strong ECC says so");
  const MemoryError error = take_error();
  check(error.uncorrectable && error.strong && error.address == (uintptr_t)strong,
        "the log names the block as lost");
}

int main(void) {
  if (!power_probe() || !memory_controller_probe()) {
    printf("bad_memory: no fault controller or no memory controller\n");
    return exit_unavailable;
  }
  const MemoryProperties memory = memory_controller_properties();
  ranks_initialize(false);
  if (memory.mode != ecc_normal || memory.profile == profile_chip || ranks_choose() != 1) {
    printf(
        "bad_memory: needs two ranks that are ranges of addresses, ecc=normal, and a profile other than "
        "chip\n");
    return exit_unavailable;
  }
  normal = memory_allocate(page_bytes);
  strong = memory_allocate(page_bytes);
  fill(normal);
  fill(strong);
  const EccRange range = {.first = (uintptr_t)strong, .bytes = page_bytes, .mode = ecc_strong};
  check(memory_controller_set_range(3, range) == range_ok, "a page was put under strong ECC");
  check(memory_controller_range(3).mode == ecc_strong, "the table shows it");
  check(memory_controller_set_range(4, range) == range_overlap, "once");
  check(is_whole(strong), "it holds what it held");
  check(!power_inject((MemoryFault){memory_fault_bit, (void*)0x1000, 0, 0, false}),
        "only memory can be broken");
  exception_on_serror(count_serror);
  one_bit();
  one_word();
  one_pin();
  one_chip();
  two_chips();
  printf("bad_memory: %u wrong\n", wrong);
  return wrong == 0 ? exit_passed : exit_failed;
}
