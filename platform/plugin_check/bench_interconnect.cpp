#include "platform/plugin_check/bench_interconnect.h"

#include <stdexcept>

namespace asterism {

BenchInterconnect::Target::Target(const sc_core::sc_module_name& name, AddressRange its_range)
    : sc_module(name), range(its_range) {
  socket.register_invalidate_direct_mem_ptr(this, &Target::invalidate);
}

BenchInterconnect::Master::Master(const sc_core::sc_module_name& name, BenchInterconnect& owner)
    : sc_module(name), owner_(owner) {
  socket.register_b_transport(this, &Master::b_transport);
  socket.register_transport_dbg(this, &Master::transport_dbg);
}

void BenchInterconnect::Master::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t address = payload.get_address();
  payload.set_dmi_allowed(false);
  if (Target* const target = owner_.decode(payload)) target->socket->b_transport(payload, delay);
  payload.set_address(address);
}

unsigned BenchInterconnect::Master::transport_dbg(tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  Target* const target = owner_.decode(payload);
  const unsigned count = target ? target->socket->transport_dbg(payload) : 0;
  payload.set_address(address);
  return count;
}

BenchInterconnect::Target& BenchInterconnect::target_at(Address first) {
  for (const auto& target : targets_)
    if (target->range.first == first) return *target;
  throw std::logic_error("there is no such target");
}

void BenchInterconnect::add_master(tlm::tlm_initiator_socket<>& socket, const std::string&) {
  masters_.push_back(std::make_unique<Master>(sc_core::sc_gen_unique_name("bench_master"), *this));
  socket.bind(masters_.back()->socket);
}

void BenchInterconnect::add_target(tlm::tlm_target_socket<>& socket, AddressRange range,
                                   const std::string& name) {
  targets_.push_back(std::make_unique<Target>(sc_core::sc_gen_unique_name(("bench_" + name).c_str()), range));
  targets_.back()->socket.bind(socket);
}

BenchInterconnect::Target* BenchInterconnect::decode(tlm::tlm_generic_payload& payload) {
  const Address address(payload.get_address());
  for (const auto& target : targets_)
    if (target->range.contains(address, Bytes(payload.get_data_length()))) {
      payload.set_address((address - target->range.first).count());
      return target.get();
    }
  payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  return nullptr;
}

}  // namespace asterism
