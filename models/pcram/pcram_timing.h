// The times at which the lines of a PCRAM memory are programmed and read. Calls are made in the order of
// requests, and each request is served after all those before it.
#pragma once

#include <cstdint>

#include "base/reset.h"
#include "base/statistics.h"
#include "pcram/pcram_config.h"

namespace asterism {

class PcramTiming {
 public:
  // The kinds of pulses that a write gives to the cells of a line.
  struct Pulses {
    bool set = false, reset = false;
  };
  struct Write {
    Picoseconds pulses;  // their begin
    Picoseconds end;     // of the longest pulse, or of the comparison that found nothing to program
  };

  virtual ~PcramTiming() = default;
  virtual std::uint64_t lines() const = 0;  // of 64 bytes
  virtual Bandwidth bandwidth() const = 0;  // of writes to all lines, with both pulses
  // If `compared`, the line is read before it is written.
  virtual Write write(Picoseconds now, std::uint64_t line, Pulses pulses, bool compared) = 0;
  virtual Picoseconds read(Picoseconds now, std::uint64_t line) = 0;  // when the data have arrived
  // The number of concurrent page requests that keep all parts busy.
  virtual std::uint32_t parallel_pages() const = 0;
  // The length of the pulse that makes a cell 1, or 0.
  virtual Picoseconds set() const = 0;
  virtual Picoseconds reset_pulse() const = 0;
  virtual Microwatts leakage() const = 0;  // of the whole memory
  virtual void reset() = 0;
  virtual void report(Statistics& statistics) const = 0;
};

}  // namespace asterism
