// A DRAM chip: its geometry, its timing constraints and its currents. The values of real parts are in
// configs/dram, each with its source. Times are clocks of the part, as the JEDEC standards count them once a
// clock is chosen.
//
// A rank has 64 data bits and, if the memory is protected, 8 more: 16 + 2 x4 or 8 + 1 x8 chips. A block of 64
// bytes is one burst of 8 beats. Symbol codes that survive the loss of a chip need x4 chips (models/ecc): a
// wider chip holds more symbols than they correct.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace asterism {

class Fields;

// _s: between different bank groups, _l: within one. A part without bank groups has the same value twice.
struct DramTiming {
  Picoseconds tck = 1250_ps;  // a clock is two beats
  Cycles cl = 11_cycles, cwl = 8_cycles;
  Cycles trcd = 11_cycles, trp = 11_cycles, tras = 28_cycles, trc = 39_cycles;
  Cycles tccd_s = 4_cycles, tccd_l = 4_cycles;
  Cycles trrd_s = 5_cycles, trrd_l = 5_cycles;
  Cycles tfaw = 24_cycles;
  Cycles twr = 12_cycles, trtp = 6_cycles;
  Cycles twtr_s = 6_cycles, twtr_l = 6_cycles;
  Cycles trfc = 88_cycles, trefi = 6240_cycles;
  Cycles trtrs = 2_cycles;  // of the module: the data bus changes from one rank to another
  std::uint32_t burst = 8;  // beats
};
void describe(Fields& f, DramTiming& timing);

// Currents of one chip in mA, named as in JEDEC data sheets.
struct DramCurrents {
  std::uint32_t vdd_mv = 1500;
  double idd0 = 70, idd2n = 45, idd3n = 45, idd4r = 140, idd4w = 145, idd5b = 170;
};
void describe(Fields& f, DramCurrents& currents);

struct DramPart {
  Bytes capacity = 128_MiB;  // of a chip
  std::uint32_t width = 4;   // data bits of a chip
  std::uint32_t bank_groups = 1;
  std::uint32_t banks = 8;  // in all bank groups
  Bytes page = 1_KiB;       // a row of a bank of a chip
  DramTiming timing;
  DramCurrents currents;

  std::uint32_t data_chips() const { return 64 / width; }      // of a rank
  std::uint32_t chips_per_rank() const { return 72 / width; }  // including those for parity
  bool suits_symbol_codes() const { return width == 4; }
  std::uint32_t rows() const { return static_cast<std::uint32_t>(capacity / (page * banks)); }  // of a bank
  Bytes row() const { return page * data_chips(); }  // of a bank of a rank: data
  std::uint32_t columns() const { return static_cast<std::uint32_t>(row() / 64_B); }  // blocks of a row
  Bytes rank_size() const { return capacity * data_chips(); }

  // Times from the first command to the last beat.
  Picoseconds row_hit() const { return timing.tck * (timing.cl.count() + timing.burst / 2); }
  Picoseconds closed_bank() const { return row_hit() + timing.tck * timing.trcd.count(); }
  Picoseconds row_conflict() const { return closed_bank() + timing.tck * timing.trp.count(); }
  Bandwidth peak() const;  // of a channel
};
void describe(Fields& f, DramPart& part);

}  // namespace asterism
