// The progress of a run, which is shown a few times a second.
#pragma once

#include <cstdint>

#include "platform/host/progress_line.h"
#include "platform/host/run_directory.h"
#include "platform/system/simulated_system.h"

namespace asterism {

class RunProgress {
 public:
  explicit RunProgress(bool wanted) : line_(wanted) {}

  void update(const SimulatedSystem& system, const EventFile& events);
  void clear() { line_.clear(); }

 private:
  ProgressLine line_;
  double last_elapsed_ = 0;
  std::uint64_t last_instructions_ = 0;
};

}  // namespace asterism
