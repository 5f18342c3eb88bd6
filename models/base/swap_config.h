// The keys that swap a block for RTL, which are the same in the object of every block that has RTL.
//
//   "arbiter": { "impl": "lockstep", "variant": "rtl/lrg_arbiter/block.json", "on_mismatch": "stop",
//                "trace": { "format": "fst", "on": "mismatch", "window": "2us" } }
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "base/units.h"

namespace asterism {

class Fields;

enum class Impl { model, rtl, lockstep };
constexpr auto enum_names(Impl) {
  return std::to_array<EnumName<Impl>>(
      {{Impl::model, "model", "the model alone"},
       {Impl::rtl, "rtl", "the Verilated RTL answers"},
       {Impl::lockstep, "lockstep", "the model answers, the RTL shadows it, differences are reported"}});
}

enum class OnMismatch { stop, proceed };
constexpr auto enum_names(OnMismatch) {
  return std::to_array<EnumName<OnMismatch>>(
      {{OnMismatch::stop, "stop", "the run ends at the first difference"},
       {OnMismatch::proceed, "continue", "differences are counted, and the first ones reported"}});
}

enum class TraceFormat { fst };
constexpr auto enum_names(TraceFormat) {
  return std::to_array<EnumName<TraceFormat>>({{TraceFormat::fst, "fst", "for GTKWave and Surfer"}});
}
enum class TraceOn { mismatch, never };
constexpr auto enum_names(TraceOn) {
  return std::to_array<EnumName<TraceOn>>(
      {{TraceOn::mismatch, "mismatch", "the window before a difference"},
       {TraceOn::never, "never", "none; asterism run --trace can still write one"}});
}

// The line of the key on_mismatch, which is in the object of every block and is valid for lockstep only.
void describe_on_mismatch(Fields& f, Impl impl, OnMismatch& on_mismatch);

struct SwapTrace {
  TraceFormat format = TraceFormat::fst;
  TraceOn on = TraceOn::mismatch;
  Picoseconds window = 2_us;
};
void describe(Fields& f, SwapTrace& trace);

// What the keys of any block say.
struct SwapSettings {
  Impl impl = Impl::model;
  std::string variant = {};
  Frequency clock = 10_MHz;
  OnMismatch on_mismatch = OnMismatch::stop;
  SwapTrace trace = {};
  Picoseconds window = 10_us;  // of a bus device: the permitted difference of latencies and interrupt edges
};
template <class Config>
SwapSettings swap_settings(const Config& c) {
  SwapSettings settings{c.impl, c.variant, c.clock, c.on_mismatch, c.trace};
  if constexpr (requires { c.window; }) settings.window = c.window;
  return settings;
}

// A device with registers, whose RTL is connected to a bus (contract bus_device). The keys are beside those
// of the device:
//
//   "rtc": { "start": "2026-01-01T00:00:00Z", "impl": "lockstep", "clock": "10MHz", "window": "10us" }
struct DeviceSwapConfig {
  Impl impl = Impl::model;
  std::string variant = {};
  Frequency clock = 10_MHz;
  Picoseconds window = 10_us;
  OnMismatch on_mismatch = OnMismatch::stop;
  SwapTrace trace = {};

  static DeviceSwapConfig of(const std::string& variant);  // the device's own, unless another is given
};
void describe(Fields& f, DeviceSwapConfig& config);

// The memory's codec (contract codec, or rank_codec with ecc_rank_code), in an object of its own:
//
//   "codec": { "impl": "lockstep", "variant": "rtl/rs_codec/block.json", "clock": "2GHz",
//              "trace": { "format": "fst", "on": "mismatch", "window": "2us" } }
struct CodecConfig {
  Impl impl = Impl::model;
  std::string variant = {};  // the memory sets that of its code, unless one is given
  Frequency clock = 2_GHz;
  OnMismatch on_mismatch = OnMismatch::stop;
  SwapTrace trace = {};
};
void describe(Fields& f, CodecConfig& config);

// The DIMM-SSD's tracking table (contract matt). The keys are beside those of the table:
//
//   "matt": { "early_writes": 8, "impl": "lockstep", "variant": "rtl/matt/block.json", "clock": "1GHz" }
struct MattSwapConfig {
  Impl impl = Impl::model;
  std::string variant = {};
  Frequency clock = 1_GHz;
  OnMismatch on_mismatch = OnMismatch::stop;
  SwapTrace trace = {};
};
void describe(Fields& f, MattSwapConfig& config);

// The zone monitors of a node's GPUs (contract zone_monitor), all of their channels:
//
//   "monitor_rtl": { "impl": "lockstep", "variant": "rtl/mzm/block.json", "clock": "1GHz" }
struct ZoneMonitorSwapConfig {
  Impl impl = Impl::model;
  std::string variant = "rtl/mzm/block.json";
  Frequency clock = 1_GHz;
  OnMismatch on_mismatch = OnMismatch::stop;
  SwapTrace trace = {};
};
void describe(Fields& f, ZoneMonitorSwapConfig& config);

// The library of a device, the codec, the table or a zone monitor, after it was built.
struct DeviceLibrary {
  std::filesystem::path file;
  std::vector<std::vector<std::string>> states = {};  // names of the values of each of its ports `state`
  // The values that the parameters of the block must have.
  std::map<std::string, std::uint64_t> parameters = {};
};

}  // namespace asterism
