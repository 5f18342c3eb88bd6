// A device in lockstep with RTL, as a TLM module between the fabric and the model's target socket.
//
// The model answers, at its own time; then the RTL makes the same access, and the answers are compared
// (lockstep.h). An access of several words is compared word by word, each from the start of the access on,
// with the latency of the whole. Debug accesses go to the model alone. There is no DMI, so that every access
// is observed. The model's interrupt lines are still connected to the interrupt controller, and are observed
// here.
//
// Nothing here changes the model: the rest of the node behaves as without the RTL.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "base/reset.h"
#include "base/statistics.h"
#include "cosim/lockstep.h"
#include "cosim/rtl_bus_peer.h"
#include "tlm/alarm.h"
#include "tlm/register.h"

namespace asterism {

class LockstepDevice : public sc_core::sc_module {
 public:
  struct Settings {
    std::string instance;  // the instance name of the model: "node.rtc"
    RtlBus::Settings bus = {};
    Picoseconds window = 1_us;  // the permitted distance of latencies and interrupt edges
    OnMismatch on_mismatch = OnMismatch::stop;
    // The names of the values of each state port, for coverage.
    std::vector<std::vector<std::string>> states = {};
  };
  // `registers` are those of the model, for coverage. Throws RtlError for a block that does not fit.
  LockstepDevice(const sc_core::sc_module_name& name, std::shared_ptr<const RtlLibrary> library,
                 const Settings& settings, const RtlOptions& options, const RegisterBank& registers);

  tlm_utils::simple_target_socket<LockstepDevice> target{"target"};
  tlm_utils::simple_initiator_socket<LockstepDevice> model{"model"};
  sc_core::sc_vector<sc_core::sc_in<bool>> interrupts;  // those of the model, as many as the block has

  // Called for the first differences: once, unless the comparison continues after a difference.
  std::function<void(const Lockstep::Mismatch&)> on_mismatch;

  // The owner resets the model in the same instant.
  void reset(Reset kind);
  // Call it at the end of the run: compares what still waits for its time.
  void finish();

  const Lockstep& lockstep() const { return lockstep_; }
  void report(Statistics& statistics) const { lockstep_.report(statistics); }

 private:
  struct Done {
    Transaction transaction;
    Answer answer;
  };
  struct State {
    RtlPort port;
    Coverage::Group* group;
  };
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) { return model->transport_dbg(payload); }
  void note(const tlm::tlm_generic_payload& payload, Picoseconds start, Picoseconds end);
  void cover_registers();
  void cover_states(const std::vector<std::vector<std::string>>& names);
  void count(const Transaction& transaction);
  void cover_present_states();
  void watch_interrupts();
  void compare_due();
  void rearm();

  const RegisterBank& registers_;
  RtlBusPeer peer_;
  Lockstep lockstep_;
  std::deque<Done> done_;  // accesses whose time has not come yet
  Alarm alarm_;
  std::vector<const Register*> readable_, writable_;
  std::vector<State> states_;
  Coverage::Group *read_ = nullptr, *written_ = nullptr, *edges_ = nullptr;
  std::uint32_t levels_ = 0;
};

}  // namespace asterism
