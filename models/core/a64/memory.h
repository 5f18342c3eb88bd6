// The memory of a core: stage-1 translation (translation_table_walk.h) behind a software TLB, and the direct
// memory that the host has mapped, with a dirty flag for each of its 64-byte lines.
//
// The fast path of a load or store is one comparison: readable() and writable() serve aligned accesses inside
// one page that is direct, translated and permitted. Unaligned ones are served by readable_unaligned() and
// writable_unaligned(), where neither SCTLR_EL1.A nor the type of the memory asks for alignment. Everything
// else takes the slow path, Cpu::load() and Cpu::store(): pages without a translation in the TLB, devices,
// monitored memory, stores to pages that code was decoded from or that are read-only by GuestRules, the first
// store to a page in an interval of tracking, and accesses that cross a page boundary.
//
// With data caches (Iss::use_caches()), the slow path begins with the line filter: cached_readable() and
// cached_writable() serve accesses to lines that the cache need not hear of.
#pragma once

#include <array>
#include <bit>
#include <bitset>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_set>
#include <vector>

#include "base/page_lines.h"
#include "base/units.h"
#include "core/a64/decoder.h"
#include "core/a64/state.h"
#include "core/a64/timed_tlb.h"
#include "core/a64/translation_table_walk.h"
#include "core/debug_port.h"
#include "core/iss.h"

namespace asterism::a64 {

enum class Claim : std::uint8_t;  // page_ownership.h
struct Ownership;
class SpeculativeCores;

// The flags in the byte of a line, all set by a store: the line is dirty, until collect_writes(); and a mark
// for ExclusiveMonitors.
inline constexpr std::uint8_t is_dirty = 1, is_marked = 2, stored_to = is_dirty | is_marked;

// A 4 KiB page of direct memory.
struct PageInfo {
  std::uint8_t* dirty = nullptr;  // a byte for each 64-byte line: `stored_to`
  std::uint64_t code = 0;         // bit i: decoded blocks come from line i
  bool is_listed = false;         // may have been stored to since the last collect_writes()
  bool is_queued = false;         // is in listed_, perhaps although it has been collected since
  bool is_writer = false;         // this core is on the page's list of writers in ExclusiveMonitors
  // The TLB entries that have permitted stores to the page since it became a writer: more than one, or this
  // one.
  bool has_many_writing_entries = false;
  std::uint16_t writing_entry = 0;  // its slot, counted over all TLBs

  // With speculation (speculation.h).
  //
  // Whether it was accessed past the TLB, or through more than one entry, since permission was last revoked.
  bool is_accessed = false;
  std::uint16_t accessed_by = 0;  // otherwise the only entry that may have accessed it, its slot + 1; 0: none
  std::uint32_t saved_in = 0;     // number of the last speculation that has saved the page's contents
  Ownership* ownership = nullptr;
};

// What the fast path looks at: whether an access lies in the page, and where the page is in the host's
// memory.
struct alignas(32) TlbEntry {
  std::uint64_t read_page, write_page;  // virtual; Memory::nowhere if not permitted
  // What added to a virtual address is the host's address; and what added to the number of a virtual line is
  // the address of the line's byte in PageInfo::dirty.
  std::uint64_t to_host = 0, to_dirty = 0;

  std::uint8_t* host(std::uint64_t address) const { return at(to_host + address); }
  std::uint8_t* dirty(std::uint64_t line) const { return at(to_dirty + line); }

 private:
  // It is never null.
  static std::uint8_t* at(std::uint64_t address) {
    if (address == 0) __builtin_unreachable();
    return std::bit_cast<std::uint8_t*>(address);
  }
};

// The result of a walk, for the slow path.
struct TlbPage {
  static constexpr std::uint64_t none = 1;  // the address of no page
  std::uint64_t page = none;                // virtual
  std::uint64_t physical = 0;               // page
  PageInfo* info = nullptr;                 // of a page for the fast path, or for the line filter
  Permissions permissions;                  // at this TLB's exception level
  std::uint8_t level = 0;                   // of the table that the descriptor was found in
  std::uint8_t span = 12;                   // the descriptor maps 2^span bytes
  bool asks_for_alignment = false;          // an access that is not aligned faults, or is reported
  bool is_direct : 1 = false;
  bool is_read_only : 1 = false;        // direct for loads and fetches only
  bool is_cached : 1 = false;           // its memory type, SCTLR_EL1.M and C allow data caches to hold it
  bool is_device : 1 = false;           // its memory type, or the MMU is off
  bool is_ruled_read_only : 1 = false;  // a store may violate GuestRules
  bool is_monitored : 1 = false;        // not for the fast path
};
static_assert(sizeof(TlbPage) == 32);

class ExclusiveMonitors;

class Memory final : private TableMemory {
 public:
  static constexpr std::uint64_t page_size = 4096, page_mask = ~(page_size - 1), line = 64;
  static constexpr unsigned tlb_entries = 512;

  // `options` may be constructed later.
  Memory(const State& state, IssHost& host, const Options& options)
      : state_(state), host_(host), options_(options) {
    recent.fill(&nothing_);
    use_level(1);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // The slot of an address in the TLB. Pages that are a power of two apart, as those of arrays often are, do
  // not collide, even if an allocator has put a few pages between them.
  static constexpr std::size_t slot_of(std::uint64_t address) {
    return (address / page_size + 5 * (address / (page_size * tlb_entries))) % tlb_entries;
  }

  // The host address of an access inside a page that is aligned to `element`; nullptr if it takes the slow
  // path. writable() marks the lines dirty.
  template <unsigned size, unsigned element = size>
  const std::uint8_t* readable(std::uint64_t address) const {
    const TlbEntry& entry = entries_[slot_of(address)];
    if (!is_in_page<size, element>(address, entry.read_page)) [[unlikely]]
      return nullptr;
    return entry.host(address);
  }
  template <unsigned size, unsigned element = size>
  std::uint8_t* writable(std::uint64_t address) {
    const TlbEntry& entry = entries_[slot_of(address)];
    if (!is_in_page<size, element>(address, entry.write_page)) [[unlikely]]
      return nullptr;
    std::uint8_t* const host = entry.host(address);
    std::uint8_t *const first = entry.dirty(address / line), *const last =
                                                                 entry.dirty((address + size - 1) / line);
    *first = stored_to;
    if constexpr (size > 1) *last = stored_to;
    return host;
  }
  // The same for an access of any alignment. For slow paths to begin with.
  template <unsigned size>
  const std::uint8_t* readable_unaligned(std::uint64_t address) const {
    return permits_unaligned(address) ? readable<size, 1>(address) : nullptr;
  }
  template <unsigned size>
  std::uint8_t* writable_unaligned(std::uint64_t address) {
    return permits_unaligned(address) ? writable<size, 1>(address) : nullptr;
  }
  // The same for an access inside one line, by the line filter.
  template <unsigned size, unsigned element = size>
  const std::uint8_t* cached_readable(std::uint64_t address) {
    LineFilter::Entry& entry = lines_[address / line & line_mask_];
    std::uint64_t offset = address - entry.load_line;
    if (is_in_line<size, element>(offset)) [[likely]]
      return never_null(hit(entry, entry).host + offset);
    LineFilter::Entry& behind = LineFilter::behind_of(entry, line_mask_);
    offset = address - behind.load_line;
    if (!is_in_line<size, element>(offset)) return nullptr;
    return never_null(hit(entry, behind).host + offset);
  }
  template <unsigned size, unsigned element = size>
  std::uint8_t* cached_writable(std::uint64_t address) {
    LineFilter::Entry& entry = lines_[address / line & line_mask_];
    std::uint64_t offset = address - entry.store_line;
    if (is_in_line<size, element>(offset)) [[likely]]
      return written(hit(entry, entry), offset);
    LineFilter::Entry& behind = LineFilter::behind_of(entry, line_mask_);
    offset = address - behind.store_line;
    if (!is_in_line<size, element>(offset)) return nullptr;
    return written(hit(entry, behind), offset);
  }
  // Of an address whose page is in the TLB; of any other one, the answer has no meaning.
  bool permits_unaligned(std::uint64_t address) const { return !pages_[slot_of(address)].asks_for_alignment; }

  // ---- direct memory (Iss::map_direct(), map_read_only(), unmap_direct()) ----

  void map(AddressRange range, std::uint8_t* host, bool is_monitored);
  // Stores there are not direct (translate()).
  void map_read_only(AddressRange range, const std::uint8_t* host, bool is_monitored);
  void unmap(AddressRange range);
  struct Direct {
    std::uint8_t* host;  // of the address asked for; the rest of its page follows
    PageInfo* info;
    bool is_monitored, is_read_only;
  };
  // The direct memory at a physical address. If there is none, the host is asked to map it.
  std::optional<Direct> direct(std::uint64_t physical);

  // Blocks were decoded from these lines (a bit each). While there are any, stores to the page take the slow
  // path.
  void set_code_lines(std::uint64_t physical_page, std::uint64_t lines);

  // Bytes inside a page of direct memory were stored, not through writable(). True: code was decoded from
  // these lines.
  bool mark_written(PageInfo& info, std::uint64_t physical, unsigned size);
  // Each page of the range with lines that were stored to since the last call, in ascending order. Clears
  // their flags.
  std::vector<PageLines> collect_writes(AddressRange range);
  // From now on, pages are registered with `monitors` before this core stores to them.
  void register_stores_with(ExclusiveMonitors* monitors) { monitors_ = monitors; }
  // ExclusiveMonitors has removed this core from the page's writers: the next store there takes the slow path
  // and registers it again. Returns the lines that have this core's marks, which are cleared.
  std::uint64_t revoke_writer(PageInfo& info);
  // Write protection: the host is asked before the first store to a page of the range in each interval of
  // tracking.
  void ask_before_stores(AddressRange range) { asks_in_ = range; }
  // How often the host was asked, which may have taken time.
  std::uint64_t asked() const { return asked_; }
  // Direct memory that is about to be stored to, after the host was asked if that is required; otherwise as
  // direct().
  std::optional<Direct> direct_for_store(std::uint64_t physical);

  // ---- speculation (speculation.h, page_ownership.h) ----

  // Before any memory is mapped.
  void join(SpeculativeCores& cores, unsigned core) { speculative_cores_ = &cores, core_ = core; }
  // Bytes inside a page of direct memory are about to be accessed, not through the TLB. False: the
  // speculation has to end.
  bool claim(PageInfo& info, std::uint64_t physical, std::uint64_t size, Access access,
             bool is_monitored = false);
  void begin_speculation();
  void end_speculation();
  // Restores memory, its flags and the TLB as they were at begin_speculation().
  void roll_back();
  // The pages that the last speculation may have stored to: what was there before, and what is there now.
  struct PageContents {
    std::array<std::uint8_t, page_size> bytes;
    std::array<std::uint8_t, page_size / line> dirty;
    bool operator==(const PageContents&) const = default;
  };
  struct StoredPage {
    std::uint64_t physical;
    PageContents before, now;
  };
  std::vector<StoredPage> stored_pages() const;
  // With data caches, a speculation of the only core that speculates has a line filter of its own, to which
  // entries are copied when they are used first. Their hits become those of the filter at the end.
  struct UsedLine {
    std::uint64_t hits = 0;
    bool behind_is_last = false, may_be_stored = false;
    std::uint8_t dirty = 0;
    std::array<std::uint8_t, line> bytes{};
    bool operator==(const UsedLine&) const = default;
  };
  struct UsedEntry {
    unsigned level;
    std::uint64_t address;  // of which it is the entry
    std::array<UsedLine, 2> before, now;
  };
  std::vector<UsedEntry> used_entries() const;
  // Whether this core may have accessed a page since its permission was last revoked; and whether it has
  // stored there in the last speculation.
  bool has_accessed(std::uint64_t physical);
  bool has_stored_speculatively(std::uint64_t physical);
  // Whether the last speculation has accessed a line of a line-granular page, or stored to it.
  bool has_accessed_line(std::uint64_t physical, bool stores_only) const {
    return has_accessed_lines(physical, line, stores_only);
  }
  // Revokes the TLB entries of a page, or only their permission to store.
  void revoke(std::uint64_t physical, bool stores_only);

  // ---- rules for the program (GuestRules) ----

  // The range that a store, or the execution of an instruction, violates; nullptr: none. For a page with a
  // violation that was reported there is none any more.
  const AddressRange* violated_by_store(std::uint64_t physical, std::uint64_t size) const;
  const AddressRange* violated_by_execution(std::uint64_t physical) const;
  void store_reported(std::uint64_t physical);
  void execution_reported(std::uint64_t physical) { reported_executions_.insert(physical / page_size); }
  // Memory has new contents, of which nothing was reported.
  void forget_reports();

  // ---- watchpoints and monitored accesses ----

  // Accesses to the pages of a watchpoint take the slow path. Addresses are virtual.
  void set_watchpoints(std::vector<Watchpoint> watchpoints);
  bool is_watching() const { return !watchpoints_.empty() || !own_watched_.empty(); }
  // The same for the bytes of the guest's own watchpoints. Cpu::take_watchpoint() says which one an access
  // hits.
  void watch_for_the_guest(std::vector<AddressRange> ranges);
  bool is_watched_for_the_guest() const { return !own_watched_.empty(); }
  // The first byte of an access that is watched.
  std::optional<std::uint64_t> watched(std::uint64_t address, unsigned size, bool is_store) const;

  // Accesses to monitored memory that do not go through data caches are queued until their instruction has
  // ended, or until another access goes to the host.
  void monitor(const MonitoredAccess& access) { monitored_.push_back(access); }
  bool has_monitored() const { return has_traffic_ || !monitored_.empty(); }
  void report_monitored();
  void discard_monitored() { monitored_.clear(), has_traffic_ = false; }

  // ---- translation ----

  struct Translation {
    std::uint64_t physical = 0;
    std::uint8_t level = 0;  // of the walk
    bool is_direct = false;  // false: the host has been asked for it, and has none
    bool is_cached = false;  // data caches may hold it
    bool is_device = false;
    bool is_ruled_read_only = false;  // a store may violate GuestRules
  };
  struct Result {
    Translation translation;
    std::optional<Fault> fault;
  };
  // Translates the address of one byte for an exception level, and fills the TLB. Returns a fault if the
  // access is not permitted. May call the host.
  Result translate(std::uint64_t address, Access access, unsigned exception_level);
  // What an AT instruction does: returns the value for PAR_EL1.
  std::uint64_t probe(std::uint64_t address, Access access, unsigned exception_level);

  // The physical address, whatever the permissions. Changes nothing and takes no time; translation tables
  // outside direct memory are therefore not found.
  std::optional<std::uint64_t> physical(std::uint64_t address);

  // ---- data caches ----

  // From now on, accesses to monitored memory are made by the host's data caches.
  void use_caches(LineFilter& filter, bool checks, TlbShape tlb);
  bool may_access_lines() const { return filter_ && (!is_speculating_ || own_filter_); }
  bool checks_filter() const { return checks_filter_; }
  bool has_caches() const { return filter_ != nullptr; }
  // The address of the access that IssHost::access_caches() is called for. Its bits 0 to 5 are valid.
  std::uint64_t accessed() const { return accessed_; }
  // Makes an access inside a line of a page in the TLB, and returns where its bytes are; nullptr: another
  // path has to make it.
  std::uint8_t* access_line(std::uint64_t address, bool is_store);
  // The same for bytes in any lines, which the slow path has accessed. The line filter gets none of them.
  void access_caches(std::uint64_t address, std::uint64_t physical, unsigned size, bool is_store);
  // Of direct memory that is monitored.
  LinePermission fetch_line(std::uint64_t physical);
  void check_fetch(std::uint64_t physical) { host_.check_filtered(Address(physical), CacheAccess::fetch); }

  // ---- changes of translation ----

  // Drops all translations: their registers have changed, or a TLB maintenance instruction was executed.
  void flush();
  // A translation table base register has changed. What was translated with other tables is kept, for when
  // they are used again: the kernel and its processes often alternate. Returns the number of the address
  // space, and whether its translations were kept.
  struct Selected {
    unsigned address_space;
    bool is_kept;
  };
  Selected select_address_space();
  // The same for what the modelled TLB holds.
  void flush_timed_tlb();
  // Drops what the block or page descriptor of an address maps. Bits 63 to 56 are ignored.
  void flush_page(std::uint64_t address);
  // An instruction at an address, whose page is in the TLB, was found for links and cached jumps.
  void note_execution(std::uint64_t address);
  // Whether an instruction may have been noted that lies in what the descriptor of an address maps.
  bool may_execute(std::uint64_t address) const;
  void forget_execution();
  // ---- a translator ----

  // The first entry of the line filter in use; and the mask that makes the offset in bytes of an entry from
  // an address.
  LineFilter::Entry* const& lines_in_use() const { return lines_; }
  const std::uint64_t& line_offset_mask() const { return line_offset_mask_; }
  static_assert(sizeof(LineFilter::Entry) == line);
  // The TLB in use; and entries of it that accesses have used last, by a hash of their addresses. What they
  // permit has to be checked at each use.
  const TlbEntry* const& entries_in_use() const { return const_cast<const TlbEntry* const&>(entries_); }
  const TlbPage* const& pages_in_use() const { return const_cast<const TlbPage* const&>(pages_); }
  static constexpr std::size_t recent_entries = 128;
  std::array<const TlbEntry*, recent_entries> recent;

  // The exception level has changed. Each level has its own TLB.
  void use_level(unsigned exception_level) {
    Tlb& in_use = tlb(exception_level);
    if (std::exchange(entries_, in_use.entries.data()) != entries_) recent.fill(&nothing_);
    pages_ = in_use.pages.data();
    level_ = exception_level;
    select_lines();
  }
  static const std::size_t tlb_bytes;  // of one level, allocated when the level is first used
  static constexpr unsigned address_spaces = 8;

 private:
  struct Tlb {
    Tlb() { flush(); }
    void flush();
    std::array<TlbEntry, tlb_entries> entries;
    std::array<TlbPage, tlb_entries> pages;  // by slot, as entries
    // Slots, a bit each, of entries that an invalidation by an address of another slot may have to drop,
    // because they map a part of a larger block, or have a tag.
    std::array<std::uint64_t, tlb_entries / 64> has_aliases{};
    void set_has_aliases(std::size_t slot, bool value) {
      const std::uint64_t bit = std::uint64_t{1} << slot % 64;
      has_aliases[slot / 64] = (has_aliases[slot / 64] & ~bit) | (value ? bit : 0);
    }
    bool is_empty = false;
  };
  // The translations with one pair of tables, by exception level.
  struct AddressSpace {
    std::uint64_t ttbr0 = 0, ttbr1 = 0;
    std::uint64_t selected = 0;  // when: the value of a counter
    std::array<std::unique_ptr<Tlb>, 2> tlbs{};
  };
  // The page of an entry that permits nothing: is_in_page() finds no address there, because this is that of
  // no page.
  static constexpr std::uint64_t nowhere = page_size / 2;

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
    bool is_monitored = false, is_read_only = false;
    bool operator==(const Grant&) const = default;
  };

  // Whether an access is in a page, and aligned. One comparison, of the address of the last element. Only an
  // access that begins in the page before passes as well; but the slot of a page never holds the one before.
  template <unsigned size, unsigned element>
  static constexpr bool is_in_page(std::uint64_t address, std::uint64_t page) {
    static_assert(std::has_single_bit(element) && size % element == 0);
    return ((address + (size - element)) & ~(page_size - element)) == page;
  }
  // Whether an access at this offset from a line's address is in the line, and aligned.
  template <unsigned size, unsigned element>
  static constexpr bool is_in_line(std::uint64_t offset) {
    static_assert(std::has_single_bit(element));
    if constexpr (element == 1) {
      return offset <= line - size;
    } else {
      static_assert(size == element || size == 2 * element);
      return ((offset + (size - element)) & ~(line - element)) == 0;
    }
  }
  // Counts a hit in an entry, or in the one behind it.
  static LineFilter::Entry& hit(LineFilter::Entry& entry, LineFilter::Entry& hit) {
    ++hit.hits;
    entry.behind_is_last = &hit != &entry;
    return hit;
  }
  static std::uint8_t* written(LineFilter::Entry& entry, std::uint64_t offset) {
    *entry.dirty = stored_to;
    return never_null(entry.host + offset);
  }
  static std::uint8_t* never_null(std::uint8_t* pointer) {
    if (!pointer) __builtin_unreachable();
    return pointer;
  }

  bool may_filter_stores(const TlbPage& page, const PageInfo& info) const;
  // A speculation of one of several cores makes no access to monitored memory.
  void select_lines();
  std::array<LineFilter::Entry*, 2> entries_of(LineFilter& filter, const UsedEntry& used) const;
  std::uint8_t* use_line(std::uint64_t address, bool is_store);
  bool is_watched_page(std::uint64_t address) const;
  void map(AddressRange range, Grant grant);
  const Grant* grant_at(std::uint64_t physical) const;
  PageInfo& info(std::uint64_t physical);
  Chunk& chunk(std::uint64_t number);
  void list(PageInfo& info, std::uint64_t physical);
  bool has_to_ask(std::uint64_t physical) {
    return asks_in_.contains(Address(physical)) && !info(physical).is_listed;
  }
  void ask(std::uint64_t physical);
  std::vector<Listed> take_listed(AddressRange range);

  bool asks_for_alignment(const Walk& found) const;
  std::optional<std::uint64_t> descriptor(std::uint64_t physical) override;
  std::optional<Fault> fill(std::uint64_t address, unsigned exception_level);
  // False: the speculation has to end.
  bool permit_loads(std::size_t slot, unsigned exception_level);
  bool permit_stores(std::size_t slot, unsigned exception_level);
  Claim claim_page(const PageInfo& info, std::uint64_t physical, bool is_store);
  bool claim_lines(PageInfo& info, std::uint64_t physical, std::uint64_t size, bool is_store);
  bool may_store_speculatively(const PageInfo& info) const;
  static PageContents contents(const PageInfo& info, const std::uint8_t* host);
  void save_page(PageInfo& info, std::uint64_t physical);
  void save_line(PageInfo& info, std::uint64_t physical);
  PageInfo* existing_info(std::uint64_t physical);
  bool has_accessed_lines(std::uint64_t first, std::uint64_t bytes, bool stores_only) const;
  void revoke_entry(std::uint16_t slot, bool stores_only);
  Tlb& tlb(unsigned exception_level) {
    auto& tlb = space_->tlbs[exception_level];
    if (!tlb) [[unlikely]]
      tlb = std::make_unique<Tlb>();
    return *tlb;
  }
  // Of all TLBs, those of an address space one behind the other.
  std::uint16_t tlb_slot(unsigned exception_level, std::size_t slot) const;
  Tlb& tlb_of(std::uint16_t slot_number) {
    const std::size_t at = slot_number / tlb_entries;
    return *spaces_[at / 2].tlbs[at % 2];
  }
  template <class F>
  void for_tlbs(F f);  // f(Tlb&) for each that is not empty
  template <class F>
  void for_entries(F f);  // f(Tlb&, slot) for each entry that holds a page

  const State& state_;
  IssHost& host_;
  const Options& options_;
  ExclusiveMonitors* monitors_ = nullptr;
  std::array<AddressSpace, address_spaces> spaces_;
  AddressSpace* space_ = spaces_.data();  // in use
  std::uint64_t selections_ = 0;
  TlbEntry* entries_ = nullptr;  // of the level in use
  const TlbEntry nothing_{nowhere, nowhere};
  TlbPage* pages_ = nullptr;
  unsigned level_ = 1;
  LineFilter* filter_ = nullptr;        // of the data caches, if there are any
  bool checks_filter_ = false;          // no access is filtered without check_filtered()
  LineFilter::Entry* lines_ = nullptr;  // of the level in use
  std::uint64_t line_mask_ = 0, line_offset_mask_ = 0;
  bool has_traffic_ = false;
  std::uint64_t accessed_ = 0;
  std::uint16_t asid() const;
  bool walks(std::uint64_t address, const TlbPage& page);
  TimedTlb timed_tlb_;
  std::uint64_t flushes_ = 0;
  // Where instructions were noted: pages, by their number modulo the size; and larger blocks of memory.
  std::bitset<4096> executed_pages_;
  struct MappedBlock {
    std::uint64_t number;  // address / 2^span
    std::uint8_t span;
    bool operator==(const MappedBlock&) const = default;
  };
  std::vector<MappedBlock> executed_blocks_;
  std::vector<Grant> grants_;  // whole pages, disjoint, ascending
  // By physical address / chunk_size, made at the first use.
  std::map<std::uint64_t, std::unique_ptr<Chunk>> chunks_;
  struct {
    std::uint64_t number = 0;
    Chunk* chunk = nullptr;
  } last_chunk_;                // looked up most recently
  std::vector<Listed> listed_;  // includes all pages that may have been stored to
  AddressRange asks_in_{Address(0), Bytes(0)};
  std::uint64_t asked_ = 0;
  std::vector<MonitoredAccess> monitored_;
  std::vector<Watchpoint> watchpoints_;
  std::vector<AddressRange> own_watched_;
  // The numbers of the pages with a violation that was reported.
  std::unordered_set<std::uint64_t> reported_stores_, reported_executions_;

  // With speculation.
  struct SavedPage {
    PageInfo* info;
    std::uint64_t physical;
    std::uint8_t* host;
    PageContents before;
  };
  struct AccessedLine {
    std::uint64_t number;      // physical address / line
    PageInfo* info = nullptr;  // of the page, if the line was stored to; nullptr: only loaded
    std::uint8_t* host = nullptr;
    std::array<std::uint8_t, line> bytes{};  // before the first store
    std::uint8_t dirty = 0;
  };
  struct ReplacedEntry {
    std::uint16_t slot;
    TlbEntry entry;
    TlbPage page;
  };
  SpeculativeCores* speculative_cores_ = nullptr;
  unsigned core_ = 0;
  bool is_speculating_ = false;
  std::uint32_t speculation_ = 0;           // number of the last one
  std::vector<std::uint16_t> store_slots_;  // slots whose entries may permit stores
  std::vector<std::uint16_t>
      non_speculative_slots_;  // slots whose entries are valid until the next speculation
  std::vector<std::unique_ptr<SavedPage>> saved_pages_;  // the first saved_count_ are in use
  std::size_t saved_count_ = 0;
  std::vector<AccessedLine> accessed_lines_;  // of line-granular pages
  std::vector<ReplacedEntry> replaced_entries_;
  std::unique_ptr<LineFilter> own_filter_;
  std::vector<UsedEntry> used_entries_;
};

}  // namespace asterism::a64
