#include "dimm_ssd/dimm_ssd_config.h"

#include "base/fields.h"

namespace asterism {

static_assert(member_count<DimmSsdConfig>() == 8);
void describe(Fields& f, DimmSsdConfig& c) {
  f("part", c.part, "NAND flash part: latencies and page geometry, a file in configs/flash",
    names_file("flash"));
  f("packages", c.packages, "On the channel; more of them program in parallel until the channel is the limit",
    within(2, 64));
  f("channels", c.channels, "Flash channels", one_of({1}));
  f("blocks", c.blocks,
    "Per package; each row of blocks holds one checkpoint, or a part of a large one, and row 0 the directory",
    within(3, 65536));
  f("page_buffers", c.page_buffers,
    "Flash pages between memory and channel; with one, copying and transfer alternate", within(1, 64));
  f("versions", c.versions,
    "Complete checkpoints kept under one name; the one committed longest ago is erased after the commit of "
    "one more",
    within(1, 100));
  f("method", c.method, "How a checkpoint is taken", one_of({CheckpointMethod::stop_and_copy}));
  f("image", c.image,
    "File that keeps the flash across runs; without one the flash starts erased and is lost at the end");
}

}  // namespace asterism
