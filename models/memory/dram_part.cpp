#include "memory/dram_part.h"

#include "base/fields.h"
#include "base/file_kind.h"

namespace asterism {

static_assert(member_count<DramTiming>() == 20);
void describe(Fields& f, DramTiming& t) {
  f.sourced();
  const auto clocks = within(1_cycles, 100'000_cycles);
  f("tck", t.tck, "The clock period. The data bus transfers two beats in a clock.", within(100_ps, 10_ns),
    required());
  f("cl", t.cl, "The time from a read to its first beat. It adds to the latency of every read.", clocks,
    required());
  f("cwl", t.cwl, "The time from a write to its first beat.", clocks, required());
  f("trcd", t.trcd, "The time from an activate to a read or write: what a closed bank adds to a row hit.",
    clocks, required());
  f("trp", t.trp, "The time from a precharge to an activate: what a row conflict adds to a closed bank.",
    clocks, required());
  f("tras", t.tras, "The time from an activate to a precharge.", clocks, required());
  f("trc", t.trc, "The time between two activates of a bank. It bounds dependent row conflicts.", clocks,
    required());
  f("tccd_s", t.tccd_s, "The time between two reads, or two writes, of different bank groups.", clocks,
    required());
  f("tccd_l", t.tccd_l, "The time between two reads, or two writes, of one bank group.", clocks, required());
  f("trrd_s", t.trrd_s, "The time between two activates of a rank in different bank groups.", clocks,
    required());
  f("trrd_l", t.trrd_l, "The time between two activates of a rank in one bank group.", clocks, required());
  f("tfaw", t.tfaw,
    "The window that contains at most four activates of a rank: the limit of random accesses.", clocks,
    required());
  f("twr", t.twr, "The time from the last beat of a write to a precharge.", clocks, required());
  f("trtp", t.trtp, "The time from a read to a precharge.", clocks, required());
  f("twtr_s", t.twtr_s, "The time from the last beat of a write to a read of the rank in another bank group.",
    clocks, required());
  f("twtr_l", t.twtr_l, "The time from the last beat of a write to a read of the same bank group.", clocks,
    required());
  f("trfc", t.trfc, "The time from a refresh to an activate.", clocks, required());
  f("trefi", t.trefi, "The time between two refreshes of a rank. The share trfc / trefi of the time is lost.",
    clocks, required());
  f("trtrs", t.trtrs, "The idle time of the data bus between bursts of two ranks.",
    within(0_cycles, 100_cycles), required());
  f("burst", t.burst, "The beats of an access. Eight beats of 64 bits are a block of 64 bytes.", one_of({8}),
    required());
  f.check([&] { return t.cwl <= t.cl; }, "cwl", "is at most cl");
  f.check([&] { return t.tras > t.trcd; }, "tras", "is more than trcd");
  f.check([&] { return t.trc >= t.tras + t.trp; }, "trc", "is at least tras + trp");
  f.check([&] { return t.tccd_s.count() >= t.burst / 2; }, "tccd_s", "is at least a burst: burst / 2 clocks");
  f.check([&] { return t.tccd_l >= t.tccd_s; }, "tccd_l", "is at least tccd_s");
  f.check([&] { return t.trrd_l >= t.trrd_s; }, "trrd_l", "is at least trrd_s");
  f.check([&] { return t.tfaw >= t.trrd_s * 4; }, "tfaw",
          "is at least 4 * trrd_s: a shorter window has no effect");
  f.check([&] { return t.tfaw >= t.trrd_l; }, "tfaw", "is at least trrd_l");
  f.check([&] { return t.twtr_l >= t.twtr_s; }, "twtr_l", "is at least twtr_s");
  f.check([&] { return t.trfc >= t.trc; }, "trfc", "is at least trc: a refresh opens and closes rows");
  f.check([&] { return t.trefi > t.trfc + t.trp; }, "trefi",
          "is more than trfc + trp: otherwise no time is left for accesses");
}

static_assert(member_count<DramCurrents>() == 7);
void describe(Fields& f, DramCurrents& c) {
  f.sourced();
  const auto current = within(0, 10'000);
  f("vdd_mv", c.vdd_mv, "The supply voltage in mV. Energy grows with it.", within(500, 5000), required());
  f("idd0", c.idd0, "The current in mA with an activate and precharge every trc.", current, required());
  f("idd2n", c.idd2n, "The standby current in mA with all banks closed.", current, required());
  f("idd3n", c.idd3n, "The standby current in mA with open banks.", current, required());
  f("idd4r", c.idd4r, "The current in mA of continuous reads.", current, required());
  f("idd4w", c.idd4w, "The current in mA of continuous writes.", current, required());
  f("idd5b", c.idd5b, "The current in mA with a refresh every trfc.", current, required());
  f.check([&] { return c.idd3n >= c.idd2n; }, "idd3n", "is at least idd2n");
  f.check([&] { return c.idd0 >= c.idd2n; }, "idd0", "is at least idd2n");
  f.check([&] { return c.idd4r >= c.idd3n; }, "idd4r", "is at least idd3n");
  f.check([&] { return c.idd4w >= c.idd3n; }, "idd4w", "is at least idd3n");
  f.check([&] { return c.idd5b >= c.idd2n; }, "idd5b", "is at least idd2n");
}

static_assert(member_count<DramPart>() == 7);
void describe(Fields& f, DramPart& p) {
  f.sourced();
  f("capacity", p.capacity,
    "The capacity of a chip. With the banks and the page it gives the number of rows.", within(1_MiB, 16_GiB),
    required());
  f("width", p.width, "The data bits of a chip. Codes that survive the loss of a chip need 4.",
    one_of({4, 8}), required());
  f("bank_groups", p.bank_groups,
    "The number of bank groups. Accesses within one group keep the longer of two distances.",
    one_of({1, 2, 4, 8}), required());
  f("banks", p.banks, "The number of banks in all bank groups. With more, more rows can be open.",
    one_of({4, 8, 16, 32}), required());
  f("page", p.page, "The size of a row of a bank of a chip. A longer row gives more row hits.",
    within(256_B, 8_KiB), required());
  f("timing", p.timing, "The timing constraints between commands.", required());
  f("currents", p.currents, "The currents, from which energy is computed by command counts.", required());
  f.check([&] { return p.banks % p.bank_groups == 0 && p.banks >= p.bank_groups; }, "banks",
          "is a whole number of banks in each bank group");
  f.check([&] { return p.page % 64_B == Bytes(0); }, "page", "is a multiple of 64 B");
  f.check([&] { return p.capacity % (p.page * p.banks) == Bytes(0); }, "capacity",
          "is a whole number of rows of all banks");
  f.check(
      [&] {
        const DramTiming& t = p.timing;
        return p.bank_groups > 1 || (t.tccd_s == t.tccd_l && t.trrd_s == t.trrd_l && t.twtr_s == t.twtr_l);
      },
      "bank_groups", "is more than 1 where tccd, trrd or twtr have two values");
}
const RegisteredFileKind<DramPart> part_files{"dram", "dram", "Asterism DRAM part", {"currents", "timing"}};

Bandwidth DramPart::peak() const {
  return Bandwidth(scale(64, 1'000'000'000'000, timing.tck.count() * timing.burst / 2));
}

}  // namespace asterism
