// What a node says that its rank does, at the instant at which it does it: what cost_meter.h measures by. Traffic nodes say so
// themselves, firmware through its NIC (register MARK, whose values these are; sw/cluster/buddy.h has the same).
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
        "the state is that after the step of this number, 0: the first; all else is over"},
       {step_begun, "step_begun", "of the program, or it goes on with one"},
       {step_ended, "step_ended"},
       {stalled, "stalled", "the program stands still for a checkpoint, until step_begun"},
       {dump_begun, "dump_begun", "of the local copy"},
       {dumped, "dumped", "the local copy is made; that for the buddy follows"},
       {held_twice, "held_twice", "the buddy has all of it"},
       {committed, "committed", "it has heard so from rank 0"},
       {drain_begun, "drain_begun", "of this version's copy to the global store"},
       {drained, "drained", "the global store has this version"}});
}

}  // namespace asterism
