// Simulated time for an RTL instance that is stepped only when its state is needed.
//
// Edge k (1, 2, ...) is at start + k periods of the clock. Nothing is stepped automatically: catch_up(now)
// steps all edges up to and including `now`. Outputs by which a block describes itself save work:
//
//   idle         high: nothing in the block changes until an input does. Edges are counted, not stepped.
//   next_event   cycles until an externally visible output may change (0 unknown, all ones never): the cycles
//                before are stepped in one go, and next_event() is a single time to check again.
//
// Both hold for the inputs at the last edge; whenever an input is written, inputs_changed() has to be called,
// and the next cycle is stepped. Externally visible are interrupt lines and the master port. For a block that
// has such outputs, is not idle and does not report its next event, next_event() finds it: the cycles of the
// next quantum, 4096 at most, are tried up to the first one at which such an output changes, and then undone.
// Every change therefore has an event of its own, at its edge, however short a pulse is. This costs a
// snapshot per quantum, and runs each cycle twice; what the model prints is printed twice, and a model that
// ends itself does so up to a quantum early.
//
// Without `skip` every edge is stepped, with bit-identical results. With `check_idle` (and, for next_event,
// also without `skip`) a wrong report of a block is an RtlError:
//
//   node.rtc: idle_o lies at 12.400000 us: state changed in a cycle in which it claimed to be idle
//       (3 of 512 bytes)
//   node.rtc: next_event_o lies at 12.400000 us: irq_o changed 5 cycles earlier than it said
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/swap_config.h"
#include "base/units.h"
#include "cosim/rtl_library.h"
#include "cosim/rtl_options.h"
#include "cosim/rtl_recorder.h"
#include "cosim/rtl_trace.h"
#include "cosim/trace_notes.h"

namespace asterism {

class RtlTimeline {
 public:
  struct Settings {
    Frequency clock = 10_MHz;
    Picoseconds quantum = 1_us;
    SwapTrace trace = {};
  };
  // The instance must outlive the timeline. Throws RtlError for a block without a clock.
  RtlTimeline(RtlInstance& instance, const Settings& settings, const RtlOptions& options);

  // Called after an edge at which an externally visible output has changed.
  std::function<void(Picoseconds at)> on_change;

  // The instance has just been reset: edges are counted from here.
  void start(Picoseconds at);

  void catch_up(Picoseconds now) {
    while (is_behind(now)) advance(now);
  }
  // The same in steps, so that requests made by on_change can be handled after each step.
  bool is_behind(Picoseconds now) const { return cycles_ < cycles_until(now); }
  void advance(Picoseconds now);
  // The time at which an externally visible output changes, or at which to call again: no output changes
  // earlier, unless an input does. nullopt: not before an input changes.
  std::optional<Picoseconds> next_event();
  // The same for callers that may learn of a change late: for a block that does not report its next event,
  // once per quantum.
  std::optional<Picoseconds> next_check() const;

  // For handshakes: the cycle after the last edge, in two halves. It may be ahead of `now`.
  void inputs_changed() { promised_ = tried_ = 0, fresh_inputs_ = true; }
  void settle();  // afterwards the outputs of this cycle can be read
  void edge();
  void step() { settle(), edge(); }

  // The number of edges since the start, and the times of the last and the next one.
  std::uint64_t cycles() const { return cycles_; }
  Picoseconds time() const { return time_of(cycles_); }
  Picoseconds next_edge() const { return time_of(cycles_ + 1); }
  std::uint64_t cycles_until(Picoseconds now) const;

  // A state to return to after steps that were only tried, including ports. While quiet, no change is
  // reported and nothing is traced or kept for the window.
  struct Moment {
    RtlInstance::Snapshot state;
    std::uint64_t cycles = 0, promised = 0;
    bool fresh_inputs = true;
  };
  void keep(Moment& moment) const;
  void return_to(const Moment& moment);
  void set_quiet(bool quiet) { quiet_ = quiet; }

  // The window before a failure; nullopt if none is kept.
  std::optional<std::filesystem::path> window_file() const;
  void write_window(Picoseconds window, const TraceNotes& notes) const;

 private:
  struct Output {
    RtlPort port;
    std::uint32_t index;               // in the library
    std::vector<std::uint64_t> value;  // after the last edge
  };
  Picoseconds time_of(std::uint64_t cycle) const { return start_ + duration(Cycles(cycle), settings_.clock); }
  bool idle() const { return !fresh_inputs_ && idle_.is_set(); }
  bool checks() const { return !options_.skip || options_.check_idle; }
  Picoseconds period() const { return Picoseconds(1'000'000'000'000 / settings_.clock.count()); }
  std::uint64_t batch(std::uint64_t due) const;
  void run(std::uint64_t cycles);
  void check_outputs();
  bool take_outputs();
  void take_promise();
  std::uint64_t try_ahead();
  void prove_idle();
  [[noreturn]] void next_event_lied(const Output& output) const;
  std::string port_name(const char* role) const;

  RtlInstance& instance_;
  Settings settings_;
  RtlOptions options_;
  RtlTrace trace_;
  std::optional<RtlRecorder> recorder_;
  RtlPort idle_, next_event_;
  std::uint64_t never_;
  std::vector<Output> seen_;
  Picoseconds start_;
  std::uint64_t cycles_ = 0;
  std::uint64_t promised_ = 0;  // no output changes before this edge
  std::uint64_t tried_ = 0;     // nor before this one: it was tried with the present inputs
  bool fresh_inputs_ = true;
  bool quiet_ = false;
  bool traced_ = false;  // whether this cycle is traced
  RtlInstance::Snapshot before_, after_;
  Moment origin_;  // the state before the trial
};

}  // namespace asterism
