#include "dimm_ssd/crash/crash_setup.h"

namespace asterism {
namespace {

std::uint32_t between(Random& random, std::uint32_t low, std::uint32_t high) {
  return low + static_cast<std::uint32_t>(random.below(high - low + 1));
}
bool one_in(Random& random, std::uint32_t n) { return random.below(n) == 0; }

FlashGeometry any_geometry(const CrashTrialConfig& config, Random& random, bool tags) {
  FlashGeometry geometry;
  geometry.channels = between(random, 1, 2);
  geometry.packages = between(random, 1, 2);
  geometry.dies = between(random, 1, 2);
  geometry.planes = geometry.all_dies() < 4 ? between(random, 1, 2) : 1;
  geometry.pages_per_block = between(random, 4, 12);
  const std::uint32_t blocks = between(random, 7, 14);
  geometry.blocks = config.blocks != 0 ? config.blocks : blocks;
  geometry.page = tags ? 1_KiB : 4_KiB;
  return geometry;
}

FlashPart any_part(const FlashGeometry& geometry, Random& random) {
  FlashPart part;
  part.page = geometry.page;
  part.pages_per_block = geometry.pages_per_block;
  part.blocks = geometry.blocks;
  part.dies = geometry.dies;
  part.planes = geometry.planes;
  part.cache_register = one_in(random, 2);
  part.correctable_bits = 8;
  part.endurance = one_in(random, 4) ? between(random, 3, 30) : 0;
  // With such random times, programs, copies and the trial's own writes end in any order.
  part.program = Picoseconds(random.below(700'000'000) + 1'000'000);
  part.read = Picoseconds(random.below(50'000'000) + 1'000'000);
  part.erase = Picoseconds(random.below(3'500'000'000) + 1'000'000);
  return part;
}

CheckpointerConfig any_checkpointer(Random& random, bool tags) {
  CheckpointerConfig c;
  c.page_buffers = between(random, 1, 3);
  c.shadow_frames = between(random, 0, 6);
  c.matt.phase_bits = between(random, 2, 4);
  c.matt.buffer_entries = between(random, 1, 6);
  c.matt.early_writes = between(random, 1, 4);
  c.log.line = tags ? 8_B : 64_B;
  c.log.versions = between(random, 1, 3);
  c.log.merge_below = between(random, 0, 900);
  TranslationConfig& t = c.log.translation;
  t.over_provisioning = between(random, 50, 400);
  t.garbage_policy = static_cast<GarbagePolicy>(random.below(3));
  t.garbage_threshold = between(random, 1, 2);
  t.pace_writes = t.over_provisioning % 2 == 0;
  t.dynamic_wear_levelling = one_in(random, 2);
  t.static_wear_difference = one_in(random, 2) ? between(random, 1, 8) : 0;
  return c;
}

// Chooses few pages, a flash that they soon fill, and a table that finds candidates for early copies at once.
void aim(CrashSetup& setup, const CrashTrialConfig& config, Random& random) {
  const bool tags =
      config.contents == CrashContents::any ? !one_in(random, 4) : config.contents == CrashContents::tags;
  FlashGeometry& geometry = setup.geometry;
  if (!one_in(random, 8)) {
    geometry = {.channels = 1,
                .packages = between(random, 1, 2),
                .dies = 1,
                .planes = one_in(random, 4) ? 2u : 1u,
                .blocks = between(random, 7, 9),
                .pages_per_block = between(random, 4, 6)};
    if (config.blocks != 0) geometry.blocks = config.blocks;
  }
  geometry.page = tags ? 1_KiB : 4_KiB;
  setup.part.page = geometry.page;
  setup.part.pages_per_block = geometry.pages_per_block;
  setup.part.blocks = geometry.blocks;
  setup.part.dies = geometry.dies;
  setup.part.planes = geometry.planes;
  setup.part.endurance = one_in(random, 8) ? between(random, 3, 30) : 0;
  CheckpointerConfig& c = setup.checkpointer;
  c.log.line = tags ? 8_B : 64_B;
  c.matt.buffer_entries = between(random, 1, 2);
  c.matt.early_writes = between(random, 1, 2);
  const std::uint64_t in_all = geometry.all_pages() * (tags ? 2 : 1);
  const auto many = static_cast<std::uint32_t>(std::min<std::uint64_t>(in_all / 3, 24));
  setup.memory.pages = config.pages != 0 ? config.pages : between(random, 1, one_in(random, 4) ? many : 6);
  setup.memory.line = tags ? 8 : 64;
  setup.memory.read_fails_once_in = 0;
  const std::uint64_t errors = random.below(12);
  setup.bit_errors = errors == 0  ? BitErrors::beyond_correction
                     : errors < 3 ? BitErrors::corrected
                                  : BitErrors::none;
}

}  // namespace

CheckpointMethod any_method(Random& random) { return static_cast<CheckpointMethod>(1 + random.below(8)); }

FlashAddress any_page(Random& random, const FlashGeometry& geometry) {
  return {static_cast<std::uint32_t>(random.below(geometry.all_planes())),
          static_cast<std::uint32_t>(random.below(geometry.blocks)),
          static_cast<std::uint32_t>(random.below(geometry.pages_per_block))};
}

CrashSetup make_crash_setup(const CrashTrialConfig& config, Random& random) {
  CrashSetup setup;
  const bool random_tags = one_in(random, 2);
  const bool tags =
      config.contents == CrashContents::any ? random_tags : config.contents == CrashContents::tags;
  setup.geometry = any_geometry(config, random, tags);
  setup.part = any_part(setup.geometry, random);
  setup.checkpointer = any_checkpointer(random, tags);

  const auto drawn = static_cast<CrashMethod>(1 + random.below(9));
  const CrashMethod method = config.method == CrashMethod::any ? drawn : config.method;
  setup.changes_method = method == CrashMethod::mixed;
  const CheckpointMethod first = any_method(random);
  setup.checkpointer.method = setup.changes_method ? first : static_cast<CheckpointMethod>(method);

  // A full checkpoint takes a small or a large part of the flash, and sometimes all of it.
  const std::uint64_t flash_pages = setup.geometry.all_pages();
  const std::uint64_t in_all = flash_pages * (tags ? 2 : 1);
  const std::uint64_t most = std::min<std::uint64_t>(one_in(random, 8) ? in_all : in_all / 5, 96);
  const std::uint32_t pages =
      between(random, 1, static_cast<std::uint32_t>(std::max<std::uint64_t>(most, 2)));
  setup.memory.pages = config.pages != 0 ? config.pages : pages;
  setup.memory.line = tags ? 8 : 64;
  setup.memory.frames = setup.checkpointer.shadow_frames;
  setup.memory.line_time = Picoseconds(random.below(200'000) + 1000);
  setup.memory.reports_on_collect = one_in(random, 4);
  setup.memory.read_fails_once_in = one_in(random, 8) ? 300 : 0;
  const std::uint64_t errors = random.below(16);
  setup.bit_errors = errors == 0  ? BitErrors::beyond_correction
                     : errors < 4 ? BitErrors::corrected
                                  : BitErrors::none;
  if (config.aim == CrashAim::states) aim(setup, config, random);
  setup.memory.ends_late = random.at(1 << 21) % 2 != 0;  // moves no other choice
  return setup;
}

TornPages::TornPages(const FlashImage& image) {
  const FlashGeometry& geometry = image.geometry();
  for (std::uint32_t plane = 0; plane < geometry.all_planes(); ++plane)
    for (std::uint32_t block = 0; block < geometry.blocks; ++block) {
      std::uint32_t torn = 0;
      for (std::uint32_t page = 0; page < geometry.pages_per_block; ++page)
        torn += image.state({plane, block, page}) == FlashImage::PageState::torn ? 1 : 0;
      pages += torn == geometry.pages_per_block ? 0 : torn;
      whole_blocks += torn == geometry.pages_per_block ? 1 : 0;
    }
}

std::uint64_t find_count(const Statistics& statistics, std::string_view group, std::string_view name) {
  for (const auto& [key, value] : statistics.entries()) {
    const auto* inner = std::get_if<std::unique_ptr<Statistics>>(&value);
    if (inner == nullptr) continue;
    if (key == group)
      for (const auto& [of, count] : (*inner)->entries())
        if (const auto* number = std::get_if<std::uint64_t>(&count); number != nullptr && of == name)
          return *number;
    if (const std::uint64_t found = find_count(**inner, group, name); found != 0) return found;
  }
  return 0;
}

}  // namespace asterism
