// A node of Asterism in a SystemC program with an sc_main of its own: cores with firmware, memory,
// interconnect and devices, as a JSON description lists them.
//
//   const asterism::NodeDescription description(R"({"devices": {
//     "adder": {"type": "external", "base": "0x0b20_0000", "size": "4KiB", "interrupt": 25,
//               "masters": 1, "lines": 1, "compatible": ["acme,adder"]}}})");
//   asterism::Node node("node", description, {.firmware = asterism::NodeFirmware::of_file("app.elf")});
//   node.target("adder").bind(adder.registers);  // the node accesses the module, with offsets as addresses
//   adder.bus.bind(node.master("adder"));        // the module accesses the node, with physical addresses
//   adder.done.bind(node.line("adder"));         // the module raises interrupt 25
//   node.power_on();
//   sc_core::sc_start();
//
// The module needs nothing but the base protocol of TLM-2.0. Any number of nodes can be built before
// simulation begins. A node is switched off until power_on(); it never stops the simulation or ends the
// process. Its simulated time does not depend on how often sc_start() is called. As any module, a node is
// built before simulation begins, and destroyed before or after it.
//
// Mistakes are thrown as exceptions derived from std::exception; what() has a line for each mistake, with its
// file, line and key.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <systemc>
#include <tlm>
#include <vector>

namespace asterism {

class External;
struct PreparedNode;

// What the node is made of: read, checked, and shared by all nodes that are built from it.
class NodeDescription {
 public:
  // The keys are those that `asterism schema node --text` lists; what is not given has its default.
  // `overrides` are key=value with a dotted key: "cores.count=2". Names of files, such as those of parts of
  // DRAM or of "use", are found as by the command: in the folders of ASTERISM_CONFIGS, in configs/ of the
  // current folder or above, and in the installation. The library itself has the files of the latter, too, so
  // that it needs none beside it.
  explicit NodeDescription(std::string_view json, const std::vector<std::string>& overrides = {});
  // A file, or the name of a node in these folders: "checkpoint_node".
  static NodeDescription of_file(const std::string& file, const std::vector<std::string>& overrides = {});

 private:
  friend class Node;
  explicit NodeDescription(std::shared_ptr<const PreparedNode> node) : node_(std::move(node)) {}
  std::shared_ptr<const PreparedNode> node_;
};

// An executable for AArch64 (ELF), which is loaded into the main memory when the power comes on.
struct NodeFirmware {
  std::string name = {};  // in messages
  std::vector<std::byte> elf = {};

  static NodeFirmware of_file(const std::string& file);
};

// All times are in picoseconds.
struct NodeContext {
  NodeFirmware firmware = {};  // empty: the cores execute what is in the memory
  std::string arguments = {};  // of the firmware, separated by spaces
  std::string files = {};      // the folder that firmware may access by semihosting; "": none
  std::uint64_t seed = 1;      // of everything random: contents of memory after power-up, faults of flash
  // Losses of power, faults of memory and so on, as the list `faults` of a scenario has them:
  // R"([{"kind": "power_loss", "at": "5ms"}])".
  std::string faults = "[]";
};

class Node {
 public:
  Node(const char* name, const NodeDescription& description, const NodeContext& context = {});
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  // ---- what is outside of it: before simulation begins ----
  // `device` is the name of a device; for all but interrupt() of the type `external`. They throw
  // std::invalid_argument for a name or number that there is not.

  using Line = sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS>;
  using Target = tlm_utils::simple_initiator_socket_optional<External>;
  using Master = tlm_utils::simple_target_socket_tagged_optional<External>;
  // Through which the node accesses the device's range of addresses.
  Target& target(const std::string& device);
  // Through which a module accesses the node's interconnect, for its key `masters`.
  Master& master(const std::string& device, unsigned number = 0);
  // That raises an interrupt of the node, for its key `lines`.
  Line& line(const std::string& device, unsigned number = 0);
  // `action` is called when the node resets the device: with true if its power has failed or come on, with
  // false for a warm reset. A module whose lines are to be low then has to lower them.
  void on_reset(const std::string& device, std::function<void(bool is_without_power)> action);
  // The interrupt line of any device of the node, to be observed.
  const Line& interrupt(const std::string& device, unsigned number = 0) const;

  // Called with what the firmware prints by semihosting, and with what a serial line such as "uart0"
  // transmits.
  std::function<void(std::string_view text)> on_console = [](std::string_view) {};
  std::function<void(const std::string& line, std::string_view text)> on_serial = [](const std::string&,
                                                                                     std::string_view) {};
  // Called for each event of docs/events.md: its time, the instance and the kind, such as "power_lost".
  std::function<void(std::uint64_t at, std::string_view source, std::string_view kind)> on_event =
      [](std::uint64_t, std::string_view, std::string_view) {};
  // Called with each message of the node's log: "warning", "left.uart0", and a text. The key `log` of the
  // node has the levels, as of an instance "node". Without a function, messages are written to stderr.
  std::function<void(std::string_view level, const std::string& instance, std::string_view text)> on_log;
  // Called when the firmware has ended, or the power was switched off for good.
  std::function<void()> on_end = [] {};
  // Called when all cores are locked up or off, so that nothing more happens unless the node is reset.
  std::function<void()> on_lock_up = [] {};

  // ---- at any time ----

  // A node that is on already, or lost, remains as it is. One that has ended loses its power for a nanosecond
  // and starts again.
  void power_on();
  // The node fails for good: it loses its power, which does not return.
  void lose();

  struct End {
    bool has_exited;       // by itself, with a status; otherwise it was switched off or `why` says more
    std::uint64_t status;  // of the firmware
    std::uint64_t at;      // in picoseconds
    std::string why;
  };
  // A node that has ended executes nothing more until its power returns after a loss: then it has not ended,
  // and may end again.
  std::optional<End> end() const;
  std::uint64_t instructions() const;  // that its cores have executed
  // What `asterism run` writes to stats.json, below "node": JSON with integers and texts.
  std::string statistics() const;
  // The memory and registers at physical addresses, as a debugger sees them: without time or side effects.
  // Returns the number of bytes, which is smaller if the rest has no address. Writes change memory only.
  std::size_t read(std::uint64_t address, std::span<std::byte> into);
  std::size_t write(std::uint64_t address, std::span<const std::byte> from);
  // A register by the names of docs/registers.md: ("uart0", "IBRD"), ("gicd", "ISENABLER") with index 1.
  // Reading has no side effects; a write has those of a store by core 0, without its time. They throw
  // std::invalid_argument for names that there are not, and for a write that the register does not take.
  std::uint32_t read_register(const std::string& device, const std::string& name, unsigned index = 0);
  void write_register(const std::string& device, const std::string& name, std::uint32_t value,
                      unsigned index = 0);

 private:
  struct Parts;
  const std::unique_ptr<Parts> parts_;
};

}  // namespace asterism
