// Mutants of rtl/mzm (testbenches/mutant.h).
#pragma once

#include "testbenches/mutant.h"

namespace asterism {

inline const Mutant mzm_mutants[] = {
    // Lines are evicted in the order in which they came.
    {"first_in_first_out",
     {{"mzm_cache.sv", "end else if (use_i) begin", "end else if (use_i && !hit_o) begin"}}},
    // A changed sector is lost when its line is evicted.
    {"writeback_lost", {{"mzm.sv", "hit || !changed;", "1'b1;"}}},
    // A line that is replaced keeps its old sector of `previous`.
    {"stale_line",
     {{"mzm_cache.sv", "? chosen : '0)) & ~taken & {Lines{!drop_previous_i}}",
       "? chosen : '0)) & ~emptied & {Lines{!drop_previous_i}}"}}},
    // The monitor ignores whether a snapshot is open.
    {"complete_ignored",
     {{"mzm.sv", "open_q && (word_previous & mine) != '0", "(word_previous & mine) != '0"}}},
    // A write that waits is not noted, so that each one counts as the first.
    {"notified_again", {{"mzm.sv", "write_next = fetched_next || !noted;", "write_next = fetched_next;"}}},
    // A begin drops zones of the previous snapshot that the driver has exposed.
    {"exposed_lost", {{"mzm.sv", "table_out | (tracking_q ? held_q : '0)", "tracking_q ? held_q : '0"}}},
    // Zones stay dirty after a begin.
    {"dirty_for_ever",
     {{"mzm.sv",
       "table_vector = Next;\n        table_write  = 1'b1;\n        at_d         = last_sector ? '0 : at_q + "
       "SectorBits'(1);\n        open_d",
       "table_vector = Next;\n        at_d         = last_sector ? '0 : at_q + SectorBits'(1);\n        "
       "open_d"}}},
    // The cache keeps its sectors of the snapshot.
    {"refresh_ignored", {{"mzm.sv", "drop_previous = 1'b1;\n", "drop_previous = 1'b0;\n"}}},
    // A changed sector counts as unchanged if it was fetched for the write.
    {"change_not_marked", {{"mzm.sv", "changes    = !noted;", "changes    = !noted && !fetched_next;"}}},
};

}  // namespace asterism
