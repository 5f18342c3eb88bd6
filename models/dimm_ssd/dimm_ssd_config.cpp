#include "dimm_ssd/dimm_ssd_config.h"

#include "base/fields.h"

namespace asterism {

MattBlockConfig MattBlockConfig::ours() {
  MattBlockConfig config;
  config.swap.variant = "rtl/matt/block.json";
  return config;
}

static_assert(member_count<MattBlockConfig>() == 2);
void describe(Fields& f, MattBlockConfig& c) {
  describe(f, c.table);
  describe(f, c.swap);
  f.check([&] { return c.swap.impl == Impl::model || c.table.buffer_entries <= 128; }, "buffer_entries",
          "is at most 128 where RTL keeps the table");
}

static_assert(member_count<DimmSsdConfig>() == 13);
void describe(Fields& f, DimmSsdConfig& c) {
  f("part", c.part, "NAND flash part: latencies, pages, dies and planes, a file in configs/flash",
    names_file("flash"));
  f("packages", c.packages,
    "On each channel; more of them program in parallel until the channel is the limit", within(1, 64));
  f("channels", c.channels, "Flash channels; each transfers a page at a time", within(1, 64));
  f("blocks", c.blocks,
    "Of each plane; fewer hold fewer checkpoints, are collected more often and wear out sooner",
    within(4, 65536));
  f("page_buffers", c.page_buffers,
    "Flash pages between memory and channel; with one, copying and transfer alternate", within(1, 64));
  f("versions", c.versions,
    "Complete checkpoints kept under one name; the one committed longest ago is given up, or merged into the "
    "one after it, after the commit of one more",
    within(1, 100));
  f("merge_below", c.merge_below,
    "Permille of the logical pages of the flash: checkpoints are merged when fewer are free",
    within(0, 1000));
  f("method", c.method, "How a checkpoint is taken, where the firmware's request does not say",
    one_of<CheckpointMethod>());
  f("matt", c.matt, "The table of modified pages");
  f("translation", c.translation, "Layout and garbage collection of the flash");
  f("sampling", c.sampling,
    "Where cores tell what they have stored to by dirty bits, those are read this often while pages may be "
    "copied early; a "
    "longer time finds such pages later and costs less of the simulator's speed",
    within(1_us, 1_s));
  f("rated_writes", c.rated_writes,
    "Bytes that a data sheet rates the device for, as firmware reads them: a smaller number sends fewer "
    "checkpoints to it; with 0 the part's rated cycles times the flash modelled, if they are stated");
  f("image", c.image,
    "File that keeps the flash across runs; without one the flash starts erased and is lost at the end");
  f.check([&] { return c.blocks >= c.translation.garbage_threshold + 3; }, "blocks",
          "is at least translation.garbage_threshold and three more");
}

Bytes endurance(const DimmSsdConfig& config, const FlashPart& part) {
  if (config.rated_writes != 0_B) return config.rated_writes;
  return flash_geometry(config, part).all_pages() * part.endurance * part.page;
}

FlashGeometry flash_geometry(const DimmSsdConfig& config, const FlashPart& part) {
  return {.channels = config.channels,
          .packages = config.packages,
          .dies = part.dies,
          .planes = part.planes,
          .blocks = config.blocks,
          .pages_per_block = part.pages_per_block,
          .page = part.page};
}

CheckpointerConfig checkpointer_config(const DimmSsdConfig& config) {
  CheckpointerConfig c;
  c.method = config.method;
  c.page_buffers = config.page_buffers;
  c.matt = config.matt.table;
  c.log.translation = config.translation;
  c.log.versions = config.versions;
  c.log.merge_below = config.merge_below;
  return c;
}

}  // namespace asterism
