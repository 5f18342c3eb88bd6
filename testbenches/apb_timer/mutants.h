// Mutants of rtl/apb_timer (testbenches/mutant.h).
#pragma once

#include "testbenches/mutant.h"

namespace asterism {

inline const Mutant apb_timer_mutants[] = {
    // The prescaler of a channel that is started again continues.
    {"prescaler_goes_on",
     {{"apb_timer_channel.sv", "assign ticks_d   = start ? '0 : ticks_q", "assign ticks_d   = ticks_q"}}},
    {"match_is_a_step_late",
     {{"apb_timer_channel.sv", "step && advanced == compare_q", "step && count_q == compare_q"}}},
    {"one_shot_goes_on", {{"apb_timer_channel.sv", "running_q && (!match || periodic_q);", "running_q;"}}},
    // A clear in the cycle of a match loses the match.
    {"clear_wins_over_a_match",
     {{"apb_timer_channel.sv", "assign status_d = kept | {match && kept[0], match};",
       "assign status_d = (status_q | {match && status_q[0], match}) &\n"
       "                    ~(write_clear ? written_i[1:0] : 2'b00);"}}},
    {"every_match_overruns", {{"apb_timer_channel.sv", "{match && kept[0], match}", "{match, match}"}}},
    {"compare_changes_while_it_runs",
     {{"apb_timer_channel.sv", "if (write_i && !running_q)", "if (write_i)"}}},
    // PENDING shows the causes before the mask.
    {"mask_is_not_masked",
     {{"apb_timer_channel.sv", "Pending:  read_o = 32'(pending);", "Pending:  read_o = 32'(status_q);"}}},
    // A write of some bytes writes all.
    {"bytes_are_words",
     {{"apb_timer.sv", "{{8{pstrb_i[3]}}, {8{pstrb_i[2]}}, {8{pstrb_i[1]}}, {8{pstrb_i[0]}}}",
       "{32{|pstrb_i}}"}}},
    {"channels_share_a_line",
     {{"apb_timer.sv", "assign interrupt1_o = interrupt[1];", "assign interrupt1_o = |interrupt;"}}},
    // Only channel 0 keeps the block awake.
    {"idle_lies", {{"apb_timer.sv", "running == 2'b00;", "!running[0];"}}},
    // It announces the next edge of a line three cycles late.
    {"next_event_lies", {{"apb_timer_channel.sv", "+ EventBits'(1)\n", "+ EventBits'(4)\n"}}},
};

}  // namespace asterism
