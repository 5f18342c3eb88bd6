// Accesses to the registers of an RTL block through its APB port, in simulated time, and the accesses that
// the block makes itself through its master port (contract bus_device).
//
// An access at time T is set up in the first cycle that begins at T or later and in which the block is free:
// its edge is the first one after T. The block decodes in the following cycle, and every cycle in which it is
// not ready adds one. An access therefore takes one to two periods without wait states, and reads the block's
// state after the first edge after T. Cycles of an access are ahead of T; catch_up() waits for time to
// follow.
//
// Time after a reset: the first edge after it is still in reset, and edges are counted from there. An event
// of a block after n periods is therefore seen by accesses from exactly n periods after the reset on.
//
// RtlError, in addition to errors of the model itself: an access that the block does not end within
// `max_cycles` hangs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/reset.h"
#include "base/units.h"
#include "cosim/rtl_timeline.h"

namespace asterism {

// An access to one word of 32 bits.
struct BusAccess {
  bool write = false;
  std::uint64_t address = 0;  // of the word, relative to the block
  std::uint32_t data = 0;     // the data that are written, each byte in its lane
  unsigned strobes = 0xF;     // the bytes of the word that are written
};

class RtlBus {
 public:
  struct Settings {
    RtlTimeline::Settings time = {};
    std::uint64_t max_cycles = 10'000;  // in clock cycles
  };
  struct Answer {
    std::uint32_t data = 0;  // zero for a write and with an error
    bool error = false;
    Picoseconds end;  // the edge that ends the access
  };
  // Throws RtlError for a block of another contract, or one without what the contract requires. Starts with a
  // cold reset at time 0.
  RtlBus(std::shared_ptr<const RtlLibrary> library, std::string instance, const Settings& settings,
         const RtlOptions& options);

  const std::string& name() const { return instance_.name(); }
  unsigned interrupt_lines() const { return static_cast<unsigned>(interrupts_.size()); }
  bool has_master() const { return master_.select.width() != 0; }
  // A block without byte strobes can only be written in whole words: other writes are answered with an error.
  bool has_strobes() const { return target_.strobe.width() != 0; }

  // Ends accesses in progress. In a block with a power-on reset, that input is asserted only on a cold reset,
  // and its other reset on every kind, while its clock continues. In a block without one, everything takes
  // its reset value on every kind, and the clock restarts.
  void reset(Reset kind, Picoseconds at);
  void catch_up(Picoseconds now);
  std::optional<Picoseconds> next_event() { return timeline_.next_event(); }
  std::optional<Picoseconds> next_check() const { return timeline_.next_check(); }

  // After begin(), run_until_done() steps until the access is complete (true), or until the block waits for
  // an access of its own (false); call it again after that access was answered.
  void begin(const BusAccess& access, Picoseconds at);
  bool run_until_done();
  const Answer& answer() const { return progress_.answer; }
  bool is_busy() const { return progress_.phase != Phase::none; }
  Answer access(const BusAccess& access, Picoseconds at);  // both, for a block without a master port

  // Returns the answer of an access without making it: the access is made, and then the whole state is
  // restored, including that of an access on the master port, except for output that the model prints.
  // Returns nullopt if an access is in progress, or if the block does not answer.
  std::optional<Answer> peek(const BusAccess& access, Picoseconds at);
  // Like access(). A read that leaves no trace in the block is not made, and takes none of its time: a reader
  // that is faster than the clock allows gets each answer at its own time, and the block does not run ahead.
  Answer access_or_peek(const BusAccess& access, Picoseconds at);

  // The levels of the interrupt lines, line 0 in bit 0, and each change with the time of its edge, which may
  // be in the future.
  std::uint32_t interrupts() const { return levels_; }
  std::function<void(Picoseconds at, std::uint32_t levels)> on_interrupts;

  // The block requests an access, observed at this edge. It waits until it gets the answer.
  std::function<void(const BusAccess& access, Picoseconds at)> on_master;
  void answer_master(std::uint32_t data, bool error, Picoseconds at);

  // The ports of the role "state", by number.
  std::vector<RtlPort> states() const;
  const RtlTimeline& timeline() const { return timeline_; }
  void write_window(Picoseconds window, const TraceNotes& notes) const {
    timeline_.write_window(window, notes);
  }
  const RtlLibrary& library() const { return instance_.library(); }

 private:
  struct Port {  // of APB, for either side
    RtlPort address, select, enable, write, write_data, strobe, read_data, ready, error;
  };
  enum class Phase { none, setup, access };
  enum class Master { none, waits, answered };
  // The accesses on both ports, as far as the block's own state does not contain them.
  struct Progress {
    Phase phase = Phase::none;
    BusAccess access = {};
    Answer answer = {};
    std::uint64_t waited = 0;  // cycles of the access in which only the block can cause the wait
    Master master = Master::none;
  };

  void check_ports() const;
  static Port port(const RtlInstance& instance, const std::string& side);
  void cycle();
  void finish(const Answer& answer);
  void release();
  void seen(Picoseconds at);
  void look_at_master(Picoseconds at);
  void pulse_reset();
  [[noreturn]] void hangs() const;
  void set_trying(bool tries);
  template <class Body>
  auto tried(const Body& body);

  RtlInstance instance_;
  Settings settings_;
  RtlTimeline timeline_;
  Port target_, master_;
  std::vector<RtlPort> interrupts_;

  Progress progress_;
  bool tries_ = false;  // what happens will be undone
  std::uint32_t levels_ = 0;
  RtlTimeline::Moment before_, after_, without_;
};

}  // namespace asterism
