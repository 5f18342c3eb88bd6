#include "core/iss_factory.h"

#include <stdexcept>
#include <utility>

#include "core/a64/exclusive_monitors.h"
#include "core/a64/native_iss.h"
#if ASTERISM_UNICORN
#include "core/unicorn_iss.h"
#endif

namespace asterism {
namespace {

std::unique_ptr<Iss> make_native(IssHost& host, unsigned core, const a64::Options& options = {},
                                 const std::shared_ptr<a64::ExclusiveMonitors>& monitors = nullptr,
                                 const std::shared_ptr<a64::SpeculativeCores>& speculative_cores = nullptr) {
  auto iss = make_native_iss(host, core, options, monitors, speculative_cores);
  iss->on_undefined([&host](std::uint32_t word, Address pc) { host.undefined_instruction(word, pc); });
  return iss;
}

}  // namespace

std::unique_ptr<Iss> make_iss(CoreEngine engine, IssHost& host, unsigned core) {
  if (engine == CoreEngine::native) return make_native(host, core);
#if ASTERISM_UNICORN
  return make_unicorn_iss(host, core);
#else
  throw std::invalid_argument("this build has no Unicorn");
#endif
}

std::function<std::unique_ptr<Iss>(IssHost& host, unsigned core)> make_iss_of_cores(
    CoreEngine engine, const a64::Options& options,
    std::shared_ptr<a64::SpeculativeCores> speculative_cores) {
  return [engine, options, monitors = std::make_shared<a64::ExclusiveMonitors>(),
          speculative_cores = std::move(speculative_cores)](IssHost& host, unsigned core) {
    if (engine != CoreEngine::native) return make_iss(engine, host, core);
    return make_native(host, core, options, monitors, speculative_cores);
  };
}

std::string version_of(CoreEngine engine) {
#if ASTERISM_UNICORN
  if (engine == CoreEngine::unicorn) return "unicorn " + unicorn_version();
#endif
  return std::string(to_text(engine));
}

}  // namespace asterism
