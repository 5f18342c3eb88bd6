// The cores of a node: all alike.
#pragma once

#include "base/units.h"
#include "core/core_engine.h"
#include "core/instruction_clock.h"
#include "core/tag_cache.h"

namespace asterism {

class Fields;

struct CoreConfig {
  unsigned count = 4;
  unsigned auxiliary = 0;  // the last ones, set aside by firmware
  CoreEngine engine = CoreEngine::native;
  Frequency clock = 1_GHz;
  double cpi = 1.0;                // cycles per instruction
  Frequency counter = 62'500_kHz;  // of the generic timer, CNTFRQ
  Picoseconds event_wait = 1_us;   // that a WFE or YIELD lets pass
  TagCacheConfig caches = {};

  InstructionClock instruction_clock() const;
};
void describe(Fields& f, CoreConfig& config);

}  // namespace asterism
