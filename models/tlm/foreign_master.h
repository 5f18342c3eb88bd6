// For tests: a bus master as a third party supplies it, with plain TLM-2.0 and no extension, which uses
// direct memory if it is granted.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <algorithm>
#include <cstdint>
#include <systemc>
#include <tlm>
#include <vector>

#include "tlm/test_initiator.h"

namespace asterism {

struct ForeignMaster : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<ForeignMaster> socket{"socket"};
  explicit ForeignMaster(const sc_core::sc_module_name& name) : sc_module(name) {}

  tlm::tlm_response_status write(std::uint64_t address, std::vector<unsigned char> data) {
    tlm::tlm_generic_payload payload;
    TestInitiator::fill(payload, tlm::TLM_WRITE_COMMAND, address, data.data(),
                        static_cast<unsigned>(data.size()));
    tlm::tlm_dmi dmi;
    if (socket->get_direct_mem_ptr(payload, dmi) && address >= dmi.get_start_address() &&
        address + data.size() - 1 <= dmi.get_end_address()) {
      std::ranges::copy(data, dmi.get_dmi_ptr() + (address - dmi.get_start_address()));
      return tlm::TLM_OK_RESPONSE;
    }
    sc_core::sc_time delay;
    payload.set_address(address);
    socket->b_transport(payload, delay);
    if (delay != sc_core::SC_ZERO_TIME) sc_core::wait(delay);
    return payload.get_response_status();
  }
  tlm::tlm_response_status write32(std::uint64_t address, std::uint32_t word) {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(&word);
    return write(address, {bytes, bytes + sizeof word});
  }
  bool is_granted(std::uint64_t address) {
    tlm::tlm_generic_payload payload;
    TestInitiator::fill(payload, tlm::TLM_READ_COMMAND, address, nullptr, 8);
    tlm::tlm_dmi dmi;
    return socket->get_direct_mem_ptr(payload, dmi);
  }
};

}  // namespace asterism
