// A device of a plug-in, between the node and its module: what the module throws, and whether its code is
// being executed when the process crashes or hangs, is known with the instance.
//
// It stands in front of the module's target sockets, which costs a call for each access. What the module
// throws becomes a PluginFailure, wherever the module is called from; at_fault() serves the other two.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <systemc>
#include <vector>

#include "platform/node/device_list.h"
#include "tlm/device.h"

namespace asterism {

// A plug-in has thrown something; what() names the instance and the plug-in.
struct PluginFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class PluginDevice final : public sc_core::sc_module, public Device {
 public:
  // `path` is that of the device: "node.acme". Throws DeviceError if the plug-in does, or if its module does
  // not have what its shape says.
  PluginDevice(const std::string& path, const PlacedDevice& placed,
               const std::function<std::unique_ptr<Device>()>& build);
  ~PluginDevice() override;

  std::vector<tlm::tlm_target_socket<>*> targets() override;
  std::vector<tlm::tlm_initiator_socket<>*> initiators() override;
  void connect_interrupt(std::size_t line, sc_core::sc_signal_inout_if<bool>& wire) override;
  void connect(const DevicePeers& peers) override;
  ResetPhase phase() const override;
  void reset(Reset kind) override;
  void power_up() override;
  void report(Statistics& statistics) const override;

  // "node.acme (libacme_dma.so)" of the device whose code is being executed, in the thread that simulates;
  // nullptr: it is no plug-in's. For handlers of signals and for other threads while that one hangs.
  static const char* at_fault();
  // The number of calls into plug-ins that have begun or ended. Any thread may read it.
  static std::uint64_t call_steps();
  // The same of the device that has a process, a port or another object, by its name; also a process that it
  // has spawned while another one called it, which is then the parent.
  static const char* owner_of(std::string_view object);
  // The device that has called sc_stop() in a call into it; nullptr: none, or a process of its own did.
  static const char* stopped_by();
  // What was thrown first. SystemC passes it on as an sc_report.
  static const std::optional<PluginFailure>& failure();

 protected:
  Device* implementation() override { return device_.get(); }

 private:
  class Call;
  class LastModule;
  void before_end_of_elaboration() override;
  void end_of_elaboration() override;
  void start_of_simulation() override;
  void end_of_simulation() override;
  // Calls the plug-in.
  template <class Action>
  auto guarded(const char* where, const Action& action) const;
  void check_module(const DeviceShape& shape);

  void access(int target, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned debug(int target, tlm::tlm_generic_payload& payload);
  bool grant(int target, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  void invalidate(int target, sc_dt::uint64 first, sc_dt::uint64 last);

  const std::string path_, label_;  // "node.acme", "node.acme (libacme_dma.so)"
  std::unique_ptr<Device> device_;
  std::unique_ptr<sc_core::sc_module> last_module_;
  sc_core::sc_vector<tlm_utils::simple_target_socket_tagged<PluginDevice>> from_node_;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged<PluginDevice>> to_device_;
};

}  // namespace asterism
