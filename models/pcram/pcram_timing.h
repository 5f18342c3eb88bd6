// When the lines of a PCRAM memory are programmed and read. Asked in the order of requests; what is given
// takes its time behind all that was given before.
#pragma once

#include <cstdint>

#include "base/reset.h"
#include "base/statistics.h"
#include "pcram/pcram_config.h"

namespace asterism {

class PcramTiming {
 public:
  // What a write does to the cells of a line.
  struct Pulses {
    bool set = false, reset = false;
  };
  struct Write {
    Picoseconds pulses;  // begin
    Picoseconds end;     // of the longest pulse, or of the comparison that found nothing to program
  };

  virtual ~PcramTiming() = default;
  virtual std::uint64_t lines() const = 0;  // of 64 bytes
  virtual Bandwidth bandwidth() const = 0;  // of writes with both pulses to all of it
  // `compared`: the line is read before.
  virtual Write write(Picoseconds now, std::uint64_t line, Pulses pulses, bool compared) = 0;
  virtual Picoseconds read(Picoseconds now, std::uint64_t line) = 0;  // when it is there
  // Requests that keep everything busy.
  virtual std::uint32_t parallel_pages() const = 0;
  // Pulses of a cell that is made 1, or 0.
  virtual Picoseconds set() const = 0;
  virtual Picoseconds reset_pulse() const = 0;
  virtual Microwatts leakage() const = 0;  // of all of it
  virtual void reset() = 0;
  virtual void report(Statistics& statistics) const = 0;
};

}  // namespace asterism
