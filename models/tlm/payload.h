// What every target does with a generic payload before it looks at the data: the checks of TLM-2.0 (IEEE
// 1666-2011 §14) in one place, and the walk over the enabled bytes.
#pragma once

#include <tlm>

#include "base/units.h"

namespace asterism {

// Whether the payload may be served by a target of `size` bytes at offset 0. Sets the response status when it
// may not: ADDRESS_ERROR outside the target (a range that would wrap included), BURST_ERROR for a streaming
// width below the length, BYTE_ENABLE_ERROR for an enable array of length 0, COMMAND_ERROR for an unknown
// command. A payload that ignores its data (TLM_IGNORE_COMMAND) or has no byte enabled is legal and does
// nothing.
bool accept(tlm::tlm_generic_payload& payload, Bytes size);

// Whether byte i of the data takes part in the transfer.
inline bool byte_enabled(const tlm::tlm_generic_payload& payload, unsigned i) {
  const unsigned char* enables = payload.get_byte_enable_ptr();
  return !enables || enables[i % payload.get_byte_enable_length()] == TLM_BYTE_ENABLED;
}

}  // namespace asterism
