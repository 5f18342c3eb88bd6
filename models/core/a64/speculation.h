// Optimistic parallel simulation of cores, for `asterism run --threads N`: while a core waits for its next
// quantum, another thread of the host executes that quantum speculatively. Threads change how long a run
// takes, and no byte of its results.
//
// What is speculated. The simulation's thread runs one core after the other, each for a quantum of simulated
// time; what a core executes there is non-speculative. When a core has used up its quantum and waits, it
// offers the instructions of the next one (Iss::allow_speculation()). A worker thread (host_threads.h) may
// execute them in the meantime, on the core itself and in place: registers, TLB, decoded blocks and guest
// memory. There is one speculation per core at a time.
//
// What is owned. Speculative code accesses a page or line of guest memory only as far as its core owns it, in
// an MSI protocol whose directory is page_ownership.h. Two threads therefore never access the same bytes
// while one of them stores.
//
// When it ends. A speculation ends at the offered count of instructions, or before the first instruction that
// it must not execute: one that calls the host (devices, timers, WFI, breakpoints), takes an exception, is an
// exclusive, or accesses memory that the core does not own and cannot claim (SpeculationEnds).
//
// When it commits. The core's quantum begins (Iss::commit_speculation()). What was executed is kept, and the
// simulation's thread goes on behind it. If no worker has begun, or the speculation has ended early, it
// executes the rest itself.
//
// When it rolls back. It does so if one of these happens before the commit:
//   - another core claims, non-speculatively, a page or line that this one has accessed (PageOwnership),
//   - a device, loader or debugger accesses such memory (SpeculativeCores::before_external_access()),
//   - the core's Iss is called, or a store of another core breaks its exclusive monitor.
// The state saved when it began is restored: registers as a copy, memory and TLB from what was saved before
// each first store or replacement. The quantum is then executed non-speculatively.
//
// Why results are identical. Nothing outside the core sees an effect of a speculation before it commits, and
// nothing that a speculation has read changes before it commits, because either one rolls it back first. A
// committed speculation is thus what the simulation's thread would have computed. Whether a worker is early
// or late decides only how much is left to do.
//
// Compared with Time Warp: effects stay within the core until the commit, so that there are no anti-messages
// and no cascades of rollbacks. A speculation is at most a quantum long and commits in the order of the
// simulation's thread, so that no global virtual time is computed.
//
// Threads. A worker calls Speculation::run() alone, and within it PageOwnership::claim_speculatively() and
// find_pages(). All else belongs to the simulation's thread, which calls quiesce() before it looks at a core
// that may be speculating.
#pragma once

#include <cstdint>

#include "core/a64/state.h"
#include "core/host_threads.h"

namespace asterism::a64 {

class Cpu;
class SpeculativeCores;

// Thrown by an instruction that must not be executed speculatively, before it has changed anything.
struct SpeculationEnds {};

// The speculative execution of one core.
class Speculation final : public HostThreads::Task {
 public:
  Speculation(Cpu& cpu, SpeculativeCores& cores) : cpu_(cpu), cores_(cores) {}

  // Offers execution up to a count of instructions, while run() waits in IssHost::due(). Offers nothing if
  // the core has an interrupt, a step or the like to handle, if it belongs to the simulation's own thread, or
  // while its speculations have been of little use.
  void offer(std::uint64_t until);
  // The quantum begins: what was executed is kept.
  void commit();
  // Restores the state at the offer.
  void roll_back();
  // Waits until no worker executes it, and withdraws an offer that none has begun. It can still be committed
  // or rolled back.
  void quiesce();

  // Offered, and neither committed nor rolled back.
  bool is_outstanding() const { return is_outstanding_; }
  bool has_executed() const { return is_outstanding_ && (has_executed_ || Task::is_done()); }
  // The core's count of instructions at the offer, which the outside sees while a speculation is outstanding.
  std::uint64_t committed_instructions() const { return began_; }

 private:
  void run() override;
  // Ends the offer. True: a worker has executed it.
  bool finish();
  void throttle(bool was_useful);

  Cpu& cpu_;
  SpeculativeCores& cores_;
  bool is_outstanding_ = false, is_quiescent_ = false, has_executed_ = false;
  std::uint64_t began_ = 0, until_ = 0;        // counts of instructions
  unsigned backoff_ = 0, offers_to_skip_ = 0;  // throttle()
  // Saved when a worker begins.
  State state_;
  std::int64_t left_ = 0;
  std::uint64_t attend_at_ = 0;
};

}  // namespace asterism::a64
