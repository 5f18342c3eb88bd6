// Marks: a node reports what its rank does at the instant at which it does it; cost_meter.h measures by these
// reports. Traffic nodes report to the management, firmware writes the register MARK of its NIC. These are
// the values of that register; sw/cluster/buddy.h has the same.
#pragma once

#include <cstdint>

#include "base/enum_names.h"

namespace asterism {

enum class RankMark : std::uint32_t {
  restored = 1,
  step_begun,
  step_ended,
  stalled,
  dump_begun,
  dumped,
  held_twice,
  committed,
  drain_begun,
  drained
};
constexpr auto enum_names(RankMark) {
  using enum RankMark;
  return std::to_array<EnumName<RankMark>>(
      {{restored, "restored",
        "the rank's state is that after the step of this number, 0 for the initial state; nothing else is "
        "pending"},
       {step_begun, "step_begun", "the program begins or resumes a step"},
       {step_ended, "step_ended", "the program has computed a step"},
       {stalled, "stalled", "the program waits for a checkpoint, until step_begun"},
       {dump_begun, "dump_begun", "the local copy is begun"},
       {dumped, "dumped", "the local copy is made; the buddy's copy follows"},
       {held_twice, "held_twice", "the buddy has the whole copy"},
       {committed, "committed", "rank 0 has announced the commit"},
       {drain_begun, "drain_begun", "the copy of this version to the global store is begun"},
       {drained, "drained", "the global store has this version"}});
}

}  // namespace asterism
