// A TLM initiator for tests: word accesses, the time they take, and arbitrary payloads.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstring>
#include <systemc>
#include <tlm>

#include "tlm/initiator_extension.h"
#include "tlm/time.h"
#include "tlm/timed_path.h"

namespace asterism {

struct TestInitiator : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<TestInitiator> socket{"socket"};
  InitiatorExtension who;
  sc_core::sc_time delay;  // passed with the next access, and set to the delay that comes back
  tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
  unsigned invalidations = 0;
  Address invalidated_first, invalidated_last;

  // The master is a core unless a test sets `who.master`.
  explicit TestInitiator(const sc_core::sc_module_name& name) : sc_module(name) {
    who.master = 0;
    socket.register_invalidate_direct_mem_ptr(this, &TestInitiator::invalidate);
  }

  std::uint32_t read32(std::uint64_t address) { return read<std::uint32_t>(address); }
  void write32(std::uint64_t address, std::uint32_t value) { write(address, value); }

  template <class T>
  T read(std::uint64_t address) {
    T value{};
    access(tlm::TLM_READ_COMMAND, address, &value, sizeof value);
    return value;
  }
  template <class T>
  void write(std::uint64_t address, T value) {
    access(tlm::TLM_WRITE_COMMAND, address, &value, sizeof value);
  }

  void access(tlm::tlm_command command, std::uint64_t address, void* data, unsigned length) {
    tlm::tlm_generic_payload payload;
    fill(payload, command, address, data, length);
    transport(payload);
  }
  void transport(tlm::tlm_generic_payload& payload) {
    payload.set_extension(&who);
    socket->b_transport(payload, delay);
    status = payload.get_response_status();
    payload.clear_extension(&who);
  }
  unsigned debug(tlm::tlm_command command, std::uint64_t address, void* data, unsigned length) {
    tlm::tlm_generic_payload payload;
    fill(payload, command, address, data, length);
    payload.set_extension(&who);
    const unsigned transferred = socket->transport_dbg(payload);
    payload.clear_extension(&who);
    return transferred;
  }
  // The path that comes with direct memory at an address (timed_path.h).
  TimedPath* timed_path(std::uint64_t address) {
    tlm::tlm_generic_payload payload;
    tlm::tlm_dmi dmi;
    fill(payload, tlm::TLM_READ_COMMAND, address, nullptr, 0);
    payload.set_extension(&who);
    who.timed = nullptr;
    const bool is_granted = socket->get_direct_mem_ptr(payload, dmi);
    payload.clear_extension(&who);
    return is_granted ? who.timed : nullptr;
  }
  // The end of a monitored access to a line, which is made at a time.
  Picoseconds monitored_access(Address line, bool is_write, Picoseconds at) {
    unsigned char unused[64] = {};
    delay = to_sc_time(at - now());
    who.monitored = true;
    who.posted = is_write;
    access(is_write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, line.value(), unused, sizeof unused);
    who.monitored = who.posted = false;
    return now() + to_picoseconds(delay);
  }
  static void fill(tlm::tlm_generic_payload& payload, tlm::tlm_command command, std::uint64_t address,
                   void* data, unsigned length) {
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(length);
    payload.set_streaming_width(length);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  }

 private:
  void invalidate(sc_dt::uint64 first, sc_dt::uint64 last) {
    ++invalidations;
    invalidated_first = Address(first);
    invalidated_last = Address(last);
  }
};

}  // namespace asterism
