// Mutants of rtl/ddr5_codec (testbenches/mutant.h).
#pragma once

#include "testbenches/mutant.h"

namespace asterism {

inline const Mutant ddr5_codec_mutants[] = {
    // The second row of the matrix of RS(10,8) repeats the first for the last chip.
    {"wrong_column",
     {{"ddr5_code_pkg.sv", "shifted(8'h01, b + chip * j)",
       "shifted(8'h01, b + (chip == 9 ? 0 : chip * j))"}}},
    // The check bits of the block take part in its encoding.
    {"encodes_old_parity", {{"ddr5_codec.sv", "decode_i ? parity_i : '0", "parity_i"}}},
    // An error of the last chip is not found.
    {"last_chip_ignored", {{"ddr5_codec.sv", "= error[w] ? is_found", "= error[w] ? {1'b0, is_found[8:0]}"}}},
    // One uncorrectable codeword does not keep the others from being corrected.
    {"block_not_kept", {{"ddr5_codec.sv", "error_q && !uncorrectable_q &&", "error_q &&"}}},
};

}  // namespace asterism
