#include "tlm/payload.h"

namespace asterism {

bool accept(tlm::tlm_generic_payload& payload, Bytes size) {
  const AddressRange target{Address(0), size};
  const bool all_bytes = payload.get_byte_enable_ptr() == nullptr;
  const bool whole = payload.get_data_length() > 0 && payload.get_data_ptr() &&
                     payload.get_streaming_width() >= payload.get_data_length();
  if (!target.contains(Address(payload.get_address()), Bytes(payload.get_data_length())))
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  else if (!whole)
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
  else if (!all_bytes && payload.get_byte_enable_length() == 0)
    payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  else if (payload.get_command() > tlm::TLM_IGNORE_COMMAND)
    payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
  else
    return true;
  return false;
}

}  // namespace asterism
