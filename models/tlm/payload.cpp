#include "tlm/payload.h"

namespace asterism {

tlm::tlm_response_status refusal_of(const tlm::tlm_generic_payload& payload, Bytes size) {
  const AddressRange target{Address(0), size};
  const bool all_bytes = payload.get_byte_enable_ptr() == nullptr;
  const bool whole = payload.get_data_length() > 0 && payload.get_data_ptr() &&
                     payload.get_streaming_width() >= payload.get_data_length();
  if (!target.contains(Address(payload.get_address()), Bytes(payload.get_data_length())))
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (!whole) return tlm::TLM_BURST_ERROR_RESPONSE;
  if (!all_bytes && payload.get_byte_enable_length() == 0) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (payload.get_command() > tlm::TLM_IGNORE_COMMAND) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  return tlm::TLM_OK_RESPONSE;
}

bool accept(tlm::tlm_generic_payload& payload, Bytes size) {
  const tlm::tlm_response_status refusal = refusal_of(payload, size);
  if (refusal == tlm::TLM_OK_RESPONSE) return true;
  payload.set_response_status(refusal);
  return false;
}

}  // namespace asterism
