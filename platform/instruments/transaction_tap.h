// A tap between an initiator and its target that records every b_transport, and every access by a timed path.
// It passes all calls on unchanged.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "platform/instruments/transaction_trace.h"
#include "tlm/timed_path.h"

namespace asterism {

class TransactionTap final : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<TransactionTap> initiators{"initiators"};
  tlm_utils::simple_initiator_socket<TransactionTap> targets{"targets"};

  using Sink = std::function<void(const TracedTransaction&)>;
  TransactionTap(const sc_core::sc_module_name& name, std::uint16_t master, Sink sink);
  ~TransactionTap() override;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last);

  const std::uint16_t master_;
  const Sink sink_;
  class Path;
  std::vector<std::unique_ptr<Path>> paths_;
};

// The taps of a run, one for each initiator for which tap() is called while the system is built.
class TransactionTaps {
 public:
  // Binds the initiator to a new tap, and returns the socket of the tap to be bound in its place.
  tlm::tlm_initiator_socket<>& tap(tlm::tlm_initiator_socket<>& initiator, const std::string& master);
  // Records all transactions by `writer` from now on. The caller must call its finish().
  void write_to(TransactionTraceWriter& writer) { writer_ = &writer; }
  const std::vector<std::string>& masters() const { return masters_; }

 private:
  // A module around the tap that gives it the name of the initiator's module, because an interconnect places
  // masters by name.
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
