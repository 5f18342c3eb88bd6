#include "tlm/register_socket.h"

#include <fmt/format.h>

#include <string>

#include "tlm/initiator_extension.h"
#include "tlm/payload.h"
#include "tlm/time.h"

namespace asterism {

RegisterSocket::RegisterSocket(const char* name, RegisterBank& bank, Picoseconds latency)
    : simple_target_socket(name), bank_(bank), latency_(to_sc_time(latency)) {
  register_b_transport(this, &RegisterSocket::b_transport);
  register_transport_dbg(this, &RegisterSocket::transport_dbg);
}

bool RegisterSocket::touches_side_effects(const tlm::tlm_generic_payload& payload) const {
  bool touches = false;
  for_each_word(payload, [&](std::uint64_t word, std::uint32_t, std::uint32_t, unsigned, unsigned) {
    const auto place = bank_.find(word);
    touches |= place.reg && place.reg->has_side_effects();
  });
  return touches;
}

void RegisterSocket::find_misfit(const tlm::tlm_generic_payload& payload) const {
  if (payload.get_data_length() == 4 && payload.get_address() % 4 == 0) return;
  auto* const who = payload.get_extension<InitiatorExtension>();
  if (!who) return;
  for_each_word(payload, [&](std::uint64_t word, std::uint32_t, std::uint32_t, unsigned, unsigned) {
    const auto place = bank_.find(word);
    if (!who->misfit && place.reg && !place.reg->takes_any_width()) who->misfit = place.reg;
  });
}

void RegisterSocket::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  payload.set_dmi_allowed(false);
  if (!accept(payload, bank_.size())) return;
  if (delay != sc_core::SC_ZERO_TIME && touches_side_effects(payload)) {
    sc_core::wait(delay);
    delay = sc_core::SC_ZERO_TIME;
    if (is_aborted(payload)) return payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
  }
  find_misfit(payload);
  const Accessor who{master_of(payload)};
  if (payload.is_read())
    for_each_word(payload, [&](std::uint64_t word, std::uint32_t, std::uint32_t, unsigned first,
                               unsigned count) { put_word(payload, bank_.read(word, who), first, count); });
  else if (payload.is_write())
    for_each_word(payload, [&](std::uint64_t word, std::uint32_t value, std::uint32_t lanes, unsigned,
                               unsigned) { bank_.write(word, value, lanes, who); });
  delay += latency_;
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

unsigned RegisterSocket::transport_dbg(tlm::tlm_generic_payload& payload) {
  if (!accept(payload, bank_.size())) return 0;
  if (payload.is_write()) return writes_registers(payload) ? write_at_once(payload) : 0;
  if (!payload.is_read()) return 0;
  const Accessor who{master_of(payload)};
  for_each_word(payload, [&](std::uint64_t word, std::uint32_t, std::uint32_t, unsigned first,
                             unsigned count) { put_word(payload, bank_.peek(word, who), first, count); });
  return payload.get_data_length();
}

unsigned RegisterSocket::write_at_once(tlm::tlm_generic_payload& payload) {
  std::string problem;
  for_each_word(payload, [&](std::uint64_t word, std::uint32_t, std::uint32_t, unsigned, unsigned) {
    const auto place = bank_.find(word);
    if (!place.reg)
      problem = fmt::format("there is no register at offset {:#x}", word);
    else if (place.reg->access() == Access::read_only)
      problem = fmt::format("register {} is read-only", place.reg->name());
  });
  if (!problem.empty()) return bank_.warn("the debugger's write is refused: " + problem), 0;
  const Accessor who{master_of(payload)};
  for_each_word(payload, [&](std::uint64_t word, std::uint32_t value, std::uint32_t lanes, unsigned,
                             unsigned) { bank_.write(word, value, lanes, who); });
  return payload.get_data_length();
}

}  // namespace asterism
