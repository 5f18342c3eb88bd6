// A device whose registers are RTL (contract bus_device), as a TLM module: what a device of models/devices is, with a
// block in a library in place of its model. rtl_bus.h says at which moment an access acts and how long it takes.
//
// Every access first waits out the caller's annotated delay, for its registers may all have side effects; its cycles
// are added to the delay. Any length, alignment and byte enables are served, word by word in order of address, as a
// RegisterSocket does; callers are served one after the other. A word that the block answers with an error, and one of
// which only some bytes are written in a block without byte strobes, ends the access with GENERIC_ERROR. No DMI.
//
// A debug read makes its access on a copy of the state that is put back afterwards: nothing is changed and no time is
// taken. A debug write would change the block outside of its clock: it is refused (returns 0) with a log line.
//
// Interrupt lines change at the time of the edge that changes them, each edge in a delta cycle of its own: a
// pulse of one clock cycle is seen by whoever watches the line, in a block that says its next event and in
// one that does not (rtl_timeline.h). A line that goes up and down is at each of its levels for as long as in
// RTL; a core notices it when it looks next, up to a quantum of its own later. A block that has the port of a
// master makes its accesses through `master`, each as long as the target takes; a caller whose access has
// wait states at that time gets its answer behind it at the earliest.
//
// RTL that fails (RtlError) is told once; from then on nothing is stepped and accesses answer GENERIC_ERROR.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <systemc>
#include <tlm>

#include "base/reset.h"
#include "base/statistics.h"
#include "cosim/lockstep.h"
#include "cosim/rtl_bus.h"
#include "tlm/alarm.h"
#include "tlm/initiator_extension.h"

namespace asterism {

class RtlDevice : public sc_core::sc_module {
 public:
  struct Settings {
    Bytes size = 4_KiB;  // in the address map
    RtlBus::Settings bus = {};
    unsigned master = InitiatorExtension::first_device_master;  // who asks, in its own accesses
  };
  // Throws RtlError for a block of another contract.
  RtlDevice(const sc_core::sc_module_name& name, std::shared_ptr<const RtlLibrary> library,
            const Settings& settings, const RtlOptions& options);

  tlm_utils::simple_target_socket<RtlDevice> target{"target"};
  tlm_utils::simple_initiator_socket_optional<RtlDevice> master{"master"};
  sc_core::sc_vector<sc_core::sc_out<bool>> interrupts;  // as many as the block has

  // Called once.
  std::function<void(const Lockstep::Mismatch&)> on_failure;

  // Ends accesses that are under way with an error. rtl_bus.h says what survives which kind.
  void reset(Reset kind);
  std::uint64_t accesses() const { return accesses_; }  // of words
  void report(Statistics& statistics) const { statistics.add("accesses", accesses_); }
  const RtlBus& bus() const { return bus_; }

 private:
  struct Wires {
    Picoseconds at;
    std::uint32_t levels;
  };
  struct Wanted {
    BusAccess access;
    std::uint64_t epoch;
  };

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);
  void take_turn();
  bool access(const BusAccess& access, Picoseconds& at, std::uint32_t& data);
  void rearm();
  void drive();
  void serve_master();
  std::pair<std::uint32_t, bool> make_access(const BusAccess& access);
  template <class Act>
  bool guarded(const Act& act);
  void fail(const std::string& reason);

  Settings settings_;
  RtlBus bus_;
  Picoseconds window_;
  Alarm alarm_;
  std::deque<Wires> wires_;                   // changes that are still ahead
  sc_dt::uint64 driven_ = ~sc_dt::uint64{0};  // the delta cycle of the last change
  bool taken_ = false;                        // an access is under way
  sc_core::sc_event free_{"free"}, answered_{"answered"}, wanted_event_{"wanted"};
  std::optional<Wanted> wanted_;
  std::uint64_t epoch_ = 0;  // resets
  std::uint64_t accesses_ = 0;
  bool failed_ = false;
  InitiatorExtension who_;
};

}  // namespace asterism
