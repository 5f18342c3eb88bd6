#include "tlm/plain_module.h"

#include <mutex>
#include <utility>
#include <vector>

#include "tlm/initiator_extension.h"
#include "tlm/log.h"

namespace asterism {
namespace {

bool is_in_thread() {
  const auto kind = sc_core::sc_get_current_process_handle().proc_kind();
  return kind == sc_core::SC_THREAD_PROC_ || kind == sc_core::SC_CTHREAD_PROC_;
}

void pass(sc_core::sc_time& delay) {
  if (delay != sc_core::SC_ZERO_TIME) sc_core::wait(std::exchange(delay, sc_core::SC_ZERO_TIME));
}

// The extension of a payload while it travels through the node.
class Identified {
 public:
  Identified(tlm::tlm_generic_payload& payload, unsigned master) : payload_(payload) {
    extension.master = master;
    earlier_ = payload.set_extension(&extension);
  }
  ~Identified() { payload_.set_extension(earlier_); }
  Identified(const Identified&) = delete;
  Identified& operator=(const Identified&) = delete;

  InitiatorExtension extension;

 private:
  tlm::tlm_generic_payload& payload_;
  InitiatorExtension* earlier_;
};

// An access that has moved its data directly, and now takes its time. The module knows no such access; where
// it grants direct memory, a read has no other effect.
void take_time(tlm::tlm_fw_transport_if<>& module, tlm::tlm_generic_payload& payload,
               sc_core::sc_time& delay) {
  std::vector<unsigned char> unused(payload.get_data_length());
  tlm::tlm_generic_payload read;
  read.set_read();
  read.set_address(payload.get_address());
  read.set_data_ptr(unused.data());
  read.set_data_length(payload.get_data_length());
  read.set_streaming_width(payload.get_data_length());
  module.b_transport(read, delay);
  payload.set_response_status(read.get_response_status());
}

}  // namespace

PlainTarget::PlainTarget() : busy_(sc_core::sc_gen_unique_name("busy")) {}

void PlainTarget::access(tlm::tlm_fw_transport_if<>& module, tlm::tlm_generic_payload& payload,
                         sc_core::sc_time& delay) {
  pass(delay);
  const std::lock_guard lock(busy_);
  if (is_aborted(payload)) return payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
  if (is_monitored(payload))
    take_time(module, payload, delay);
  else
    module.b_transport(payload, delay);
  if (payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE) return;
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  if (std::exchange(has_warned_, true)) return;
  log(busy_.get_parent_object()->name())
      .warn("the module has not set the response status of a {} at offset {:#x}; it is taken as done",
            payload.is_write() ? "write" : "read", payload.get_address());
}

void PlainMaster::access(tlm::tlm_fw_transport_if<>& node, tlm::tlm_generic_payload& payload,
                         sc_core::sc_time& delay) const {
  const unsigned streaming_width = payload.get_streaming_width();
  if (streaming_width == 0) payload.set_streaming_width(payload.get_data_length());
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  {
    const Identified identified(payload, master_);
    node.b_transport(payload, delay);
    if (identified.extension.poison) payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
  }
  payload.set_streaming_width(streaming_width);
  if (is_in_thread()) pass(delay);
}

}  // namespace asterism
