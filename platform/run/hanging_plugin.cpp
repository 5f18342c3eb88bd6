#include "platform/run/hanging_plugin.h"

#include <chrono>
#include <thread>
#include <utility>

#include "cosim/hang_watch.h"
#include "platform/system/plugin_device.h"

namespace asterism {
namespace {

// With delta cycles without end, the process of the plug-in is only sometimes the current one.
const char* plugin_in_delta_cycles() {
  for (int i = 0; i < 1000; ++i) {
    if (const char* const label = PluginDevice::at_fault()) return label;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return nullptr;
}

}  // namespace

const char* HangingPlugin::sample() {
  const Progress progress{sc_core::sc_time_stamp().value(), sc_core::sc_delta_count(),
                          PluginDevice::call_steps()};
  const Progress before = std::exchange(last_, progress);
  const char* const label = progress == before ? PluginDevice::at_fault() : nullptr;
  times_at_fault_ = label ? times_at_fault_ + 1 : 0;
  const bool is_in_deltas = progress.time == before.time && progress.delta != before.delta;
  times_in_deltas_ = is_in_deltas ? times_in_deltas_ + 1 : 0;
  if (times_at_fault_ >= HangWatch::samples) return label;
  return times_in_deltas_ >= HangWatch::samples ? plugin_in_delta_cycles() : nullptr;
}

}  // namespace asterism
