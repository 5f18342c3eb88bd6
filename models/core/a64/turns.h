// Cores that share memory, and run ahead of their turns in other threads of the host (host_threads.h).
//
// The simulation runs one core after the other, each for a quantum: its turn. While a core waits for its turn, another thread
// may run it already, in place: that is its lead (lead.h). What comes out is what its turn would have come to, byte for byte,
// because nobody sees anything of a lead before the turn, and nothing that the lead has seen changes until then: else the lead
// is taken back. For that, every page of direct memory has a right, which says who may touch it without asking:
//
//   nobody      whoever comes first has it for itself
//   a core      that core loads and stores
//   everybody   all cores load
//   in turn     cores touch it in their turns only
//   by lines    each of its 64-byte lines has a right of its own
//
// TLB entries are served as far as the right of their page goes; those of pages by lines are not. A core in its turn gets what it asks
// for: others lose the right and their TLB entries, and those that have used it in a lead take that back. A lead takes what is nobody's, and
// ends where it would need more. Pages that are passed to and fro go by lines for a while, and such lines in turn; so do pages whose
// lines are touched too often, since that is slow. So no two threads ever touch the same bytes, and host threads never decide what comes
// out, only how soon.
//
// All but rights() and claim_ahead() is for the simulation's thread.
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

#include "base/statistics.h"
#include "base/units.h"
#include "core/a64/memory.h"
#include "core/host_threads.h"

namespace asterism::a64 {

class Cpu;

// Of a page of direct memory, or of a line.
struct Right {
  static constexpr std::uint32_t nobody = 0, in_turn = ~std::uint32_t{0} - 2, by_lines = in_turn + 1,
                                 everybody = by_lines + 1;
  static constexpr std::uint32_t of(unsigned core) { return core + 1; }

  std::atomic<std::uint32_t> owner = nobody;
  std::atomic<Right*> lines = nullptr;  // of a page that is, or was, by lines
  // For the simulation's thread.
  std::uint32_t since = 0, often = 0;  // turns; passed to another core, or claimed by lines
};

// What may touch a page from now on.
enum class Claimed : std::uint8_t {
  refused,     // not this lead
  lasting,     // this core, until the right is taken away
  until_lead,  // this core, until its next lead
  by_lines,    // whoever claims the lines
};

class Turns {
 public:
  explicit Turns(HostThreads& threads) : threads_(threads) {}

  // Cores join and leave before and after all simulation; their numbers are those of the node.
  void join(Cpu& cpu);
  void leave(Cpu& cpu);
  HostThreads& threads() { return threads_; }
  // Each thread has a group of cores, whose memory its processor keeps at hand; that of the simulation, 0, the first of them.
  unsigned thread_of(unsigned core) const {
    return static_cast<unsigned>(std::uint64_t{core} * threads_.count() / cpus_.size());
  }

  // The rights of the 512 pages from a multiple of 2 MiB on; valid for the life of this object. From any thread.
  Right* rights(std::uint64_t physical);

  // A core in its lead touches a page, or a line of one that is by lines. From the thread that runs the lead.
  static Claimed claim_ahead(Right& right, unsigned core, bool to_store);
  // A core in its turn does; which is not refused. `physical`: of the page, or line.
  Claimed claim(Right& page, std::uint64_t physical, unsigned core, bool to_store);
  void claim_line(Right& line, std::uint64_t physical, unsigned core, bool to_store);

  // Somebody who is no core is about to touch memory: no lead is under way, and none has seen or changed these bytes.
  void give_way(AddressRange range, bool to_store);
  // A core's turn comes, of so many instructions.
  void count_turn(std::uint64_t instructions) {
    ++turns_;
    length_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(instructions, longest));
  }
  // No lead of this core is under way.
  void settle(unsigned core);
  // A lead has been offered, or has been taken up or back.
  void count_outstanding(int more) { outstanding_ += more; }
  // A lead of this core is done, and waits for its turn.
  bool is_done(unsigned core) const;
  // All leads are taken back.
  void take_all_back();

  // Instructions that were executed ahead, in how many leads; leads that were taken back.
  void report(Statistics& statistics) const;

  struct Count {
    std::uint64_t leads = 0, taken_back = 0, instructions = 0;
  } count;

 private:
  static constexpr std::uint64_t chunk_pages = 512;
  using Chunk = std::array<Right, chunk_pages>;

  bool is_passed_too_often(Right& right) const;
  template <class Take>
  void pass_on(Right& right, unsigned core, bool to_store, Take take);
  void divide(Right& page, std::uint64_t physical);
  void take_page(Cpu& cpu, std::uint64_t physical, bool stores_only);
  void take_line(Cpu& cpu, std::uint64_t physical, bool stores_only);
  void take_page_from_all(std::uint64_t physical);
  template <class F>
  void for_others(unsigned core, F f);

  HostThreads& threads_;
  std::vector<Cpu*> cpus_;
  std::mutex mutex_;  // of chunks_
  std::unordered_map<std::uint64_t, std::unique_ptr<Chunk>> chunks_;
  std::deque<std::array<Right, Memory::page_size / Memory::line>> divided_;  // Right::lines
  static constexpr std::uint32_t longest = 1'000'000;
  int outstanding_ = 0;
  std::uint32_t turns_ = 0, length_ = 0;  // how many, and instructions of the last
};

}  // namespace asterism::a64
