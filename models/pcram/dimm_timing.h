// PCRAM-DIMMs on a DDR bus (dong2011 section 3, figure 8).
//
// A module has 18 chips, each 72 bits wide: a burst of eight transfers is a word of 576 cells, and goes to
// one chip. A multiplexer selects the chips in rotation, line by line, so that the long pulses of 18 chips
// overlap: 18 * 64 B / 106 ns are 10.87 GB/s, whereas one chip has 0.60. A chip programs or reads one word at
// a time, whatever its number of banks: it has one set of write drivers. The next burst arrives while the
// previous one is programmed (assumed: the paper's bandwidth is that of the pulses alone). The bus transfers
// one burst at a time, in order. DDR3-1333 takes 6 ns for one, slightly more than 106 ns / 18, so that the
// bus is the limit (the paper calls the two compatible).
//
// A write that makes all cells 0 ends with the shorter RESET pulse. With suppression a line is read before it
// is written. This takes 18 ns, which the paper calls trivial, and lowers the bandwidth of lines that differ
// to 9.29 GB/s; a line that holds the same data already takes only the read.
//
// Several modules share the bus; their lines follow one another module by module.
#pragma once

#include <vector>

#include "pcram/pcram_timing.h"

namespace asterism {

class DimmTiming final : public PcramTiming {
 public:
  static constexpr std::uint32_t chips = 18;  // of a module

  DimmTiming(const PcramPart& part, std::uint32_t modules, Bandwidth bus);

  std::uint64_t lines() const override { return lines_per_module_ * modules_; }
  Bandwidth bandwidth() const override;  // of one module, without the bus
  Write write(Picoseconds now, std::uint64_t line, Pulses pulses, bool compared) override;
  Picoseconds read(Picoseconds now, std::uint64_t line) override;
  std::uint32_t parallel_pages() const override { return 4; }
  Picoseconds set() const override { return part_.set; }
  Picoseconds reset_pulse() const override { return part_.reset; }
  Microwatts leakage() const override { return part_.leakage * (chips * std::uint64_t{modules_}); }
  void reset() override;
  void report(Statistics& statistics) const override;

 private:
  struct Chip {
    Picoseconds latches, cells;  // the times from which they are free
  };
  Chip& chip_of(std::uint64_t line) {
    return chips_[line / lines_per_module_ * chips + line % lines_per_module_ % chips];
  }

  const PcramPart part_;
  const std::uint32_t modules_;
  const std::uint64_t lines_per_module_;
  const Picoseconds burst_;
  std::vector<Chip> chips_;
  Picoseconds bus_;  // free from then on
  Picoseconds bus_time_;
};

}  // namespace asterism
