#include "platform/node_memory.h"

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
  if (const std::string problem = ecc_problem(node.memory.ecc, node.memory.dram, part); !problem.empty())
    refuse(memory + ".part", fmt::format("{} {}", node.memory.dram.part, problem));
  try {
    const DramSystem system(node.memory.dram, part, node.memory.size);
    for (std::size_t i = 0; i < faults.size(); ++i)
      if (const auto fault = faults[i].memory_fault())
        if (const std::string problem = fault_problem(*fault, system.mapping().geometry(), part.rows());
            !problem.empty())
          refuse(fmt::format("faults.{}", i), "the fault " + problem + ", counted from 0");
  } catch (const std::invalid_argument& error) {
    refuse(memory + ".size", error.what());
  }
}

}  // namespace asterism
