// A core of a closed loop: it executes an instruction stream that misses its L1 cache as often as a workload
// says, and stalls on these misses.
//
// Instructions that hit take `cpi` cycles. Before each one, a miss is drawn with the workload's probability
// (Bernoulli). A miss has a block address, uniformly distributed, and misses in the L2 cache with probability
// l2_mpki / l1_mpki. The core executes out of order beyond a miss, until
//
//   - the oldest outstanding miss is `window` instructions back (1: the core stalls on every miss), or
//   - it reaches another miss while `outstanding` misses are outstanding.
//
// With `burst_share` below 1 the misses come in bursts: the stream alternates between stretches in which
// instructions miss, more often by as much as keeps the mean rate, and others without misses. The lengths of
// both are geometric (a Markov chain of two states).
//
// It has finished when all its instructions are executed and all their misses have returned.
//
// reset: every kind puts the core before its first instruction, with the same stream.
//
// Source: abeyratne2017 Table 3.1 (2-way out-of-order, 1 GHz, 16 outstanding requests), section 3.4.3 (cores
// stall on a cache miss). `cpi` and `window` are not published and are assumed: both ways full, and 128
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
  double burst_share = 1;            // of the instructions, in bursts; 1: no bursts
  std::uint32_t burst_length = 500;  // mean, in instructions
};
void describe(Fields& f, TraceCoreConfig& config);

class TraceCore {
 public:
  struct Miss {
    std::uint64_t number;  // 0, 1, 2, ... of this core
    std::uint64_t block;   // address / 64, uniform
    bool in_l2;
  };
  struct Sink {
    virtual ~Sink() = default;
    virtual void missed(Picoseconds at, const Miss& miss) = 0;
  };

  // Executes `instructions` from time 0 on. Each core needs a seed of its own. Throws std::invalid_argument
  // if there are more misses than instructions in bursts.
  TraceCore(const TraceCoreConfig& config, const Workload& workload, std::uint64_t instructions,
            std::uint64_t seed);

  std::optional<Picoseconds> next_event() const;
  void advance_to(Picoseconds now, Sink& sink);
  // The data of a miss have returned. No event may be due before `now`. Throws std::logic_error if the miss
  // is not outstanding.
  void returned(std::uint64_t number, Picoseconds now, Sink& sink);
  void reset(Reset kind);

  std::optional<Picoseconds> finished() const { return finished_; }
  std::uint64_t misses() const { return next_number_; }
  std::uint64_t l2_misses() const { return l2_misses_; }
  Picoseconds stalled() const { return stalled_; }  // time without progress

 private:
  struct Outstanding {
    std::uint64_t instruction;
    bool returned;
  };

  std::uint64_t limit() const;  // the instruction up to which it can execute now
  void draw_next_miss(std::uint64_t from);
  void begin_burst() { burst_left_ = 1 + length_.draw(random_); }
  void at_limit(Sink& sink);  // at limit(): issues the next miss, or finishes, if it can

  InstructionClock clock_;
  TraceCoreConfig config_;
  std::uint64_t instructions_, seed_;
  std::uint32_t l1_mpki_, l2_mpki_;
  Geometric gap_, length_, pause_;  // between misses in a burst; of a burst without its first; between bursts
  Random random_;

  std::uint64_t position_ = 0;  // instructions done at `since_`
  Picoseconds since_;
  std::uint64_t next_miss_ = 0;   // the instruction that misses
  std::uint64_t burst_left_ = 0;  // instructions, after the last miss
  std::uint64_t next_number_ = 0, l2_misses_ = 0;
  std::deque<Outstanding> outstanding_;  // begins with the oldest that has not returned; by number
  std::uint32_t not_returned_ = 0;
  std::optional<Picoseconds> finished_;
  Picoseconds stalled_;
};

}  // namespace asterism
