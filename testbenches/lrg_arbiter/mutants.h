// Mutants of rtl/lrg_arbiter (testbenches/mutant.h).
#pragma once

#include "testbenches/mutant.h"

namespace asterism {

inline const Mutant lrg_arbiter_mutants[] = {
    // Among inputs that were never granted, the highest number wins.
    {"wrong_tie", {{"lrg_arbiter.sv", "outranks_q <= (All << i) & Others;", "outranks_q <= ~(All << i);"}}},
    // The lowest input that requests always wins.
    {"no_update",
     {{"lrg_arbiter.sv", "outranks_q <= '0;", "outranks_q <= outranks_q;"},
      {"lrg_arbiter.sv", "outranks_q <= outranks_q | (grant_o & Others);", "outranks_q <= outranks_q;"}}},
    // The order stays as it is when only one input requests.
    {"moves_only_when_contended",
     {{"lrg_arbiter.sv", "outranks_q <= '0;", "outranks_q <= request_i == grant_o ? outranks_q : '0;"},
      {"lrg_arbiter.sv", "outranks_q <= outranks_q | (grant_o & Others);",
       "outranks_q <= request_i == grant_o ? outranks_q : outranks_q | (grant_o & Others);"}}},
    // Input 0 becomes the last after every winner, as if it had been granted too.
    {"update_without_grant",
     {{"lrg_arbiter.sv", "end else if (grant_o[i]) begin", "end else if (i == 0 && grant_o != '0) begin"},
      {"lrg_arbiter.sv", "outranks_q <= outranks_q | (grant_o & Others);",
       "outranks_q <= grant_o[i] ? Radix'(1) & Others : outranks_q | ((grant_o | Radix'(grant_o != '0)) & "
       "Others);"}}},
    // Input 0 becomes the last in a cycle without a request, in which idle_o says that nothing changes.
    {"idle_lies",
     {{"lrg_arbiter.sv", "outranks_q <= outranks_q | (grant_o & Others);",
       "outranks_q <= (idle_o && i == 0) ? '0 : outranks_q | ((grant_o | Radix'(idle_o)) & Others);"}}},
};

}  // namespace asterism
