// A core of a closed loop: an instruction stream that misses its L1 cache as often as a workload says, and
// waits for what it asked for.
//
// Instructions that hit take `cpi` cycles. Before each, a miss is drawn with the workload's probability
// (Bernoulli); it has an address block, uniform over all, and misses in the L2 cache with probability l2_mpki
// / l1_mpki. The core runs on behind a miss, out of order, until
//
//   - the oldest miss that it waits for is `window` instructions back (1: it stalls on every miss), or
//   - it comes to a miss while `outstanding` others are under way.
//
// It has finished when all its instructions are done and all their misses have returned.
//
// reset: every kind puts the core before its first instruction, with the same stream.
//
// Source: abeyratne2017 Table 3.1 (2-way out-of-order, 1 GHz, 16 outstanding requests), section 3.4.3 (cores
// stall on a cache miss). `cpi` and `window` are not published and assumed: both ways full, and 128
// instructions.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "base/random.h"
#include "base/reset.h"
#include "base/units.h"
#include "core/instruction_clock.h"
#include "core/workload.h"

namespace asterism {

class Fields;

struct TraceCoreConfig {
  Frequency clock = 1_GHz;
  double cpi = 0.5;
  std::uint32_t window = 128;
  std::uint32_t outstanding = 16;
};
void describe(Fields& f, TraceCoreConfig& config);

class TraceCore {
 public:
  struct Miss {
    std::uint64_t number;  // 0, 1, 2, ... of this core
    std::uint64_t block;   // which 64 bytes, uniform
    bool in_l2;
  };
  struct Sink {
    virtual ~Sink() = default;
    virtual void missed(Picoseconds at, const Miss& miss) = 0;
  };

  // Runs `instructions` from time 0 on. The seed's stream is this core's own.
  TraceCore(const TraceCoreConfig& config, const Workload& workload, std::uint64_t instructions,
            std::uint64_t seed);

  std::optional<Picoseconds> next_event() const;
  void advance_to(Picoseconds now, Sink& sink);
  // The data of a miss is there. Nothing is due before `now`. Throws std::logic_error for one that is not
  // outstanding.
  void returned(std::uint64_t number, Picoseconds now, Sink& sink);
  void reset(Reset kind);

  std::optional<Picoseconds> finished() const { return finished_; }  // when
  std::uint64_t misses() const { return next_number_; }
  std::uint64_t l2_misses() const { return l2_misses_; }
  Picoseconds stalled() const { return stalled_; }  // time in which no instruction could go

 private:
  struct Outstanding {
    std::uint64_t instruction;
    bool returned;
  };

  std::uint64_t limit() const;  // how far it can come as things stand
  void draw_next_miss(std::uint64_t from);
  void at_limit(Sink& sink);  // issues the miss that it stands before, or finishes, if it can

  InstructionClock clock_;
  TraceCoreConfig config_;
  std::uint64_t instructions_, seed_;
  std::uint32_t l1_mpki_, l2_mpki_;
  Geometric gap_;
  Random random_;

  std::uint64_t position_ = 0;  // instructions done at `since_`
  Picoseconds since_;
  std::uint64_t next_miss_ = 0;  // the instruction that misses
  std::uint64_t next_number_ = 0, l2_misses_ = 0;
  std::deque<Outstanding>
      outstanding_;              // from the oldest that has not returned on, in order of their numbers
  std::uint32_t under_way_ = 0;  // those that have not returned
  std::optional<Picoseconds> finished_;
  Picoseconds stalled_;
};

}  // namespace asterism
