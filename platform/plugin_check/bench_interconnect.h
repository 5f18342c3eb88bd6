// The interconnect of a bench: it binds each target to a socket of its own, which callers use directly, and
// decodes the addresses of masters. It takes no time.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "fabric/interconnect.h"

namespace asterism {

class BenchInterconnect final : public Interconnect {
 public:
  struct Target final : sc_core::sc_module {
    Target(const sc_core::sc_module_name& name, AddressRange its_range);
    const AddressRange range;
    tlm_utils::simple_initiator_socket<Target> socket{"socket"};
    struct Withdrawn {
      std::uint64_t first, last;
    };
    std::vector<Withdrawn> withdrawn = {};  // direct memory

   private:
    void invalidate(sc_dt::uint64 first, sc_dt::uint64 last) { withdrawn.push_back({first, last}); }
  };

  explicit BenchInterconnect(const sc_core::sc_module_name& name) : Interconnect(name) {}
  Target& target_at(Address first);
  std::function<void()> on_start = [] {};

  using Interconnect::add_master;
  void add_master(tlm::tlm_initiator_socket<>& socket, const std::string& name) override;
  void add_target(tlm::tlm_target_socket<>& socket, AddressRange range, const std::string& name) override;
  std::vector<SwitchPorts> switches() const override { return {}; }
  void attach_hook(std::size_t, ArbitrationHook*) override {}
  void reset(Reset) override {}
  void report(Statistics&) const override {}

 private:
  struct Master final : sc_core::sc_module {
    Master(const sc_core::sc_module_name& name, BenchInterconnect& owner);
    tlm_utils::simple_target_socket<Master> socket{"socket"};

   private:
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    unsigned transport_dbg(tlm::tlm_generic_payload& payload);
    BenchInterconnect& owner_;
  };

  void start_of_simulation() override { on_start(); }
  // The target of a payload, which gets its address in it; nullptr: it has the status ADDRESS_ERROR.
  Target* decode(tlm::tlm_generic_payload& payload);

  std::vector<std::unique_ptr<Master>> masters_;
  std::vector<std::unique_ptr<Target>> targets_;
};

}  // namespace asterism
