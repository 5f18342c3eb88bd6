// Finds the plug-in whose code hangs: one call or process that is being executed at each sample of a time
// limit while nothing else happens, or delta cycles without end. Code that is executed long, but goes on,
// does not hang, and neither does a slice of simulated time in which others take long.
#pragma once

#include <cstdint>
#include <systemc>

namespace asterism {

class HangingPlugin {
 public:
  // To be called `HangWatch::samples` times per limit, in another thread than the one that simulates. Returns
  // PluginDevice::at_fault() of what hangs, or nullptr.
  const char* sample();

 private:
  struct Progress {
    sc_dt::uint64 time, delta;
    std::uint64_t calls;
    bool operator==(const Progress&) const = default;
  };
  Progress last_{};
  int times_at_fault_ = 0;   // samples in which the code of a plug-in was executed, without progress between
  int times_in_deltas_ = 0;  // in which there were further delta cycles at the same time
};

}  // namespace asterism
