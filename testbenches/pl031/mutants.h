// Mutants of rtl/pl031 (testbenches/mutant.h).
#pragma once

#include "testbenches/mutant.h"

namespace asterism {

inline const Mutant pl031_mutants[] = {
    // A write of LR in the last cycle of a second loses the step.
    {"load_loses_the_step",
     {{"pl031.sv", "assign seconds_d = present + 32'(step);",
       "assign seconds_d = write_load ? load_d : seconds_q + 32'(step);"}}},
    {"match_is_a_second_late",
     {{"pl031.sv", "armed & step & (match_d == seconds_d)", "armed & step & (match_d == seconds_q)"}}},
    // A clear in the cycle of a match loses the interrupt.
    {"clear_wins_over_a_match",
     {{"pl031.sv", "assign raised_d    = hit_at_once | hit_at_step | (raised_q & ~write_clear);",
       "assign raised_d    = (hit_at_once | hit_at_step | raised_q) & ~write_clear;"}}},
    // MIS shows the interrupt before the mask.
    {"mask_is_not_masked", {{"pl031.sv", "32'(interrupt_o);", "32'(raised_q);"}}},
    // A write of some bytes writes all.
    {"bytes_are_words",
     {{"pl031.sv", "{{8{pstrb_i[3]}}, {8{pstrb_i[2]}}, {8{pstrb_i[1]}}, {8{pstrb_i[0]}}}",
       "{32{|pstrb_i}}"}}},
    // Every reset resets the counter.
    {"no_battery",
     {{"pl031.sv", "negedge por_ni) begin\n    if (!por_ni)", "negedge rst_ni) begin\n    if (!rst_ni)"}}},
    {"control_refuses_writes",
     {{"pl031.sv", "assign pslverr_o   = 1'b0;",
       "assign pslverr_o   = psel_i & penable_i & pwrite_i & (word == Cr);"}}},
    {"answers_late",
     {{"pl031.sv", "assign pready_o    = 1'b1;", "assign pready_o    = cycles_q[2:0] == 3'd1;"}}},
    // It announces the next change of the interrupt line five cycles late.
    {"next_event_lies", {{"pl031.sv", "!raised_q ? 32'(cycles_q)", "!raised_q ? 32'(cycles_q) + 32'd5"}}},
};

}  // namespace asterism
