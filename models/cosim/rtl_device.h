// A device whose registers are RTL (contract bus_device), as a TLM module. It corresponds to a device of
// models/devices, with a block in a library in place of the model. rtl_bus.h says when an access takes effect
// and how long it takes.
//
// Every access first waits for the caller's annotated delay, since any register may have side effects; the
// cycles of the access are added to the delay. Any length, alignment and byte enables are supported, word by
// word in order of address, as in a RegisterSocket; callers are handled one after the other. A word that the
// block answers with an error, or a partial write of a word in a block without byte strobes, ends the access
// with GENERIC_ERROR. There is no DMI.
//
// A debug read makes its access on a copy of the state, which is then discarded: nothing changes and no time
// passes, also for an access that the block itself has in progress. It returns 0 while an access with wait
// states waits for one of the block's own. A debug write would change the block outside of its clock: it is
// refused (returns 0) with a log line.
//
// Interrupt lines change at the time of the edge that changes them, each edge in its own delta cycle: an
// observer of the line sees a pulse of one clock cycle, whether or not the block reports its next event
// (rtl_timeline.h). A line that rises and falls has each level for as long as in RTL; a core notices it at
// its next check, up to one of its quanta later. Lines that change at the same edge change together.
//
// A block with a master port makes its accesses through `master`, one word at a time, each as long as the
// target takes; a caller whose access has wait states at that time gets its answer after it at the earliest.
// An access to an address that nobody answers, or one that returns poisoned data, is an error for the block.
// A reset ends the access in progress: what it has not written yet is not written.
//
// A failure of the RTL (RtlError) is reported once; from then on nothing is stepped and accesses are answered
// with GENERIC_ERROR.
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
    unsigned master = InitiatorExtension::unknown_master;  // the master id of its own accesses
  };
  // Throws RtlError for a block of another contract.
  RtlDevice(const sc_core::sc_module_name& name, std::shared_ptr<const RtlLibrary> library,
            const Settings& settings, const RtlOptions& options);

  tlm_utils::simple_target_socket<RtlDevice> target{"target"};
  std::optional<tlm_utils::simple_initiator_socket<RtlDevice>> master;  // if the block has a master port
  sc_core::sc_vector<sc_core::sc_out<bool>> interrupts;                 // as many as the block has

  // Called once.
  std::function<void(const Lockstep::Mismatch&)> on_failure;

  // Ends accesses in progress with an error. rtl_bus.h says what survives which kind.
  void reset(Reset kind);
  std::uint64_t accesses() const { return accesses_; }          // the number of words accessed
  std::uint64_t own_accesses() const { return own_accesses_; }  // those that the block has made, in words
  void report(Statistics& statistics) const;
  const RtlBus& bus() const { return bus_; }

 private:
  struct Wires {
    Picoseconds at;
    std::uint32_t levels;
  };
  struct Wanted {
    BusAccess access;
    Picoseconds at;
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
  std::deque<Wires> wires_;                   // changes in the future
  sc_dt::uint64 driven_ = ~sc_dt::uint64{0};  // the delta cycle of the last change
  bool taken_ = false;                        // whether an access is in progress
  sc_core::sc_event free_{"free"}, answered_{"answered"}, wanted_event_{"wanted"};
  std::optional<Wanted> wanted_;
  std::uint64_t epoch_ = 0;   // the number of resets
  std::uint32_t levels_ = 0;  // that the lines have been driven to
  std::uint64_t accesses_ = 0, own_accesses_ = 0, own_errors_ = 0, raised_ = 0;
  bool failed_ = false;
  InitiatorExtension who_;
};

}  // namespace asterism
