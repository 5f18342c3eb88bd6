#include "core/iss_factory.h"

#include <utility>

#include "core/a64/exclusive_monitors.h"
#include "core/a64/native_iss.h"

namespace asterism {

std::function<std::unique_ptr<Iss>(IssHost& host, unsigned core)> make_iss_of_cores(
    const a64::Options& options, std::shared_ptr<a64::SpeculativeCores> speculative_cores) {
  return [options, monitors = std::make_shared<a64::ExclusiveMonitors>(),
          speculative_cores = std::move(speculative_cores)](IssHost& host, unsigned core) {
    return make_native_iss(host, core, options, monitors, speculative_cores);
  };
}

}  // namespace asterism
