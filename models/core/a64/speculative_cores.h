// The cores of a node that share memory and may execute speculatively (speculation.h): who they are, which
// host thread each belongs to, and what rolls them back from outside. All of it is for the simulation's
// thread.
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

  // Cores join before and leave after all simulation. Their numbers are those of the node.
  void join(Cpu& cpu);
  void leave(Cpu& cpu);

  HostThreads& threads() { return threads_; }
  PageOwnership& ownership() { return ownership_; }
  // Each host thread has a group of neighbouring cores, whose memory stays in the caches of one host
  // processor. The first group is that of the simulation's own thread, 0, and does not speculate.
  unsigned thread_of(unsigned core) const {
    return static_cast<unsigned>(std::uint64_t{core} * threads_.count() / cpus_.size());
  }

  // A master other than these cores (a device, a loader, a debugger) is about to access memory. Quiesces all
  // speculations, and rolls back those that have loaded or stored in these pages (for a store), or stored
  // there (for a load).
  void before_external_access(AddressRange range, bool is_store);
  void roll_back_all();
  void quiesce(unsigned core);

  // Counts offers that are neither committed nor rolled back: +1 or -1.
  void count_outstanding(int change) { outstanding_ += change; }
  // A worker has executed this core's speculation, which is neither committed nor rolled back.
  bool has_executed(unsigned core) const;

  struct Counts {
    std::uint64_t speculations = 0;  // that a worker has executed
    std::uint64_t rollbacks = 0;     // of these
    std::uint64_t instructions = 0;  // of the committed ones
  } counts;
  // `speculations`, `rollbacks`, `speculated_instructions`.
  void report(Statistics& statistics) const;

 private:
  HostThreads& threads_;
  std::vector<Cpu*> cpus_;  // by number; nullptr: none
  PageOwnership ownership_{cpus_};
  int outstanding_ = 0;
};

}  // namespace asterism::a64
