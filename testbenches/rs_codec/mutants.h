// Mutants of rtl/rs_codec (testbenches/mutant.h).
#pragma once

#include "testbenches/mutant.h"

namespace asterism {

inline const Mutant rs_codec_mutants[] = {
    // The third row of the matrix repeats the second.
    {"wrong_matrix_row",
     {{"rs_syndrome.sv", "gf256_pkg::power(row)", "gf256_pkg::power(row == 2 ? 1 : row)"}}},
    // A location beyond the end of the code counts as found in strict too.
    {"location_not_checked",
     {{"rs_codec.sv", "bit AnyLocation = Profile == 0", "bit AnyLocation = Profile < 2"}}},
    // The parity of chips 16 and 17 is swapped.
    {"parity_swapped",
     {{"rs_codec.sv", "encoded_symbols[8*(Chips*p+16+c)+:8]", "encoded_symbols[8*(Chips*p+17-c)+:8]"}}},
    // The third parity symbols are ignored.
    {"third_ignored", {{"rs_codec.sv", "{third[8*w+:8], symbols", "{8'h00, symbols"}}},
    // An error in codeword 0 alone does not make the decoder use the third parity symbols.
    {"third_not_fetched", {{"rs_codec.sv", "used_third = found_syndromes_q[15:0] != '0 ||", "used_third ="}}},
    // One uncorrectable codeword does not keep the others from being corrected.
    {"block_not_kept",
     {{"rs_codec.sv", "by_symbols = is_wrong && !uncorrectable_q", "by_symbols = is_wrong"}}},
};

}  // namespace asterism
