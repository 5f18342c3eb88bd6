// Makes the engines of a node's cores.
#pragma once

#include <functional>
#include <memory>

#include "core/a64/decoder.h"
#include "core/iss.h"

namespace asterism {

namespace a64 {
class SpeculativeCores;
}

// Makes engines that share memory: the exclusive accesses of each observe the stores of the others. `core`
// becomes the affinity in MPIDR_EL1 (base/affinity.h). The host outlives the engine. With the option of a
// GICv3's CPU interface, its registers are accessed by IssHost::read_register() and write_register().
// `speculative_cores` lets engines execute speculatively in other threads of the host.
std::function<std::unique_ptr<Iss>(IssHost& host, unsigned core)> make_iss_of_cores(
    const a64::Options& options = {}, std::shared_ptr<a64::SpeculativeCores> speculative_cores = nullptr);

}  // namespace asterism
