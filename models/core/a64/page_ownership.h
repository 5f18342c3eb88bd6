// Ownership of guest memory among cores that execute in several host threads (speculation.h): which core may
// access a page, or a 64-byte line, without asking. A directory-based MSI protocol over pages of 4 KiB:
//
//   state            in MSI     may access without asking
//   unowned          Invalid    no core; the first one that claims it becomes its exclusive owner
//   exclusive        Modified   one core loads and stores
//   shared           Shared     all cores load
//   non_speculative  -          all cores load and store, non-speculatively only
//   line_granular    -          no core; each line of the page has one of the four states above
//
// A core claims a page at its first access through a TLB entry, which then permits accesses as far as the
// state does. There are no TLB entries for accesses to line-granular pages: each access claims its lines.
//
// A speculative claim succeeds if the state permits the access, or if the page is unowned. Otherwise it is
// denied, and the speculation ends.
//
// A non-speculative claim always succeeds. It takes permission away from other cores: their TLB entries are
// revoked, and speculations that depend on it are rolled back (those that have accessed the page, or only
// those that have stored to it if the owner keeps permission to load). The new state is `exclusive` for a
// store. For a load, it is `shared`.
//
// Contention. A page that has been transferred 4 times within 64 quanta becomes line-granular for 16384
// quanta: its cores probably use different lines. Such a line becomes non-speculative for 1024 quanta when it
// is transferred as often. So does a line-granular page with more claims than one per 200 instructions,
// because each of them takes the slow path of a memory access. Afterwards the next core that claims it
// becomes its exclusive owner.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "core/a64/memory.h"

namespace asterism::a64 {

class Cpu;

// The ownership of a page of direct memory, or of a line.
struct Ownership {
  static constexpr std::uint32_t unowned = 0, non_speculative = ~std::uint32_t{0} - 2,
                                 line_granular = non_speculative + 1, shared = line_granular + 1;
  static constexpr std::uint32_t exclusive_to(unsigned core) { return core + 1; }

  std::atomic<std::uint32_t> state = unowned;
  std::atomic<Ownership*> lines = nullptr;  // of a page that is or has been line-granular
  // For the simulation's thread: the number of the quantum at which contention began to be counted, or the
  // state began; and how often since then it was transferred, or lines of it were claimed.
  std::uint32_t since = 0, events = 0;
};

// The answer to a claim.
enum class Claim : std::uint8_t {
  denied,                  // the speculation has to end before this access
  granted,                 // until permission is revoked
  until_next_speculation,  // granted until then
  line_granular,           // the lines are to be claimed instead
};

class PageOwnership {
 public:
  // `cpus`: by number, with nullptr for those that do not exist.
  explicit PageOwnership(const std::vector<Cpu*>& cpus) : cpus_(cpus) {}

  // The 512 pages from a multiple of 2 MiB on; valid as long as this object. For any thread.
  Ownership* find_pages(std::uint64_t physical);

  // A speculation accesses a page, or a line of a line-granular page. For the thread that executes it.
  static Claim claim_speculatively(Ownership& ownership, unsigned core, bool is_store);

  // The same, non-speculatively; never denied. `physical`: the address of the page, or line. For the
  // simulation's thread, as is all that follows.
  Claim claim(Ownership& page, std::uint64_t physical, unsigned core, bool is_store);
  void claim_line(Ownership& line, std::uint64_t physical, unsigned core, bool is_store);

  // A core begins to wait for a quantum of so many instructions. Contention is counted per quantum.
  void count_quantum(std::uint64_t instructions) {
    ++quanta_;
    length_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(instructions, max_length));
  }

 private:
  static constexpr std::uint64_t chunk_pages = 512;
  using Chunk = std::array<Ownership, chunk_pages>;

  bool count_transfer(Ownership& ownership) const;
  template <class Revoke>
  void transfer(Ownership& ownership, unsigned core, bool is_store, Revoke revoke);
  void make_line_granular(Ownership& page, std::uint64_t physical);
  void revoke_page(Cpu& cpu, std::uint64_t physical, bool stores_only);
  void revoke_line(Cpu& cpu, std::uint64_t physical, bool stores_only);
  void revoke_page_from_all(std::uint64_t physical);
  template <class F>
  void for_others(unsigned core, F f);

  const std::vector<Cpu*>& cpus_;
  std::mutex mutex_;  // of chunks_
  std::unordered_map<std::uint64_t, std::unique_ptr<Chunk>> chunks_;
  std::deque<std::array<Ownership, Memory::page_size / Memory::line>> lines_;  // Ownership::lines
  static constexpr std::uint32_t max_length = 1'000'000;
  std::uint32_t quanta_ = 0;  // of all cores
  std::uint32_t length_ = 0;  // of the last one, in instructions
};

}  // namespace asterism::a64
