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

static_assert(member_count<DimmSsdConfig>() == 10);
void describe(Fields& f, DimmSsdConfig& c) {
  f("guards", c.guards,
    "The memory whose pages it stores: a device of the type memory. It tracks the writes to these pages.");
  describe(f, c.flash);
  f("page_buffers", c.page_buffers,
    "The number of flash page buffers between memory and channel. With one, copying and transfer alternate.",
    within(1, 64));
  f("versions", c.versions,
    "The number of complete checkpoints kept under one name. After the commit of one more, the oldest is "
    "discarded or merged into the next.",
    within(1, 100));
  f("merge_below", c.merge_below,
    "The permille of logical flash pages that must be free. Checkpoints are merged when fewer are.",
    within(0, 1000));
  f("method", c.method,
    "The checkpoint method that is used if the request of the firmware does not name one.",
    one_of<CheckpointMethod>());
  f("matt", c.matt, "The table of modified pages (MATT).");
  f("sampling", c.sampling,
    "The period at which dirty bits of the cores are read while pages may be copied early. A longer one "
    "finds such pages later, but simulates faster.",
    within(1_us, 1_s));
  f("rated_writes", c.rated_writes,
    "The bytes that a data sheet rates the device for. Firmware reads them, and sends fewer checkpoints if "
    "they are few. 0: the rated cycles of the part times the modelled flash.");
  f("image", c.image,
    "A file that keeps the flash across runs. Without one the flash starts erased and is lost at the end.");
}

Bytes endurance(const DimmSsdConfig& config, const FlashPart& part) {
  if (config.rated_writes != 0_B) return config.rated_writes;
  return config.flash.geometry(part).all_pages() * part.endurance * part.page;
}

CheckpointerConfig checkpointer_config(const DimmSsdConfig& config) {
  CheckpointerConfig c;
  c.method = config.method;
  c.page_buffers = config.page_buffers;
  c.matt = config.matt.table;
  c.log.translation = config.flash.translation;
  c.log.versions = config.versions;
  c.log.merge_below = config.merge_below;
  return c;
}

}  // namespace asterism
