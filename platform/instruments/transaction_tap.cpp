#include "platform/instruments/transaction_tap.h"

#include <algorithm>
#include <utility>

#include "tlm/initiator_extension.h"
#include "tlm/time.h"

namespace asterism {
namespace {

TracedTransaction::Command command_of(const tlm::tlm_generic_payload& payload) {
  if (payload.is_read()) return TracedTransaction::Command::read;
  return payload.is_write() ? TracedTransaction::Command::write : TracedTransaction::Command::ignore;
}

TracedTransaction::Response response_of(const tlm::tlm_generic_payload& payload) {
  using enum TracedTransaction::Response;
  switch (payload.get_response_status()) {
    case tlm::TLM_OK_RESPONSE:
      return ok;
    case tlm::TLM_GENERIC_ERROR_RESPONSE:
      return generic_error;
    case tlm::TLM_ADDRESS_ERROR_RESPONSE:
      return address_error;
    case tlm::TLM_COMMAND_ERROR_RESPONSE:
      return command_error;
    case tlm::TLM_BURST_ERROR_RESPONSE:
      return burst_error;
    case tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE:
      return byte_enable_error;
    case tlm::TLM_INCOMPLETE_RESPONSE:
      break;
  }
  return incomplete;
}

}  // namespace

TransactionTap::TransactionTap(const sc_core::sc_module_name& name, std::uint16_t master, Sink sink)
    : sc_module(name), master_(master), sink_(std::move(sink)) {
  initiators.register_b_transport(this, &TransactionTap::b_transport);
  initiators.register_transport_dbg(this, &TransactionTap::transport_dbg);
  initiators.register_get_direct_mem_ptr(this, &TransactionTap::get_direct_mem_ptr);
  targets.register_invalidate_direct_mem_ptr(this, &TransactionTap::invalidate_direct_mem_ptr);
}

// The request is read before the call, because a target may change the payload.
void TransactionTap::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  TracedTransaction transaction{.start = now() + to_picoseconds(delay),
                                .end = {},
                                .address = Address(payload.get_address()),
                                .length = payload.get_data_length(),
                                .master = master_,
                                .command = command_of(payload),
                                .is_monitored = is_monitored(payload)};
  targets->b_transport(payload, delay);
  transaction.end = now() + to_picoseconds(delay);
  transaction.response = response_of(payload);
  const auto* who = payload.get_extension<InitiatorExtension>();
  transaction.is_poisoned = who && who->poison;
  sink_(transaction);
}

unsigned TransactionTap::transport_dbg(tlm::tlm_generic_payload& payload) {
  return targets->transport_dbg(payload);
}

// Records what takes a path behind the tap.
class TransactionTap::Path final : public TimedPath {
 public:
  Path(TransactionTap& tap, TimedPath& target) : tap_(tap), target_(target) {}
  bool leads_to(const TimedPath* target) const { return target == &target_; }
  Picoseconds access(const Access& access, Picoseconds at) override {
    using enum TracedTransaction::Command;
    constexpr std::uint32_t line = 64;
    const Picoseconds end = target_.access(access, at);
    tap_.sink_({.start = at,
                .end = end,
                .address = access.address,
                .length = line,
                .master = tap_.master_,
                .command = access.is_write ? write : read,
                .response = TracedTransaction::Response::ok,
                .is_monitored = true});
    return end;
  }

 private:
  TransactionTap& tap_;
  TimedPath& target_;
};

TransactionTap::~TransactionTap() = default;

bool TransactionTap::get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  const bool is_granted = targets->get_direct_mem_ptr(payload, dmi);
  auto* who = payload.get_extension<InitiatorExtension>();
  if (!who || !who->timed) return is_granted;
  const auto found =
      std::ranges::find_if(paths_, [&](const auto& each) { return each->leads_to(who->timed); });
  who->timed = found != paths_.end() ? found->get()
                                     : paths_.emplace_back(std::make_unique<Path>(*this, *who->timed)).get();
  return is_granted;
}

void TransactionTap::invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) {
  initiators->invalidate_direct_mem_ptr(first, last);
}

tlm::tlm_initiator_socket<>& TransactionTaps::tap(tlm::tlm_initiator_socket<>& initiator,
                                                  const std::string& master) {
  const auto index = static_cast<std::uint16_t>(masters_.size());
  masters_.push_back(master);
  const auto sink = [this](const TracedTransaction& transaction) {
    if (writer_) writer_->add(transaction);
  };
  TransactionTap& tap =
      taps_
          .emplace_back(std::make_unique<Named>(sc_core::sc_gen_unique_name("tap"),
                                                initiator.get_parent_object()->basename(), index, sink))
          ->tap;
  initiator.bind(tap.initiators);
  return tap.targets;
}

}  // namespace asterism
