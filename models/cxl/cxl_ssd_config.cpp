#include "cxl/cxl_ssd_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/fields.h"
#include "base/quantity_text.h"
#include "flash/device_flash_config.h"
#include "flash/translation_list.h"
#include "memory/dram_system.h"

namespace asterism {

static_assert(member_count<CxlSsdFlash>() == 4);
void describe(Fields& f, CxlSsdFlash& c) {
  describe_flash(f, c.part, c.channels, c.packages);
  describe_translation(f, c.translation);
}

static_assert(member_count<CxlSsdConfig>() == 10);
void describe(Fields& f, CxlSsdConfig& c) {
  describe_cxl_ssd(f, c);
  f("power_loss_protection", c.power_loss_protection,
    "Whether a reserve of energy saves the cache when the power fails. Otherwise what was not flushed is "
    "lost.");
  f("image", c.image,
    "A file that keeps the flash across runs. Without one the flash starts erased and is lost at the end.");
}

void describe_cxl_ssd(Fields& f, CxlSsdConfig& c) {
  f("expander", c.expander,
    "The link, the ports and the controller: a file in configs/cxl. They determine the latency of a hit, and "
    "how many requests are under way.",
    names_file("cxl"));
  f("size", c.size, "The size of the window. The flash has as many blocks as that takes.",
    within(16_MiB, 1_TiB));
  f("cache", c.cache,
    "The size of the cache of flash pages in DRAM. Accesses to what is not in it wait for flash.",
    within(1_MiB, 1_TiB));
  f("read_ahead", c.read_ahead,
    "The pages that are read ahead of accesses in the order of addresses. With more of them, a restart uses "
    "more "
    "channels; they displace others from the cache.",
    within(0, 1024));
  f("flash", c.flash, "The flash behind the cache.");
  f("matt", c.matt, "The table of modified lines (MATT).");
  f("latency", c.latency, "The latency of the controller of the cache's DRAM, added to that of DRAM.",
    within(0_ns, 1_ms));
  describe(f, c.dram);
  f.check([&] { return c.size % 2_MiB == Bytes(0); }, "size", "is a multiple of 2 MiB");
  f.check([&] { return c.cache <= c.size; }, "cache", "is at most `size`");
}

FlashGeometry flash_geometry(const CxlSsdConfig& config, const FlashPart& part) {
  FlashGeometry geometry{.channels = config.flash.channels,
                         .packages = config.flash.packages,
                         .dies = part.dies,
                         .planes = part.planes,
                         .pages_per_block = part.pages_per_block,
                         .page = part.page};
  const TranslationList list(part.page, part.pages_per_block);
  const std::uint64_t pages = (config.size + part.page - Bytes(1)) / part.page;
  const auto blocks = [&](std::uint64_t all, std::uint64_t of_block) {
    const std::uint64_t row = of_block * geometry.all_planes();
    return (all + row - 1) / row;
  };
  const std::uint64_t data = std::max<std::uint64_t>(list.data_pages(), 1);
  geometry.blocks = static_cast<std::uint32_t>(std::max(
      blocks(pages, data) + config.flash.translation.garbage_threshold + 2,
      blocks(pages * 1000 / (1000 - config.flash.translation.over_provisioning) + 1, part.pages_per_block)));
  return geometry;
}

std::optional<CxlSsdProblem> problem_of(const CxlSsdConfig& config, const FlashPart& flash,
                                        const DramPart& dram) {
  // The host needs 12 bytes for each block and 40 bytes for each page of flash, besides the contents.
  constexpr std::uint64_t max_blocks = 1u << 24;
  constexpr Bytes max_flash = 4_TiB, max_page = 128_KiB;
  if (flash.page % 4_KiB != 0_B || flash.page > max_page || config.size % flash.page != 0_B)
    return CxlSsdProblem{
        "flash.part",
        fmt::format("{} has pages of {}, expected a multiple of 4 KiB up to {} that divides the size",
                    config.flash.part, to_text(flash.page), to_text(max_page))};
  const auto is_too_large = [&](const CxlSsdConfig& each) {
    const FlashGeometry all = flash_geometry(each, flash);
    return all.all_blocks() > max_blocks || all.all_pages() * all.page > max_flash;
  };
  CxlSsdConfig usual = config;
  usual.flash.translation.over_provisioning = TranslationConfig{}.over_provisioning;
  const FlashGeometry all = flash_geometry(config, flash);
  if (is_too_large(config))
    return CxlSsdProblem{
        is_too_large(usual) ? "size" : "flash.translation.over_provisioning",
        fmt::format("the flash has {} blocks, {}; expected at most {} and {}", all.all_blocks(),
                    to_text(all.all_pages() * all.page), max_blocks, to_text(max_flash))};
  const Bytes of_dram =
      dram.rank_size() * (std::uint64_t{config.dram.ranks} * config.dram.channels * config.dram.controllers);
  if (config.cache > of_dram)
    return CxlSsdProblem{"cache", fmt::format("the cache of {} does not fit into the {} of its DRAM",
                                              to_text(config.cache), to_text(of_dram))};
  try {
    const DramSystem ranks(config.dram, dram, of_dram);
  } catch (const std::invalid_argument& error) {
    return CxlSsdProblem{"ranks", error.what()};
  }
  return std::nullopt;
}

}  // namespace asterism
