#include "flash/device_flash_config.h"

#include "base/fields.h"

namespace asterism {

void describe_flash(Fields& f, std::string& part, std::uint32_t& channels, std::uint32_t& packages) {
  f("part", part, "The NAND flash part: a file in configs/flash with latencies, pages, dies and planes.",
    names_file("flash"));
  f("channels", channels,
    "The number of flash channels. Each transfers one page at a time; with more, more bytes arrive a second.",
    within(1, 64));
  f("packages", packages,
    "The number of packages per channel. More packages program in parallel, until the channel is the limit.",
    within(1, 64));
}

void describe_translation(Fields& f, TranslationConfig& translation) {
  f("translation", translation, "Layout and garbage collection of the flash.");
}

static_assert(member_count<DeviceFlashConfig>() == 5);
void describe(Fields& f, DeviceFlashConfig& c) {
  describe_flash(f, c.part, c.channels, c.packages);
  f("blocks", c.blocks,
    "The number of blocks per plane. Fewer blocks hold less, are collected more often and wear out sooner.",
    within(4, 65536));
  describe_translation(f, c.translation);
  f.check([&] { return c.blocks >= c.translation.garbage_threshold + 3; }, "blocks",
          "is at least translation.garbage_threshold and three more");
}

FlashGeometry DeviceFlashConfig::geometry(const FlashPart& contents_of_part) const {
  return {.channels = channels,
          .packages = packages,
          .dies = contents_of_part.dies,
          .planes = contents_of_part.planes,
          .blocks = blocks,
          .pages_per_block = contents_of_part.pages_per_block,
          .page = contents_of_part.page};
}

}  // namespace asterism
