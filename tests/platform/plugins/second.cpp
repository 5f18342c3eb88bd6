// A second source of a plug-in, with types of its own.
#include <asterism/device.h>

#include <deque>

namespace {

using namespace asterism;

struct SecondKeys {};
void describe(Fields&, SecondKeys&) {}

struct Second final : sc_core::sc_module, Device {
  using Config = SecondKeys;
  static DeviceShape shape(const Config&, const NodeFacts&) { return {}; }
  Second(const sc_core::sc_module_name& name, const Config&, const DeviceContext&) : sc_module(name) {}
  std::vector<tlm::tlm_target_socket<>*> targets() override { return {}; }
  void reset(Reset) override {}
};

struct LineKeys {
  std::uint32_t lines = 1;
};
void describe(Fields& f, LineKeys& keys) { f("lines", keys.lines, "The lines of the module."); }

// A plain module, whose shape has one line.
struct Lines final : TlmDevice {
  using Config = LineKeys;
  static DeviceShape shape(const Config&, const NodeFacts&) { return {.interrupts = {{}}}; }
  Lines(const sc_core::sc_module_name& name, const Config& keys, const DeviceContext& context)
      : TlmDevice(name, context) {
    for (std::uint32_t i = 0; i < keys.lines; ++i) interrupt(lines.emplace_back());
  }
  std::deque<sc_core::sc_out<bool>> lines;
};

const RegisteredDevice<Lines> lines_type{"lines", "Interrupts."};
const RegisteredDevice<Second> second_type{"second", "A device without anything."};

}  // namespace
