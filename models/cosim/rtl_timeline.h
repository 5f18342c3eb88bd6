// Simulated time for an RTL instance that is stepped only when somebody looks at it.
//
// Edge k (1, 2, ...) comes at start + k periods of the clock. Nothing is stepped by itself: catch_up(now) makes up for
// all edges up to and including `now`. What a block says about itself saves work:
//
//   idle         high: nothing in the block changes until an input does. Edges are counted, not stepped.
//   next_event   cycles until something that is seen outside may change (0 unknown, all ones never): what comes before is
//                stepped in one go, and next_event() is one time to look again.
//
// Both hold for the inputs as they were at the last edge; whoever writes an input calls inputs_changed(), and the next
// cycle is stepped. Seen outside are interrupt lines and the port of a master. For a block that has such
// outputs, is not idle and knows no next event, next_event() finds it: the cycles of the next quantum, 4096
// at most, are tried up to the first at which such an output changes, and put back. So every change has an
// event of its own, at its edge, however short a pulse is. That costs a snapshot a quantum, and each cycle
// twice; what the model prints it prints twice, and a model that ends itself does so up to a quantum early.
//
// Without `skip` every edge is stepped, to bit-identical results. With `check_idle` (and, for next_event, without `skip`
// too) a block that lies is an RtlError:
//
//   node.rtc: idle_o lies at 12.400000 us: state changed in a cycle in which it claimed to be idle (3 of 512 bytes)
//   node.rtc: next_event_o lies at 12.400000 us: irq_o changed 5 cycles earlier than it said
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "cosim/rtl_library.h"
#include "cosim/rtl_options.h"
#include "cosim/rtl_recorder.h"
#include "cosim/rtl_trace.h"
#include "cosim/swap_config.h"

namespace asterism {

class RtlTimeline {
 public:
  struct Settings {
    Frequency clock = 10_MHz;
    Picoseconds quantum = 1_us;
    SwapTrace trace = {};
  };
  // The instance outlives the timeline. Throws RtlError for a block without a clock.
  RtlTimeline(RtlInstance& instance, const Settings& settings, const RtlOptions& options);

  // Called after an edge at which an output that is seen outside has changed.
  std::function<void(Picoseconds at)> on_change;

  // The instance was reset just now: edges are counted from here.
  void start(Picoseconds at);

  void catch_up(Picoseconds now) {
    while (is_behind(now)) advance(now);
  }
  // The same in stretches: what on_change asks for can be done after each.
  bool is_behind(Picoseconds now) const { return cycles_ < cycles_until(now); }
  void advance(Picoseconds now);
  // When an output that is seen outside changes, or to ask again: none changes earlier, unless an input does.
  // nullopt: not before an input does.
  std::optional<Picoseconds> next_event();
  // The same for who does not mind that it learns of a change late: what a block does not say is once a
  // quantum.
  std::optional<Picoseconds> next_look() const;

  // For who drives a handshake: the cycle after the last edge, in two halves. It may lie ahead of `now`.
  void inputs_changed() { promised_ = tried_ = 0, fresh_inputs_ = true; }
  void settle();  // the outputs of this cycle can be read after it
  void edge();
  void step() { settle(), edge(); }

  // Edges since the start, and when the last one and the next one are.
  std::uint64_t cycles() const { return cycles_; }
  Picoseconds time() const { return time_of(cycles_); }
  Picoseconds next_edge() const { return time_of(cycles_ + 1); }
  std::uint64_t cycles_until(Picoseconds now) const;

  // A moment to come back to after steps that were only tried, ports included. While quiet, nobody is told of a change
  // and nothing is traced or kept for the window.
  struct Moment {
    RtlInstance::Snapshot state;
    std::uint64_t cycles = 0, promised = 0;
    bool fresh_inputs = true;
  };
  void keep(Moment& moment) const;
  void return_to(const Moment& moment);
  void set_quiet(bool quiet) { quiet_ = quiet; }

  // The window before a failure; nullopt where none is kept.
  std::optional<std::filesystem::path> window_file() const;
  void write_window(Picoseconds window) const;

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
  void look();
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
  std::uint64_t tried_ = 0;     // nor before this one: it was tried, with the inputs as they are
  bool fresh_inputs_ = true;
  bool quiet_ = false;
  bool traced_ = false;  // this cycle
  RtlInstance::Snapshot before_, after_;
  Moment origin_;  // of what is tried
};

}  // namespace asterism
