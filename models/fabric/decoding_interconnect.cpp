#include "fabric/decoding_interconnect.h"

#include <algorithm>
#include <string>

#include "tlm/initiator_extension.h"
#include "tlm/log.h"

namespace asterism {

DecodingInterconnect::DecodingInterconnect(const sc_core::sc_module_name& name) : Interconnect(name) {
  masters_.register_b_transport(this, &DecodingInterconnect::b_transport);
  masters_.register_transport_dbg(this, &DecodingInterconnect::transport_dbg);
  masters_.register_get_direct_mem_ptr(this, &DecodingInterconnect::get_direct_mem_ptr);
  targets_.register_invalidate_direct_mem_ptr(this, &DecodingInterconnect::invalidate_direct_mem_ptr);
}

void DecodingInterconnect::add_master(tlm::tlm_initiator_socket<>& socket, const std::string& name) {
  names_of_masters_.push_back(name);
  socket.bind(masters_);
}

void DecodingInterconnect::add_target(tlm::tlm_target_socket<>& socket, AddressRange range,
                                      const std::string& name) {
  decoder_.add(range, target_count_++, name);
  targets_.bind(socket);
}

void DecodingInterconnect::b_transport(int master, tlm::tlm_generic_payload& payload,
                                       sc_core::sc_time& delay) {
  const Address address(payload.get_address());
  const auto* entry = decoder_.decode(address, Bytes(payload.get_data_length()));
  ++accesses_;
  if (entry) return travel(master, *entry, payload, delay);
  before_decode_error(delay);
  ++decode_errors_;
  if (!is_from_core(payload))  // a core reports it itself, with the instruction
    log(name()).warn("{} {} {} bytes at {:#x}, where there is no target",
                     names_of_masters_.at(static_cast<std::size_t>(master)),
                     payload.is_write() ? "wrote" : "read", payload.get_data_length(), address.value());
  payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

void DecodingInterconnect::at_target(const Entry& entry, tlm::tlm_generic_payload& payload,
                                     sc_core::sc_time& delay) {
  const Address address(payload.get_address());
  payload.set_address((address - entry.range.first).count());
  targets_[static_cast<int>(entry.target)]->b_transport(payload, delay);
  payload.set_address(address.value());
}

unsigned DecodingInterconnect::transport_dbg(int, tlm::tlm_generic_payload& payload) {
  const Address address(payload.get_address());
  const auto* entry = decoder_.decode(address, Bytes(payload.get_data_length()));
  if (!entry) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return 0;
  }
  payload.set_address((address - entry->range.first).count());
  const unsigned moved = targets_[static_cast<int>(entry->target)]->transport_dbg(payload);
  payload.set_address(address.value());
  return moved;
}

bool DecodingInterconnect::get_direct_mem_ptr(int master, tlm::tlm_generic_payload& payload,
                                              tlm::tlm_dmi& dmi) {
  const Address address(payload.get_address());
  const auto* entry = decoder_.decode(address, Bytes(1));
  if (!entry || !may_request_dmi(payload)) {
    dmi.set_start_address(entry ? entry->range.first.value() : address.value());
    dmi.set_end_address(entry ? entry->range.last().value() : address.value());
    return false;
  }
  payload.set_address((address - entry->range.first).count());
  const bool granted = targets_[static_cast<int>(entry->target)]->get_direct_mem_ptr(payload, dmi);
  payload.set_address(address.value());
  if (granted) was_granted(payload);
  if (auto* who = payload.get_extension<InitiatorExtension>())
    who->timed = granted ? path(master, *entry, who->timed) : nullptr;
  // A refusal names the range for which it holds, so both answers are translated.
  const std::uint64_t base = entry->range.first.value(), span = entry->range.size.count() - 1;
  dmi.set_start_address(base + std::min(dmi.get_start_address(), sc_dt::uint64{span}));
  dmi.set_end_address(base + std::min(dmi.get_end_address(), sc_dt::uint64{span}));
  return granted;
}

TimedPath* DecodingInterconnect::path(int master, const Entry& entry, TimedPath* target) {
  if (!target) return nullptr;
  const auto found = std::ranges::find_if(
      paths_, [&](const Path& each) { return each.master == master && each.target == target; });
  if (found != paths_.end()) return found->path.get();
  paths_.push_back({master, target, make_path(master, entry, *target)});
  return paths_.back().path.get();
}

void DecodingInterconnect::invalidate_direct_mem_ptr(int target, sc_dt::uint64 first, sc_dt::uint64 last) {
  for (const auto& entry : decoder_.entries()) {
    if (entry.target != static_cast<unsigned>(target)) continue;
    const std::uint64_t base = entry.range.first.value(), span = entry.range.size.count() - 1;
    if (first > span) continue;
    for (unsigned master = 0; master < masters_.size(); ++master)
      masters_[static_cast<int>(master)]->invalidate_direct_mem_ptr(
          base + first, base + std::min<std::uint64_t>(last, span));
  }
}

void DecodingInterconnect::report(Statistics& statistics) const {
  statistics.add("accesses", accesses_);
  statistics.add("decode_errors", decode_errors_);
}

}  // namespace asterism
