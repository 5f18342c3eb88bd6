// The configuration of a node's cores, which are all alike.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "base/units.h"
#include "core/cache_config.h"
#include "core/core_engine.h"
#include "core/core_feature.h"
#include "core/instruction_clock.h"

namespace asterism {

class Fields;

// How all cores except the first are started.
enum class CoreStart { psci, spin_table };
constexpr auto enum_names(CoreStart) {
  return std::to_array<EnumName<CoreStart>>(
      {{CoreStart::psci, "psci", "PSCI: the cores are off until CPU_ON"},
       {CoreStart::spin_table, "spin_table",
        "spin table: from power-up, the cores spin until firmware writes an address"}});
}

// What a load gets whose data memory cannot give: an error on the bus, or an uncorrectable error of DRAM.
enum class LoadErrors { serror, abort };
constexpr auto enum_names(LoadErrors) {
  return std::to_array<EnumName<LoadErrors>>(
      {{LoadErrors::serror, "serror", "the load returns ones, and an SError follows within 256 instructions"},
       {LoadErrors::abort, "abort",
        "a synchronous external abort with the address, by which Linux kills one process with SIGBUS"}});
}

struct CoreConfig {
  unsigned count = 4;
  unsigned auxiliary = 0;  // the last ones, reserved by the device tree
  CoreEngine engine = CoreEngine::native;
  CoreTranslator translator = CoreTranslator::on;
  Frequency clock = 1_GHz;
  double cpi = 1.0;                        // cycles per instruction, without a timing
  std::optional<std::string> timing = {};  // a file in configs/cores (core_timing.h)
  Frequency counter = 62'500_kHz;          // of the generic timer, CNTFRQ
  Picoseconds event_wait = 1_us;           // after WFE or YIELD
  CachesConfig caches = {};
  CoreStart start = CoreStart::psci;
  LoadErrors load_errors = LoadErrors::serror;
  std::vector<CoreFeature> features{usual_features.begin(), usual_features.end()};

  InstructionClock instruction_clock() const;
};
void describe(Fields& f, CoreConfig& config);

}  // namespace asterism
