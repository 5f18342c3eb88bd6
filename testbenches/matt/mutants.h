// Mutants of rtl/matt (testbenches/mutant.h).
#pragma once

#include "testbenches/mutant.h"

namespace asterism {

inline const Mutant matt_mutants[] = {
    // The page that entered first is evicted first, even after a hit.
    {"first_in_first_out",
     {{"matt_buffer.sv", "later_q <= '0;", "later_q <= note_i ? later_q : '0;"},
      {"matt_buffer.sv", "later_q <= later_q | used;", "later_q <= note_i ? later_q : later_q | used;"}}},
    // A page is evicted with its latest lines only, and those in the table are lost.
    {"lines_not_merged", {{"matt.sv", "new_lines  = entry_lines | lines_q", "new_lines  = lines_q"}}},
    // Requests of the previous phase are counted, too.
    {"phases_not_compared", {{"matt.sv", "same_phase = entry_phase == phase_q", "same_phase = 1'b1"}}},
    // A second page with a waiting write does not enter the queue.
    {"priority_lost", {{"matt.sv", "!bits.waiting && !queue_full", "!bits.waiting && queue_empty"}}},
    // A page that is taken from the middle stays in the queue.
    {"stays_in_queue", {{"matt_queue.sv", "remove_i ? ~found + Length'(1) : '0", "remove_i ? '0 : '0"}}},
    // A waiting write is not reported.
    {"release_lost", {{"matt.sv", "answer_d          = bits.waiting;", "answer_d          = 1'b0;"}}},
    // Writes to a page of this phase proceed while it is copied.
    {"early_copy_not_locked",
     {{"matt.sv", "bits.tracked && !bits.earlier && !bits.locked", "bits.tracked && !bits.earlier"}}},
    // The count of a page in the buffer overflows.
    {"count_overflows", {{"matt_buffer.sv", "(sum[8] ? 8'hFF : sum[7:0])", "sum[7:0]"}}},
    // A candidate that is written remains one.
    {"candidate_stays",
     {{"matt.sv", "new_bits.candidate = 1'b0;\n              update",
       "new_bits.candidate = bits.candidate;\n              update"}}},
};

}  // namespace asterism
