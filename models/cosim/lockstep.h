// Lockstep: a model answers, RTL shadows it, and the first difference ends the run with a report.
//
// What is compared of every block is a Transaction's Answer and the edges of its interrupt lines:
//
//   data       bit for bit
//   status     exactly
//   latency    within LockstepLimits::latency of each other
//   interrupt  the same edges in the same order, each within LockstepLimits::interrupt of the other's
//
// Reset and the passing of time are told to the RTL and not compared. The model's answer is the one that the rest of
// the node sees, so a run in lockstep gives the results of a run without it.
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
};

enum class AnswerStatus : std::uint8_t { ok, error };

struct Answer {
  LockstepBits data = {};  // read, or the grants; zero for a write
  AnswerStatus status = AnswerStatus::ok;
  Picoseconds latency;
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
  // Levels of the interrupt lines, line 0 in bit 0.
  virtual std::uint32_t interrupts() const { return 0; }
  // Writes what the RTL did up to now, at least `window` of it if there was so much, by running it again from a state
  // that was kept.
  virtual void write_window(const std::string& file, Picoseconds window) = 0;
};

// One line of a report each: "12.400345 us  read  0x018 -> 0x00000001".
std::string to_text(const Transaction& transaction, const Answer& answer);

// The comparison of one block.
class Lockstep {
 public:
  struct Mismatch {
    Picoseconds at;
    std::string instance;              // "node.fabric.arbiter.XB.4"
    std::string what;                  // "data", "status", "latency", "interrupt 0", "RTL failed"
    std::string model, rtl;            // both answers
    std::vector<std::string> history;  // the last transactions, the differing one last
    std::string trace;                 // file of the window; "" when there is none
    std::string text() const;          // several lines, as printed at the end of a run
  };

  // `peer` outlives the comparison.
  Lockstep(std::string instance, LockstepPeer& peer, const LockstepLimits& limits);

  // Where the window around a difference goes; none without it.
  void trace_to(std::string file, Picoseconds window);
  // Called once, at the first difference.
  std::function<void(const Mismatch&)> on_mismatch;

  // The peer answers too, and is compared. Nothing is compared any more after the first difference.
  void compare(const Transaction& transaction, const Answer& model);
  // The model's interrupt lines have changed to this.
  void interrupts(Picoseconds at, std::uint32_t levels);
  void reset(Reset kind, Picoseconds at);

  std::uint64_t transactions() const { return transactions_; }
  const std::optional<Mismatch>& mismatch() const { return mismatch_; }
  Coverage& coverage() { return coverage_; }
  void report(Statistics& statistics) const;

 private:
  struct Past {
    Transaction transaction;
    Answer model;
  };
  void differ(Picoseconds at, std::string_view what, std::string model, std::string rtl);

  std::string instance_;
  LockstepPeer& peer_;
  LockstepLimits limits_;
  std::string trace_file_;
  Picoseconds trace_window_;
  std::uint64_t transactions_ = 0;
  std::array<Past, 16> past_;  // a ring
  std::optional<Mismatch> mismatch_;
  Coverage coverage_;
};

}  // namespace asterism
