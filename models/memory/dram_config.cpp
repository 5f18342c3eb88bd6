#include "memory/dram_config.h"

#include "base/fields.h"
#include "memory/address_mapping.h"

namespace asterism {

static_assert(member_count<DramConfig>() == 12);
void describe(Fields& f, DramConfig& c) {
  f("controllers", c.controllers, "Of the whole memory; more of them share its addresses", within(1, 64));
  f("channels", c.channels, "Of a controller; each adds its bandwidth", within(1, 16));
  f("ranks", c.ranks, "Of a channel; strong ECC keeps its third parity symbol in another one", within(1, 8));
  f("part", c.part, "Chips, their timing and currents: a file in configs/dram", names_file("dram"));
  f("mapping", c.mapping,
    "Row, rank, bank, column, channel from the most to the least significant part of an address; what is on "
    "the right "
    "is interleaved first");
  f("page_policy", c.page_policy, "When a row closes; an open one is faster where the next access hits it",
    one_of<PagePolicy>());
  f("read_queue", c.read_queue, "Entries of a channel; a longer one finds more row hits", within(1, 1024));
  f("write_queue", c.write_queue, "Entries of a channel; a longer one turns the bus around less often",
    within(1, 1024));
  f("write_high", c.write_high, "Writes at which reads have to wait", within(1, 1024));
  f("write_low", c.write_low, "Writes left at which reads go on", within(0, 1023));
  f("patience", c.patience,
    "How long a read lets younger ones go first that are nearer to ready; a shorter one costs bandwidth "
    "under load",
    within(100_ns, 1_s));
  f("refresh", c.refresh, "Without it nothing is lost to refreshes; no real memory works so");
  f.check([&] { return c.write_high <= c.write_queue; }, "write_high", "is at most write_queue");
  f.check([&] { return c.write_low < c.write_high; }, "write_low", "is less than write_high");
  f.check([&] { return mapping_problem(c.mapping).empty(); }, "mapping",
          "has each of Ro, Ra, Ba, Co and Ch once, such as RoRaBaCoCh");
}

}  // namespace asterism
