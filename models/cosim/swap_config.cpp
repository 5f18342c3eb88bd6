#include "cosim/swap_config.h"

#include "base/fields.h"

namespace asterism {

static_assert(member_count<SwapTrace>() == 3);
void describe(Fields& f, SwapTrace& c) {
  f("format", c.format, "Of the file in the run's folder traces", one_of<TraceFormat>());
  f("on", c.on, "What makes a trace be written; `never` records nothing and is a little faster",
    one_of<TraceOn>());
  f("window", c.window,
    "Simulated time before a difference that is traced; a longer one makes more of what is kept in memory",
    within(1_ns, 1_ms));
}

DeviceSwapConfig DeviceSwapConfig::of(const std::string& variant) {
  DeviceSwapConfig config;
  config.variant = variant;
  return config;
}

static_assert(member_count<DeviceSwapConfig>() == 5);
void describe(Fields& f, DeviceSwapConfig& c) {
  f("impl", c.impl, "Who answers: rtl and lockstep need Verilator, and time for the first build",
    one_of<Impl>());
  f.when("impl", c.impl, {Impl::rtl, Impl::lockstep}, [&] {
    f("variant", c.variant, "The block.json of the device's RTL, or a library built from one");
    f("clock", c.clock,
      "Of the RTL: a faster one answers sooner, and costs host time for each of its cycles that is not idle",
      within(1_kHz, 4_GHz));
    f("trace", c.trace, "What is kept of its signals");
  });
  f.when("impl", c.impl, Impl::lockstep, [&] {
    f("window", c.window,
      "How far latencies and interrupt edges may be apart: at least some cycles of the clock, for the model "
      "may "
      "answer at once; a longer one finds less",
      within(1_ps, 1_s));
  });
}

namespace {

// The keys of a block that answers operations; the node's times are those of its model.
template <class Config>
void describe_swap(Fields& f, Config& c, std::string_view impl, std::string_view variant,
                   std::string_view clock) {
  static_assert(member_count<Config>() == 4);
  f("impl", c.impl, impl, one_of<Impl>());
  f.when("impl", c.impl, {Impl::rtl, Impl::lockstep}, [&] {
    f("variant", c.variant, variant);
    f("clock", c.clock, clock, within(1_kHz, 4_GHz));
    f("trace", c.trace, "What is kept of its signals");
  });
}

}  // namespace

void describe(Fields& f, CodecConfig& c) {
  describe_swap(
      f, c, "Who encodes and decodes: rtl and lockstep need Verilator, and time for the first build",
      "The block.json of the codec's RTL, or a library built from one",
      "Of the RTL: times in its traces; the memory's latencies are those of its own keys, whatever this is");
}

void describe(Fields& f, MattSwapConfig& c) {
  describe_swap(f, c, "Who keeps the table: rtl and lockstep need Verilator, and time for the first build",
                "The block.json of the table's RTL, or a library built from one",
                "Of the RTL: times in its traces; the DIMM-SSD's own times do not depend on it");
}

void describe(Fields& f, ZoneMonitorSwapConfig& c) {
  describe_swap(f, c, "Who checks the writes: rtl and lockstep need Verilator, and time for the first build",
                "The block.json of the monitor's RTL, or a library built from one",
                "Of the RTL: times in its traces; the GPU's own times do not depend on it");
}

}  // namespace asterism
