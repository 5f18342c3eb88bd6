// Lockstep: a model answers, RTL shadows it, and the first difference ends the run with a report.
//
// What is compared of every block is a Transaction's Answer and the edges of its interrupt lines:
//
//   data       bit for bit
//   status     exactly
//   latency    within LockstepLimits::latency of each other
//   interrupt  of each line the same edges in the same order, each within LockstepLimits::interrupt of the other's
//
// Reset and the passing of time are told to the RTL and not compared. The model's answer is the one that the rest of
// the node sees, so a run in lockstep gives the results of a run without it. RTL that ends itself (RtlError) is a
// difference like any other.
//
// LockstepPeer is the RTL's side: one class for each contract that a block may have (block.json).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_names.h"
#include "base/reset.h"
#include "base/statistics.h"
#include "base/units.h"
#include "cosim/coverage.h"
#include "cosim/mismatch.h"
#include "cosim/report_text.h"

namespace asterism {

// Up to 128 bits: data of a bus, the inputs of a switch that request.
using LockstepBits = std::array<std::uint64_t, 2>;

struct Transaction {
  enum class Kind : std::uint8_t { read, write, arbitrate };
  Picoseconds at;
  Kind kind = Kind::read;
  std::uint32_t bytes = 4;    // of data; 0 for an arbitration
  std::uint64_t address = 0;  // in the block
  LockstepBits data = {};     // written, or the requests
  std::uint32_t strobes = 0;  // which of the bytes take part, the first in bit 0; 0: all. The others are zero
};

enum class AnswerStatus : std::uint8_t { ok, error };

struct Answer {
  LockstepBits data = {};  // read, or the grants; zero for a write
  AnswerStatus status = AnswerStatus::ok;
  Picoseconds latency = {};
  bool operator==(const Answer&) const = default;
};

struct LockstepLimits {
  Picoseconds latency;    // both ways; what is stated in the node
  Picoseconds interrupt;  // both ways
};

class LockstepPeer {
 public:
  virtual ~LockstepPeer() = default;

  // Told.
  virtual void reset(Reset kind, Picoseconds at) = 0;
  virtual void catch_up(Picoseconds now) = 0;
  // Compared. Throws RtlError when the RTL does not answer, breaks the contract or ends itself.
  virtual Answer answer(const Transaction& transaction) = 0;
  // Writes what the RTL did up to now, at least `window` of it if there was so much, by running it again from a state
  // that was kept.
  virtual void write_window(const std::string& file, Picoseconds window) = 0;

  // Set by the Lockstep. The peer calls it from reset(), catch_up() and answer() for each change of its interrupt lines
  // (line 0 in bit 0), in order of time, with the time of the clock edge that made it. All are low at the start.
  std::function<void(Picoseconds at, std::uint32_t levels)> on_interrupts;
};

// One line of a report each: "12.400345 us  read  0x018 -> 0x00000001", "12.400345 us  {0, 2} -> 0".
std::string to_text(const Transaction& transaction, const Answer& answer, ReportNames names = {});

// The comparison of one block. Times do not go back from call to call.
class Lockstep {
 public:
  using Mismatch = LockstepMismatch;

  // `peer` outlives the comparison.
  Lockstep(std::string instance, LockstepPeer& peer, const LockstepLimits& limits);
  Lockstep(const Lockstep&) = delete;
  Lockstep& operator=(const Lockstep&) = delete;

  // What the bits of a set are called in reports: the inputs of a switch.
  void name_inputs(std::vector<std::string> names) { names_ = std::move(names); }
  // Where the window around a difference goes; none without it.
  void trace_to(std::string file, Picoseconds window);
  // Called once, at the first difference.
  std::function<void(const Mismatch&)> on_mismatch;

  // The peer answers too, and is compared. Nothing is compared any more after the first difference.
  void compare(const Transaction& transaction, const Answer& model);
  // The model's interrupt lines have changed to this. All are low at the start.
  void interrupts(Picoseconds at, std::uint32_t levels);
  // All lines are low afterwards on both sides: edges that wait for their counterpart are forgotten.
  void reset(Reset kind, Picoseconds at);
  // Steps the RTL to `now`, and looks for edges that the other side has not shown within the limit; the end of a run
  // asks for it.
  void catch_up(Picoseconds now);
  // The earliest time at which catch_up() will find such an edge unless its counterpart comes.
  std::optional<Picoseconds> overdue_from() const;

  std::uint64_t transactions() const { return past_.count(); }
  const std::optional<Mismatch>& mismatch() const { return first_.mismatch(); }
  Coverage& coverage() { return coverage_; }
  const Coverage& coverage() const { return coverage_; }
  void report(Statistics& statistics) const;

 private:
  struct Past {
    Transaction transaction;
    Answer model;
  };
  struct Edge {
    Picoseconds at;
    std::uint32_t line;
    bool rises;
  };
  struct Side {
    std::uint32_t levels = 0;
    std::vector<Edge> waiting;  // edges that the other side has not shown yet, in order of time
  };
  template <class Step>
  bool step(Picoseconds at, const Past* asked, const Step& step);
  void take(Side& side, Picoseconds at, std::uint32_t levels);
  void match_edges(Picoseconds now);
  void look_for_overdue(Picoseconds now);
  void differ(Picoseconds at, std::string_view what, std::string model, std::string rtl, const Past* asked);
  std::vector<std::string> history() const;

  std::string instance_;
  LockstepPeer& peer_;
  LockstepLimits limits_;
  std::vector<std::string> names_;
  LastFew<Past> past_;
  Side model_, rtl_;
  FirstMismatch first_;
  Coverage coverage_;
};

}  // namespace asterism
