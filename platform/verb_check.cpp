#include <algorithm>
#include <cstdio>

#include "core/workload.h"
#include "dimm_ssd/workload/write_profile.h"
#include "fabric/topology/graph_config.h"
#include "gpu/workload/kernel_profile.h"
#include "memory/dram_part.h"
#include "pcram/pcram_config.h"
#include "platform/study/built_fabric.h"
#include "platform/study/study_kind.h"
#include "platform/verbs.h"
#include "resilience/gpu_system.h"
#include "swizzle_switch/switch_technology.h"

namespace asterism {
namespace {

// One whose packets have ways to everybody, on which they cannot block each other.
GraphConfig read_graph(ConfigDocument& document, const ConfigLibrary& library) {
  GraphConfig graph = read_config<GraphConfig>(document, library);
  try {
    check_graph(graph, library);
  } catch (const StudyMistake& mistake) {
    throw ConfigError(Diagnostic{.origin = document.root().origin, .path = "", .problem = mistake.what()});
  }
  return graph;
}

// A part or a workload, by a key that no other kind of file has; nullopt when it is none.
std::optional<std::string> expanded_part(ConfigDocument& document, const ConfigLibrary& library) {
  if (document.has("currents") || document.has("timing"))
    return expanded(read_config<DramPart>(document, library));
  if (document.has("pages_per_block")) return expanded(read_config<FlashPart>(document, library));
  if (document.has("reset_energy")) return expanded(read_config<PcramPart>(document, library));
  if (document.has("points") || document.has("wire_fs_per_um"))
    return expanded(read_config<SwitchTechnology>(document, library));
  if (document.has("dirty_zones")) return expanded(read_config<KernelProfile>(document, library));
  if (document.has("regions")) return expanded(read_config<WriteProfile>(document, library));
  if (document.has("l1_mpki") || document.has("l2_mpki"))
    return expanded(read_config<Workload>(document, library));
  if (document.has("gpu_teraflops")) return expanded(read_config<GpuSystemConfig>(document, library));
  if (document.has("links")) return expanded(read_graph(document, library));
  return std::nullopt;
}

}  // namespace

int verb_check(const std::string& file, const std::vector<std::string>& overrides) {
  const InstalledFiles installed = InstalledFiles::find();
  const char* kind = "scenarios";
  for (const char* other : {"nodes", "studies", "dram", "flash", "pcram", "technologies", "workloads",
                            "write_profiles", "kernel_profiles", "graphs", "systems"})
    if (installed.configs.find(other, file)) kind = other;
  ConfigDocument document = ConfigDocument::load(installed.configs.locate(kind, file));
  for (const std::string& override : overrides) document.apply_override(override);
  if (is_study(document)) {
    std::fputs(read_study(std::move(document), file, installed.configs).expanded.c_str(), stdout);
    return 0;
  }
  std::optional<std::string> text = expanded_part(document, installed.configs);
  if (!text)
    text = is_scenario(document) ? expanded(check_scenario(document, installed))
                                 : expanded(check_node(document, installed));
  std::fputs(text->c_str(), stdout);
  return 0;
}

}  // namespace asterism
