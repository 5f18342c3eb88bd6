// What a device of a node is: the contract between a type of device and whoever composes a node from a list
// of devices.
//
// A device is described twice. Before anything is built, a DeviceConfig holds the keys of one instance and
// says from them which address ranges, interrupt lines and bus masters the instance has (DeviceShape); the
// address map, the register documentation, the firmware's header and the checks of a node need no more. A
// Device is the module that a node has built of it. Its context says where the node has placed it; the node
// binds its sockets, resets it, and asks it for its statistics. Nothing else names a device.
//
// A type registers itself, once, in its own files:
//
//   struct TimerConfig { Frequency clock = 1_MHz; };
//   void describe(Fields& f, TimerConfig& c);
//
//   class Timer final : public sc_core::sc_module, public Device {
//    public:
//     using Config = TimerConfig;
//     static DeviceShape shape(const Config&, const NodeFacts&) {
//       return {.targets = {{.registers = std::make_shared<TimerRegisters>()}}, .interrupts = {{}}};
//     }
//     static std::vector<DeviceTreeNode> device_tree(const Config&, const DevicePlace& place) {
//       return {device_tree_node("timer", {"acme,timer"}, place)};
//     }
//     Timer(const sc_core::sc_module_name& name, const Config& config, const DeviceContext& context);
//     ...
//   };
//   const RegisteredDevice<Timer> timer_type{"timer", "A timer with one interrupt."};
//
// What only some devices do is an interface of its own beside Device (tlm/device_roles.h), which the node
// finds with as<Role>().
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <systemc>
#include <tlm>
#include <variant>
#include <vector>

#include "base/event_log.h"
#include "base/fields.h"
#include "base/reset.h"
#include "base/statistics.h"
#include "base/swap_config.h"
#include "base/units.h"
#include "tlm/device_tree.h"
#include "tlm/register.h"

namespace asterism {

class Device;
struct RtlOptions;

// ---- the shape of an instance, by its keys ----

// A range of addresses at which a device answers. The key `base` has one address for each, in their order.
struct DeviceTarget {
  std::string suffix = {};  // of its name in the address map: "d" makes "gicd" of an instance "gic"
  Bytes size = 4_KiB;
  std::shared_ptr<const RegisterBank> registers = {};  // nullptr: a memory
  std::string header_suffix = {};  // of the prefix of its constants for firmware; "": `suffix` in capitals
  bool continues = false;          // the range continues the one before it and is listed after it
  // For a range whose address is not in the key `base`, but in an object of the type's own: its key, and the
  // address.
  std::string own_key = {};
  Address own_base = {};
};

// An interrupt line out. The key `interrupt` has one SPI number for each, in their order.
struct DeviceInterrupt {
  // As for a target: the number is `own_key`.interrupt. nullopt: the line is not connected.
  std::string own_key = {};
  std::optional<unsigned> own_number = {};
};

// A bus master of a device. Each has an identity of its own in the node.
struct DeviceInitiator {
  // The device of the type `memory` whose port it is wired to, with offsets as addresses; "" for the
  // interconnect, with physical addresses.
  std::string memory = {};
  std::string key = {};  // that names the memory
};

// A block that RTL may replace or shadow. A device without a model has Impl::rtl, for the whole of it.
struct RtlUse {
  std::string block = {};  // in expect.coverage: "matt"; "" for the whole device, which is named as it is
  std::string key = {};    // of the object that holds impl and variant: "matt"; "" for the device's own
  std::string file_key = "variant";  // in this object: names the block.json
  std::string contract = {};         // of its block.json
  SwapSettings swap = {};
  std::map<std::string, std::uint64_t> parameters = {};  // the values that the block must have
};

// What a device exchanges with the host.
struct HostUse {
  struct File {
    std::string key;
    std::filesystem::path file;
    bool is_kept = false;  // it is written, and keeps the state of the device across runs
  };
  enum class Input { none, script, terminal };
  std::vector<File> files = {};
  Input input = Input::none;
  std::string input_key = {};  // that chooses the input
};

struct InterruptControllerShape {
  unsigned spis = 0, max_cores = 0;
  bool has_system_registers = false;  // of its CPU interface, in the cores
};

struct DeviceShape {
  std::vector<DeviceTarget> targets = {};
  std::size_t spare_bases = 0;  // further values of `base` that are accepted without effect
  std::vector<DeviceInterrupt> interrupts = {};
  std::vector<DeviceInitiator> initiators = {};
  HostUse host = {};
  std::optional<InterruptControllerShape> interrupt_controller = {};
  bool is_memory = false;  // the first target is a memory, to which initiators may be wired
  bool is_offered = true;  // of a memory: the device tree has it
  bool is_rom = false;     // the first target may hold firmware
  bool is_serial_line = false;
  bool counts_recoveries = false;  // firmware reports to it that it continued from a checkpoint
  // Of a network interface: the network of the node that connects it with others of the same name; "" if it
  // may be attached to another network.
  std::optional<std::string> network = {};
  std::optional<std::uint32_t> calendar = {};  // seconds since 1970 at the start of the run, if it keeps time
  std::vector<std::string> parts = {};         // what it consists of, for a drawing: "24 controllers"
};

// What a shape may depend on, besides the device's own keys.
struct NodeFacts {
  unsigned cores = 1;
};

// Where a node has placed an instance.
struct DevicePlace {
  std::string instance = {};                             // "uart0"
  std::vector<AddressRange> ranges = {};                 // of its targets
  std::vector<std::optional<unsigned>> interrupts = {};  // SPI numbers; nullopt: not connected

  AddressRange range() const { return ranges.front(); }
};

// The instance that is the main memory of every node, where firmware is loaded.
inline constexpr const char* main_memory = "memory";

// The device tree node NAME@BASE with the properties compatible, reg (all ranges) and interrupts (those that
// are connected). That of a device without ranges is NAME-INSTANCE, without reg.
DeviceTreeNode device_tree_node(std::string_view name, const std::vector<std::string>& compatible,
                                const DevicePlace& place);

// ---- before a node is built ----

// Reads the files that keys of a device name: configs/<kind>/<name>.json.
class DeviceFiles {
 public:
  virtual ~DeviceFiles() = default;
  template <DescribedStruct T>
  T load(std::string_view kind, const std::string& name) {
    T contents;
    ObjectOf<T> object(contents);
    read(kind, name, object);
    return contents;
  }
  // Whether there is such a file.
  virtual bool has(std::string_view kind, const std::string& name) const = 0;

 private:
  virtual void read(std::string_view kind, const std::string& name, ObjectValue& contents) = 0;
};

// Receives what is wrong with keys that are valid each by itself.
class DeviceProblems {
 public:
  virtual ~DeviceProblems() = default;
  // `key` is a path from the device's own object: "matt.early_writes". The problem follows it in the message.
  virtual void add(const std::string& key, const std::string& problem) = 0;
};

// A node as its devices see it.
class NodeView {
 public:
  virtual ~NodeView() = default;
  virtual unsigned cores() const = 0;
  struct Peer {
    const DevicePlace& place;
    const std::string& type;
    const DeviceShape& shape;
  };
  // nullopt if the node has no device of this name.
  virtual std::optional<Peer> find(const std::string& instance) const = 0;
};

// The same for a device that accesses one memory. Its addresses are the property asterism,memory, unless it
// is the main memory, which software supposes.
DeviceTreeNode device_tree_node(std::string_view name, const std::vector<std::string>& compatible,
                                const DevicePlace& place, const NodeView& node, const std::string& memory);

// The keys of one instance, beside `type`, `base` and `interrupt`, which every device has.
class DeviceConfig {
 public:
  virtual ~DeviceConfig() = default;
  virtual std::unique_ptr<DeviceConfig> clone() const = 0;
  virtual void describe(Fields& fields) = 0;
  // Loads the files that the keys name. To be called once all keys are valid, and before any of the
  // following. A type that throws an error about a key does not know where that was written; the caller adds
  // it.
  virtual void load(DeviceFiles& files) = 0;
  virtual DeviceShape shape(const NodeFacts& facts) const = 0;
  // The blocks that RTL may replace.
  virtual std::vector<RtlUse> rtl(const NodeView& node) const = 0;
  // Checks what a description cannot express.
  virtual void check(const NodeView& node, const DevicePlace& place, DeviceProblems& problems) const = 0;
  // The device's part of the device tree; empty if software does not find it there. Of several nodes of one
  // name, the first describes the device, and the others add their `reg`.
  virtual std::vector<DeviceTreeNode> device_tree(const NodeView& node, const DevicePlace& place) const = 0;
};

template <class Config, class Parts = std::monostate>
class DeviceConfigOf : public DeviceConfig {
 public:
  Config config;
  Parts parts;  // the contents of the files that its keys name
};

// A DeviceConfig of a type whose modules take faults of one kind (FaultTarget) is also a FaultCheck.
template <class Fault>
class FaultCheck {
 public:
  virtual ~FaultCheck() = default;
  // Why the device cannot have the fault: a key of the fault ("" for the whole), and a message. nullopt: it
  // can.
  struct Problem {
    std::string key, words;
  };
  virtual std::optional<Problem> problem_of(const Fault& fault) const = 0;
};
template <class... Faults>
struct FaultList {};

// ---- in a node ----

// What a device is built with. All references outlive it.
struct DeviceContext {
  DevicePlace place;
  std::vector<unsigned> masters = {};       // of its initiators (InitiatorExtension::master)
  std::vector<AddressRange> memories = {};  // that its initiators are wired to, in the address map
  unsigned ports = 1;                       // for a memory: the masters that are wired to it
  Picoseconds quantum = 1_us;               // that cores run ahead
  std::uint64_t seed = 1;                   // of this device's random choices
  const NodeView& node;
  EventLog& events;
  std::vector<DeviceLibrary> rtl = {};  // of DeviceConfig::rtl(); without a file where the model is alone
  const RtlOptions* rtl_options = nullptr;
};

// Thrown by the constructor of a device for what only building it shows.
class DeviceError : public std::runtime_error {
 public:
  DeviceError(std::string key_of_device, const std::string& problem)
      : std::runtime_error(problem), key(std::move(key_of_device)) {}
  std::string key;  // as in DeviceProblems::add
};

// The devices of a node that has been built, for those that need each other.
class DevicePeers {
 public:
  virtual ~DevicePeers() = default;
  // nullptr if the node has no device of this name.
  virtual Device* find(const std::string& instance) const = 0;
};

// The order in which a reset reaches the devices: masters first, so that nothing new is begun, and targets
// last, which may still be read by what is under way.
enum class ResetPhase { masters, interconnect, memory, targets };

class Device {
 public:
  virtual ~Device() = default;

  // In the order of the shape.
  virtual std::vector<tlm::tlm_target_socket<>*> targets() = 0;
  virtual std::vector<sc_core::sc_out<bool>*> interrupts() { return {}; }
  virtual std::vector<tlm::tlm_initiator_socket<>*> initiators() { return {}; }
  // Connects an interrupt line. During elaboration; every line must be connected.
  virtual void connect_interrupt(std::size_t line, sc_core::sc_signal_inout_if<bool>& wire) {
    interrupts().at(line)->bind(wire);
  }
  // Called once all devices of the node exist and before simulation begins.
  virtual void connect(const DevicePeers&) {}

  virtual ResetPhase phase() const { return ResetPhase::targets; }
  virtual void reset(Reset kind) = 0;
  // The node starts: called before simulation begins, and after each reset, when there is power again.
  virtual void power_up() {}
  virtual void report(Statistics&) const {}

  // nullptr if the device has no such role.
  template <class Role>
  Role* as() {
    return dynamic_cast<Role*>(implementation());
  }

 protected:
  // The object that has the roles; nullptr if there is none.
  virtual Device* implementation() { return this; }
};

// ---- the registry ----

struct DeviceType {
  std::string name;
  std::string meaning;                                    // one sentence
  std::function<std::unique_ptr<DeviceConfig>()> config;  // with the defaults of all keys
  // Builds a module, during elaboration. The config is one of this type. Throws DeviceError.
  std::function<std::unique_ptr<Device>(const DeviceConfig&, const DeviceContext&)> build;
};

// All types that are linked into the program, by name.
class DeviceTypes {
 public:
  static const DeviceType* find(std::string_view name);  // nullptr: there is none
  static std::vector<std::string> names();               // sorted
  static void add(DeviceType type);                      // throws std::logic_error for a name that exists
};

// Registers a type. T has
//
//   using Config                                           a described struct
//   static DeviceShape shape(config, facts)
//   T(name, config, context)
//
// and as far as it needs them
//
//   using Parts; static Parts load(config, files)          the contents of files that keys name
//   static std::vector<RtlUse> rtl(config, node)
//   static void check(config, node, place, problems)
//   static std::vector<DeviceTreeNode> device_tree(config, place), or (config, node, place), or
//   (config, parts, place)
//   using Faults = FaultList<Fault...>                     which the module takes; for each of them
//   static std::optional<FaultCheck<Fault>::Problem> problem_of(config, fault)
//
// With Parts, they follow `config` in the constructor, and may do so in shape, check and problem_of. A type
// that exists in RTL alone is a struct with these functions that is not a Device: rtl() names what is built
// for it.
template <class T>
class RegisteredDevice {
 public:
  RegisteredDevice(const char* name, const char* meaning) {
    DeviceTypes::add({name, meaning, [] { return std::make_unique<ConfigOf>(); }, build});
  }

 private:
  template <class U>
  struct PartsOf {
    using type = std::monostate;
  };
  template <class U>
  requires requires { typename U::Parts; }
  struct PartsOf<U> {
    using type = typename U::Parts;
  };
  template <class U>
  struct FaultsOf {
    using type = FaultList<>;
  };
  template <class U>
  requires requires { typename U::Faults; }
  struct FaultsOf<U> {
    using type = typename U::Faults;
  };
  using Config = typename T::Config;
  using Parts = typename PartsOf<T>::type;

  class ConfigOf;
  template <class Fault>
  class CheckOf : public FaultCheck<Fault> {
   public:
    std::optional<typename FaultCheck<Fault>::Problem> problem_of(const Fault& fault) const override {
      const auto& self = static_cast<const ConfigOf&>(*this);
      if constexpr (requires { T::problem_of(self.config, self.parts, fault); })
        return T::problem_of(self.config, self.parts, fault);
      else
        return T::problem_of(self.config, fault);
    }
  };
  template <class List>
  struct ChecksOf;
  template <class... Faults>
  struct ChecksOf<FaultList<Faults...>> : CheckOf<Faults>... {};

  class ConfigOf final : public DeviceConfigOf<Config, Parts>, public ChecksOf<typename FaultsOf<T>::type> {
   public:
    std::unique_ptr<DeviceConfig> clone() const override { return std::make_unique<ConfigOf>(*this); }
    void describe(Fields& fields) override { ObjectOf<Config>(this->config).walk(fields); }
    void load(DeviceFiles& files) override {
      if constexpr (requires { T::load(this->config, files); }) this->parts = T::load(this->config, files);
    }
    DeviceShape shape(const NodeFacts& facts) const override {
      if constexpr (requires { T::shape(this->config, this->parts, facts); })
        return T::shape(this->config, this->parts, facts);
      else
        return T::shape(this->config, facts);
    }
    std::vector<RtlUse> rtl(const NodeView& node) const override {
      if constexpr (requires { T::rtl(this->config, node); })
        return T::rtl(this->config, node);
      else
        return {};
    }
    void check(const NodeView& node, const DevicePlace& place, DeviceProblems& problems) const override {
      if constexpr (requires { T::check(this->config, this->parts, node, place, problems); })
        T::check(this->config, this->parts, node, place, problems);
      else if constexpr (requires { T::check(this->config, node, place, problems); })
        T::check(this->config, node, place, problems);
      else
        static_assert(
            !requires { &T::check; }, "check() has other parameters than those that device.h names");
    }
    std::vector<DeviceTreeNode> device_tree(const NodeView& node, const DevicePlace& place) const override {
      if constexpr (requires { T::device_tree(this->config, this->parts, place); })
        return T::device_tree(this->config, this->parts, place);
      else if constexpr (requires { T::device_tree(this->config, node, place); })
        return T::device_tree(this->config, node, place);
      else if constexpr (requires { T::device_tree(this->config, place); })
        return T::device_tree(this->config, place);
      else {
        static_assert(
            !requires { &T::device_tree; },
            "device_tree() has other parameters than those that device.h names");
        return {};
      }
    }
  };

  static std::unique_ptr<Device> build(const DeviceConfig& config, const DeviceContext& context) {
    const auto& of = dynamic_cast<const ConfigOf&>(config);
    const char* const name = context.place.instance.c_str();
    if constexpr (!std::derived_from<T, Device>)
      throw std::logic_error(context.place.instance + " has no model");
    else if constexpr (std::same_as<Parts, std::monostate>)
      return std::make_unique<T>(name, of.config, context);
    else
      return std::make_unique<T>(name, of.config, of.parts, context);
  }
};

}  // namespace asterism
