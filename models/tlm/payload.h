// Common handling of a generic payload by every target, before it looks at the data: the checks of TLM-2.0
// (IEEE 1666-2011 §14), and iteration over the enabled bytes, one by one or as words of registers.
#pragma once

#include <cstdint>
#include <tlm>

#include "base/units.h"

namespace asterism {

// Returns whether a target of `size` bytes at offset 0 accepts the payload. Otherwise it sets the response
// status: ADDRESS_ERROR outside the target (including a range that would wrap), BURST_ERROR for a streaming
// width below the length, BYTE_ENABLE_ERROR for an enable array of length 0, COMMAND_ERROR for an unknown
// command. A payload that ignores its data (TLM_IGNORE_COMMAND) or has no byte enabled is legal and has no
// effect.
bool accept(tlm::tlm_generic_payload& payload, Bytes size);
// The status that accept() would set; OK if it accepts the payload.
tlm::tlm_response_status refusal_of(const tlm::tlm_generic_payload& payload, Bytes size);

// Whether byte i of the data takes part in the transfer.
inline bool byte_enabled(const tlm::tlm_generic_payload& payload, unsigned i) {
  const unsigned char* enables = payload.get_byte_enable_ptr();
  return !enables || enables[i % payload.get_byte_enable_length()] == TLM_BYTE_ENABLED;
}

// Calls act(address of the word, value of the enabled data bytes in their lanes, lanes, first data byte,
// count) for each 32-bit word that has an enabled byte, in order of address.
template <class Act>
void for_each_word(const tlm::tlm_generic_payload& payload, Act act) {
  const std::uint64_t address = payload.get_address();
  const unsigned char* data = payload.get_data_ptr();
  for (unsigned i = 0, length = payload.get_data_length(); i < length;) {
    const std::uint64_t word = (address + i) & ~std::uint64_t{3};
    const unsigned first = i;
    std::uint32_t value = 0, lanes = 0;
    for (; i < length && ((address + i) & ~std::uint64_t{3}) == word; ++i) {
      if (!byte_enabled(payload, i)) continue;
      const unsigned shift = 8 * ((address + i) & 3);
      value |= std::uint32_t{data[i]} << shift;
      lanes |= 0xFFu << shift;
    }
    if (lanes) act(word, value, lanes, first, i - first);
  }
}

// Writes a word's value into the enabled ones of `count` data bytes, starting at `first`.
inline void put_word(tlm::tlm_generic_payload& payload, std::uint32_t value, unsigned first, unsigned count) {
  for (unsigned i = first; i < first + count; ++i)
    if (byte_enabled(payload, i))
      payload.get_data_ptr()[i] = static_cast<unsigned char>(value >> 8 * ((payload.get_address() + i) & 3));
}

}  // namespace asterism
