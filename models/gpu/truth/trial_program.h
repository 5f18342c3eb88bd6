// The program of a GPU in a snapshot trial: kernels of random accesses, the same for a number whenever it is
// run, and the memory that they leave if each write is done at once. The kernel_word() of one kernel's
// accesses to a word does not depend on their order.
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
    std::uint64_t kernel = 1;           // the number of the next one
    std::vector<std::uint64_t> memory;  // of all channels, including what is not allocated
  };

  TrialProgram(const TrialSetup& setup, std::uint64_t seed);

  // Fills memory as the host has written it, before any kernel.
  void start();
  const State& state() const { return state_; }
  void go_back(const State& state) { state_ = state; }
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(state_.memory)); }

  // The next kernel. `loses`: one write of it is missing in the result.
  ListedKernel run_next(bool loses);

 private:
  DeviceAccess any_access(Random& random, std::uint64_t& stream, std::uint32_t shape) const;

  TrialSetup setup_;
  std::uint64_t seed_;
  State state_;
};

}  // namespace asterism
