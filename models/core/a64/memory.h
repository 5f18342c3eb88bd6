// What the addresses of a core lead to: stage-1 translation (4K, 16K and 64K granules), a software TLB, and the direct
// memory that the host has mapped, with a dirty bit for every 64-byte line of it.
//
// The fast path of a load or a store is one comparison: readable() and writable() answer for accesses inside a page that is
// direct, translated and permitted. All else is the slow path, Cpu::load() and Cpu::store(): pages without a translation in
// the TLB, devices, memory whose accesses are shown, stores to pages that code was decoded from, accesses that cross a page.
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
#include "core/iss.h"

namespace asterism::a64 {

enum class Access : std::uint8_t { load, store, fetch };

// Why an access cannot be made: what ESR and FAR say of it. `status` is the fault status code (DFSC, IFSC).
struct Fault {
  std::uint64_t address = 0;
  std::uint8_t status = 0;
};
namespace fault_status {  // add the level (0 to 3) to those that have one
inline constexpr std::uint8_t address_size = 0x00, translation = 0x04, access_flag = 0x08, permission = 0x0c;
inline constexpr std::uint8_t external_abort = 0x10, external_abort_on_walk = 0x14, alignment = 0x21;
}  // namespace fault_status

// Of a 4 KiB page of direct memory; bit i stands for its 64-byte line i.
struct PageInfo {
  std::uint64_t dirty = 0;  // stored to since the last collect_writes()
  std::uint64_t code = 0;   // decoded blocks come from it
};

struct TlbEntry {
  static constexpr std::uint64_t none = 1;          // no page has this address
  std::uint64_t read_tag = none, write_tag = none;  // virtual page that the fast path serves
  std::uintptr_t addend = 0;                        // from a virtual address to the host's
  PageInfo* info = nullptr;
  // For the slow path, which finds here what a walk has found.
  std::uint64_t page = none;     // virtual
  std::uint64_t physical = 0;    // page
  std::uint8_t permissions = 0;  // of this entry's exception level: bit 0 load, 1 store, 2 fetch
  std::uint8_t level = 0;        // of the walk at which the descriptor was found
};

class Memory {
 public:
  static constexpr std::uint64_t page_size = 4096, page_mask = ~(page_size - 1);
  static constexpr unsigned tlb_entries = 256;

  Memory(const State& state, IssHost& host) : state_(state), host_(host) {}

  // Where an access inside a page is; nullptr when it takes the slow path. writable() marks the lines dirty.
  template <unsigned size>
  const std::uint8_t* readable(std::uint64_t address) const {
    const TlbEntry& entry = (*tlb_)[address / page_size % tlb_entries];
    if (((address + (size - 1)) & page_mask) != entry.read_tag) [[unlikely]]
      return nullptr;
    return reinterpret_cast<const std::uint8_t*>(address + entry.addend);
  }
  template <unsigned size>
  std::uint8_t* writable(std::uint64_t address) {
    const TlbEntry& entry = (*tlb_)[address / page_size % tlb_entries];
    if (((address + (size - 1)) & page_mask) != entry.write_tag) [[unlikely]]
      return nullptr;
    std::uint64_t lines = std::uint64_t{1} << (address / 64 % 64);
    if constexpr (size > 1) lines |= std::uint64_t{1} << ((address + (size - 1)) / 64 % 64);
    entry.info->dirty |= lines;
    return reinterpret_cast<std::uint8_t*>(address + entry.addend);
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

  // Tells the observer every page of the range with lines that were stored to since the last call, and forgets them.
  void collect_writes(AddressRange range, WriteObserver& observer);

  // ---- translation ----

  struct Translation {
    std::uint64_t physical = 0;
    std::uint8_t level = 0;  // of the walk
  };
  // Of one byte, for an exception level; fills the TLB. A fault when the access is not permitted.
  struct Result {
    Translation translation;
    std::optional<Fault> fault;
  };
  Result translate(std::uint64_t address, Access access, unsigned exception_level);
  // As the AT instructions do: the value for PAR_EL1.
  std::uint64_t probe(std::uint64_t address, Access access, unsigned exception_level);

  // The registers of the translation have changed, or a TLB maintenance instruction was executed.
  void flush();
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
  };

  const Grant* grant_at(std::uint64_t physical) const;
  PageInfo& info(std::uint64_t physical);
  void fill(TlbEntry& entry, std::uint64_t address);

  const State& state_;
  IssHost& host_;
  std::array<Tlb, 2> tlbs_{};
  Tlb* tlb_ = &tlbs_[1];
  std::vector<Grant> grants_;  // whole pages, disjoint
  std::map<std::uint64_t, std::unique_ptr<Chunk>>
      chunks_;  // by physical address / chunk_size, made on first use
};

}  // namespace asterism::a64
