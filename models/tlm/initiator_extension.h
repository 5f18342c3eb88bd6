// Who asks: travels with every payload from its initiator to its target (banked registers, master filters,
// logs).
#pragma once

#include <tlm>

namespace asterism {

struct InitiatorExtension : tlm::tlm_extension<InitiatorExtension> {
  static constexpr unsigned first_device_master = 1024;
  static constexpr unsigned unknown_master = ~0u;

  unsigned master = unknown_master;  // cores: their index; other masters: from first_device_master
  bool secure = false;               // access of the secure world
  // Set by a target: the data returned are known to be wrong. In an answer to get_direct_mem_ptr: it is memory, refused
  // because a part of it is broken.
  bool poison = false;
  // Direct memory under a condition. An interconnect that has to see every access sets it in its answer to
  // get_direct_mem_ptr, where the initiator had cleared it: the initiator may fetch, load and store directly, and
  // shows each load and store by a b_transport with this set. That moves no data; all else is as for any access.
  // An initiator without this extension is refused instead.
  bool shown = false;
  // Set by an initiator that is reset while a target keeps its access waiting: it has never happened, and its answer does
  // not count. Who waits on behalf of a payload looks at it afterwards.
  bool cut = false;
  // Whoever asks runs an engine that must not be entered while an access of it is under way: a target never waits for it,
  // whatever process it comes in, and answers GENERIC_ERROR where it would have to.
  bool never_waits = false;
  // Whoever asks lies on the dies of the memory: the access passes its code, and neither queues nor the bus, and takes no time.
  bool on_die = false;
  // A write that its master does not wait for: caches that write a line back go on at once.
  bool posted = false;

  tlm::tlm_extension_base* clone() const override { return new InitiatorExtension(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const InitiatorExtension&>(other);
  }
};

inline bool is_shown(const tlm::tlm_generic_payload& payload) {
  const auto* who = payload.get_extension<InitiatorExtension>();
  return who && who->shown;
}

inline bool is_cut(const tlm::tlm_generic_payload& payload) {
  const auto* who = payload.get_extension<InitiatorExtension>();
  return who && who->cut;
}

// The master of a payload; one without the extension is known to nobody.
inline unsigned master_of(const tlm::tlm_generic_payload& payload) {
  const auto* who = payload.get_extension<InitiatorExtension>();
  return who ? who->master : InitiatorExtension::unknown_master;
}

inline bool is_on_die(const tlm::tlm_generic_payload& payload) {
  const auto* who = payload.get_extension<InitiatorExtension>();
  return who && who->on_die;
}

// Cores keep account of what they write directly, and of the instructions that they have decoded.
inline bool is_of_core(const tlm::tlm_generic_payload& payload) {
  return master_of(payload) < InitiatorExtension::first_device_master;
}

}  // namespace asterism
