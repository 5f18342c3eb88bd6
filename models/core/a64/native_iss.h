// The A64 engine of this project (Armv8.0-A, EL0 and EL1): an interpreter of decoded blocks.
#pragma once

#include <memory>

#include "core/a64/decoder.h"
#include "core/a64/state.h"
#include "core/iss.h"

namespace asterism {

namespace a64 {
class ExclusiveMonitors;
class SpeculativeCores;
}  // namespace a64

class NativeIss : public Iss {
 public:
  // The whole architectural state. Not while run() is in progress.
  virtual a64::State state() const = 0;
  virtual void set_state(const a64::State& state) = 0;
};

// `core` becomes the affinity in MPIDR_EL1 (base/affinity.h). The host outlives the engine. All cores that
// share memory have the same `monitors`, and the same `speculative_cores` if they may execute speculatively
// in other threads of the host.
std::unique_ptr<NativeIss> make_native_iss(
    IssHost& host, unsigned core, const a64::Options& options = {},
    std::shared_ptr<a64::ExclusiveMonitors> monitors = nullptr,
    std::shared_ptr<a64::SpeculativeCores> speculative_cores = nullptr);

}  // namespace asterism
