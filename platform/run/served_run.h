// A run as pages in browsers see it while it goes on, for `asterism run --serve`.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "platform/host/run_directory.h"
#include "platform/instruments/run_recorder.h"
#include "platform/serve/page_server.h"
#include "platform/system/simulated_system.h"

namespace asterism {

class ServedRun {
 public:
  using Clock = std::chrono::steady_clock;
  // What is shown; it must exist as long as this object.
  struct Shown {
    const SimulatedSystem& system;
    const EventFile& events;
    RunRecorder& recorder;
    Picoseconds until;
    std::optional<Picoseconds> last;  // the simulated time of the last run
    std::function<bool()> interrupted;
    std::function<void()> before_message;  // is called before anything is printed
  };
  // `record`: the file of the recorder.
  ServedRun(PageServer& pages, const Shown& shown, const std::filesystem::path& record);

  void wait_for_page();
  // The time at which a page wants the run to stop; simulation must stop there.
  Picoseconds next_stop() const { return pages_.stops_at(); }
  // To be called whenever the simulation pauses: shows the state to pages that wait for it, and returns when
  // no page wants the run to stop, or when the run is interrupted. Returns how long the run was stopped.
  Clock::duration poll();

  // A live session has halted the run.
  void show_halt() { publish("halted"); }

  void pause() { pages_.pause(); }
  void resume() { pages_.resume(); }

 private:
  void publish(const char* phase);

  PageServer& pages_;
  const Shown shown_;
  Clock::time_point start_ = Clock::now(), last_ = start_;
  Clock::duration stopped_{};
  std::uint64_t last_instructions_ = 0;
  Picoseconds last_time_;
};

}  // namespace asterism
