// Makes the engines that a configuration may name.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/a64/decoder.h"
#include "core/core_engine.h"
#include "core/iss.h"

namespace asterism {

namespace a64 {
class SpeculativeCores;
}

// `core` becomes the affinity in MPIDR_EL1 (base/affinity.h). The host outlives the engine. Throws std::invalid_argument for an engine that is not in
// this build.
std::unique_ptr<Iss> make_iss(CoreEngine engine, IssHost& host, unsigned core);
// Engines that share memory: the exclusive accesses of each take notice of the others' stores. `options`:
// what native engines have; with a GICv3's CPU interface its registers come to IssHost::read_register() and
// write_register(). `speculative_cores`: they may execute speculatively in other threads of the host; of native
// engines only.
std::function<std::unique_ptr<Iss>(IssHost& host, unsigned core)> make_iss_of_cores(
    CoreEngine engine, const a64::Options& options = {},
    std::shared_ptr<a64::SpeculativeCores> speculative_cores = nullptr);

// With the version of the library that runs: "native", "unicorn 2.0.1".
std::string version_of(CoreEngine engine);

}  // namespace asterism
