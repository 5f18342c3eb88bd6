// Configuration of a PL031 real-time clock (pl031.h): the time that it shows at the beginning, and its RTL.
#pragma once

#include <cstdint>
#include <string>

#include "base/swap_config.h"

namespace asterism {

class Fields;

struct RtcConfig {
  std::string start = "2026-01-01T00:00:00Z";  // UTC, ISO 8601 to the second, 1970 to 2105
  std::uint32_t start_seconds() const;         // throws std::invalid_argument, which says what is wrong
};
void describe(Fields& f, RtcConfig& c);

struct Pl031Config {
  RtcConfig clock = {};
  DeviceSwapConfig swap = DeviceSwapConfig::of("rtl/pl031/block.json");
};
void describe(Fields& f, Pl031Config& c);

}  // namespace asterism
