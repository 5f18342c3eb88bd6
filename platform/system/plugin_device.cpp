#include "platform/system/plugin_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <filesystem>
#include <set>
#include <utility>
#include <variant>

#include "tlm/device_roles.h"
#include "tlm/tlm_device.h"

namespace asterism {
namespace {

// Never destroyed: at_fault() is called while a plug-in's exit() ends the process, too.
std::vector<const PluginDevice*>& all_plugin_devices() {
  static auto& devices = *new std::vector<const PluginDevice*>;
  return devices;
}

// A process, or another object, that a call into a plug-in has made below the process which has called it.
struct Spawned {
  std::string name;
  const PluginDevice* device;
};
// Never destroyed either.
std::vector<Spawned>& all_spawned() {
  static auto& spawned = *new std::vector<Spawned>;
  return spawned;
}

// Also after the end of the object, since what a process throws ends it; but not for ever.
void note_spawned(std::string_view name, const PluginDevice* device) {
  static std::size_t limit = 64;
  auto& all = all_spawned();
  if (all.size() >= limit) {
    std::erase_if(all, [](const Spawned& one) { return !sc_core::sc_find_object(one.name.c_str()); });
    limit = 2 * all.size() + 64;
  }
  all.push_back({std::string(name), device});
}

bool is_in(std::string_view object, std::string_view parent) {
  return object.starts_with(parent) && object.substr(parent.size()).starts_with('.');
}

// The device whose module SystemC calls back, end_of_elaboration() for example, in no process.
const PluginDevice* called_back = nullptr;

std::optional<PluginFailure>& first_failure() {
  static std::optional<PluginFailure> failure;
  return failure;
}

const sc_core::sc_object* current_process() {
  return sc_core::sc_get_curr_simcontext()->get_curr_proc_info()->process_handle;
}

// What a plug-in has done wrong in its statistics; "" if nothing.
std::string mistake_in(const Statistics& statistics) {
  std::set<std::string_view> names;
  for (const auto& [name, value] : statistics.entries()) {
    const auto is_bad = [](char c) {
      return !std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-';
    };
    if (name.empty() || std::ranges::any_of(name, is_bad))
      return fmt::format("the name \"{}\" has other characters than letters, digits, _ and -", name);
    if (!names.insert(name).second) return fmt::format("it has two statistics \"{}\"", name);
    if (const auto* const group = std::get_if<std::unique_ptr<Statistics>>(&value))
      if (std::string mistake = mistake_in(**group); !mistake.empty()) return mistake;
  }
  return "";
}

// The name of a module that no device of the node has.
sc_core::sc_module_name name_beside(const PlacedDevice& placed) {
  return sc_core::sc_gen_unique_name((placed.instance() + "_plugin").c_str());
}

}  // namespace

// A call into a plug-in, which may wait: calls of several processes are then under way. The newest is first.
class PluginDevice::Call {
 public:
  explicit Call(const PluginDevice& device)
      : device_(device), process_(current_process()), next_(std::exchange(first, this)) {
    if (process_) children_ = process_->get_child_objects();
    if (next_) next_->previous_ = this;
    step();
  }
  ~Call() {
    if (is_stopped() && !was_stopped_) stopper = device_.label_.c_str();
    for_each_new_child([&](const sc_core::sc_object& child) { note_spawned(child.name(), &device_); });
    (previous_ ? previous_->next_ : first) = next_;
    if (next_) next_->previous_ = previous_;
    step();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  static const char* of(const sc_core::sc_object* process) {
    for (const Call* call = first; call; call = call->next_)
      if (call->process_ == process) return call->device_.label_.c_str();
    return nullptr;
  }
  // Of an object that a call has made which has not returned.
  static const char* of_new_child(std::string_view object) {
    const char* label = nullptr;
    for (const Call* call = first; call && !label; call = call->next_)
      call->for_each_new_child([&](const sc_core::sc_object& child) {
        if (object == child.name() || is_in(object, child.name())) label = call->device_.label_.c_str();
      });
    return label;
  }
  static const char* stopped_by() { return stopper; }
  static std::uint64_t steps() { return steps_.load(std::memory_order_relaxed); }

 private:
  template <class Action>
  void for_each_new_child(const Action& action) const {
    if (!process_) return;
    for (const sc_core::sc_object* child : process_->get_child_objects())
      if (std::ranges::find(children_, child) == children_.end()) action(*child);
  }
  static bool is_stopped() { return sc_core::sc_get_simulator_status() == sc_core::SC_SIM_USER_STOP; }
  static void step() { steps_.store(steps() + 1, std::memory_order_relaxed); }

  static inline Call* first = nullptr;
  static inline const char* stopper = nullptr;
  static inline std::atomic<std::uint64_t> steps_ = 0;
  const PluginDevice& device_;
  const bool was_stopped_ = is_stopped();
  const sc_core::sc_object* process_;
  std::vector<sc_core::sc_object*> children_;  // of the process, before the call
  Call *next_, *previous_ = nullptr;
};

// SystemC calls modules back in the order of their construction: the PluginDevice, those of the plug-in, and
// this one.
class PluginDevice::LastModule final : public sc_core::sc_module {
 public:
  explicit LastModule(const sc_core::sc_module_name& name) : sc_module(name) {}

 private:
  void before_end_of_elaboration() override { called_back = nullptr; }
  void end_of_elaboration() override { called_back = nullptr; }
  void start_of_simulation() override { called_back = nullptr; }
  void end_of_simulation() override { called_back = nullptr; }
};

void PluginDevice::before_end_of_elaboration() { called_back = this; }
void PluginDevice::end_of_elaboration() { called_back = this; }
void PluginDevice::start_of_simulation() { called_back = this; }
void PluginDevice::end_of_simulation() { called_back = this; }

template <class Action>
auto PluginDevice::guarded(const char* where, const Action& action) const {
  std::string words;
  try {
    const Call call(*this);
    return action();
  } catch (const sc_core::sc_unwind_exception&) {
    throw;  // SystemC ends the process
  } catch (const DeviceError&) {
    throw;  // has a place in the configuration
  } catch (const PluginFailure&) {
    throw;  // of another plug-in, which this one has called
  } catch (const std::exception& error) {
    words = error.what();
  } catch (...) {
    words = "something that is no std::exception";
  }
  const PluginFailure failure(fmt::format("{} has thrown in {}: {}", label_, where, words));
  if (!first_failure()) first_failure() = failure;
  throw failure;
}

PluginDevice::PluginDevice(const std::string& path, const PlacedDevice& placed,
                           const std::function<std::unique_ptr<Device>()>& build)
    : sc_module(name_beside(placed)),
      path_(path),
      label_(fmt::format("{} ({})", path, std::filesystem::path(placed.plugin).filename().string())),
      device_(guarded("its constructor", build)),
      last_module_(std::make_unique<LastModule>(sc_core::sc_gen_unique_name("last_module"))),
      from_node_(sc_core::sc_gen_unique_name("from_node"), placed.shape.targets.size()),
      to_device_(sc_core::sc_gen_unique_name("to_device"), placed.shape.targets.size()) {
  guarded("its constructor", [&] { check_module(placed.shape); });
  for (std::size_t i = 0; i < from_node_.size(); ++i) {
    const int tag = static_cast<int>(i);
    from_node_[i].register_b_transport(this, &PluginDevice::access, tag);
    from_node_[i].register_transport_dbg(this, &PluginDevice::debug, tag);
    from_node_[i].register_get_direct_mem_ptr(this, &PluginDevice::grant, tag);
    to_device_[i].register_invalidate_direct_mem_ptr(this, &PluginDevice::invalidate, tag);
    guarded("targets()", [&] { to_device_[i].bind(*device_->targets().at(i)); });
  }
  all_plugin_devices().push_back(this);
}

PluginDevice::~PluginDevice() {
  {
    const Call call(*this);
    device_.reset();
  }
  std::erase(all_plugin_devices(), this);
  std::erase_if(all_spawned(), [this](const Spawned& one) { return one.device == this; });
  if (called_back == this) called_back = nullptr;
}

// The interrupt lines of another module that connects them itself are known only then.
void PluginDevice::check_module(const DeviceShape& shape) {
  const auto expect = [](const char* what, std::size_t count, std::size_t expected) {
    if (count != expected)
      throw DeviceError("plugin",
                        fmt::format("its shape() has {} {}, and its module has {}", expected, what, count));
  };
  expect("targets", device_->targets().size(), shape.targets.size());
  expect("initiators", device_->initiators().size(), shape.initiators.size());
  if (const auto* const plain = dynamic_cast<const TlmDevice*>(device_.get()))
    expect("interrupts", plain->interrupt_count(), shape.interrupts.size());
  else if (const std::size_t lines = device_->interrupts().size(); lines != 0)
    expect("interrupts", lines, shape.interrupts.size());
  const auto expect_role = [](bool has_it, bool is_wanted, const char* what, const char* role) {
    if (is_wanted && !has_it)
      throw DeviceError("plugin",
                        fmt::format("its shape() is that of {}, and its module is no {}", what, role));
  };
  expect_role(as<InterruptController>() != nullptr, shape.interrupt_controller.has_value(),
              "an interrupt controller", "InterruptController");
  expect_role(as<NodeMemory>() != nullptr, shape.is_memory, "a memory", "NodeMemory");
  expect_role(as<Rom>() != nullptr, shape.is_rom, "a ROM", "Rom");
  expect_role(as<SerialLine>() != nullptr, shape.is_serial_line, "a serial line", "SerialLine");
}

std::vector<tlm::tlm_target_socket<>*> PluginDevice::targets() {
  std::vector<tlm::tlm_target_socket<>*> all;
  for (auto& socket : from_node_) all.push_back(&socket);
  return all;
}

std::vector<tlm::tlm_initiator_socket<>*> PluginDevice::initiators() {
  return guarded("initiators()", [&] { return device_->initiators(); });
}

ResetPhase PluginDevice::phase() const {
  return guarded("phase()", [&] { return device_->phase(); });
}

void PluginDevice::connect_interrupt(std::size_t line, sc_core::sc_signal_inout_if<bool>& wire) {
  guarded("connect_interrupt()", [&] {
    try {
      device_->connect_interrupt(line, wire);
    } catch (const std::out_of_range&) {  // as Device::connect_interrupt() and TlmDevice throw
      throw DeviceError("plugin",
                        fmt::format("its shape() has an interrupt {}, and its module does not", line));
    }
  });
}
void PluginDevice::connect(const DevicePeers& peers) {
  guarded("connect()", [&] { device_->connect(peers); });
}
void PluginDevice::reset(Reset kind) {
  guarded("reset()", [&] { device_->reset(kind); });
}
void PluginDevice::power_up() {
  guarded("power_up()", [&] { device_->power_up(); });
}
void PluginDevice::report(Statistics& statistics) const {
  guarded("report()", [&] { device_->report(statistics); });
  if (const std::string mistake = mistake_in(statistics); !mistake.empty())
    throw PluginFailure(fmt::format("{} has a mistake in report(): {}", label_, mistake));
}

void PluginDevice::access(int target, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  guarded("an access", [&] { to_device_[static_cast<std::size_t>(target)]->b_transport(payload, delay); });
}
unsigned PluginDevice::debug(int target, tlm::tlm_generic_payload& payload) {
  return guarded("a debug access",
                 [&] { return to_device_[static_cast<std::size_t>(target)]->transport_dbg(payload); });
}
bool PluginDevice::grant(int target, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  return guarded("get_direct_mem_ptr()", [&] {
    return to_device_[static_cast<std::size_t>(target)]->get_direct_mem_ptr(payload, dmi);
  });
}
void PluginDevice::invalidate(int target, sc_dt::uint64 first, sc_dt::uint64 last) {
  from_node_[static_cast<std::size_t>(target)]->invalidate_direct_mem_ptr(first, last);
}

const char* PluginDevice::at_fault() {
  const sc_core::sc_object* const process = current_process();
  if (const char* const called = Call::of(process)) return called;
  if (process) return owner_of(process->name());
  return called_back ? called_back->label_.c_str() : nullptr;
}

const char* PluginDevice::stopped_by() { return Call::stopped_by(); }

std::uint64_t PluginDevice::call_steps() { return Call::steps(); }

const char* PluginDevice::owner_of(std::string_view object) {
  for (const PluginDevice* device : all_plugin_devices())
    if (is_in(object, device->path_)) return device->label_.c_str();
  for (const Spawned& one : all_spawned())
    if (object == one.name || is_in(object, one.name)) return one.device->label_.c_str();
  return Call::of_new_child(object);
}

const std::optional<PluginFailure>& PluginDevice::failure() { return first_failure(); }

}  // namespace asterism
