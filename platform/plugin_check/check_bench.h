// A node without cores and without an interconnect of its own: callers access the targets of one device
// directly, with any payload, and whatever the device does as an initiator or with its interrupt lines is
// observed. Its other devices are those that the device needs.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "devices/power_supply.h"
#include "platform/plugin_check/bench_access.h"
#include "platform/plugin_check/bench_interconnect.h"
#include "platform/plugin_check/checked_node.h"
#include "platform/plugin_check/trial.h"
#include "platform/system/built_devices.h"
#include "platform/system/networks.h"
#include "tlm/initiator_extension.h"

namespace asterism {

// The names of the processes that access the device begin so.
inline constexpr const char* caller_process = "caller";

struct BenchAnswer {
  tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
  Picoseconds delay = {};
  std::vector<unsigned char> data = {};
  bool is_ok() const { return status == tlm::TLM_OK_RESPONSE; }
  std::uint32_t word() const;
};

class CheckBench final : public sc_core::sc_module {
 public:
  // Throws ConfigError for what only building the device shows.
  CheckBench(const sc_core::sc_module_name& name, const CheckedNode& checked, const std::string& instance,
             Picoseconds quantum, std::uint64_t seed, TrialRecord& record);
  ~CheckBench() override;

  TrialRecord& record;
  const PlacedDevice& placed() const { return placed_; }
  Device& device() const { return device_; }
  const PreparedNode& node() const { return node_; }
  std::size_t targets() const { return placed_.shape.targets.size(); }
  const DeviceTarget& target(std::size_t index) const { return placed_.shape.targets.at(index); }
  BenchInterconnect::Target& socket(std::size_t target);
  const AddressRange& main_memory() const { return node_.devices.memory().place.ranges.front(); }

  // Called once all modules are connected, before simulation begins.
  std::function<void()> before_run = [] {};
  // Simulates until `body` returns, which is executed as a thread. An access that does not return breaks the
  // rule `progress`, the end of the simulation by the device the rule `status`.
  void run(const std::function<void()>& body);
  void wait(Picoseconds time) const;

  // By a thread. Checks what holds for any access.
  BenchAnswer call(const BenchAccess& access);
  // At most so many bytes as `data` has; the data that were read are there.
  unsigned debug(BenchAccess& access);
  // nullopt: a debugger cannot read the word.
  std::optional<std::uint32_t> peek(std::size_t target, std::uint64_t offset);

  // The order is that of a node.
  void reset(Reset kind);
  void power_up() { devices_.power_up(); }
  std::size_t calls_under_way() const { return under_way_.size(); }

  // ---- interrupt lines ----
  std::size_t lines() const { return wires_.size(); }
  bool level(std::size_t line) const { return wires_[line].wire->read(); }
  const std::string& line_name(std::size_t line) const { return wires_[line].name; }
  struct Edge {
    std::size_t line;
    Picoseconds at;
    bool level;
  };
  // The changes of levels that lasted longer than an instant.
  std::vector<Edge> edges() const;

  // ---- what the device does as an initiator ----
  struct Begun {
    Picoseconds called, at;  // later by the annotated delay
    std::string place, access, answer;
  };
  const std::vector<Begun>& begun() const { return begun_; }

 private:
  class Call;
  class Tap;
  void check(const BenchAccess& access, Call& call, const BenchAnswer& answer, Picoseconds earliest);
  void retire(std::unique_ptr<Call> call);
  void observe_lines();
  // The call of a caller that a transaction of the device is a part of; nullptr: the device has begun it.
  Call* cause_of(const tlm::tlm_generic_payload& payload) const;
  bool has_caller(unsigned master) const;  // whether a call with this identity is under way

  const PreparedNode& node_;
  const PlacedDevice& placed_;
  NoEventLog events_;
  const RtlOptions rtl_options_;
  class NoPower;
  std::unique_ptr<NoPower> no_power_;
  PowerSupply supply_;
  BenchInterconnect interconnect_{"interconnect"};
  std::vector<std::unique_ptr<Tap>> taps_;
  BuiltDevices devices_;
  Networks networks_;
  Device& device_;
  std::set<Call*> under_way_;
  std::deque<std::unique_ptr<Call>> retired_;
  struct Line {
    std::string name;
    InterruptController::Wire* wire;
  };
  std::vector<Line> wires_;
  std::vector<Edge> all_edges_;
  std::vector<Begun> begun_;
};

}  // namespace asterism
