// The data caches of a node's cores (tag_cache.h) between the cores and the interconnect.
//
//   core.bus -> port(i).core, port(i).memory -> fabric
//
// Direct memory is granted on the condition that loads and stores are shown: those go to the tags, and the bus carries what
// comes of them, as shown payloads that move no data: a line that is filled takes its time, one that is written back is posted.
// All else passes through, and so do shown accesses that are not cached: each is one on the bus, and the core
// waits for it. Fetches are not cached here.
//
// What memory is to hold asks the guard before it goes on the bus, a write-back or a store that is not
// cached; its line belongs to dirty() until then. No maintenance loses a store: what it invalidates dirty is
// written back, as if it had been displaced just before.
//
// Time: the L2's latency for each time that the L2 is asked (TagCaches::Traffic), and what memory takes. A
// line that another L1 has dirty is written to the L2, and found there.
//
// reset: every kind empties the caches, and drops what was to be written back.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <systemc>
#include <vector>

#include "base/write_guard.h"
#include "core/iss.h"
#include "core/tag_cache.h"
#include "tlm/initiator_extension.h"

namespace asterism {

class CoreCaches : public sc_core::sc_module {
 public:
  // Between a core and the interconnect, which knows its masters by such names: core0, core1, ...
  struct Port : sc_core::sc_module {
    tlm_utils::simple_target_socket_tagged<CoreCaches> core{"core"};
    tlm_utils::simple_initiator_socket_tagged<CoreCaches> memory{"memory"};
    explicit Port(const sc_core::sc_module_name& name) : sc_module(name) {}
  };
  Port& port(unsigned core) { return *ports_[core]; }

  CoreCaches(const sc_core::sc_module_name& name, const TagCacheConfig& config, unsigned count);

  // Whom write-backs ask and are told to; nullptr: nobody.
  void guard(WriteGuard* guard) { guard_ = guard; }

  // CoreModule::served: what needs no bus and takes no time.
  bool served(unsigned core, const ShownAccess& access, Picoseconds at) {
    return tags_.hit(core, access.address, access.is_store, at);
  }
  // CoreModule::maintain. An operation ends when the L2 has been asked, and when what it writes back is in
  // memory; the core goes on, but not while a line may not be written. False: the bus answers with an error.
  bool maintain(unsigned core, const CacheMaintenance& what, InitiatorExtension& who,
                sc_core::sc_time& delay);

  CacheCounts counts(unsigned core) const { return tags_.counts(core); }

  // Lines that were stored to and that memory has not seen yet, ascending.
  std::vector<Address> dirty();
  // They are clean at once, without asking; the bus carries them one after the other from now on.
  void flush(const std::vector<Address>& lines);
  bool is_flushing() const { return !flushed_.empty(); }
  std::function<void()> flush_ended = [] {};

  // Memory was written by a device.
  void drop(AddressRange range) { tags_.drop(range); }

  void reset(Reset kind);
  void report(Statistics& statistics) const { tags_.report(statistics); }

 private:
  void b_transport(int core, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(int core, tlm::tlm_generic_payload& payload);
  bool get_direct_mem_ptr(int core, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  void invalidate_direct_mem_ptr(int core, sc_dt::uint64 first, sc_dt::uint64 last);
  bool show(int core, tlm::tlm_command command, Address line, InitiatorExtension& who,
            sc_core::sc_time& delay);
  bool may_write(Address line, sc_core::sc_time& delay);
  bool write_back(int core, Address line, InitiatorExtension& who, sc_core::sc_time& delay);
  bool post(int core, Address line, InitiatorExtension& who, sc_core::sc_time& delay,
            sc_core::sc_time& posted);
  void write_back_flushed();

  tlm_utils::simple_initiator_socket_tagged<CoreCaches>& memory(int core) {
    return ports_[static_cast<unsigned>(core)]->memory;
  }

  const Picoseconds l2_latency_;
  std::vector<std::unique_ptr<Port>> ports_;
  TagCaches tags_;
  WriteGuard* guard_ = nullptr;
  std::vector<Address> asking_;          // written back as soon as the guard admits them
  std::vector<Picoseconds> maintained_;  // by core: when its maintenance so far ends
  std::deque<Address> flushed_;
  sc_core::sc_event more_flushed_;
  InitiatorExtension flusher_;
  std::uint64_t resets_ = 0;
};

}  // namespace asterism
