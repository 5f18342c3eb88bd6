// Mutants of rtl/dma_engine (testbenches/mutant.h).
#pragma once

#include "testbenches/mutant.h"

namespace asterism {

inline const Mutant dma_engine_mutants[] = {
    {"rotates_the_other_way",
     {{"dma_engine.sv", "2'd1:    rotated = {m_prdata_i[23:0], m_prdata_i[31:24]};",
       "2'd1:    rotated = {m_prdata_i[7:0], m_prdata_i[31:8]};"}}},
    // The bytes of a word that was not completed are lost with the next read.
    {"partial_word_lost",
     {{"dma_engine.sv", "partial_d = completes ? rotated : completed;", "partial_d = rotated;"}}},
    // The last word is written to its end.
    {"writes_beyond_the_end",
     {{"dma_engine.sv", "~(4'hf << write_bytes) << destination_q[1:0]", "4'hf << destination_q[1:0]"}}},
    // The second burst is written from the place where the first one ended.
    {"buffer_not_emptied",
     {{"dma_engine.sv", "          filled_d  = '0;\n          drained_d = '0;",
       "          drained_d = '0;"}}},
    {"done_before_the_last_write",
     {{"dma_engine.sv", "if (length_d == '0) begin\n          state_d = Rest;",
       "if (unread_q == '0) begin\n          state_d = Rest;"}}},
    {"read_errors_ignored",
     {{"dma_engine.sv", "if (ends && (m_pslverr_i || stop_d)) begin",
       "if (ends && ((m_pslverr_i && m_pwrite_o) || stop_d)) begin"}}},
    // A write that has failed counts as done.
    {"failed_bytes_count",
     {{"dma_engine.sv", "destination_d   = destination_q;\n        length_d        = length_q;\n      end",
       "destination_d   = destination_q;\n      end"}}},
    {"high_halves_not_written",
     {{"dma_engine.sv", "address_lanes = AddressBits'({lanes, 32'd0});", "address_lanes = '0;"}}},
    {"carry_stops_at_4_gib",
     {{"dma_engine.sv", "source_d  = source_q + AddressBits'(read_bytes);",
       "source_d  = {source_q[AddressBits-1:32], source_q[31:0] + 32'(read_bytes)};"}}},
    {"stop_is_forgotten",
     {{"dma_engine.sv", "busy && (stop_q || stop) && state_d != Rest;",
       "busy && stop && (stop_q || stop) && state_d != Rest;"}}},
    {"errors_interrupt_unasked",
     {{"dma_engine.sv", "error_interrupt_o = error_q && enable_q[1];", "error_interrupt_o = error_q;"}}},
};

}  // namespace asterism
