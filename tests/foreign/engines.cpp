#include "engines.h"

#include <stdexcept>

#include "core/a64/native_iss.h"
#include "core/core_feature.h"
#if ASTERISM_UNICORN
#include "core/unicorn_iss.h"
#endif

namespace asterism::foreign {

bool has(Engine engine) {
#if ASTERISM_UNICORN
  return engine == Engine::native || engine == Engine::unicorn;
#else
  return engine == Engine::native;
#endif
}

std::unique_ptr<Iss> make_iss(Engine engine, IssHost& host) {
  if (engine == Engine::native)
    return make_native_iss(host, 0, {.features = CoreFeatures(usual_features).without(CoreFeature::lse)});
#if ASTERISM_UNICORN
  return make_unicorn_cortex_a57(host, 0);
#else
  throw std::invalid_argument("this build has no Unicorn");
#endif
}

}  // namespace asterism::foreign
