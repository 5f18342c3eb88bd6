// A DRAM chip, the bus that it is for, its timing constraints and its currents: what makes a standard. The
// values of real parts are in configs/dram, each with its source. Times are clocks of the part, as the JEDEC
// standards count them once a clock is chosen.
//
// A rank has as many data bits as the bus, and further ones for check symbols: 64 + 8 in DDR3 and DDR4, 16 +
// 2 x4 or 8 + 1 x8 chips; 32 + 8 in a subchannel of DDR5, 8 + 2 x4 chips. A burst moves 64 or 32 bytes.
// Symbol codes that survive the loss of a chip are made for 18 x4 chips (models/ecc).
//
// A channel of HBM has two pseudo-channels. Each has ranks, banks and a data bus of its own, and they share
// the buses for commands. A part is that of one of them, `width` bits of one die.
#pragma once

#include <cstdint>
#include <optional>

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
  // What not every standard has; absent, as the comment says.
  std::optional<std::uint32_t> beats_per_clock = {};  // 2
  std::optional<Cycles> trcd_wr = {};                 // trcd
  std::optional<Cycles> tccd_l_wr = {};               // between writes: tccd_l
  std::optional<Cycles> trtw = {};  // the end of a read's burst, trtrs, and the begin of a write's
  std::optional<Cycles> tppd = {};  // no limit
  std::optional<Cycles> activate_command = {}, column_command = {};  // on the command bus: one clock

  std::uint32_t burst_clocks() const { return burst / beats_per_clock.value_or(2); }
  // Constraints are counted between the last clocks of commands, and these times from the first one of a read
  // or write until its last beat.
  std::uint64_t activate_clocks() const { return activate_command.value_or(1_cycles).count(); }
  std::uint64_t column_clocks() const { return column_command.value_or(1_cycles).count(); }
  std::uint64_t to_read() const { return column_clocks() - 1 + cl.count() + burst_clocks(); }
  std::uint64_t to_write() const { return column_clocks() - 1 + cwl.count() + burst_clocks(); }
};
void describe(Fields& f, DramTiming& timing);

// A refresh that leaves other banks of its rank usable: of one bank of each bank group (DDR5), of a single
// one (HBM), of two (LPDDR5).
struct BankRefresh {
  std::uint32_t banks = 1;  // successive ones, of different groups
  Cycles trfc = 128_cycles, trefi = 780_cycles;
  Cycles trrefd = 24_cycles;    // to an activate of another bank
  Cycles trefresh = 24_cycles;  // to the next refresh of the rank
  double idd5 = 100;            // mA, with such a refresh every trfc
  // Of a bank, that may be late; absent: 8.
  std::optional<std::uint32_t> postponed_refreshes = {};
};
void describe(Fields& f, BankRefresh& refresh);

// Currents of one chip in mA, named as in JEDEC data sheets.
struct DramCurrents {
  std::uint32_t vdd_mv = 1500;
  double idd0 = 70, idd2n = 45, idd3n = 45, idd4r = 140, idd4w = 145, idd5b = 170;
};
void describe(Fields& f, DramCurrents& currents);

struct DramPart {
  Bytes capacity = 128_MiB;      // of a chip
  std::uint32_t width = 4;       // data bits of a chip
  std::uint32_t bus = 64;        // data bits of a channel or pseudo-channel
  std::uint32_t check_bits = 8;  // of further chips beside them
  std::uint32_t pseudo_channels = 1;
  std::uint32_t command_buses = 1;  // 2: one for rows, one for columns
  std::uint32_t bank_groups = 1;
  std::uint32_t banks = 8;  // in all bank groups
  Bytes page = 1_KiB;       // a row of a bank of a chip
  DramTiming timing = {};
  std::optional<BankRefresh> bank_refresh = {};
  std::optional<std::uint32_t> postponed_refreshes = {};  // of a rank, that may be late; absent: 8
  DramCurrents currents = {};

  std::uint32_t data_chips() const { return bus / width; }                     // of a rank
  std::uint32_t chips_per_rank() const { return (bus + check_bits) / width; }  // including those for parity
  std::uint32_t most_postponed(bool by_banks) const {
    return (by_banks && bank_refresh ? bank_refresh->postponed_refreshes : postponed_refreshes).value_or(8);
  }
  bool suits_symbol_codes() const { return width == 4 && chips_per_rank() == 18; }
  Bytes atom() const { return Bytes(std::uint64_t{bus} / 8 * timing.burst); }  // what a burst moves
  std::uint32_t rows() const { return static_cast<std::uint32_t>(capacity / (page * banks)); }  // of a bank
  Bytes row() const { return page * data_chips(); }  // of a bank of a rank: data
  std::uint32_t columns(Bytes block = 64_B) const { return static_cast<std::uint32_t>(row() / block); }
  Bytes rank_size() const { return capacity * data_chips(); }

  // Times from the first command to the last beat of a burst.
  Picoseconds row_hit() const { return timing.tck * timing.to_read(); }
  Picoseconds closed_bank() const {
    return row_hit() + timing.tck * (timing.trcd.count() + timing.activate_clocks() - timing.column_clocks());
  }
  Picoseconds row_conflict() const {
    return closed_bank() + timing.tck * (timing.trp.count() + 1 - timing.activate_clocks());
  }
  Bandwidth peak() const;  // of a channel
};
void describe(Fields& f, DramPart& part);

}  // namespace asterism
