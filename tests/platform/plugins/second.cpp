// A second source of a plug-in, with a type of its own.
#include <asterism/device.h>

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

const RegisteredDevice<Second> second_type{"second", "A device without anything."};

}  // namespace
