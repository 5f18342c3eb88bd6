// The program of a GPU in a snapshot trial: kernels of random accesses, the same for a number whenever it is
// run, and what they make of memory when each write is done at once. kernel_word() of one kernel's accesses
// to a word does not depend on their order.
#pragma once

#include <cstring>
#include <vector>

#include "base/random.h"
#include "gpu/gpu_rig.h"
#include "gpu/truth/trial_setup.h"

namespace asterism {

class TrialProgram {
 public:
  struct State {
    std::uint64_t kernel = 1;           // the next one
    std::vector<std::uint64_t> memory;  // of all channels, also beyond what is allocated
  };

  TrialProgram(const TrialSetup& setup, std::uint64_t seed);

  // Memory that the host has written to, and no kernel yet.
  void start();
  const State& state() const { return state_; }
  void go_back(const State& state) { state_ = state; }
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(state_.memory)); }

  // The next kernel; `loses`: one write of it is not in what is returned.
  ListedKernel run_next(bool loses);

 private:
  DeviceAccess any_access(Random& random, std::uint64_t& stream, std::uint32_t shape) const;

  TrialSetup setup_;
  std::uint64_t seed_;
  State state_;
};

}  // namespace asterism
