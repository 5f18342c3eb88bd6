#include "base/swap_config.h"

#include "base/fields.h"

namespace asterism {

static_assert(member_count<SwapTrace>() == 3);
void describe(Fields& f, SwapTrace& c) {
  f("format", c.format, "The format of the file in the run's folder traces.", one_of<TraceFormat>());
  f("on", c.on,
    "What causes a trace to be written. With `never` nothing is recorded, which is slightly faster.",
    one_of<TraceOn>());
  f("window", c.window,
    "The simulated time before a difference that is traced. A longer window keeps more in memory.",
    within(1_ns, 1_ms));
}

DeviceSwapConfig DeviceSwapConfig::of(const std::string& variant) {
  DeviceSwapConfig config;
  config.variant = variant;
  return config;
}

void describe_on_mismatch(Fields& f, Impl impl, OnMismatch& on_mismatch) {
  f.when("impl", impl, Impl::lockstep, [&] {
    f("on_mismatch", on_mismatch,
      "What happens at a difference. With `continue` the run goes on with the model's answers, and its exit "
      "status is still 68.",
      one_of<OnMismatch>());
  });
}

static_assert(member_count<DeviceSwapConfig>() == 6);
void describe(Fields& f, DeviceSwapConfig& c) {
  f("impl", c.impl,
    "What answers: the model, the RTL, or both in lockstep. rtl and lockstep need Verilator, and time for "
    "the first build.",
    one_of<Impl>());
  f.when("impl", c.impl, {Impl::rtl, Impl::lockstep}, [&] {
    f("variant", c.variant, "The block.json of the device's RTL, or a library built from one.",
      may_be_beside());
    f("clock", c.clock,
      "The clock of the RTL. A faster one answers earlier, and costs host time for each cycle that is not "
      "idle.",
      within(1_kHz, 4_GHz));
    f("trace", c.trace, "Which signals of the RTL are recorded.");
  });
  f.when("impl", c.impl, Impl::lockstep, [&] {
    f("window", c.window,
      "The permitted difference of latencies and interrupt edges. It must be some cycles of the clock, as "
      "the model may answer at once; a longer one detects less.",
      within(1_ps, 1_s));
  });
  describe_on_mismatch(f, c.impl, c.on_mismatch);
}

namespace {

// The keys of a block that answers operations; the times of the node are those of its model.
template <class Config>
void describe_swap(Fields& f, Config& c, std::string_view impl, std::string_view variant,
                   std::string_view clock) {
  static_assert(member_count<Config>() == 5);
  f("impl", c.impl, impl, one_of<Impl>());
  f.when("impl", c.impl, {Impl::rtl, Impl::lockstep}, [&] {
    f("variant", c.variant, variant, may_be_beside());
    f("clock", c.clock, clock, within(1_kHz, 4_GHz));
    f("trace", c.trace, "Which signals of the RTL are recorded.");
  });
  describe_on_mismatch(f, c.impl, c.on_mismatch);
}

}  // namespace

void describe(Fields& f, CodecConfig& c) {
  describe_swap(f, c,
                "What encodes and decodes: the model, the RTL, or both in lockstep. rtl and lockstep need "
                "Verilator, and time for the first build.",
                "The block.json of the codec's RTL, or a library built from one.",
                "The clock of the RTL, for times in its traces. The memory's latencies have their own keys "
                "and do not depend on it.");
}

void describe(Fields& f, MattSwapConfig& c) {
  describe_swap(
      f, c,
      "What implements the table: the model, the RTL, or both in lockstep. rtl and lockstep need Verilator, "
      "and time for the first build.",
      "The block.json of the table's RTL, or a library built from one.",
      "The clock of the RTL, for times in its traces. The DIMM-SSD's own times do not depend on it.");
}

void describe(Fields& f, ZoneMonitorSwapConfig& c) {
  describe_swap(f, c,
                "What checks the writes: the model, the RTL, or both in lockstep. rtl and lockstep need "
                "Verilator, and time for the first build.",
                "The block.json of the monitor's RTL, or a library built from one.",
                "The clock of the RTL, for times in its traces. The GPU's own times do not depend on it.");
}

}  // namespace asterism
