// The transparent error check and scrub (ECS) of DDR5 chips (JESD79-5): each chip reads its own words of 128
// bits one after the other, and writes back what its Hamming code corrects (on_die_code.h), so that a second
// transient error does not meet the first one in a word. All chips of all ranks read the same word at the
// same time, words of a row first, then rows, then banks (assumed). That is done within refreshes, which take
// their time anyway: the controller does not notice, and no access waits. What the code cannot correct, or
// would correct wrongly, stays as it is.
//
// A chip counts its words with errors in a pass over all of its rows, with stuck bits again in each one, and
// keeps the row with the most of them, as the mode registers MR16 to MR20 have them. They have the results of
// the last complete pass, in steps of a threshold, which is left to the reader here.
//
// An engine (base/engine.h), idle while there is no fault.
//
// reset: warm changes nothing. power_loss and cold stop it and forget its results; the owner starts it again,
// with the first word, when there is power.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/reset.h"
#include "base/units.h"
#include "memory/patrol_scrubber.h"

namespace asterism {

// What a chip has found in a pass.
struct OnDieScrubResult {
  std::uint32_t errors = 0;      // words
  std::uint32_t row_errors = 0;  // those of the row with the most, the first one of several
  std::uint32_t bank = 0, row = 0;

  bool operator==(const OnDieScrubResult&) const = default;
};

// The words of the chips as a memory for Scrubber.
class OnDieWords {
 public:
  explicit OnDieWords(EccMemory& memory);

  std::uint64_t blocks() const { return memory_.die_words().count(); }
  std::optional<std::uint64_t> next_touched(std::uint64_t from) const { return memory_.next_die_word(from); }
  Picoseconds touched_since() const { return memory_.touched_since(); }
  void scrub(Picoseconds now, std::uint64_t number);

  // The results of this pass, the first one being 0.
  OnDieScrubResult result(std::uint64_t pass, const BlockLocation& of_rank, std::uint32_t chip) const;
  void clear();

 private:
  struct Chip {
    OnDieScrubResult result;
    std::uint64_t row = 0;         // of the last error, counted over all banks
    std::uint32_t row_errors = 0;  // in it
  };
  struct Pass {
    std::uint64_t number = 0;
    std::vector<Chip> chips;
  };
  std::size_t place(std::uint32_t channel, std::uint32_t rank, std::uint32_t chip) const {
    return (std::size_t{channel} * ranks_ + rank) * ddr5_chips + chip;
  }

  EccMemory& memory_;
  std::uint32_t ranks_;
  Pass current_, last_;
};

class OnDieScrubber {
 public:
  // `memory` must outlive this. Each chip is read once in `time`, from time 0 on: at least a picosecond for
  // each of its words, or 0, never.
  OnDieScrubber(EccMemory& memory, Picoseconds time);

  std::optional<Picoseconds> next_event() const { return scrubber_.next_event(); }
  void advance_to(Picoseconds now) { scrubber_.advance_to(now); }
  std::uint64_t passes(Picoseconds now) const { return scrubber_.passes(now); }
  // Of the last complete pass; nothing if there is none yet.
  OnDieScrubResult result(Picoseconds now, const BlockLocation& of_rank, std::uint32_t chip) const;
  void start(Picoseconds now);
  void reset(Reset kind);

 private:
  Picoseconds time_;
  OnDieWords words_;
  Scrubber<OnDieWords> scrubber_;
};

}  // namespace asterism
