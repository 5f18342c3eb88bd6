#include "cosim/swap_config.h"

#include "base/fields.h"

namespace asterism {

static_assert(member_count<SwapTrace>() == 3);
void describe(Fields& f, SwapTrace& c) {
  f("format", c.format, "Of the file in the run's folder traces", one_of<TraceFormat>());
  f("on", c.on, "What makes a trace be written; `never` records nothing and is a little faster",
    one_of<TraceOn>());
  f("window", c.window,
    "Simulated time before a difference that is traced; a longer one makes more of what is kept in memory",
    within(1_ns, 1_ms));
}

}  // namespace asterism
