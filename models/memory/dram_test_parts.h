// Parts for tests, with the values of those in configs/dram.
#pragma once

#include "memory/dram_part.h"

namespace asterism {

inline DramPart ddr3_2gb_x8() {
  DramPart part;
  part.capacity = 256_MiB, part.width = 8;
  part.timing.trfc = 128_cycles;
  return part;
}

inline DramPart ddr4_8gb_x8() {
  DramPart part;
  part.capacity = 1_GiB, part.width = 8, part.bank_groups = 4, part.banks = 16;
  DramTiming& t = part.timing;
  t.tck = 833_ps, t.cl = 17_cycles, t.cwl = 12_cycles, t.trcd = 17_cycles, t.trp = 17_cycles;
  t.tras = 39_cycles, t.trc = 56_cycles, t.tccd_l = 6_cycles, t.trrd_s = 4_cycles, t.trrd_l = 6_cycles;
  t.tfaw = 26_cycles, t.twr = 18_cycles, t.trtp = 9_cycles, t.twtr_s = 3_cycles, t.twtr_l = 9_cycles;
  t.trfc = 420_cycles, t.trefi = 9360_cycles;
  return part;
}

// DDR5-4800: a subchannel.
inline DramPart ddr5_16gb_x4() {
  DramPart part;
  part.capacity = 2_GiB, part.bus = 32, part.bank_groups = 8, part.banks = 32;
  DramTiming& t = part.timing;
  t.tck = 416_ps, t.cl = 40_cycles, t.cwl = 38_cycles, t.trcd = 39_cycles, t.trp = 39_cycles;
  t.tras = 77_cycles, t.trc = 116_cycles, t.tccd_s = 8_cycles, t.tccd_l = 12_cycles, t.trrd_s = 8_cycles;
  t.trrd_l = 12_cycles, t.tfaw = 32_cycles, t.twr = 72_cycles, t.trtp = 18_cycles, t.twtr_s = 6_cycles;
  t.twtr_l = 24_cycles, t.trfc = 710_cycles, t.trefi = 9375_cycles, t.burst = 16;
  t.tccd_l_wr = 48_cycles, t.trtw = 14_cycles, t.tppd = 2_cycles;
  t.activate_command = 2_cycles, t.column_command = 2_cycles;
  part.bank_refresh = BankRefresh{
      .banks = 8, .trfc = 313_cycles, .trefi = 1171_cycles, .trrefd = 73_cycles, .trefresh = 313_cycles};
  return part;
}

// HBM2E at 3.6 Gb/s: a pseudo-channel.
inline DramPart hbm2e_16gb() {
  DramPart part;
  part.capacity = 1_GiB, part.width = 64, part.check_bits = 0, part.pseudo_channels = 2;
  part.command_buses = 2, part.bank_groups = 8, part.banks = 32;
  DramTiming& t = part.timing;
  t.tck = 556_ps, t.cl = 26_cycles, t.cwl = 9_cycles, t.trcd = 26_cycles, t.trp = 26_cycles;
  t.tras = 60_cycles, t.trc = 86_cycles, t.tccd_s = 2_cycles, t.tccd_l = 4_cycles, t.trrd_s = 8_cycles;
  t.trrd_l = 8_cycles, t.tfaw = 32_cycles, t.twr = 29_cycles, t.trtp = 9_cycles, t.twtr_s = 12_cycles;
  t.twtr_l = 15_cycles, t.trfc = 630_cycles, t.trefi = 7014_cycles, t.burst = 4;
  t.trcd_wr = 21_cycles, t.activate_command = 2_cycles;
  part.bank_refresh = BankRefresh{
      .banks = 1, .trfc = 288_cycles, .trefi = 219_cycles, .trrefd = 15_cycles, .trefresh = 15_cycles};
  return part;
}

}  // namespace asterism
