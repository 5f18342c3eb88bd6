// The caches of a node's cores (cache_hierarchy.h), placed between the cores and the interconnect.
//
//   core.bus -> port(i).core, port(i).memory -> fabric
//
// Direct memory is granted as monitored (tlm/initiator_extension.h). A core's engine accesses the tags
// itself, most of the time by its filter (line_filter.h), and the bus carries the resulting fills and
// write-backs as monitored accesses that move no data: the core waits for a fill, and a write-back is posted.
//
//   Where their time is known at once (tlm/timed_path.h), they are made without payloads, and without leaving
//   the instruction.
//   Otherwise, if the core has a window for misses in flight, it goes on, and other processes make them at
//   their time (line_carriers.h).
//   Otherwise the core makes them one after the other behind each instruction, and waits.
//
// What comes through the port has bypassed the caches: each is one access on the bus, and the core waits for
// it. With an L1 for instructions, a fill of a line that is fetched comes before its instructions; lines are
// fetched from it whatever SCTLR_EL1.I says.
//
// A miss asks memory for its line, then for those to prefetch, and then posts its write-backs, all at the
// same time. What is in flight keeps nothing waiting but, if one of both is a write-back, a later access to
// the same line. An error or poison in the answer to a fill or a write-back raises SError when it comes; an
// answer to a prefetch does not.
//
// Before a write-back or an uncached store goes on the bus, it is asked for and reported
// (tlm/memory_writes.h); until it is allowed, the line belongs to dirty(), and flushes leave it. Memory holds
// up to 64 such lines that were evicted (abeyratne2017 Table 5.1: its write queue) while their cores go on;
// beyond that, or with maintenance or an uncached store, the core waits. Lines that others write are dropped.
// Maintenance loses no store: dirty lines that it invalidates are written back, as if they had been evicted
// just before.
//
// Time: the wait for other caches than the L1 (CacheHierarchy::Traffic), and then the time that memory takes,
// which is asked behind the instruction. What the core does meanwhile is its own (misses_in_flight.h).
//
// reset: every kind empties the caches, and discards what was to be written back.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <systemc>
#include <vector>

#include "core/cache_hierarchy.h"
#include "core/core_module.h"
#include "core/line_carriers.h"
#include "tlm/initiator_extension.h"
#include "tlm/memory_writes.h"
#include "tlm/timed_path.h"

namespace asterism {

class CoreCaches : public sc_core::sc_module,
                   private CoreCacheAccess,
                   private WriteBackCaches,
                   private WriteObserver {
 public:
  // The port between a core and the interconnect, named as the interconnect names its masters: core0, core1,
  // ...
  struct Port : sc_core::sc_module {
    tlm_utils::simple_target_socket_tagged<CoreCaches> core{"core"};
    tlm_utils::simple_initiator_socket_tagged<CoreCaches> memory{"memory"};
    explicit Port(const sc_core::sc_module_name& name) : sc_module(name) {}
  };
  Port& port(unsigned core) { return *ports_[core]; }

  CoreCaches(const sc_core::sc_module_name& name, const CachesConfig& config, unsigned count);

  // The writes to the memory behind these caches. Before simulation begins.
  void connect(MemoryWrites& writes);

  // Lets a core use these caches. Before simulation begins.
  void serve(CoreModule& core);
  // WriteBackCaches
  std::vector<Address> dirty() override;
  bool is_waiting(Address line) const override { return std::ranges::count(blocked_, line) > 0; }
  void flush(const std::vector<Address>& lines) override;
  bool is_flushing() const override { return !flushed_.empty(); }

  void reset(Reset kind);
  void report(Statistics& statistics) const;

 private:
  // The traffic of an access, with its line.
  struct Pending {
    Address line;
    CacheHierarchy::Traffic traffic;
    bool are_writes_reported = false;
  };
  // CoreCacheAccess
  Answer access(unsigned core, Address line, CacheAccess what, Picoseconds at) override;
  void check(unsigned core, Address line, CacheAccess what, Picoseconds at) override {
    compare(core, line, what, at, {});
  }
  std::optional<Picoseconds> carry_at_once(unsigned core, Picoseconds asked) override {
    return carry_at_once(core, last_.line, *last_.traffic, false, asked);
  }
  void keep_traffic(unsigned core) override { pending_[core].push_back({last_.line, *last_.traffic}); }
  std::optional<Picoseconds> carry_kept_at_once(unsigned core, Picoseconds asked) override;
  std::optional<RefusedLine> carry_traffic(unsigned core, InitiatorExtension& initiator,
                                           sc_core::sc_time& delay) override;
  bool report_writes(unsigned core) override;
  bool wait_for_writes(unsigned core, InitiatorExtension& initiator, sc_core::sc_time& delay) override;
  void carry_later(unsigned core, Miss miss) override;
  void ask_memory(unsigned core, Miss miss, Picoseconds asked) override;
  void wait_for_prefetch(unsigned core, Address line, Miss miss) override;
  bool is_prefetching(unsigned core) const override { return !in_flight_[core].prefetches.empty(); }
  void forget_traffic(unsigned core) override;
  bool maintain(unsigned core, const CacheMaintenance& what, InitiatorExtension& initiator,
                sc_core::sc_time& delay) override;
  void invalidate_fetched(AddressRange range) override;
  CacheCounts counts(unsigned core) const override { return tags_.counts(core); }

  std::vector<std::uint64_t> executed() const;
  // f(tags) for all tags.
  void for_all_tags(auto f);
  void compare(unsigned core, Address line, CacheAccess what, Picoseconds at,
               const CacheHierarchy::Traffic& filtered);
  TimedPath* path_of(unsigned core, Address line) const;
  std::optional<Picoseconds> carry_at_once(unsigned core, Address line,
                                           const CacheHierarchy::Traffic& traffic, bool are_writes_reported,
                                           Picoseconds asked);
  bool report(unsigned core, const CacheHierarchy::Lines& lines);
  bool hold(unsigned core, Address line);
  bool wait_and_report(Address line, unsigned master);
  void carry(unsigned core, const LineCarriers::Access& access);
  void prefetch_ended(unsigned core, Address line, Picoseconds at);
  void b_transport(int core, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(int core, tlm::tlm_generic_payload& payload);
  bool get_direct_mem_ptr(int core, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  void invalidate_direct_mem_ptr(int core, sc_dt::uint64 first, sc_dt::uint64 last);
  bool report_access(unsigned core, tlm::tlm_command command, Address line, InitiatorExtension& initiator,
                     sc_core::sc_time& delay);
  void written(const MemoryWrite& write) override;
  bool wait_until_allowed(Address line, unsigned master, sc_core::sc_time& delay);
  bool write_back(unsigned core, Address line, bool is_reported, InitiatorExtension& initiator,
                  sc_core::sc_time& delay);
  bool post(unsigned core, Address line, InitiatorExtension& initiator, sc_core::sc_time& delay,
            sc_core::sc_time& posted);
  void write_back_flushed();

  tlm_utils::simple_initiator_socket_tagged<CoreCaches>& memory(unsigned core) {
    return ports_[core]->memory;
  }

  std::vector<std::unique_ptr<Port>> ports_;
  CacheHierarchy tags_;
  const std::optional<TlbConfig> tlb_;
  const unsigned prefetch_buffers_;
  std::unique_ptr<CacheHierarchy> unfiltered_;  // CacheModel::checked
  std::vector<CoreModule*> cores_;
  std::vector<std::uint64_t> executed_before_;  // by core: instructions before the last cold reset
  struct {
    Address line;
    const CacheHierarchy::Traffic* traffic = nullptr;
  } last_;                                    // access
  std::vector<std::deque<Pending>> pending_;  // by core: the traffic that is kept
  // By core, of its misses in flight.
  struct InFlight {
    std::unique_ptr<LineCarriers> carriers;
    std::map<MissesInFlight::Id, Pending> later;  // their begin is not known
    std::vector<Address> prefetches;              // whose end is not known
  };
  std::vector<InFlight> in_flight_;
  // Misses of lines that are being prefetched.
  struct WaitsForPrefetch {
    Address line;
    unsigned core;
    MissesInFlight::Id miss;
  };
  std::vector<WaitsForPrefetch> wait_for_prefetch_;
  MemoryWrites* writes_ = nullptr;
  std::vector<Address> blocked_;         // lines that are written back as soon as that is allowed
  std::vector<Picoseconds> maintained_;  // by core: when its maintenance operations have ended
  // By core: ranges of addresses with a path to their memory.
  struct Path {
    AddressRange range;
    TimedPath* path;
  };
  std::vector<std::vector<Path>> paths_;
  std::deque<Address> flushed_;
  sc_core::sc_event more_flushed_;
  InitiatorExtension flusher_;
  std::uint64_t resets_ = 0;
};

}  // namespace asterism
