// The cores of a node that share memory and may execute speculatively (speculation.h): their list, the host
// thread of each, and the rollbacks that other masters cause. All functions are for the simulation thread.
#pragma once

#include <cstdint>
#include <vector>

#include "base/statistics.h"
#include "base/units.h"
#include "core/a64/page_ownership.h"
#include "core/host_threads.h"

namespace asterism::a64 {

class Cpu;

class SpeculativeCores {
 public:
  explicit SpeculativeCores(HostThreads& threads) : threads_(threads) {}

  // Cores join before the simulation starts and leave after it has ended. A core's number is its number in
  // the node.
  void join(Cpu& cpu);
  void leave(Cpu& cpu);

  HostThreads& threads() { return threads_; }
  PageOwnership& ownership() { return ownership_; }
  // Each host thread has a group of neighbouring cores, so that their memory tends to stay in the caches of
  // one host processor. The group of thread 0, the simulation thread, does not speculate.
  unsigned thread_of(unsigned core) const {
    return static_cast<unsigned>(std::uint64_t{core} * threads_.count() / cpus_.size());
  }

  // Called before a master other than these cores (a device, a loader, a debugger) accesses memory. Quiesces
  // all speculations. Then it rolls back those that may have accessed these pages (for a store) or have
  // stored to them (for a load). A range of more than 1 MiB rolls back all.
  void before_external_access(AddressRange range, bool is_store);
  // Rolls back every outstanding speculation.
  void roll_back_all();
  // Quiesces the speculation of one core.
  void quiesce(unsigned core);

  // Counts the outstanding speculations; `change` is +1 or -1.
  void count_outstanding(int change) { outstanding_ += change; }
  // Returns whether a worker has executed this core's speculation and it is still outstanding.
  bool has_executed(unsigned core) const;

  struct Counts {
    std::uint64_t speculations = 0;  // that a worker executed, whatever became of them
    std::uint64_t rollbacks = 0;     // of these speculations
    std::uint64_t instructions = 0;  // of the speculations that were committed
  } counts;
  // Adds `speculations`, `rollbacks` and `speculated_instructions` to host.json.
  void report(Statistics& statistics) const;

 private:
  HostThreads& threads_;
  std::vector<Cpu*> cpus_;  // by number; nullptr: none
  PageOwnership ownership_{cpus_};
  int outstanding_ = 0;
};

}  // namespace asterism::a64
