// Drives the code of a DDR5 rank through its contract, for a lockstep with RTL: it reads blocks in which one
// chip is wrong, for each chip and each part of the burst; blocks that two chips have made uncorrectable
// while another codeword could be corrected; and blocks whose codewords name different chips.
//
//   stress_rank_codec [one_chip=on]
//
// one_chip=off is for a code whose codewords need not name the same chip (rs_10_8): it corrects the last kind
// of block. Errors are injected with the fault controller, and the data of every read are checked. Exit
// status: 0 all reads were as the code promises, 1 one was not, 3 the machine lacks a fault controller.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "apps/stress/faulty_page.h"
#include "boot/arguments.h"
#include "boot/exit_status.h"
#include "boot/memory.h"
#include "drivers/memory_controller.h"
#include "drivers/power.h"

enum { chips = 10, beats = 16, half = 32 };  // bits of a chip's half burst

// Two chips with an error in the same beat, and so in the same codeword, and a third one in the other half of
// the burst.
static void lost(FaultyPage* page, unsigned chip) {
  for (unsigned first = 0; first < 2; ++first) {
    uint64_t* const block = faulty_page_block(page);
    faulty_page_inject(block, memory_fault_bit, chip, half * first);
    faulty_page_inject(block, memory_fault_bit, (chip + 3) % chips, half * first + 1);
    faulty_page_inject(block, memory_fault_bit, (chip + 7) % chips, half * (1 - first) + 6);
    faulty_page_expect(page, block, false, chip);
    faulty_page_clear(block);
  }
}

// Errors of different chips in the two halves of the burst.
static void two_chips(FaultyPage* page, unsigned chip, bool readable) {
  uint64_t* const block = faulty_page_block(page);
  faulty_page_inject(block, memory_fault_word, chip, 4);
  faulty_page_inject(block, memory_fault_bit, (chip + 4) % chips, half + 9);
  faulty_page_expect(page, block, readable, chip);
  faulty_page_clear(block);
}

int main(int argc, char** argv) {
  bool one_chip = true;
  const Argument table[] = {
      {"one_chip", argument_switch, &one_chip, 0, 0, "all codewords must name the same chip"}};
  if (!arguments_read(argc, argv, table, 1)) return exit_usage;
  if (!power_probe() || !memory_controller_probe()) {
    printf("stress_rank_codec: no fault controller or no memory controller\n");
    return exit_unavailable;
  }
  FaultyPage page = {"stress_rank_codec", memory_allocate(page_bytes), 0};
  for (unsigned i = 0; i < page_bytes / 8; ++i) page.words[i] = 0;
  for (unsigned chip = chips; chip-- > 0;) {  // first those of the check bits
    faulty_page_one_chip(&page, chip, beats);
    lost(&page, chip);
    two_chips(&page, chip, !one_chip);
    faulty_page_empty_log();
  }
  printf("stress_rank_codec: %u wrong\n", faulty_page_wrong());
  return faulty_page_wrong() == 0 ? exit_passed : exit_failed;
}
