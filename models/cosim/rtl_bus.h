// Accesses to the registers of an RTL block through its APB port, in simulated time; and those that it makes itself
// through the port of a master (contract bus_device).
//
// An access of time T is set up in the first cycle that begins at T or later, and for which the block is free: its edge
// is the first after T. The block decodes in the cycle after that one, and every cycle in which it is not ready is a
// cycle more. So an access takes one to two periods without wait states, and what it reads is the block's state after
// the first edge after T. Cycles of an access lie ahead of T; catch_up() waits for time to follow.
//
// Time after a reset: the first edge after it is still one in reset, and edges are counted from there. Something that a
// block does after n periods is therefore seen by accesses from n periods after the reset on, exactly.
//
// RtlError, beside what the model itself throws: an access that the block does not end within `patience` cycles hangs.
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

// Of one word of 32 bits.
struct BusAccess {
  bool write = false;
  std::uint64_t address = 0;  // in the block, of the word
  std::uint32_t data = 0;     // written, each byte in its lane
  unsigned strobes = 0xF;     // bytes of the word that are written
};

class RtlBus {
 public:
  struct Settings {
    RtlTimeline::Settings time = {};
    std::uint64_t patience = 10'000;  // cycles
  };
  struct Answer {
    std::uint32_t data = 0;  // zero for a write and with an error
    bool error = false;
    Picoseconds end;  // the edge that ends it
  };
  // Throws RtlError for a block of another contract, or one that has not what the contract asks for. Starts with a cold
  // reset at time 0.
  RtlBus(std::shared_ptr<const RtlLibrary> library, std::string instance, const Settings& settings,
         const RtlOptions& options);

  const std::string& name() const { return instance_.name(); }
  unsigned interrupt_lines() const { return static_cast<unsigned>(interrupts_.size()); }
  bool has_master() const { return master_.select.width() != 0; }
  // A block without byte strobes cannot be written but as whole words: others are answered with an error.
  bool has_strobes() const { return target_.strobe.width() != 0; }

  // Ends what is under way. A block with a power-on reset has only that asserted on a cold reset; its other reset is on
  // every kind, while its clock goes on. In a block without, everything takes its reset value on every kind, and the
  // clock starts anew.
  void reset(Reset kind, Picoseconds at);
  void catch_up(Picoseconds now);
  std::optional<Picoseconds> next_event() { return timeline_.next_event(); }
  std::optional<Picoseconds> next_look() const { return timeline_.next_look(); }

  // From begin() on, go_on() steps until the access is done, or stands still because the block waits for an access of
  // its own: false, and the caller comes again after that was answered.
  void begin(const BusAccess& access, Picoseconds at);
  bool go_on();
  const Answer& answer() const { return answer_; }
  bool is_busy() const { return phase_ != Phase::none; }
  Answer access(const BusAccess& access, Picoseconds at);  // both, for a block that is no master

  // What an access would answer, without making it: it is made, and everything put back but what the model prints.
  // nullopt when the block is busy or does not answer.
  std::optional<Answer> peek(const BusAccess& access, Picoseconds at);
  // As access(). A read that leaves the block as it would be without is not made, so that it takes none of its time:
  // who reads more often than the clock allows sees each answer at its own time, and the block does not run ahead.
  Answer access_or_peek(const BusAccess& access, Picoseconds at);

  // Levels of the interrupt lines, line 0 in bit 0, and each change with the time of its edge, which may lie ahead.
  std::uint32_t interrupts() const { return levels_; }
  std::function<void(Picoseconds at, std::uint32_t levels)> on_interrupts;

  // The block wants an access, seen at this edge. It waits until it is told what came of it.
  std::function<void(const BusAccess& access, Picoseconds at)> on_master;
  void answer_master(std::uint32_t data, bool error, Picoseconds at);

  // The ports of the role "state", by number.
  std::vector<RtlPort> states() const;
  const RtlTimeline& timeline() const { return timeline_; }
  void write_window(Picoseconds window) const { timeline_.write_window(window); }
  const RtlLibrary& library() const { return instance_.library(); }

 private:
  struct Port {  // of APB, from either side
    RtlPort address, select, enable, write, write_data, strobe, read_data, ready, error;
  };
  enum class Phase { none, setup, access };
  enum class Master { none, waits, answered };

  void check_ports() const;
  static Port port(const RtlInstance& instance, const std::string& side);
  void cycle();
  void finish(const Answer& answer);
  void release();
  void seen(Picoseconds at);
  void look_at_master(Picoseconds at);
  void pulse_reset();
  [[noreturn]] void hangs() const;
  template <class Body>
  auto tried(const Body& body);

  RtlInstance instance_;
  Settings settings_;
  RtlTimeline timeline_;
  Port target_, master_;
  std::vector<RtlPort> interrupts_;

  Phase phase_ = Phase::none;
  BusAccess access_;
  Answer answer_;
  std::uint64_t waited_ = 0;  // cycles of the access in which nothing but the block can be waited for
  Master master_state_ = Master::none;
  std::uint32_t levels_ = 0;
  RtlTimeline::Moment before_, after_, without_;
};

}  // namespace asterism
