// A GPU as far as its memory and the snapshots of it go.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/units.h"
#include "gpu/address_swizzle.h"
#include "gpu/device_memory.h"
#include "zone_monitor/zone_monitor.h"

namespace asterism {

class Fields;

struct GpuConfig {
  Bytes memory = 32_GiB;          // of all channels; lee2019 Table 2
  std::uint32_t channels = 32;    // section 4.1.4
  Bandwidth channel = 28_GBps;    // of one channel
  Bytes interleave = Bytes(512);  // bytes that lie together before the next channel
  Bytes zone = 64_KiB;            // 4 KiB to 2 MiB
  ZoneMonitorConfig monitor = {};

  Bytes l2 = 6_MiB;
  std::uint32_t l2_ways = 16;
  std::uint32_t pipelines = 80;    // that issue accesses, each in order
  std::uint32_t write_queue = 64;  // writes that may wait in a channel; further ones stop their pipelines

  Bytes buffer = 256_MiB;       // of device memory, for zones on their way to the host; figure 9
  Bytes transfer = 2_MiB;       // a transfer to the host gathers so much, when there is so much; figure 9
  Picoseconds watchdog = 10_s;  // the longest that a write may wait for its zone

  AddressSwizzle swizzle() const { return {channels, interleave}; }
  Bytes channel_size() const { return memory / channels; }
  std::uint32_t zones_per_channel() const { return static_cast<std::uint32_t>(channel_size() / zone); }
  std::uint32_t zones() const { return zones_per_channel() * channels; }
};
void describe(Fields& f, GpuConfig& config);

// The first of its rules that a config breaks, of one that was not read or was changed since; nothing: it breaks none.
// describe() has the same rules.
struct GpuProblem {
  std::string_view key;
  std::string_view rule;  // follows "a value that"
  std::string got;
};
std::optional<GpuProblem> problem_of(const GpuConfig& config);

// A zone of the device. Number of all: index * channels + channel, so that numbers in order are memory in
// order, by the rounds of the swizzle.
struct Zone {
  std::uint32_t channel;
  std::uint32_t index;  // in the channel
  bool operator==(const Zone&) const = default;
};

}  // namespace asterism
