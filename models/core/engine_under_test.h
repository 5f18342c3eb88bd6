// The engine that a test of core modules runs on: the tests are built once for each (CMakeLists.txt).
#pragma once

#include "core/iss_factory.h"

namespace asterism {

inline constexpr CoreEngine engine_under_test = CoreEngine::ASTERISM_TEST_ENGINE;
// The native engine counts instruction by instruction; in Unicorn a block counts as a whole when it is entered.
inline constexpr bool is_exact = engine_under_test == CoreEngine::native;

inline std::unique_ptr<Iss> make_iss_under_test(IssHost& host, unsigned core) {
  return make_iss(engine_under_test, host, core);
}

}  // namespace asterism
