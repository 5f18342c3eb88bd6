#include "memory/dram_part.h"

#include "base/fields.h"
#include "base/file_kind.h"

namespace asterism {

static_assert(member_count<DramTiming>() == 27);
void describe(Fields& f, DramTiming& t) {
  f.sourced();
  const auto clocks = within(1_cycles, 100'000_cycles);
  f("tck", t.tck, "The clock period, in which the data bus transfers beats_per_clock beats.",
    within(100_ps, 10_ns), required());
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
  f("burst", t.burst, "The beats of an access. Eight beats of 64 bits are a block of 64 bytes.",
    one_of({4, 8, 16, 32}), required());
  f("beats_per_clock", t.beats_per_clock,
    "The beats of a clock. Without it, two. Standards whose data have a faster clock than commands have "
    "more.",
    one_of({2, 4, 8}));
  f("trcd_wr", t.trcd_wr, "The time from an activate to a write. Without it, trcd.", clocks);
  f("tccd_l_wr", t.tccd_l_wr,
    "The time between two writes of one bank group. Without it, tccd_l. It is longer where a write that "
    "covers a part of what the code on the die covers is a read, a change and a write.",
    clocks);
  f("trtw", t.trtw,
    "The time from a read to a write of the rank. Without it, the burst of the write begins trtrs after that "
    "of the read.",
    clocks);
  f("tppd", t.tppd, "The time between two precharges of a rank. Without it, there is no limit.", clocks);
  f("activate_command", t.activate_command,
    "The clocks for which an activate occupies the bus for commands. Without it, one. Constraints begin and "
    "end at the last clock of a command.",
    clocks);
  f("column_command", t.column_command,
    "The clocks for which a read or write occupies the bus for commands. Without it, one.", clocks);
  f.check([&] { return t.cwl <= t.cl; }, "cwl", "is at most `cl`");
  f.check([&] { return t.tras > t.trcd; }, "tras", "is more than `trcd`");
  f.check([&] { return t.trc >= t.tras + t.trp; }, "trc", "is at least `tras` + `trp`");
  f.check([&] { return t.tccd_s.count() >= t.burst_clocks(); }, "tccd_s",
          "is at least a burst: burst / 2 clocks, or burst / beats_per_clock");
  f.check([&] { return t.tccd_l >= t.tccd_s; }, "tccd_l", "is at least `tccd_s`");
  f.check([&] { return !t.tccd_l_wr || *t.tccd_l_wr >= t.tccd_s; }, "tccd_l_wr", "is at least `tccd_s`");
  f.check([&] { return !t.trcd_wr || *t.trcd_wr < t.tras; }, "trcd_wr", "is less than `tras`");
  f.check([&] { return t.activate_clocks() <= t.trp.count(); }, "activate_command", "is at most `trp`");
  f.check([&] { return t.column_clocks() <= t.trcd.count(); }, "column_command", "is at most `trcd`");
  f.check([&] { return t.trrd_l >= t.trrd_s; }, "trrd_l", "is at least `trrd_s`");
  f.check([&] { return t.tfaw >= t.trrd_s * 4; }, "tfaw",
          "is at least 4 * `trrd_s`: a shorter window has no effect");
  f.check([&] { return t.tfaw >= t.trrd_l; }, "tfaw", "is at least `trrd_l`");
  f.check([&] { return t.twtr_l >= t.twtr_s; }, "twtr_l", "is at least `twtr_s`");
  f.check([&] { return t.trfc >= t.trc; }, "trfc", "is at least `trc`: a refresh opens and closes rows");
  f.check([&] { return t.trefi > t.trfc + t.trp; }, "trefi",
          "is more than `trfc` + `trp`: otherwise no time is left for accesses");
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
  f.check([&] { return c.idd3n >= c.idd2n; }, "idd3n", "is at least `idd2n`");
  f.check([&] { return c.idd0 >= c.idd2n; }, "idd0", "is at least `idd2n`");
  f.check([&] { return c.idd4r >= c.idd3n; }, "idd4r", "is at least `idd3n`");
  f.check([&] { return c.idd4w >= c.idd3n; }, "idd4w", "is at least `idd3n`");
  f.check([&] { return c.idd5b >= c.idd2n; }, "idd5b", "is at least `idd2n`");
}

static_assert(member_count<BankRefresh>() == 7);
void describe(Fields& f, BankRefresh& r) {
  f.sourced();
  const auto clocks = within(1_cycles, 100'000_cycles);
  f("banks", r.banks,
    "The banks that a refresh covers: one, two, or one of each bank group. The others can be used meanwhile.",
    one_of({1, 2, 4, 8}), required());
  f("trfc", r.trfc, "The time from a refresh to an activate of one of its banks.", clocks, required());
  f("trefi", r.trefi, "The time between two refreshes of a rank, each of other banks than the one before.",
    clocks, required());
  f("trrefd", r.trrefd, "The time from a refresh to an activate of another bank of the rank.", clocks,
    required());
  f("trefresh", r.trefresh, "The time from a refresh to the next one of the rank.", clocks, required());
  f("idd5", r.idd5, "The current of a chip in mA with such a refresh every trfc (IDD5C, IDD5PB).",
    within(0, 10'000), required());
  f("postponed_refreshes", r.postponed_refreshes,
    "How many of these refreshes of a bank may be late. Without it, eight.", at_most(8));
  f.check([&] { return r.trrefd <= r.trfc; }, "trrefd", "is at most `trfc`");
  f.check([&] { return r.trefi > r.trefresh; }, "trefi",
          "is more than `trefresh`: otherwise refreshes are late without end");
}

static_assert(member_count<DramPart>() == 13);
void describe(Fields& f, DramPart& p) {
  f.sourced();
  f("capacity", p.capacity,
    "The capacity of a chip. With the banks and the page it gives the number of rows.", within(1_MiB, 16_GiB),
    required());
  f("width", p.width, "The data bits of a chip. Codes that survive the loss of a chip need 4.",
    one_of({4, 8, 16, 32, 64}), required());
  f("bus", p.bus,
    "The data bits of a channel, or of a pseudo-channel. 64 in DDR4, 32 in a subchannel of DDR5.",
    one_of({16, 32, 64}));
  f("check_bits", p.check_bits,
    "The bits beside them for check symbols, in further chips: their energy is counted.", at_most(64));
  f("pseudo_channels", p.pseudo_channels,
    "The number of pseudo-channels of a channel: with ranks and a data bus of their own, on the same bus for "
    "commands.",
    one_of({1, 2}));
  f("command_buses", p.command_buses,
    "The number of buses for commands. With two, an activate, precharge or refresh and a read or write are "
    "issued in one clock.",
    one_of({1, 2}));
  f("bank_groups", p.bank_groups,
    "The number of bank groups. Accesses within one group keep the longer of two distances.",
    one_of({1, 2, 4, 8}), required());
  f("banks", p.banks, "The number of banks in all bank groups. With more, more rows can be open.",
    one_of({4, 8, 16, 32}), required());
  f("page", p.page, "The size of a row of a bank of a chip. A longer row gives more row hits.",
    within(256_B, 8_KiB), required());
  f("timing", p.timing, "The timing constraints between commands.", required());
  f("bank_refresh", p.bank_refresh,
    "Refreshes that leave other banks of the rank usable. Without it, the part has only those of whole "
    "ranks.");
  f("postponed_refreshes", p.postponed_refreshes,
    "How many refreshes of a rank may be late, by the standard. Without it, eight.", at_most(8));
  f("currents", p.currents, "The currents, from which energy is computed by command counts.", required());
  f.check([&] { return p.banks % p.bank_groups == 0 && p.banks >= p.bank_groups; }, "banks",
          "is a whole number of banks in each bank group");
  f.check([&] { return p.bus % p.width == 0; }, "width", "divides bus");
  f.check([&] { return p.check_bits % p.width == 0; }, "check_bits", "is a multiple of width");
  f.check([&] { return p.atom() == 64_B || p.atom() == 32_B; }, "bus",
          "moves 64 or 32 bytes in a burst of timing.burst beats");
  f.check([&] { return p.page % 64_B == Bytes(0); }, "page", "is a multiple of 64 B");
  f.check([&] { return p.capacity % (p.page * p.banks) == Bytes(0); }, "capacity",
          "is a whole number of rows of all banks");
  f.check(
      [&] {
        const DramTiming& t = p.timing;
        return p.bank_groups > 1 ||
               (t.tccd_s == t.tccd_l && !t.tccd_l_wr && t.trrd_s == t.trrd_l && t.twtr_s == t.twtr_l);
      },
      "bank_groups", "is more than 1 where tccd, trrd or twtr have two values");
  f.check([&] { return !p.bank_refresh || p.bank_refresh->banks < p.banks; }, "bank_refresh",
          "covers fewer than all banks");
  f.check(
      [&] { return !p.bank_refresh || p.bank_refresh->banks <= 2 || p.bank_refresh->banks == p.bank_groups; },
      "bank_refresh", "covers one bank, two, or one of each bank group");
  f.check(
      [&] {
        return !p.bank_refresh || p.bank_refresh->banks >= p.banks ||
               p.bank_refresh->trfc.count() <
                   p.bank_refresh->trefi.count() * (p.banks / p.bank_refresh->banks);
      },
      "bank_refresh", "has a trfc that is less than the time from a refresh of a bank to its next one");
}
const RegisteredFileKind<DramPart> part_files{"dram", "dram", "Asterism DRAM part", {"currents", "timing"}};

Bandwidth DramPart::peak() const {
  return Bandwidth(
      scale(atom().count() * pseudo_channels, 1'000'000'000'000, timing.tck.count() * timing.burst_clocks()));
}

}  // namespace asterism
