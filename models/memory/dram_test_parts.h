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

}  // namespace asterism
