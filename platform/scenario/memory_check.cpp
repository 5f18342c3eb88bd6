#include "platform/scenario/memory_check.h"

#include <fmt/format.h>

#include <stdexcept>

#include "memory/dram_system.h"
#include "platform/config/config.h"

namespace asterism {

void check_memory(const NodeConfig& node, const std::vector<FaultConfig>& faults,
                  const ConfigLibrary& library, const ConfigDocument& document, const std::string& path,
                  Diagnostics& problems) {
  if (node.runs != NodeProgram::firmware) return;
  const auto refuse = [&](const std::string& key, const std::string& problem) {
    problems.add({.origin = document.origin_of(key), .path = key, .problem = problem});
  };
  const std::string memory = path.empty() ? "memory" : path + ".memory";
  const auto part = load_config<DramPart>(library, "dram", node.memory.dram.part);
  const bool has_faults = part.suits_symbol_codes();
  const std::string no_faults =
      fmt::format("{} has chips of {} bits, but memory faults are modelled only for chips of 4 bits",
                  node.memory.dram.part, part.width);
  if (node.memory.ecc.fit_per_device != 0 && !has_faults) refuse(memory + ".fit_per_device", no_faults);
  try {
    const DramSystem system(node.memory.dram, part, node.memory.size);
    const DramGeometry& geometry = system.mapping().geometry();
    if (const auto problem = ecc_problem(node.memory.ecc.mode, node.memory.dram.part, part, geometry))
      refuse(fmt::format("{}.{}", memory, problem->key), problem->words);
    for (std::size_t i = 0; i < faults.size(); ++i) {
      const auto fault = faults[i].memory_fault();
      if (!fault) continue;
      const std::string problem = fault_problem(*fault, geometry, part.rows());
      if (!has_faults)
        refuse(fmt::format("faults.{}", i), no_faults);
      else if (!problem.empty())
        refuse(fmt::format("faults.{}", i), "the fault " + problem + ", counted from 0");
    }
  } catch (const std::invalid_argument& error) {
    refuse(memory + ".size", error.what());
  }
}

}  // namespace asterism
