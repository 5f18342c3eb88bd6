#include "memory/dram_config.h"

#include "base/fields.h"
#include "memory/address_mapping.h"

namespace asterism {

static_assert(member_count<DramConfig>() == 14);
void describe(Fields& f, DramConfig& c) {
  f("controllers", c.controllers, "The number of memory controllers. All share one address space.",
    within(1, 64));
  f("channels", c.channels, "The number of channels per controller. Each adds its bandwidth.", within(1, 16));
  f("ranks", c.ranks,
    "The number of ranks per channel, or per pseudo-channel of HBM. Strong ECC keeps its third parity "
    "symbols in another rank.",
    within(1, 8));
  f("part", c.part, "The DRAM chips, their timing and currents: a file in configs/dram.", names_file("dram"));
  f("mapping", c.mapping,
    "The fields of an address from the most to the least significant: row, rank, bank, column, channel. The "
    "last is interleaved first.");
  f("hash", c.hash,
    "Whether the channel and the bank of an address also depend on its other fields. Accesses at fixed "
    "distances then spread over channels and banks.");
  f("page_policy", c.page_policy,
    "The policy by which rows are closed. An open row is faster if the next access hits it.",
    one_of<PagePolicy>());
  f("read_queue", c.read_queue, "The read queue entries per channel. A longer queue finds more row hits.",
    within(1, 1024));
  f("write_queue", c.write_queue,
    "The write queue entries per channel. A longer queue turns the bus around less often.", within(1, 1024));
  f("write_high", c.write_high, "The number of queued writes at which the write drain begins and reads wait.",
    within(1, 1024));
  f("write_low", c.write_low, "The number of queued writes at which the write drain ends and reads resume.",
    within(0, 1023));
  f("starvation_limit", c.starvation_limit,
    "The longest time for which a read is passed by younger, faster ones. A shorter limit costs bandwidth "
    "under load.",
    within(100_ns, 1_s));
  f("refresh", c.refresh,
    "What a refresh takes. With refreshes by banks, the longest waits are shorter, but there are more of "
    "them.",
    one_of<RefreshMode>());
  f("postponed_refreshes", c.postponed_refreshes,
    "How many refreshes of a bank may be late while requests wait for the bank. With some, fewer reads wait "
    "for refreshes. The part says how many its standard allows: eight, and four for ranks of DDR5.",
    at_most(8));
  f.check([&] { return c.write_high <= c.write_queue; }, "write_high", "is at most write_queue");
  f.check([&] { return c.write_low < c.write_high; }, "write_low", "is less than write_high");
  f.check([&] { return mapping_problem(c.mapping).empty(); }, "mapping",
          "has each of Ro, Ra, Ba, Co and Ch once, such as RoRaBaCoCh");
}

}  // namespace asterism
