// Which core may access a page of guest memory, or a 64-byte line, without asking, while cores execute in
// several host threads (speculation.h). A directory, with a protocol similar to MSI, over pages of 4 KiB:
//
//   state            in MSI     who may access without asking
//   unowned          Invalid    nobody; the first core that claims it, even for a load, becomes exclusive
//   exclusive        Modified   one core loads and stores
//   shared           Shared     all cores load
//   non_speculative  -          all cores load and store, but not in a speculation
//   line_granular    -          see its lines, each of which has one of the four states above
//
// Memory is modified in place, so a change of state moves no data. Only permissions change.
//
// Claims. A core claims a page at its first access through an entry of its software TLB. The entry then
// permits what the state permits. Pages that are line-granular get no such entries: each access claims its
// lines.
//
// A speculative claim succeeds if the state already permits the access, or if the page is unowned. Otherwise
// it is denied, and the speculation ends.
//
// A non-speculative claim always succeeds. For a store, the new state is `exclusive`. All other cores lose
// their permission, and speculations that may have accessed the page are rolled back. For a load of a page
// that another core owns, the new state is `shared`. The owner loses its permission to store, and its
// speculation is rolled back only if it has stored to the page.
//
// Contention. A transfer is a claim that takes permission from another core. Quanta are counted over all
// cores: with four busy cores, 64 quanta are 16 of each.
//   - At the 4th transfer of a page within 64 quanta, the page becomes line-granular for 16384 quanta,
//     because its cores probably use different lines.
//   - At the 4th transfer of a line within 64 quanta, the line becomes non-speculative for 1024 quanta.
//   - A line-granular page becomes non-speculative for 1024 quanta if it gets more than one non-speculative
//     claim per 200 instructions, beyond a burst of 256, because each such claim takes the slow path.
// When that time is over, the next core that claims the page or line non-speculatively becomes its exclusive
// owner.
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
  // For the simulation thread. `since`: the number of the quantum in which counting, or the present state,
  // began. `events`: since then, the transfers; of a line-granular page, the claims of its lines.
  std::uint32_t since = 0, events = 0;
};

// The answer to a claim.
enum class Claim : std::uint8_t {
  denied,                  // the speculation has to end before this access
  granted,                 // until permission is revoked
  until_next_speculation,  // granted until this core's next speculation begins
  line_granular,           // the lines are to be claimed instead
};

class PageOwnership {
 public:
  // `cpus`: by number, with nullptr for those that do not exist.
  explicit PageOwnership(const std::vector<Cpu*>& cpus) : cpus_(cpus) {}

  // The entries of the 512 pages of the 2 MiB block that contains `physical`. They are valid as long as this
  // object. May be called by any thread.
  Ownership* find_pages(std::uint64_t physical);

  // Claims a page, or a line of a line-granular page, for a speculation. Called by the thread that executes
  // it.
  static Claim claim_speculatively(Ownership& ownership, unsigned core, bool is_store);

  // Claims a page, or a line, non-speculatively; never denied. `physical` is its address. This function and
  // all that follow are for the simulation thread.
  Claim claim(Ownership& page, std::uint64_t physical, unsigned core, bool is_store);
  void claim_line(Ownership& line, std::uint64_t physical, unsigned core, bool is_store);

  // A core is about to wait for a quantum of this many instructions. Contention is measured in quanta.
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
  std::uint32_t quanta_ = 0;  // begun, of all cores
  std::uint32_t length_ = 0;  // of the last one, in instructions
};

}  // namespace asterism::a64
