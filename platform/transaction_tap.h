// Stands between an initiator and what it is bound to, and writes down every b_transport; all passes as it came.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "platform/transaction_trace.h"

namespace asterism {

class TransactionTap final : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<TransactionTap> initiators{"initiators"};
  tlm_utils::simple_initiator_socket<TransactionTap> targets{"targets"};

  using Sink = std::function<void(const TracedTransaction&)>;
  TransactionTap(const sc_core::sc_module_name& name, std::uint16_t master, Sink sink);

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last);

  const std::uint16_t master_;
  const Sink sink_;
};

// The taps of a run, one for each initiator that is asked about while it is built.
class TransactionTaps {
 public:
  // What an initiator is to be bound with: the other side of its tap, which it is bound to here.
  tlm::tlm_initiator_socket<>& tap(tlm::tlm_initiator_socket<>& initiator, const std::string& master);
  // From now on all is written there; finish() is the caller's.
  void write_to(TransactionTraceWriter& writer) { writer_ = &writer; }
  const std::vector<std::string>& masters() const { return masters_; }

 private:
  // Gives its tap the name of the initiator's module within a module of its own: an interconnect places masters by their names.
  struct Named final : sc_core::sc_module {
    Named(const sc_core::sc_module_name& name, const char* initiator, std::uint16_t master,
          TransactionTap::Sink sink)
        : sc_module(name), tap(initiator, master, std::move(sink)) {}
    TransactionTap tap;
  };

  std::vector<std::string> masters_;
  std::vector<std::unique_ptr<Named>> taps_;
  TransactionTraceWriter* writer_ = nullptr;
};

}  // namespace asterism
