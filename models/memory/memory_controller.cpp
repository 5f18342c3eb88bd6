#include "memory/memory_controller.h"

#include <cstring>

#include "tlm/initiator_extension.h"
#include "tlm/payload.h"
#include "tlm/time.h"

namespace asterism {

MemoryController::MemoryController(const sc_core::sc_module_name& name, const MemoryConfig& config,
                                   std::uint64_t seed, unsigned port_count)
    : sc_module(name), dram_(config.size, seed), latency_(to_sc_time(config.latency)) {
  ports.init(port_count);
  for (Port& port : ports) {
    port.register_b_transport(this, &MemoryController::b_transport);
    port.register_transport_dbg(this, &MemoryController::transport_dbg);
    port.register_get_direct_mem_ptr(this, &MemoryController::get_direct_mem_ptr);
  }
}

void MemoryController::transfer(tlm::tlm_generic_payload& payload) {
  auto* cells = reinterpret_cast<unsigned char*>(dram_.data()) + payload.get_address();
  unsigned char* data = payload.get_data_ptr();
  const unsigned length = payload.get_data_length();
  if (payload.get_byte_enable_ptr()) {
    for (unsigned i = 0; i < length; ++i) {
      if (!byte_enabled(payload, i)) continue;
      if (payload.is_read()) data[i] = cells[i];
      if (payload.is_write()) cells[i] = data[i];
    }
  } else if (payload.is_read()) {
    std::memcpy(data, cells, length);
  } else if (payload.is_write()) {
    std::memcpy(cells, data, length);
  }
}

void MemoryController::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  payload.set_dmi_allowed(false);
  if (!accept(payload, dram_.size())) return;
  if (!powered_) return payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
  if (!is_shown(payload)) transfer(payload);
  if (payload.is_read()) ++reads_, bytes_read_ += payload.get_data_length();
  if (payload.is_write()) ++writes_, bytes_written_ += payload.get_data_length();
  delay += latency_;
  payload.set_dmi_allowed(true);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

unsigned MemoryController::transport_dbg(tlm::tlm_generic_payload& payload) {
  if (!accept(payload, dram_.size())) return 0;
  transfer(payload);
  return payload.get_data_length();
}

bool MemoryController::get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
  dmi.set_start_address(0);
  dmi.set_end_address(dram_.size().count() - 1);
  dmi.set_dmi_ptr(reinterpret_cast<unsigned char*>(dram_.data()));
  dmi.set_read_latency(latency_);
  dmi.set_write_latency(latency_);
  dmi.allow_read_write();
  return true;
}

void MemoryController::reset(Reset kind) {
  dram_.reset(kind);
  if (kind == Reset::power_loss) powered_ = false;
}

void MemoryController::report(Statistics& statistics) const {
  statistics.add("reads", reads_);
  statistics.add("writes", writes_);
  statistics.add("read", Bytes(bytes_read_));
  statistics.add("written", Bytes(bytes_written_));
}

}  // namespace asterism
