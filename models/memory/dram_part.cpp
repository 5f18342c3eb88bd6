#include "memory/dram_part.h"

#include "base/fields.h"

namespace asterism {

static_assert(member_count<DramTiming>() == 20);
void describe(Fields& f, DramTiming& t) {
  f.sourced();
  const auto clocks = within(1_cycles, 100'000_cycles);
  f("tck", t.tck, "A clock: two beats of the data bus", within(100_ps, 10_ns), required());
  f("cl", t.cl, "Read to its first beat; a larger one adds to the latency of every read", clocks, required());
  f("cwl", t.cwl, "Write to its first beat", clocks, required());
  f("trcd", t.trcd, "Activate to read or write: what a closed bank adds to a row hit", clocks, required());
  f("trp", t.trp, "Precharge to activate: what a row conflict adds to a closed bank", clocks, required());
  f("tras", t.tras, "Activate to precharge", clocks, required());
  f("trc", t.trc, "Activate to activate of one bank; bounds dependent row conflicts", clocks, required());
  f("tccd_s", t.tccd_s, "Read to read and write to write, another bank group", clocks, required());
  f("tccd_l", t.tccd_l, "The same within a bank group", clocks, required());
  f("trrd_s", t.trrd_s, "Activate to activate of a rank, another bank group", clocks, required());
  f("trrd_l", t.trrd_l, "The same within a bank group", clocks, required());
  f("tfaw", t.tfaw, "Within it at most four activates of a rank: the limit of random accesses", clocks,
    required());
  f("twr", t.twr, "Last beat of a write to precharge", clocks, required());
  f("trtp", t.trtp, "Read to precharge", clocks, required());
  f("twtr_s", t.twtr_s, "Last beat of a write to read of a rank, another bank group", clocks, required());
  f("twtr_l", t.twtr_l, "The same within a bank group", clocks, required());
  f("trfc", t.trfc, "Refresh to activate", clocks, required());
  f("trefi", t.trefi, "Refresh to refresh of a rank: trfc / trefi of the time is lost", clocks, required());
  f("trtrs", t.trtrs, "Idle data bus between bursts of two ranks", within(0_cycles, 100_cycles), required());
  f("burst", t.burst, "Beats of an access: 64 bits each make a block of 64 bytes", one_of({8}), required());
  f.check([&] { return t.cwl <= t.cl; }, "cwl", "is at most cl");
  f.check([&] { return t.tras > t.trcd; }, "tras", "is more than trcd");
  f.check([&] { return t.trc >= t.tras + t.trp; }, "trc", "is at least tras + trp");
  f.check([&] { return t.tccd_s.count() >= t.burst / 2; }, "tccd_s", "is at least a burst: burst / 2 clocks");
  f.check([&] { return t.tccd_l >= t.tccd_s; }, "tccd_l", "is at least tccd_s");
  f.check([&] { return t.trrd_l >= t.trrd_s; }, "trrd_l", "is at least trrd_s");
  f.check([&] { return t.tfaw >= t.trrd_s * 4; }, "tfaw",
          "is at least 4 * trrd_s: a shorter window binds nothing");
  f.check([&] { return t.tfaw >= t.trrd_l; }, "tfaw", "is at least trrd_l");
  f.check([&] { return t.twtr_l >= t.twtr_s; }, "twtr_l", "is at least twtr_s");
  f.check([&] { return t.trfc >= t.trc; }, "trfc", "is at least trc: a refresh opens and closes rows");
  f.check([&] { return t.trefi > t.trfc + t.trp; }, "trefi",
          "is more than trfc + trp: nothing is left for accesses otherwise");
}

static_assert(member_count<DramCurrents>() == 7);
void describe(Fields& f, DramCurrents& c) {
  f.sourced();
  const auto current = within(0, 10'000);
  f("vdd_mv", c.vdd_mv, "Supply, in mV; energy grows with it", within(500, 5000), required());
  f("idd0", c.idd0, "Activate and precharge every trc, mA", current, required());
  f("idd2n", c.idd2n, "Standby with all banks closed, mA", current, required());
  f("idd3n", c.idd3n, "Standby with banks open, mA", current, required());
  f("idd4r", c.idd4r, "Reading without a gap, mA", current, required());
  f("idd4w", c.idd4w, "Writing without a gap, mA", current, required());
  f("idd5b", c.idd5b, "Refreshing every trfc, mA", current, required());
  f.check([&] { return c.idd3n >= c.idd2n; }, "idd3n", "is at least idd2n");
  f.check([&] { return c.idd0 >= c.idd2n; }, "idd0", "is at least idd2n");
  f.check([&] { return c.idd4r >= c.idd3n; }, "idd4r", "is at least idd3n");
  f.check([&] { return c.idd4w >= c.idd3n; }, "idd4w", "is at least idd3n");
  f.check([&] { return c.idd5b >= c.idd2n; }, "idd5b", "is at least idd2n");
}

static_assert(member_count<DramPart>() == 7);
void describe(Fields& f, DramPart& p) {
  f.sourced();
  f("capacity", p.capacity, "Of a chip: with the banks and the page it gives the rows", within(1_MiB, 16_GiB),
    required());
  f("width", p.width, "Data bits of a chip; codes that survive the loss of a chip need 4", one_of({4, 8}),
    required());
  f("bank_groups", p.bank_groups, "Accesses to one group keep the longer of two distances",
    one_of({1, 2, 4, 8}), required());
  f("banks", p.banks, "In all bank groups; more of them let more rows be open", one_of({4, 8, 16, 32}),
    required());
  f("page", p.page, "A row of a bank of a chip; a longer one gives more row hits", within(256_B, 8_KiB),
    required());
  f("timing", p.timing, "Constraints between commands", required());
  f("currents", p.currents, "For energy by command counts", required());
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

Bandwidth DramPart::peak() const {
  return Bandwidth(scale(64, 1'000'000'000'000, timing.tck.count() * timing.burst / 2));
}

}  // namespace asterism
