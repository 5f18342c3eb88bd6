#include "gpu/gpu_config.h"

#include <bit>

#include "base/fields.h"
#include "base/quantity_text.h"
#include "gpu/l2_slice.h"

namespace asterism {

namespace {

using C = GpuConfig;

std::string text_of(std::uint32_t count) { return std::to_string(count); }
std::string text_of(const std::optional<std::uint32_t>& count) { return count ? text_of(*count) : "none"; }
std::string text_of(const std::optional<Picoseconds>& time) { return time ? to_text(*time) : "none"; }
std::string text_of(auto quantity) { return to_text(quantity); }
template <auto Member>
std::string got(const C& c) {
  return text_of(c.*Member);
}

struct Rule {
  std::string_view key;
  std::string (*got)(const C&);
  std::string_view words;
  bool (*holds)(const C&);
};

// In this order: a rule may divide by what the previous ones have checked.
constexpr Rule rules[] = {
    {"channels", got<&C::channels>, "is a power of two",
     [](const C& c) { return std::has_single_bit(c.channels); }},
    {"channel", got<&C::channel>, "is more than 0", [](const C& c) { return c.channel.count() != 0; }},
    {"interleave", got<&C::interleave>, "is a power of two",
     [](const C& c) { return std::has_single_bit(c.interleave.count()); }},
    {"interleave", got<&C::interleave>, "is at least a line of the L2, 128 bytes",
     [](const C& c) { return c.interleave >= L2Slice::line; }},
    {"zone", got<&C::zone>, "is a power of two",
     [](const C& c) { return std::has_single_bit(c.zone.count()); }},
    {"zone", got<&C::zone>, "is at most the memory of a channel",
     [](const C& c) { return c.zone <= c.channel_size(); }},
    {"interleave", got<&C::interleave>, "is at most a zone",
     [](const C& c) { return c.interleave <= c.zone; }},
    // A zone that is refused is reported only once.
    {"memory", got<&C::memory>, "is a whole number of zones in each channel",
     [](const C& c) {
       return !std::has_single_bit(c.zone.count()) || c.channel_size() < c.zone ||
              c.memory % (c.zone * c.channels) == 0_B;
     }},
    {"memory", got<&C::memory>, "has at most 2^24 zones in a channel",
     [](const C& c) { return c.channel_size() / c.zone <= ZoneMonitor::max_zones; }},
    {"memory", got<&C::memory>, "is less than 512 GiB in a channel",
     [](const C& c) { return c.channel_size() / L2Slice::line < L2Slice::no_line; }},
    {"l2_ways", got<&C::l2_ways>, "is from 1 to 16",
     [](const C& c) { return c.l2_ways >= 1 && c.l2_ways <= L2Slice::max_ways; }},
    {"l2", got<&C::l2>, "is a whole number of sets of l2_ways lines of 128 bytes in each channel",
     [](const C& c) { return c.l2 != 0_B && c.l2 % (L2Slice::line * c.channels * c.l2_ways) == 0_B; }},
    {"l2", got<&C::l2>, "is at least l2_ways times a 2^24th of the memory",
     [](const C& c) { return c.memory / c.l2 * c.l2_ways < L2Slice::max_lines_per_set; }},
    {"pipelines", got<&C::pipelines>, "is at least 1", [](const C& c) { return c.pipelines != 0; }},
    {"write_queue", got<&C::write_queue>, "is at least 1", [](const C& c) { return c.write_queue != 0; }},
    {"buffer", got<&C::buffer>, "has space for two zones of each channel",
     [](const C& c) { return c.buffer / c.channels >= 2 * c.zone; }},
    {"transfer", got<&C::transfer>, "is more than 0", [](const C& c) { return c.transfer != 0_B; }},
    {"scrub", got<&C::scrub>, "is at least 1 ns for each zone of a channel",
     [](const C& c) { return !c.scrub || *c.scrub >= 1_ns * c.zones_per_channel(); }},
    {"scrub", got<&C::scrub>, "is left out where ecc is none, which detects nothing",
     [](const C& c) { return !c.scrub || c.ecc != SectorCode::none; }},
    {"scrub_on_die", got<&C::scrub_on_die>, "is false unless `scrub` has an interval",
     [](const C& c) { return !c.scrub_on_die || c.scrub; }},
    {"scrub_on_die", got<&C::scrub_on_die>, "is false unless `ecc` is \"symbol\", the code on the die",
     [](const C& c) { return !c.scrub_on_die || c.ecc == SectorCode::symbol; }},
    {"spare_zones", got<&C::spare_zones>,
     "is at most the number of zones, `memory` / `zone` of all `channels`",
     [](const C& c) { return !c.spare_zones || c.channel_size() < c.zone || *c.spare_zones <= c.zones(); }},
};

}  // namespace

static_assert(member_count<GpuConfig>() == 19);
void describe(Fields& f, GpuConfig& c) {
  f("memory", c.memory, "The memory of all channels. Only what is written takes space in the simulator.",
    within(64_KiB, 1_TiB));
  f("channels", c.channels,
    "The number of channels, with a zone monitor each. More of them move more bytes at a time.",
    within(1, 256));
  f("channel", c.channel, "The bandwidth of a channel. A slower one delays kernels and copies in the device.",
    within(1_MBps, 10'000_GBps));
  f("interleave", c.interleave,
    "The number of bytes that lie together in a channel before the next one follows.", within(128_B, 1_MiB));
  f("zone", c.zone,
    "The unit of a monitor. Smaller zones make increments smaller, and transfers without a buffer slower.",
    within(4_KiB, 2_MiB));
  f("monitor", c.monitor, "The zone monitor of each channel.");
  f("l2", c.l2, "The cache in front of all channels. A larger one lets fewer writes through to memory.",
    within(128_B, 1_GiB));
  f("l2_ways", c.l2_ways, "The number of lines of a set. With fewer of them, lines evict each other earlier.",
    within(1, L2Slice::max_ways));
  f("pipelines", c.pipelines, "The number of pipelines that issue a kernel's accesses, each in order.",
    within(1, 4096));
  f("write_queue", c.write_queue,
    "The number of writes that may wait in a channel for their zones. When the queue is full, pipelines "
    "stall.",
    within(1, 4096));
  f("buffer", c.buffer,
    "The device memory for zones on their way to the host. Each channel has its part of it.",
    within(8_KiB, 1_TiB));
  f("transfer", c.transfer,
    "The size that a transfer to the host collects. Smaller transfers use the link less efficiently.",
    within(4_KiB, 1_GiB));
  f("latency", c.latency,
    "The time from a request to the memory to its answer. Pipelines that were stalled continue that much "
    "later, and each copy in the device takes that much longer. Other accesses overlap it.",
    at_most(1_ms));
  f("watchdog", c.watchdog,
    "The longest time for which a write may wait for its zone before the snapshot is aborted.",
    within(1_us, 100'000_s));
  f("ecc", c.ecc,
    "The code of each sector of 32 bytes. Without a code, faults change data silently; with one, most are "
    "corrected or detected.",
    one_of<SectorCode>());
  f("scrub", c.scrub,
    "The time in which a scrubber reads all memory in use once and writes back what it has corrected. "
    "Without "
    "it, an error waits in memory until it is read, or until a second one makes it uncorrectable.",
    within(1_us, 1'000'000_s));
  f("scrub_on_die", c.scrub_on_die,
    "Whether the stack of HBM3 scrubs by itself within refreshes. It then takes no bandwidth and counts no "
    "errors for software, and a zone with an uncorrectable one is contained only when it is read.");
  f("spare_zones", c.spare_zones,
    "The number of zones that the driver can retire. When none is left, a zone with an uncorrectable error "
    "stays unusable. Without it 512, or as many as the memory has.",
    at_most(1u << 20));
  f("copy_in_beside_kernels", c.copy_in_beside_kernels,
    "Whether memory is copied in while a kernel runs, with which it then shares the channels. Otherwise the "
    "GPU refuses that, and kernels while it copies in.");

  for (const Rule& rule : rules) f.check([&] { return rule.holds(c); }, rule.key, rule.words);
}

std::optional<GpuProblem> problem_of(const GpuConfig& config) {
  for (const Rule& rule : rules)
    if (!rule.holds(config)) return GpuProblem{rule.key, rule.words, rule.got(config)};
  return std::nullopt;
}

}  // namespace asterism
