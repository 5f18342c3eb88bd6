// What software could do to a device: legal accesses, mostly to registers and by words, with values that are
// likely to be plausible, one after the other with pauses. It is the same for a seed as long as the answers
// are.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/random.h"
#include "platform/plugin_check/check_bench.h"

namespace asterism {

class Stimulus {
 public:
  struct Settings {
    Picoseconds quantum = {};      // how far the caller runs ahead of simulated time
    bool has_debug_reads = false;  // a debugger reads registers in between
    bool is_recorded = false;      // the answers are steps of the trial
  };
  Stimulus(CheckBench& bench, std::uint64_t seed, const Settings& settings);

  void run(unsigned accesses);  // of a device without targets: only their pauses
  BenchAccess next();           // of a device with targets
  // The caller catches up with its own time.
  void synchronise();

 private:
  BenchAccess of_registers();
  BenchAccess of_memory(std::size_t target);
  std::uint32_t value();
  Picoseconds pause();
  void read_by_debugger();
  void access(BenchAccess access);

  CheckBench& bench_;
  const Settings settings_;
  Random random_, debugger_;
  Picoseconds ahead_;
  std::vector<std::uint32_t> learned_;  // values that were read last
  struct Place {
    std::size_t target;
    std::uint64_t offset;
    Access access;
  };
  std::vector<Place> registers_;
  std::vector<std::size_t> memories_;  // targets without registers
  std::size_t in_order_ = 0;           // the register that a driver would write next
};

}  // namespace asterism
