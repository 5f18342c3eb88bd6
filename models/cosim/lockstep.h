// Lockstep: a model answers, RTL shadows it, and differences are reported; the first one ends the run, or it
// continues with the model's answers (OnMismatch).
//
// The Answer of each Transaction and the edges of the interrupt lines of every block are compared:
//
//   data       bit for bit
//   status     exactly
//   latency    within LockstepLimits::latency of each other
//   interrupt  for each line the same edges in the same order, each within LockstepLimits::interrupt of the
//              other's
//
// Reset and the passing of time are passed to the RTL and not compared. The rest of the node sees the model's
// answer, so a run in lockstep gives the results of a run without it. RTL that ends itself (RtlError) is a
// difference like any other.
//
// LockstepPeer is the RTL's side: there is one class for each contract that a block may have (block.json).
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
#include "cosim/trace_notes.h"

namespace asterism {

// Up to 128 bits: data of a bus, or the requesting inputs of a switch.
using LockstepBits = std::array<std::uint64_t, 2>;

struct Transaction {
  enum class Kind : std::uint8_t { read, write, arbitrate };
  Picoseconds at;
  Kind kind = Kind::read;
  std::uint32_t bytes = 4;    // the number of data bytes; 0 for an arbitration
  std::uint64_t address = 0;  // relative to the block
  LockstepBits data = {};     // the data that are written, or the requests
  std::uint32_t strobes = 0;  // the bytes that take part, the first one in bit 0; 0: all. The others are zero
};

enum class AnswerStatus : std::uint8_t { ok, error };

struct Answer {
  LockstepBits data = {};  // the data that were read, or the grants; zero for a write
  AnswerStatus status = AnswerStatus::ok;
  Picoseconds latency = {};
  bool operator==(const Answer&) const = default;
};

struct LockstepLimits {
  Picoseconds latency;    // in both directions; documented for the node
  Picoseconds interrupt;  // in both directions
};

class LockstepPeer {
 public:
  virtual ~LockstepPeer() = default;

  // Not compared.
  virtual void reset(Reset kind, Picoseconds at) = 0;
  virtual void catch_up(Picoseconds now) = 0;
  // Compared. Throws RtlError if the RTL does not answer, breaks the contract or ends itself.
  virtual Answer answer(const Transaction& transaction) = 0;
  // Writes a trace of the RTL up to now, of at least `window` if it ran for that long, by running it again
  // from a saved state; with `notes`, which the peer may complete.
  virtual void write_window(Picoseconds window, TraceNotes notes) = 0;

  // Set by the Lockstep. The peer calls it from reset(), catch_up() and answer() for each change of its
  // interrupt lines (line 0 in bit 0), in order of time, with the time of the clock edge that caused it. All
  // lines are low at the start.
  std::function<void(Picoseconds at, std::uint32_t levels)> on_interrupts;
};

// One line of a report each: "12.400345 us  read  0x018 -> 0x00000001", "12.400345 us  {0, 2} -> 0".
std::string to_text(const Transaction& transaction, const Answer& answer, ReportNames names = {});

// The comparison of one block. Times do not decrease from call to call.
class Lockstep {
 public:
  using Mismatch = LockstepMismatch;

  // `peer` must outlive the comparison.
  Lockstep(std::string instance, LockstepPeer& peer, const LockstepLimits& limits,
           OnMismatch then = OnMismatch::stop);
  Lockstep(const Lockstep&) = delete;
  Lockstep& operator=(const Lockstep&) = delete;

  // Sets the names that reports use for the bits of a set: the inputs of a switch.
  void name_inputs(std::vector<std::string> names) { names_ = std::move(names); }
  // Sets the file for the window around a difference; without it there is none.
  void trace_to(std::string file, Picoseconds window);
  // Called for the first differences: once, unless the comparison continues after a difference.
  std::function<void(const Mismatch&)> on_mismatch;

  // The peer answers the transaction too, and the answers are compared, unless the comparison is over.
  void compare(const Transaction& transaction, const Answer& model);
  // The levels of the model's interrupt lines have changed. All are low at the start.
  void interrupts(Picoseconds at, std::uint32_t levels);
  // Afterwards all lines are low on both sides: edges that wait for their counterpart are dropped.
  void reset(Reset kind, Picoseconds at);
  // Steps the RTL to `now`, and checks for edges without a counterpart within the limit; called at the end of
  // a run.
  void catch_up(Picoseconds now);
  // The earliest time at which catch_up() will find such an edge unless its counterpart comes.
  std::optional<Picoseconds> overdue_from() const;

  std::uint64_t transactions() const { return past_.count(); }
  const std::optional<Mismatch>& mismatch() const { return mismatches_.first(); }
  std::uint64_t mismatches() const { return mismatches_.count(); }
  bool is_over() const { return mismatches_.is_over(); }  // nothing more is compared
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
    std::vector<Edge> waiting;  // edges without a counterpart so far, in order of time
  };
  template <class Step>
  bool step(Picoseconds at, const Past* asked, const Step& step);
  void take(Side& side, Picoseconds at, std::uint32_t levels);
  void match_edges(Picoseconds now);
  bool take_overdue(Picoseconds now);
  struct Answers {
    std::string model, rtl;
  };
  // `answers` is called only if the difference is described.
  void differ(Picoseconds at, std::string_view what, const Past* asked,
              const std::function<Answers()>& answers, bool rtl_failed = false);
  std::vector<std::string> history() const;
  TraceNotes notes(Picoseconds at) const;

  std::string instance_;
  LockstepPeer& peer_;
  LockstepLimits limits_;
  std::vector<std::string> names_;
  LastFew<Past> past_;
  Side model_, rtl_;
  Mismatches mismatches_;
  Coverage coverage_;
};

}  // namespace asterism
