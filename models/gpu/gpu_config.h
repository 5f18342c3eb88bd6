// The configuration of a GPU, as far as its memory and snapshots of it are concerned.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/units.h"
#include "ecc/sector_code.h"
#include "gpu/address_swizzle.h"
#include "gpu/device_memory.h"
#include "zone_monitor/zone_monitor.h"

namespace asterism {

class Fields;

// Sources: lee2019, whose GPU is an NVIDIA V100 (section 5.2, Table 2); "V100" is NVIDIA's white paper
// WP-08608-001 on that GPU. Values that are in neither are assumed, with the reason.
struct GpuConfig {
  Bytes memory = 32_GiB;        // of all channels; lee2019 Table 2
  std::uint32_t channels = 32;  // lee2019 section 4.1.4; V100: four stacks of eight channels
  // The bandwidth of one channel. V100: 900 GB/s in total.
  Bandwidth channel = 28_GBps;
  // The bytes that lie together before the next channel. Assumed: addresses are interleaved (lee2019 section
  // 4.1.2), but the unit is not published; this is four lines of the L2.
  Bytes interleave = Bytes(512);
  Bytes zone = 64_KiB;  // from 4 KiB to 2 MiB; lee2019 section 4.1.4
  ZoneMonitorConfig monitor = {};

  Bytes l2 = 6_MiB;  // V100
  // Assumed: not published; the maximum of l2_slice.h.
  std::uint32_t l2_ways = 16;
  // Pipelines issue accesses, each in order. lee2019 Table 2: 5120 cores, which are 80 multiprocessors
  // (V100).
  std::uint32_t pipelines = 80;
  // The number of writes that may wait in a channel; further ones stall their pipelines. Assumed: lee2019
  // section 4.1.4 has them buffered at the memory controller, but does not say how many; this is the size of
  // a memory controller's write queue (models/memory).
  std::uint32_t write_queue = 64;

  Bytes buffer = 256_MiB;  // device memory for zones on their way to the host; lee2019 figure 9
  // A transfer to the host collects this many bytes if that many are ready; lee2019 figure 9.
  Bytes transfer = 2_MiB;
  // From a request to the memory to its answer, if nothing is queued: a pipeline that was stalled continues
  // that long after its write was accepted, and a copy in the device begins to move that long after it was
  // started. Other accesses are assumed to be overlapped. lee2019 has no value; without one it is left out.
  Picoseconds latency = {};
  // The longest time for which a write may wait for its zone. Assumed: lee2019 has none. Without hints a
  // write waits for a whole snapshot, which takes 8.6 s for 32 GiB over the link of 16 GPUs.
  Picoseconds watchdog = 10_s;
  // V100 has HBM2 with SECDED; without faults every code is the same, and none keeps a node's results.
  SectorCode ecc = SectorCode::none;
  // The time in which the memory in use is read once, and what is corrected is written back; without it, only
  // what is accessed is corrected. It begins with the first kernel.
  std::optional<Picoseconds> scrub = {};
  // Whether the stack does so by itself, within refreshes, as the error check and scrub of HBM3 does
  // (JESD238): it takes no bandwidth. Its log, which the standard has, is left out: nobody is informed of
  // what it finds. Assumed: it begins with the first kernel and reads the memory in use, as `scrub` does,
  // although a stack does not know which that is.
  bool scrub_on_die = false;
  // The zones of all channels that may be replaced by spare memory. Assumed: an A100 has spare rows in each
  // bank, 512 remappings in all (NVIDIA, "GPU Memory Error Management"). Without a value: as many, but no
  // more than the memory has zones.
  std::optional<std::uint32_t> spare_zones = {};
  // Whether memory is copied in while a kernel runs. lee2019 copies in only to restore, when nothing runs; a
  // V100 has copy engines that work beside kernels.
  bool copy_in_beside_kernels = false;

  AddressSwizzle swizzle() const { return {channels, interleave}; }
  Bytes channel_size() const { return memory / channels; }
  std::uint32_t zones_per_channel() const { return static_cast<std::uint32_t>(channel_size() / zone); }
  std::uint32_t zones() const { return zones_per_channel() * channels; }
  std::uint32_t retirements() const { return spare_zones.value_or(std::min(512u, zones())); }
};
void describe(Fields& f, GpuConfig& config);

// The first rule that a config breaks, for configs that were not read from a file or were changed since;
// nullopt if it breaks none. describe() has the same rules.
struct GpuProblem {
  std::string_view key;
  std::string_view rule;  // follows "a value that"
  std::string got;
};
std::optional<GpuProblem> problem_of(const GpuConfig& config);

// A zone of the device. The number of a zone is index * channels + channel, so that consecutive numbers are
// consecutive memory, by the rounds of the swizzle.
struct Zone {
  std::uint32_t channel;
  std::uint32_t index;  // index in the channel
  bool operator==(const Zone&) const = default;
};

}  // namespace asterism
