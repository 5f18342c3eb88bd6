// The extension that travels with every payload from its initiator to its target. It identifies the initiator
// (for banked registers, filters by master, and logs) and carries attributes of the access.
#pragma once

#include <tlm>

namespace asterism {

class Register;
class TimedPath;

struct InitiatorExtension : tlm::tlm_extension<InitiatorExtension> {
  static constexpr unsigned first_device_master = 1024;
  static constexpr unsigned unknown_master = ~0u;

  unsigned master = unknown_master;  // a core's index; other masters start at first_device_master
  bool secure = false;               // an access of the secure world
  // Set by the target: the returned data are known to be wrong. In an answer to get_direct_mem_ptr it means
  // that the address is memory, but direct access was refused because a part of it is faulty.
  bool poison = false;
  // Direct memory access with notification. An interconnect that has to observe every access sets this in its
  // answer to get_direct_mem_ptr (the initiator clears it first). The initiator may then fetch, load and
  // store directly, but reports each load and store by a b_transport with this flag set. Such a transaction
  // moves no data; in all other respects it is an ordinary access. Initiators without this extension are
  // refused direct access instead.
  bool monitored = false;
  // Set by an initiator that is reset while a target delays its access: the access has not happened, and its
  // response is ignored. Code that waits on behalf of a payload has to check this flag afterwards.
  bool aborted = false;
  // The initiator lies on the dies of the memory. Its accesses pass through the error-correcting code, but
  // neither through queues nor the bus, and take no time.
  bool on_die = false;
  // A debug write that a user has asked for: registers are written as by a store, with all its effects.
  bool writes_registers = false;
  // Set by a target with registers: the first register of an access by another width than its own
  // (Register::any_width). The initiator clears it.
  const Register* misfit = nullptr;
  // A write whose master does not wait for its completion, such as the write-back of a line by a cache.
  bool posted = false;
  // In an answer to get_direct_mem_ptr with `monitored` or without (the initiator clears it first): the way
  // that takes monitored accesses without payloads; nullptr: there is none.
  TimedPath* timed = nullptr;

  tlm::tlm_extension_base* clone() const override { return new InitiatorExtension(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const InitiatorExtension&>(other);
  }
};

inline bool is_monitored(const tlm::tlm_generic_payload& payload) {
  const auto* who = payload.get_extension<InitiatorExtension>();
  return who && who->monitored;
}

inline bool is_aborted(const tlm::tlm_generic_payload& payload) {
  const auto* who = payload.get_extension<InitiatorExtension>();
  return who && who->aborted;
}

// The master of a payload; unknown_master without the extension.
inline unsigned master_of(const tlm::tlm_generic_payload& payload) {
  const auto* who = payload.get_extension<InitiatorExtension>();
  return who ? who->master : InitiatorExtension::unknown_master;
}

inline bool writes_registers(const tlm::tlm_generic_payload& payload) {
  const auto* who = payload.get_extension<InitiatorExtension>();
  return who && who->writes_registers;
}

inline bool is_on_die(const tlm::tlm_generic_payload& payload) {
  const auto* who = payload.get_extension<InitiatorExtension>();
  return who && who->on_die;
}

// Cores track their own direct writes and the instructions that they have decoded; writes of other masters
// are reported to them.
constexpr bool is_core(unsigned master) { return master < InitiatorExtension::first_device_master; }
inline bool is_from_core(const tlm::tlm_generic_payload& payload) { return is_core(master_of(payload)); }

}  // namespace asterism
