// Optimistic parallel simulation of cores, for `asterism run --threads N`: while a core waits for its next
// quantum, another thread of the host machine executes that quantum speculatively. The number of threads
// changes how long a run takes and what host.json says about it. It changes no other result.
//
// Threads. The simulation thread runs SystemC. It executes one core after the other, each for a quantum of
// simulated time, and always non-speculatively. The N - 1 worker threads (host_threads.h) execute only
// speculations. Each core belongs to one of the N threads (SpeculativeCores::thread_of()); the cores of the
// simulation thread never speculate.
//
// Offer. When a core has used up its quantum and is about to wait for simulated time, its module offers the
// instructions of the next quantum (Iss::allow_speculation(); an Iss is the simulator of one core,
// core/iss.h). The core's worker may then execute them. It works in place: on the core's own registers,
// software TLB and decoded blocks, and on guest memory. A core has at most one speculation at a time.
//
// Permission. A speculation accesses a page or line of guest memory only while its core has permission to do
// so. A directory, with a protocol similar to MSI, keeps these permissions (page_ownership.h). While one
// thread may store to a byte, no other thread accesses it.
//
// End. A speculation ends after the offered count of instructions, or before the first instruction that
//   - calls the engine's host (IssHost): devices, system registers of the host, WFI, WFE, YIELD, HVC,
//     semihosting, breakpoints,
//   - takes an exception,
//   - may have to wait for other cores: load-exclusives and store-exclusives, store-releases, LSE atomics,
//     DMB, DSB,
//   - maintains translations, decoded code or modelled caches,
//   - stores where a store has side effects (Memory::may_store_speculatively()), such as the first store to
//     a page in an interval of tracking,
//   - accesses memory that is not direct, is monitored, or for which the core cannot get permission.
//
// Commit. When simulated time has reached the quantum, the simulation thread waits for the worker if it is
// executing, or withdraws the offer if no worker has begun. It keeps what was executed
// (Iss::commit_speculation()) and executes the rest of the quantum itself.
//
// Rollback. Before the commit, a speculation is rolled back if
//   - another core claims, non-speculatively, a page or line that this core may have accessed,
//   - a device, loader or debugger is about to access such memory
//     (SpeculativeCores::before_external_access()),
//   - the simulation thread calls any other function of the core's Iss than instructions(), for example to
//     raise an interrupt,
//   - the core's exclusive monitor is cleared because another core has stored to the monitored line.
// Registers are restored from a copy, guest memory and TLB entries from an undo log, and blocks decoded by
// the speculation are dropped. The simulation thread then executes the quantum non-speculatively. A rollback
// may be unnecessary, because accesses are recorded conservatively, but it is never omitted.
//
// Why results are identical. No effect is visible early: whoever accesses what a speculation has stored rolls
// it back first. No input changes: whoever changes what a speculation has loaded, or the interrupts of its
// core, rolls it back first. A rollback does not restore the directory of permissions, but that decides only
// which accesses have to ask. A committed speculation is therefore what the simulation thread would have
// computed at that point. How early or late a worker is decides only how much is left to do.
//
// Compared with the literature. As in Time Warp, state is saved incrementally and restored on a conflict.
// However, a speculation sends no messages, so there are no anti-messages and no cascading rollbacks. It is
// at most a quantum long and commits in the order of the simulation thread, so no global virtual time is
// needed. Conflicts are detected eagerly, as in thread-level speculation: the simulation thread always wins.
// Between two speculations the first claim wins, and the other one ends without a rollback.
//
// Who may call what. Workers call only Speculation::run(), and within it PageOwnership::claim_speculatively()
// and find_pages(). All else belongs to the simulation thread, which calls quiesce() before it looks at a
// core that may be speculating.
#pragma once

#include <cstdint>

#include "core/a64/budget.h"
#include "core/a64/state.h"
#include "core/host_threads.h"

namespace asterism::a64 {

class Cpu;
class SpeculativeCores;

// Thrown when an instruction must not be executed speculatively, before it has changed the guest's state.
struct SpeculationEnds {};

// What Cpu::run_speculatively() changes, apart from memory and decoded blocks.
struct SavedCore {
  State state{};
  StackInUse stack{};
  Budget budget{};
  std::uint64_t executed_time = 0, attend_at = 0;

  static SavedCore of(const Cpu& cpu);
  void restore(Cpu& cpu) const;
};

// The speculative execution of one core.
class Speculation final : public HostThreads::Task {
 public:
  Speculation(Cpu& cpu, SpeculativeCores& cores) : cpu_(cpu), cores_(cores) {}

  // Offers the instructions up to the count `until`; Cpu::run() must be waiting in IssHost::due(). Offers
  // nothing if the core belongs to the simulation thread, if fewer than 100 instructions remain, if the core
  // has something else to handle (Cpu::may_speculate()), or while throttle() pauses it because recent
  // speculations executed too little or were rolled back.
  void offer(std::uint64_t until);
  // The quantum begins. Keeps what was executed.
  void commit();
  // Restores the state that the core had when it was offered.
  void roll_back();
  // Ensures that no worker executes this speculation: waits for a worker that has begun, otherwise withdraws
  // the offer. The speculation can still be committed or rolled back.
  void quiesce();

  // It was offered, and has been neither committed nor rolled back.
  bool is_outstanding() const { return is_outstanding_; }
  // A worker has executed it, and it is outstanding.
  bool has_executed() const { return is_outstanding_ && (has_executed_ || Task::is_done()); }
  // The core's count of instructions at the offer. Iss::instructions() returns it while a speculation is
  // outstanding.
  std::uint64_t committed_instructions() const { return began_; }
  std::uint64_t committed_time() const { return began_time_; }

 private:
  void run() override;
  // Ends an outstanding speculation. Returns whether a worker has executed it.
  bool finish();
  void throttle(bool was_useful);

  Cpu& cpu_;
  SpeculativeCores& cores_;
  bool is_outstanding_ = false, is_quiescent_ = false, has_executed_ = false;
  std::uint64_t began_ = 0, until_ = 0;        // counts of instructions
  std::uint64_t began_time_ = 0;               // Cpu::executed_time
  unsigned backoff_ = 0, offers_to_skip_ = 0;  // throttle()
  SavedCore saved_;                            // at the offer, when a worker begins
};

}  // namespace asterism::a64
