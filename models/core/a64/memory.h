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
#include "core/iss.h"

namespace asterism::a64 {

// Of a 4 KiB page of direct memory; bit i stands for its 64-byte line i.
struct PageInfo {
  std::uint64_t dirty = 0;  // stored to since the last collect_writes()
  std::uint64_t code = 0;   // decoded blocks come from it
  bool is_listed = false;   // among those that collect_writes() looks at
};

// What the fast path compares with.
struct alignas(32) TlbEntry {
  static constexpr std::uint64_t none = 1;          // no page has this address
  std::uint64_t read_tag = none, write_tag = none;  // virtual page that the fast path serves
  std::uintptr_t addend = 0;                        // from a virtual address to the host's
  PageInfo* info = nullptr;
};

// What a walk has found, for the slow path.
struct TlbPage {
  std::uint64_t page = TlbEntry::none;  // virtual
  std::uint64_t physical = 0;           // page
  Permissions permissions;              // of this TLB's exception level
  std::uint8_t level = 0;               // of the walk at which the descriptor was found
  std::uint8_t span = 12;               // the descriptor maps 2^span bytes
  bool is_direct = false;
};

class Memory final : private TableMemory {
 public:
  static constexpr std::uint64_t page_size = 4096, page_mask = ~(page_size - 1);
  static constexpr unsigned tlb_entries = 256;

  Memory(const State& state, IssHost& host) : state_(state), host_(host) {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // Of the TLB's entries: the one that serves an address. Pages a power of two apart, as arrays often are, do not meet.
  static constexpr std::size_t slot_of(std::uint64_t address) {
    return (address / page_size ^ address / (page_size * tlb_entries)) % tlb_entries;
  }

  // Where an access inside a page is; nullptr when it takes the slow path. writable() marks the lines dirty.
  template <unsigned size>
  const std::uint8_t* readable(std::uint64_t address) const {
    const TlbEntry& entry = (*tlb_)[slot_of(address)];
    if (((address + (size - 1)) & page_mask) != entry.read_tag) [[unlikely]]
      return nullptr;
    return never_null(reinterpret_cast<std::uint8_t*>(address + entry.addend));
  }
  template <unsigned size>
  std::uint8_t* writable(std::uint64_t address) {
    const TlbEntry& entry = (*tlb_)[slot_of(address)];
    if (((address + (size - 1)) & page_mask) != entry.write_tag) [[unlikely]]
      return nullptr;
    std::uint64_t lines = std::uint64_t{1} << (address / 64 % 64);
    if constexpr (size > 1) lines |= std::uint64_t{1} << ((address + (size - 1)) / 64 % 64);
    entry.info->dirty |= lines;
    return never_null(reinterpret_cast<std::uint8_t*>(address + entry.addend));
  }

  // ---- direct memory (Iss::map_direct and its kin) ----

  void map(AddressRange range, std::uint8_t* host, bool is_shown);
  void unmap(AddressRange range);
  struct Direct {
    std::uint8_t* host;  // of the address asked for; the rest of its page follows
    PageInfo* info;
    bool is_shown;
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
  };
  // Of one byte, for an exception level; fills the TLB. A fault when the access is not permitted. May call the host.
  struct Result {
    Translation translation;
    std::optional<Fault> fault;
  };
  Result translate(std::uint64_t address, Access access, unsigned exception_level);
  // As the AT instructions do: the value for PAR_EL1.
  std::uint64_t probe(std::uint64_t address, Access access, unsigned exception_level);

  // The registers of the translation have changed, or a TLB maintenance instruction was executed.
  void flush();
  // Of all that the block or page at an address maps; bits above 55 do not count.
  void flush_page(std::uint64_t address);
  // The exception level has changed: each level has a TLB of its own.
  void use_level(unsigned exception_level) { tlb_ = &tlbs_[exception_level]; }

 private:
  using Tlb = std::array<TlbEntry, tlb_entries>;
  static constexpr std::uint64_t chunk_size = 2 << 20;
  using Chunk = std::array<PageInfo, chunk_size / page_size>;
  struct Grant {
    std::uint64_t first, last;
    std::uint8_t* host;
    bool is_shown;
    bool operator==(const Grant&) const = default;
  };

  static std::uint8_t* never_null(std::uint8_t* pointer) {
    if (!pointer) __builtin_unreachable();
    return pointer;
  }

  const Grant* grant_at(std::uint64_t physical) const;
  PageInfo& info(std::uint64_t physical);
  void list(PageInfo& info, std::uint64_t physical);

  std::optional<std::uint64_t> descriptor(std::uint64_t physical) override;
  std::optional<Fault> fill(std::uint64_t address, unsigned exception_level);
  void admit_stores(TlbEntry& entry, const TlbPage& page);

  const State& state_;
  IssHost& host_;
  std::array<Tlb, 2> tlbs_{};
  std::array<std::array<TlbPage, tlb_entries>, 2> pages_{};  // beside the entries of tlbs_
  Tlb* tlb_ = &tlbs_[1];
  std::uint8_t widest_span_ = 12;  // in pages_
  std::vector<Grant> grants_;      // whole pages, disjoint, ascending
  std::map<std::uint64_t, std::unique_ptr<Chunk>>
      chunks_;  // by physical address / chunk_size, made on first use
  struct Listed {
    std::uint64_t page;
    PageInfo* info;
  };
  std::vector<Listed> listed_;  // pages that may have been stored to
  std::vector<ShownAccess> shown_;
};

}  // namespace asterism::a64
