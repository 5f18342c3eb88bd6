#include "platform/run/run_progress.h"

#include <fmt/format.h>

#include "platform/host/human_time.h"
#include "tlm/time.h"

namespace asterism {

void RunProgress::update(const SimulatedSystem& system, const EventFile& events) {
  const double elapsed = line_.seconds();
  if (!line_.is_due() || elapsed - last_elapsed_ < 0.25) return;
  const std::uint64_t instructions = system.instructions();
  const double mips =
      static_cast<double>(instructions - last_instructions_) / (elapsed - last_elapsed_) / 1e6;
  line_.show(fmt::format("{} simulated{}, {} checkpoints", human_time(now()),
                         instructions > 0 ? fmt::format(", {:.0f} MIPS", mips) : "",
                         events.count("checkpoint_commit")));
  last_elapsed_ = elapsed;
  last_instructions_ = instructions;
}

}  // namespace asterism
