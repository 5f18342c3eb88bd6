// What the addresses of a core lead to: stage-1 translation (translation_table_walk.h) behind a software TLB, and the
// direct memory that the host has mapped, with a dirty bit for every 64-byte line of it.
//
// The fast path of a load or a store is one comparison: readable() and writable() answer for accesses inside a page that is
// direct, translated and permitted. All else is the slow path, Cpu::load() and Cpu::store(): pages without a translation in
// the TLB, devices, memory whose accesses are shown, stores to pages that code was decoded from, the first store to a page
// in an interval, accesses that cross a page, and all of them while SCTLR_EL1.A asks for alignment.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/units.h"
#include "base/write_observer.h"
#include "core/a64/state.h"
#include "core/a64/translation_table_walk.h"
#include "core/debug_port.h"
#include "core/iss.h"

namespace asterism::a64 {

enum class Claim : std::uint8_t;  // turns.h
struct Ownership;
class SpeculativeCores;

// What a store writes to its line's byte: that the line is dirty, until collect_writes(), and a mark for ExclusiveMonitors.
inline constexpr std::uint8_t is_dirty = 1, is_marked = 2, stored = is_dirty | is_marked;

// Of a 4 KiB page of direct memory.
struct PageInfo {
  std::uint8_t* dirty = nullptr;  // a byte for each 64-byte line: stored
  std::uint64_t code = 0;         // bit i: decoded blocks come from line i
  bool is_listed = false;         // may have been stored to since the last collect_writes()
  bool is_queued = false;         // among listed_, perhaps as one that was collected since
  bool is_admitted = false;       // on the page's list of ExclusiveMonitors
  bool is_scattered = false;      // more than one TLB entry may admit stores: since it was admitted,
  std::uint16_t place = 0;        // else the one that may: its slot, of level 1 behind those of level 0

  // With other threads (turns.h).
  bool is_accessed = false;       // past the TLB, or by more than one entry, since the right was lost
  std::uint16_t accessed_by = 0;  // else the one entry that may have, as `place`, from 1 on; 0: none
  std::uint32_t saved_in = 0;     // number of the lead that has kept the page's contents
  Ownership* ownership = nullptr;
};

// What the fast path looks at: whether an access lies in the page, and where that is.
struct alignas(32) TlbEntry {
  std::uint64_t read_page = 0, write_page = 0;  // virtual; Memory::nowhere() when it does not serve them
  std::uint8_t* host = nullptr;                 // of the page
  std::uint8_t* dirty = nullptr;                // PageInfo::dirty
};

// What a walk has found, for the slow path.
struct TlbPage {
  static constexpr std::uint64_t none = 1;  // no page has this address
  std::uint64_t page = none;                // virtual
  std::uint64_t physical = 0;               // page
  PageInfo* info = nullptr;                 // when the fast path may serve it
  Permissions permissions;                  // at this TLB's exception level
  std::uint8_t level = 0;                   // of the walk at which the descriptor was found
  std::uint8_t span = 12;                   // the descriptor maps 2^span bytes
  bool is_direct = false;
  bool is_read_only = false;  // direct for loads and fetches
  bool is_cached = false;     // its memory type, SCTLR_EL1.M and C let data caches hold it
};

class ExclusiveMonitors;

class Memory final : private TableMemory {
 public:
  static constexpr std::uint64_t page_size = 4096, page_mask = ~(page_size - 1), line = 64;
  static constexpr unsigned tlb_entries = 512;

  Memory(const State& state, IssHost& host) : state_(state), host_(host) { use_level(1); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // The TLB's entry for an address. Pages a power of two apart, as arrays often are, do not meet; nor do those where an
  // allocator has put a few pages between.
  static constexpr std::size_t slot_of(std::uint64_t address) {
    return (address / page_size + 5 * (address / (page_size * tlb_entries))) % tlb_entries;
  }

  // Where an access inside a page is; nullptr when it takes the slow path. writable() marks the lines dirty.
  template <unsigned size>
  const std::uint8_t* readable(std::uint64_t address) const {
    const TlbEntry& entry = entries_[slot_of(address)];
    const std::uint64_t offset = address - entry.read_page;
    if (offset > page_size - size) [[unlikely]]
      return nullptr;
    return never_null(entry.host + offset);
  }
  template <unsigned size>
  std::uint8_t* writable(std::uint64_t address) {
    const TlbEntry& entry = entries_[slot_of(address)];
    const std::uint64_t offset = address - entry.write_page;
    if (offset > page_size - size) [[unlikely]]
      return nullptr;
    std::uint8_t* const dirty = entry.dirty;
    std::uint8_t* const host = entry.host;
    dirty[offset / line] = stored;
    if constexpr (size > 1) dirty[(offset + size - 1) / line] = stored;
    return never_null(host + offset);
  }

  // ---- direct memory (Iss::map_direct and its kin) ----

  void map(AddressRange range, std::uint8_t* host, bool is_shown);
  // Stores there are not direct: translate() says so.
  void map_read_only(AddressRange range, const std::uint8_t* host, bool is_shown);
  void unmap(AddressRange range);
  struct Direct {
    std::uint8_t* host;  // of the address asked for; the rest of its page follows
    PageInfo* info;
    bool is_shown, is_read_only;
  };
  // The direct memory at a physical address, which the host is asked to map when there is none yet.
  std::optional<Direct> direct(std::uint64_t physical);

  // Blocks were decoded from these lines: stores to their page take the slow path from now on, until cleared.
  void set_code_lines(std::uint64_t physical_page, std::uint64_t lines);

  // Bytes inside a page of direct memory were stored past writable(). True: code stands in these lines.
  bool mark_written(PageInfo& info, std::uint64_t physical, unsigned size);
  // Tells the observer every page of the range with lines that were stored to since the last call, in ascending order,
  // and forgets them.
  void collect_writes(AddressRange range, WriteObserver& observer);
  // Pages that this core stores to are told from now on, when they are not on the list.
  void tell_stores_to(ExclusiveMonitors* monitors) { monitors_ = monitors; }
  // ExclusiveMonitors has taken the page off its list: the next store there takes the slow path, and is told. Returns the
  // lines with this core's marks, which are taken away.
  std::uint64_t refuse_stores(PageInfo& info);
  // The host is asked before a page in the range is listed.
  void guard(AddressRange range) { guarded_ = range; }
  // How often the host was asked, which may have taken time.
  std::uint64_t asked() const { return asked_; }
  // Direct memory that is about to be stored to: as direct(), when the host was asked where it has to be.
  std::optional<Direct> admitted(std::uint64_t physical);

  // ---- with cores in other threads (turns.h) ----

  // From before any memory is mapped.
  void join(SpeculativeCores& cores, unsigned core) { speculative_cores_ = &cores, core_ = core; }
  // Bytes inside a page of direct memory are about to be touched past the TLB. False: not in this lead.
  bool claim(PageInfo& info, std::uint64_t physical, std::uint64_t size, Access access,
             bool is_shown = false);
  // This core's lead begins, or ends.
  void begin_speculation();
  void end_speculation() { is_speculating_ = false; }
  // Bytes, marks and TLB are again as they were when it began.
  void roll_back();
  // Whether this core may have loaded or stored in a page, or stored in its last lead, since it lost the right to it.
  bool has_accessed(std::uint64_t physical);
  bool has_stored_speculatively(std::uint64_t physical);
  // Whether its last lead has touched a line, or stored there, of a page that goes by lines.
  bool has_accessed_line(std::uint64_t physical, bool stores_only) const {
    return has_accessed_lines(physical, line, stores_only);
  }
  // The fast path no longer serves accesses to the page, or stores alone.
  void revoke(std::uint64_t physical, bool stores_only);

  // ---- watchpoints and what is shown ----

  // Accesses to the pages of a watchpoint, which are virtual addresses, take the slow path.
  void set_watchpoints(std::vector<Watchpoint> watchpoints);
  bool is_watching() const { return !watchpoints_.empty() || !own_watched_.empty(); }
  // The same for bytes that the guest's watchpoints watch; which of them an access meets,
  // Cpu::take_watchpoint says.
  void watch_for_the_guest(std::vector<AddressRange> ranges);
  bool is_watched_for_the_guest() const { return !own_watched_.empty(); }
  // The first byte of an access that is watched.
  std::optional<std::uint64_t> watched(std::uint64_t address, unsigned size, bool is_store) const;

  // Accesses to shown memory wait here until their instruction has ended, or until one goes to the host.
  void show(const ShownAccess& access) { shown_.push_back(access); }
  bool has_shown() const { return !shown_.empty(); }
  void tell_shown();
  void forget_shown() { shown_.clear(); }

  // ---- translation ----

  struct Translation {
    std::uint64_t physical = 0;
    std::uint8_t level = 0;  // of the walk
    bool is_direct = false;  // else the host was asked for it already
    bool is_cached = false;  // data caches may hold it
  };
  // Of one byte, for an exception level; fills the TLB. A fault when the access is not permitted. May call the host.
  struct Result {
    Translation translation;
    std::optional<Fault> fault;
  };
  Result translate(std::uint64_t address, Access access, unsigned exception_level);
  // As the AT instructions do: the value for PAR_EL1.
  std::uint64_t probe(std::uint64_t address, Access access, unsigned exception_level);

  // Where an address leads, whatever the permissions; nothing is changed and nothing takes time, so that tables on a device are
  // not found.
  std::optional<std::uint64_t> physical(std::uint64_t address);

  // The registers of the translation have changed, or a TLB maintenance instruction was executed.
  void flush();
  // Of all that the block or page at an address maps; bits above 55 do not count.
  void flush_page(std::uint64_t address);
  // The exception level has changed: each level has a TLB of its own.
  void use_level(unsigned exception_level) { entries_ = tlb(exception_level).entries.data(); }
  static const std::size_t tlb_bytes;  // of a level; there is none before the level is used

 private:
  struct Tlb {
    Tlb() { flush(); }
    void flush();
    std::array<TlbEntry, tlb_entries> entries;
    std::array<TlbPage, tlb_entries> pages;  // beside them
    bool is_empty = false;
  };
  // A page that no address of an entry lies in.
  static constexpr std::uint64_t nowhere(std::size_t slot) { return slot == 0 ? page_size : 0; }

  static constexpr std::uint64_t chunk_size = 2 << 20;
  struct Chunk {
    std::array<PageInfo, chunk_size / page_size> pages;
    std::array<std::uint8_t, chunk_size / line> dirty{};
  };
  struct Listed {
    std::uint64_t page;
    PageInfo* info;
  };
  struct Grant {
    std::uint64_t first = 0, last = 0;
    std::uint8_t* host = nullptr;
    bool is_shown = false, is_read_only = false;
    bool operator==(const Grant&) const = default;
  };

  static std::uint8_t* never_null(std::uint8_t* pointer) {
    if (!pointer) __builtin_unreachable();
    return pointer;
  }

  bool is_watched_page(std::uint64_t address) const;
  void map(AddressRange range, Grant grant);
  const Grant* grant_at(std::uint64_t physical) const;
  PageInfo& info(std::uint64_t physical);
  Chunk& chunk(std::uint64_t number);
  void list(PageInfo& info, std::uint64_t physical);
  bool has_to_ask(std::uint64_t physical) {
    return guarded_.contains(Address(physical)) && !info(physical).is_listed;
  }
  void ask(std::uint64_t physical);
  std::vector<Listed> take_listed(AddressRange range);

  std::optional<std::uint64_t> descriptor(std::uint64_t physical) override;
  std::optional<Fault> fill(std::uint64_t address, unsigned exception_level);
  // False: not in this lead.
  bool admit_loads(std::size_t slot, unsigned exception_level);
  bool admit_stores(std::size_t slot, unsigned exception_level);
  Claim claim_page(const PageInfo& info, std::uint64_t physical, bool is_store);
  bool claim_lines(PageInfo& info, std::uint64_t physical, std::uint64_t size, bool is_store);
  bool may_store_speculatively(const PageInfo& info) const;
  void save_page(PageInfo& info, std::uint64_t physical);
  void save_line(PageInfo& info, std::uint64_t physical);
  PageInfo* existing_info(std::uint64_t physical);
  bool has_accessed_lines(std::uint64_t first, std::uint64_t bytes, bool stores_only) const;
  void revoke_entry(std::uint16_t place, bool stores_only);
  Tlb& tlb(unsigned exception_level) {
    auto& tlb = tlbs_[exception_level];
    if (!tlb) [[unlikely]]
      tlb = std::make_unique<Tlb>();
    return *tlb;
  }
  template <class F>
  void for_entries(F f);  // (Tlb&, slot), of all that hold a page

  const State& state_;
  IssHost& host_;
  ExclusiveMonitors* monitors_ = nullptr;
  std::array<std::unique_ptr<Tlb>, 2> tlbs_;
  TlbEntry* entries_ = nullptr;  // of the level in use
  std::uint64_t flushes_ = 0;
  bool is_scattered_ = false;  // what flush_page() drops may stand in other entries than that of its address
  std::vector<Grant> grants_;  // whole pages, disjoint, ascending
  std::map<std::uint64_t, std::unique_ptr<Chunk>>
      chunks_;  // by physical address / chunk_size, made on first use
  struct {
    std::uint64_t number = 0;
    Chunk* chunk = nullptr;
  } last_chunk_;                // that was asked for
  std::vector<Listed> listed_;  // with all pages that may have been stored to
  AddressRange guarded_{Address(0), Bytes(0)};
  std::uint64_t asked_ = 0;
  std::vector<ShownAccess> shown_;
  std::vector<Watchpoint> watchpoints_;
  std::vector<AddressRange> own_watched_;

  // With other threads.
  struct SavedPage {
    PageInfo* info;
    std::uint8_t* host;
    std::array<std::uint8_t, page_size> bytes;
    std::array<std::uint8_t, page_size / line> dirty;
  };
  struct AccessedLine {
    std::uint64_t number;      // physical address / line
    PageInfo* info = nullptr;  // that was stored to; else it was loaded from
    std::uint8_t* host = nullptr;
    std::array<std::uint8_t, line> bytes{};  // before
    std::uint8_t dirty = 0;
  };
  struct ReplacedEntry {
    std::uint16_t place;
    TlbEntry entry;
    TlbPage page;
  };
  SpeculativeCores* speculative_cores_ = nullptr;
  unsigned core_ = 0;
  bool is_speculating_ = false;
  std::uint32_t speculation_ = 0;                        // its number
  std::vector<std::uint16_t> store_places_;              // places whose entries may serve stores
  std::vector<std::uint16_t> non_speculative_places_;    // places that are served until the next lead
  std::vector<std::unique_ptr<SavedPage>> saved_pages_;  // the first saved_count_ are in use
  std::size_t saved_count_ = 0;
  std::vector<AccessedLine> accessed_lines_;  // of pages that go by lines
  std::vector<ReplacedEntry> replaced_entries_;
};

}  // namespace asterism::a64
